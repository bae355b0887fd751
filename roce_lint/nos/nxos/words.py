"""The words of NX-OS: which statements there are, and how their values are written.

They are printed alone: what the lines mean together (a class map, the policies that name it and
where these are attached) is read by functions over the records.
"""

from __future__ import annotations

from roce_lint.errors import RenderError
from roce_lint.model.interface import Fec
from roce_lint.model.qos import Marking
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.codecs import TEXT, Behind, Codec, Limits, Numbers, OneOf, Whole, check
from roce_lint.nos.quantities import UNITS
from roce_lint.nos.stanzas import LAST_AS
from roce_lint.nos.words import Below, Many, Switch, Word, Words

ON_OFF: Codec[bool] = OneOf({"on": True, "off": False}, "on or off")
FEC: Codec[Fec] = OneOf(
    {"auto": Fec.AUTO, "off": Fec.NONE, "fc-fec": Fec.FC, "rs-fec": Fec.RS}, "a FEC mode"
)
WRITTEN_IN = {
    ThresholdUnit.BYTES: ("kbytes", "bytes"),
    ThresholdUnit.PACKETS: ("packets",),
}
"""Units of queue depths that are documented, the larger first."""

EACH_PACKET = 0
"""Weight with which the depth that each packet meets decides, as all published examples have it."""


def random_detect(mark: Marking, weight: int | None, limits: Limits) -> str:
    """A `random-detect` line; `weight` is printed where the marking has none.

    Raises:
        RenderError: a threshold is missing, or has a unit that NX-OS does not document.
    """
    words = ["random-detect"]
    for name, depth in (("minimum", mark.kmin), ("maximum", mark.kmax)):
        words += [f"{name}-threshold", _depth(depth)]
    if mark.pmax_percent is not None:
        check("drop-probability", mark.pmax_percent, limits, 0, 100)
        if mark.pmax_percent % 1:
            raise RenderError(f"drop-probability {mark.pmax_percent:g} is stated as a whole number")
        words += ["drop-probability", f"{mark.pmax_percent:.0f}"]
        weight = weight if mark.averaged_over is None else mark.averaged_over
        words += [] if weight is None else ["weight", str(weight)]
    return " ".join([*words, "ecn"] if mark.ecn else words)


def _depth(depth: Threshold | None) -> str:
    if depth is None:
        raise RenderError("marking and dropping need two thresholds")
    for word in WRITTEN_IN.get(depth.unit, ()):
        factor, _ = UNITS[word]
        if not depth.value % factor:
            return f"{depth.value / factor:.0f} {word}"
    raise RenderError(f"{depth} is no queue depth that NX-OS states")


class Hostname(Words, group="hostname"):
    """`hostname leaf1`."""

    hostname: Word[str] = Word("hostname", TEXT)


class Feature(Words, group="feature"):
    """`feature bgp`."""

    feature: Word[str] = Word("feature", TEXT)


class Breakout(Words, group="breakout"):
    """`interface breakout module 1 port 1-4 map 400g-2x`."""

    module: Word[int] = Word("module", Whole("module", 99, 1))
    ports: Word[frozenset[int]] = Word("ports", Numbers("a list of ports", 999))
    map: Word[str] = Word("map", TEXT)


class LoadSharing(Words, group="load_sharing"):
    """`ip load-sharing address source-destination port source-destination`."""

    hash: Word[str] = Word("hash", TEXT)


class WatchdogOn(Words, group="watchdog"):
    """`priority-flow-control watch-dog-interval on`."""

    on: Word[bool] = Word("watchdog", ON_OFF)


class ClassMap(Words, group="class_map"):
    """`class-map type qos match-any ROCE` and what it matches."""

    head: Word[str] = Word("head", TEXT)
    dscp: Many[frozenset[int]] = Many("dscp", Numbers("a list of DSCP", 63, "DSCP"))
    cos: Many[frozenset[int]] = Many("cos", Numbers("a list of CoS", 7, "CoS"))


class QosClass(Words, group="policy_class"):
    """`class ROCE` below a policy of type qos."""

    called: Word[str] = Word("class", TEXT)
    group_number: Word[int] = Word("qos_group", Whole("qos-group", 7))
    set_dscp: Word[int] = Word("set_dscp", Whole("DSCP", 63))


class QosPolicy(Words, group="qos_policy"):
    """`policy-map type qos INPUT`."""

    head: Word[str] = Word("head", TEXT)
    classes: Below[QosClass] = Below(QosClass)


class NetworkClass(Words, group="policy_class"):
    """`class type network-qos c-8q-nq3` below a policy of that type."""

    called: Word[str] = Word("class", TEXT)
    mtu: Word[int] = Word("mtu", Whole("class MTU", 65535, 64))
    pause: Word[str] = Word("pause", Behind("pfc-cos"))


class NetworkPolicy(Words, group="network_qos_policy"):
    """`policy-map type network-qos LOSSLESS`."""

    name: Word[str] = Word("name", TEXT)
    classes: Below[NetworkClass] = Below(NetworkClass)


class QueueClass(Words, group="policy_class"):
    """`class type queuing c-out-8q-q3` below a policy of that type."""

    called: Word[str] = Word("class", TEXT)
    priority: Word[str] = Word("priority", TEXT)
    percent: Word[int] = Word("bandwidth_percent", Whole("bandwidth percent", 100))
    remaining: Word[int] = Word("bandwidth_remaining", Whole("bandwidth percent", 100))
    random_detect: Word[str] = Word("random_detect", TEXT)


class QueuingPolicy(Words, group="queuing_policy"):
    """`policy-map type queuing OUT`."""

    name: Word[str] = Word("name", TEXT)
    classes: Below[QueueClass] = Below(QueueClass)


class SystemQosWords(Words, group="system_qos"):
    """`system qos` and what it attaches."""

    begins: Switch = Switch(on="system_qos")
    network_qos: Word[str] = Word("network_qos", TEXT)


class PortWords(Words, group="interface"):
    """`interface Ethernet1/1` and what may stand below it."""

    name: Word[str] = Word("name", TEXT)
    routed: Switch = Switch(on="no_switchport", off="switchport")
    description: Word[str] = Word("description", TEXT)
    up: Switch = Switch(on="no_shutdown", off="shutdown")
    mtu: Word[int] = Word("mtu", Whole("MTU", 65535, 64))
    speed: Word[int] = Word("speed", Whole("speed", 10**7, 1))
    negotiates: Switch = Switch(on="negotiate_auto")
    fixed: Word[str] = Word("no_negotiate_auto", TEXT)
    fec: Word[Fec] = Word("fec", FEC)
    channel: Word[str] = Word("channel_group", TEXT)
    vrf: Word[str] = Word("vrf", TEXT)
    addresses: Many[str] = Many("ip_address", TEXT)
    six: Many[str] = Many("ipv6_address", Behind("ipv6 address"))
    pfc_mode: Word[str] = Word("pfc_mode", TEXT)
    watchdog: Word[str] = Word("watchdog", TEXT)
    pause_rx: Word[bool] = Word("flowcontrol_receive", ON_OFF)
    pause_tx: Word[bool] = Word("flowcontrol_send", ON_OFF)
    qos_input: Word[str] = Word("qos_input", TEXT)
    queuing_output: Word[str] = Word("queuing_output", TEXT)


class RouteMap(Words, group="route_map"):
    """`route-map CONNECTED permit 10`."""

    name: Word[str] = Word("name", TEXT)
    action: Word[str] = Word("action", TEXT)
    number: Word[int] = Word("number", Whole("number of a term", 65535, 1))


class Family(Words, group="family"):
    """`address-family ipv4 unicast` below `router bgp`."""

    family: Word[str] = Word("family", TEXT)
    redistribute: Word[str] = Word("redistribute", TEXT)
    max_paths: Word[int] = Word("max_paths", Whole("maximum-paths", 1024, 1))


class PeerFamily(Words, group="family"):
    """`address-family ipv4 unicast` below a neighbour: its routes are exchanged with it."""

    family: Word[str] = Word("family", TEXT)
    own_as: Word[int] = Word("own_as", Whole("allowas-in", 10, 1))
    communities: Word[str] = Word("communities", TEXT)


class Neighbor(Words, group="peer"):
    """`neighbor 10.0.0.1` and what stands below it."""

    peer: Word[str] = Word("peer", TEXT)
    asn: Word[int] = Word("asn", Whole("AS number", LAST_AS, 1))
    families: Below[PeerFamily] = Below(PeerFamily)


class Bgp(Words, group="bgp"):
    """`router bgp 65001`."""

    asn: Word[int] = Word("asn", Whole("AS number", LAST_AS, 1))
    any_as: Switch = Switch(on="any_as")
    families: Below[Family] = Below(Family)
    neighbors: Below[Neighbor] = Below(Neighbor)

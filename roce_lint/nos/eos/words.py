"""The words of EOS: its statements, and the forms of their values in print."""

from __future__ import annotations

from roce_lint.errors import RenderError
from roce_lint.model.interface import Fec
from roce_lint.model.qos import QueueKind, Trust, WatchdogAction
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.codecs import TEXT, Behind, Codec, Limits, Numbers, OneOf, Whole, check
from roce_lint.nos.eos.lines import (
    ACTIONS,
    HIGHEST,
    QUEUE_KINDS,
    RATES,
    TRUSTS,
    UNITS,
    Curve,
    Rate,
)
from roce_lint.nos.eos.naming import LAST_VLAN
from roce_lint.nos.stanzas import LAST_AS
from roce_lint.nos.words import Below, Many, Switch, Word, Words

HIGHEST_DSCP = 63
CLASS = Whole("traffic class", HIGHEST)
VLAN = Whole("VLAN", LAST_VLAN, 1)
TRUST: Codec[Trust] = OneOf(TRUSTS, "dscp, cos or none")
ACTION: Codec[WatchdogAction] = OneOf(ACTIONS, "a watchdog action")
ON_OFF: Codec[bool] = OneOf({"on": True, "off": False}, "on or off")


class BlankList(Codec[frozenset[int]]):
    """Numbers with blanks between them, as EOS documents them for its maps: `24 25 26`."""

    def __init__(self, what: str, high: int):
        self.what, self.high = what, high

    def text(self, value: frozenset[int], limits: Limits) -> str:
        """The numbers one by one."""
        for number in value:
            check(self.what, number, limits, 0, self.high)
        if not value:
            raise RenderError(f"{self.what}: none is no list")
        return " ".join(str(number) for number in sorted(value))


class VlanList(Numbers):
    """Ranges of VLANs, or `none`."""

    def text(self, value: frozenset[int], limits: Limits) -> str:
        """The VLANs in order, ranges joined."""
        return super().text(value, limits) if value else "none"


class Depths(Codec[Curve]):
    """`256 kbytes maximum-threshold 512 kbytes max-mark-probability 100`, behind `begin`; `chance`
    is what the probability is called.
    """

    def __init__(self, chance: str, begin: str = ""):
        self.chance, self.begin = chance, begin

    def text(self, value: Curve, limits: Limits) -> str:
        """The line from its lower threshold on."""
        if value.low is None or value.high is None:
            raise RenderError("marking and dropping need two thresholds")
        words = [*self.begin.split(), _depth(value.low, limits)]
        words += ["maximum-threshold", _depth(value.high, limits)]
        if value.chance is not None:
            check("max-mark-probability", value.chance, limits, 1, 100)
            words += [self.chance, _whole(value.chance, "a probability")]
        if value.weight is not None:
            check("weight", value.weight, limits, 0, 15)
            words += ["weight", str(value.weight)]
        return " ".join(words)


WRITTEN_IN = {
    ThresholdUnit.CELLS: ("segments",),
    ThresholdUnit.BYTES: ("kbytes", "bytes"),
    ThresholdUnit.MICROSECONDS: ("milliseconds", "microseconds"),
}
"""Units of thresholds, the larger first."""


def _depth(depth: Threshold, limits: Limits) -> str:
    for word in WRITTEN_IN.get(depth.unit, ()):
        factor, _ = UNITS[word]
        if not depth.value % factor:
            number = depth.value / factor
            check("ECN threshold", number, limits, 1, 256_000_000)
            return f"{number:.0f} {word}"
    raise RenderError(f"{depth} is no threshold that EOS states")


def _whole(number: float, what: str) -> str:
    if number % 1:
        raise RenderError(f"{number:g} is {what} with a fraction")
    return f"{number:.0f}"


class LineRate(Codec[Rate]):
    """A rate in kb/s, or as a share of the link, with the word before its number or behind it."""

    def __init__(self, *, percent_first: bool):
        self.percent_first = percent_first

    def text(self, value: Rate, limits: Limits) -> str:  # noqa: ARG002
        """The rate; a bare number is of kilobits."""
        if value.percent is not None:
            share = _whole(value.percent, "a share")
            return f"percent {share}" if self.percent_first else f"{share} percent"
        if value.bps is None or value.bps % RATES["kbps"]:
            raise RenderError(f"{value.bps} bit/s is no whole number of kbit/s")
        number = f"{value.bps // RATES['kbps']}"
        return number if self.percent_first else f"{number} kbps"


def seconds_text(which: str, milliseconds: float, limits: Limits) -> str:
    """A time of the watchdog as EOS states it.

    Raises:
        RenderError: EOS refuses it.
    """
    number = milliseconds / 1000
    check(f"watchdog {which}", number, limits, 0.005, 60)
    return f"{number:g}"


class Hostname(Words, group="hostname"):
    """`hostname leaf1`."""

    hostname: Word[str] = Word("hostname", TEXT)


class DscpMap(Words, group="dscp_map"):
    """`qos map dscp 24 25 26 to traffic-class 3`."""

    codes: Word[frozenset[int]] = Word("codes", BlankList("DSCP", HIGHEST_DSCP))
    tc: Word[int] = Word("tc", CLASS)


class CosMap(Words, group="cos_map"):
    """`qos map cos 3 to traffic-class 3`."""

    codes: Word[frozenset[int]] = Word("codes", BlankList("CoS", HIGHEST))
    tc: Word[int] = Word("tc", CLASS)


class QueueMap(Words, group="queue_map"):
    """`qos map traffic-class 3 to tx-queue 3`."""

    classes: Word[frozenset[int]] = Word("classes", BlankList("traffic class", HIGHEST))
    queue: Word[str] = Word("queue", Behind("tx-queue"))


class RewriteMap(Words, group="rewrite_map"):
    """`qos map traffic-class 3 to dscp 26`."""

    classes: Word[frozenset[int]] = Word("classes", BlankList("traffic class", HIGHEST))
    dscp: Word[int] = Word("dscp", Whole("DSCP", HIGHEST_DSCP))


class RewriteOn(Words, group="rewrite_on"):
    """`qos rewrite dscp`."""

    on: Switch = Switch(on="on")


class PfcAllOff(Words, group="pfc_killed"):
    """`priority-flow-control all off`."""

    on: Switch = Switch(on="on")


class AllowNonEct(Words, group="allow_non_ect"):
    """`qos random-detect ecn allow non-ect`."""

    words: Word[str] = Word("on", TEXT)


class WatchdogTime(Words, group="watchdog_time"):
    """`priority-flow-control pause watchdog default timeout 0.20`."""

    which: Word[str] = Word("which", TEXT)
    seconds: Word[str] = Word("seconds", TEXT)


class WatchdogDoes(Words, group="watchdog_action"):
    """`priority-flow-control pause watchdog action drop`."""

    action: Word[WatchdogAction] = Word("action", ACTION)


class HeadroomPool(Words, group="headroom_pool"):
    """`platform trident mmu headroom-pool limit cells 24000`."""

    unit: Word[str] = Word("unit", OneOf({"cells": "cells", "bytes": "bytes"}, "cells or bytes"))
    limit: Word[int] = Word("limit", Whole("headroom-pool limit", 10**8))


class Routes(Words, group="ip_routing"):
    """`ip routing`, and `ip routing ipv6 interfaces` where links have no IPv4 address."""

    on: Word[str] = Word("on", TEXT)


class RoutesSix(Words, group="six_routing"):
    """`ipv6 unicast-routing`."""

    on: Switch = Switch(on="on")


class BgpFamily(Words, group="family"):
    """`address-family ipv6` below `router bgp`: which neighbours exchange its routes."""

    family: Word[str] = Word("family", TEXT)
    next_hop: Many[str] = Many("next_hop", TEXT)
    active: Many[str] = Many("active", TEXT)


class BgpVrf(Words, group="vrf"):
    """`vrf BLUE` below `router bgp`."""

    name: Word[str] = Word("vrf", TEXT)
    neighbors: Many[str] = Many("neighbor", TEXT)


class Bgp(Words, group="bgp"):
    """`router bgp 65001`."""

    asn: Word[int] = Word("asn", Whole("AS number", LAST_AS, 1))
    max_paths: Word[str] = Word("max_paths", TEXT)
    neighbors: Many[str] = Many("neighbor", TEXT)
    connected: Switch = Switch(on="redistribute")
    families: Below[BgpFamily] = Below(BgpFamily)
    vrfs: Below[BgpVrf] = Below(BgpVrf)


class Address(Words, group="address"):
    """`ip address 10.0.0.0/31`."""

    family: Word[str] = Word("family", OneOf({"ip": "ip", "ipv6": "ipv6"}, "ip or ipv6"))
    address: Word[str] = Word("address", TEXT)


class NoDrop(Words, group="pfc_priority"):
    """`priority-flow-control priority 3 no-drop`."""

    priorities: Word[frozenset[int]] = Word("priorities", BlankList("priority", HIGHEST))
    treatment: Word[str] = Word("treatment", OneOf({"no-drop": "no-drop"}, "no-drop"))


class QueueWords(Words, group="queue"):
    """`uc-tx-queue 3` and what stands below it."""

    kind: Word[str] = Word("kind", OneOf({k: k for k in QUEUE_KINDS}, "a kind of queue"))
    number: Word[int] = Word("number", Whole("queue", HIGHEST))
    strict: Switch = Switch(on="strict", off="round_robin")
    percent: Word[int] = Word("percent", Whole("bandwidth", 100))
    guaranteed: Word[Rate] = Word("guaranteed", LineRate(percent_first=True))
    shape: Word[Rate] = Word("shape", LineRate(percent_first=False))
    ecn: Word[Curve] = Word("ecn", Depths("max-mark-probability"))
    drop: Word[Curve] = Word("drop", Depths("drop-probability", "minimum-threshold"))


TX_QUEUES = {QueueKind.UNICAST: "uc-tx-queue", QueueKind.MULTICAST: "mc-tx-queue"}
"""What queues are called where a port has some of both kinds."""


class QosWords(Words, group="qos_profile"):
    """What a port and a profile can say of QoS."""

    name: Word[str] = Word("name", TEXT)
    trust: Word[Trust] = Word("trust", TRUST)
    cos: Word[int] = Word("cos", Whole("CoS", HIGHEST))
    shape: Word[Rate] = Word("shape", LineRate(percent_first=False))
    pfc: Switch = Switch(on="pfc_on", off="pfc_off")
    watched: Switch = Switch(on="watchdog_on", off="watchdog_off")
    watchdog_action: Word[WatchdogAction] = Word("watchdog_action", ACTION)
    watchdog_timer: Word[str] = Word("watchdog_timer", TEXT)
    no_drop: Below[NoDrop] = Below(NoDrop)
    queues: Below[QueueWords] = Below(QueueWords)


class PortWords(QosWords, group="interface"):
    """`interface Ethernet1/1` and what may stand below it."""

    description: Word[str] = Word("description", TEXT)
    up: Switch = Switch(on="no_shutdown", off="shutdown")
    mtu: Word[int] = Word("mtu", Whole("mtu", 65535, 68))
    frame_mtu: Word[str] = Word("frame_mtu", Behind("l2 mtu"))
    speed: Word[str] = Word("speed", TEXT)
    fec: Many[Fec] = Many(
        "fec",
        OneOf(
            {
                "reed-solomon": Fec.RS,
                "fire-code": Fec.FC,
                "no error-correction encoding": Fec.NONE,
            },
            "an encoding",
        ),
    )
    routed: Switch = Switch(on="routed", off="switched")
    mode: Word[str] = Word("mode", OneOf({"trunk": "trunk"}, "trunk"))
    access_vlan: Word[int] = Word("access_vlan", VLAN)
    native_vlan: Word[str] = Word("native_vlan", TEXT)
    allowed_vlans: Word[frozenset[int]] = Word(
        "allowed_vlans", VlanList("a list of VLANs", LAST_VLAN)
    )
    encapsulation: Word[str] = Word("encapsulation", Behind("encapsulation dot1q vlan"))
    vrf: Word[str] = Word("vrf", TEXT)
    channel: Word[str] = Word("channel", TEXT)
    dcbx: Word[str] = Word(
        "dcbx", OneOf({"ieee": "ieee", "cee": "cee", "no dcbx mode": "off"}, "a DCBX mode")
    )
    pause_tx: Word[bool] = Word("pause_tx", ON_OFF)
    pause_rx: Word[bool] = Word("pause_rx", ON_OFF)
    profile: Word[str] = Word("profile", TEXT)
    six: Switch = Switch(on="six")
    addresses: Below[Address] = Below(Address)

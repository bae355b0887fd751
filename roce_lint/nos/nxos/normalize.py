"""Builds the Device of an NX-OS switch, its BGP and VXLAN tunnels included, from its records."""

from __future__ import annotations

from itertools import chain, pairwise

from roce_lint.model.device import Device, Limits, NoteKind
from roce_lint.model.interface import Interface, Tunnel
from roce_lint.model.qos import HeadroomModel, PfcWatchdog, SystemQos, WatchdogAction
from roce_lint.model.routing import Balancing
from roce_lint.nos.bgp import MOST_PATHS, OWN_AS_ONCE, Peer, Peers, as_number, is_address, leave_out
from roce_lint.nos.nxos import defaults, naming
from roce_lint.nos.nxos.binding import read_system
from roce_lint.nos.nxos.interfaces import Builder, Switching
from roce_lint.nos.nxos.pause import Watchdog, read_watchdog
from roce_lint.nos.nxos.platform import extent_of, platform_of
from roce_lint.nos.nxos.ports import read_ports
from roce_lint.nos.nxos.stanzas import CONFIG, configuration_records, number, read_numbers, upto
from roce_lint.nos.policies import MAP, PATHS, PREFIXES, read_policies
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.nos.port_vlans import LAST_VNI, Segments
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import value_in_force
from roce_lint.text.match import Record, merge

# `router bgp`: AS of the switch, its neighbours, and the routes it accepts.

UNICAST = ("ipv4 unicast", "ipv6 unicast")
"""Address families of the routes for RoCE."""

_POLICIES = ((MAP, "route_map"), (PREFIXES, "prefix_list"), (PATHS, "filter_list"))
"""Kinds of policies of a neighbour, and the names of their lines."""


def read_bgp(reading: Reading) -> tuple[Value[int], Peers | None]:
    """AS of the switch, and its neighbours; None without a `router bgp` stanza."""
    found = [reader for _, reader in reading.merge(CONFIG, "bgp", "asn")]
    if not found:
        return ABSENT, None
    first = found[0]
    asn = _as(reading, first.text("asn"))
    peers = Peers(reading.default(defaults.NO_OWN_AS), reading.default(defaults.NOT_TO_OWN_AS))
    first.text("any_as")
    peers.look_beside(reading, CONFIG)
    peers.max_paths = _max_paths(peers, first)
    for template in first.children("template"):
        name = template.text("peer").value or ""
        _read_neighbor(peers.group(name, template.begin), template)
    for vrf, reader in (("", first), *((r.text("vrf").value or "", r) for r in _vrfs(first))):
        for neighbor in reader.children("peer"):
            _neighbor(peers, vrf, neighbor)
    return asn, peers


def read_hash(reading: Reading) -> Balancing | None:
    """`ip load-sharing address WHAT [port WHAT] [universal-id N]`; the last line counts."""
    lines = [r for entry in reading[CONFIG] for r in entry.records.get("load_sharing", ())]
    if not lines:
        return None
    line = Reader(merge(lines), reading).text("hash")
    words = (line.value or "").split()
    pairs = dict(pairwise(words))
    seed = Value(pairs.get("universal-id"), line.position).map(number)
    # Only the word after `address` is read; other forms of the line are unknown.
    ports = Value("port" in words, line.position) if words[:1] == ["address"] else ABSENT
    return reading.build(Balancing, line.position, seed=seed, l4_ports=ports)


def _vrfs(bgp: Reader) -> list[Reader]:
    return bgp.children("vrf")


def _as(reading: Reading, text: Value[str]) -> Value[int]:
    asn = text.map(as_number)
    if text and asn.value is None:
        message = f"{(text.value or '')[:20]!r} is not the number of an AS"
        reading.note(NoteKind.BAD_VALUE, message, text.position)
    return asn


def _max_paths(peers: Peers, bgp: Reader) -> Value[int]:
    """Number of paths; announced networks are recorded with the peers."""
    stated: Value[int] = ABSENT
    for family in bgp.children("family"):
        if family.record.values["family"][-1][0] in UNICAST:
            family.take()
            connected = family.text("redistribute").map(bool)
            peers.redistributes = connected.or_else(peers.redistributes)
            peers.announce(family.all("own"))
            found = whole(family, family.text("max_paths"), MOST_PATHS, "maximum-paths", 1)
            stated = stated.or_else(found)
        else:
            leave_out(family)
    return stated.or_else(bgp.reading.default(defaults.MAX_PATHS))


def _neighbor(peers: Peers, vrf: str, reader: Reader) -> None:
    """`neighbor 10.0.0.1`, `neighbor 10.0.0.1 remote-as 65001`; a network is not a session."""
    line = reader.text("peer")
    words = (line.value or "").split()
    if not is_address(words[0]) or "/" in words[0]:
        peers.dynamic |= not vrf
        leave_out(reader)
        return
    peer = peers.peer(vrf, words[0], reader.begin)
    if words[1:2] == ["remote-as"] and len(words) > 2:
        peer.asn = _as(reader.reading, Value(words[2], line.position))
    peer.group = reader.text("group").value or peer.group
    _read_neighbor(peer, reader)


def _read_neighbor(peer: Peer, reader: Reader) -> None:
    reader.take()
    stated = _as(reader.reading, reader.text("asn"))
    peer.asn = stated if stated.position else peer.asn
    peer.unknown |= bool(reader.text("local_as"))
    for line in (line for r in (reader, *reader.children("family")) for line in r.all("own")):
        word = (line.value or "").split()[0]
        peer.shut |= word == "shutdown"
        peer.default_route |= word == "default-originate"
        if word in ("remove-private-as", "as-override"):
            peer.filtered_out = Value(True, line.position)
    for family in reader.children("family"):
        if family.record.values["family"][-1][0] not in UNICAST:
            leave_out(family)
            continue
        family.take()
        times = family.integer("own_as")
        once = family.text("own_as_once").map(lambda _: OWN_AS_ONCE)
        peer.own_as = times.or_else(once).or_else(peer.own_as)
        sent = family.text("to_own_as").map(lambda _: True)
        peer.to_own_as = sent.or_else(peer.to_own_as)
        # `standard`, `both` or no word; the effect of `extended` on the others is unknown.
        for line in family.all("communities"):
            extended = (line.value or "").endswith("extended")
            peer.communities = Value(None if extended else True, line.position)
        for kind, word in _POLICIES:
            for policy in family.all(word):
                name, _, way = (policy.value or "").partition(" ")
                if way.strip() == "out":
                    peer.filtered_out = Value(True, policy.position)
                    peer.policies_out[kind] = name
                else:
                    peer.filtered_in = Value(True, policy.position)
                    peer.policies_in[kind] = name


# VXLAN tunnel endpoints: `interface nve1`. `vn-segment` of a VLAN and `vni` of a VRF assign
# segments, `member vni` selects those of the tunnel. No line states the DSCP of the outer header.


def add_tunnels(reading: Reading, interfaces: dict[str, Interface]) -> None:
    """Set the VLANs and VRFs of tunnel endpoints."""
    ends: dict[str, list[Record]] = {}
    for record in configuration_records(reading, "interface"):
        name = naming.canonical(record.values["name"][0][0])
        if naming.is_overlay(name) and name in interfaces:
            ends.setdefault(name, []).append(record)
    if not ends:
        _pass_over(reading)
        return
    segments = _segments(reading)
    for name, records in ends.items():
        reader = Reader(merge(records), reading)
        members: set[int] = set()
        begin = 0
        for line in reader.all("member_vni"):
            begin = begin or line.position
            vnis = line.map(lambda text: text.removesuffix(" associate-vrf").strip())
            members |= read_numbers(reading, vnis, _vni, "a list of VNIs").value or frozenset()
        vlans, vrfs = segments.members(members, begin)
        interfaces[name].tunnel = reading.build(
            Tunnel, interfaces[name].at[""], vlans=vlans, vrfs=vrfs
        )


def _pass_over(reading: Reading) -> None:
    """Take segments without a tunnel: understood, but without effect."""
    for record in chain(
        configuration_records(reading, "vlan"), configuration_records(reading, "vrf")
    ):
        for _, position in chain.from_iterable(record.values.values()):
            reading.take(position)


def _vni(text: str) -> int | None:
    found = number(text)
    return found if found and found <= LAST_VNI else None


def _segments(reading: Reading) -> Segments:
    segments = Segments()
    for record in configuration_records(reading, "vlan"):
        reader = Reader(record, reading)
        vlans = read_numbers(
            reading, reader.text("vlans"), upto(LAST_VLAN), "a list of VLANs"
        ).value
        vni = whole(reader, reader.text("vni"), LAST_VNI, "vn-segment", 1).value
        down = reader.switch(on="no_shutdown", off="shutdown").value is False
        if vni is not None:
            segments.vlans[vni] |= (not down and vlans) or frozenset()
    for record in configuration_records(reading, "vrf"):
        reader = Reader(record, reading)
        vni = whole(reader, reader.text("vni").map(_number), LAST_VNI, "vni", 1).value
        name = reader.text("vrf").value
        if vni is not None and name is not None:
            segments.vrfs[vni].add(name)
    return segments


def _number(text: str) -> str:
    """The number of `vni 50001 l3`."""
    return text.split(maxsplit=1)[0]


# The device.

LAST_DSCP = 63
"""Highest DSCP (RFC 2474): it has six bits."""

LONGEST_CABLE_M = 100.0
"""Metres of cable that need no stated pause buffer (docs/nos/nxos.md, pause and watchdog)."""

QOS_GROUPS = ("class_map", "qos_policy", "network_qos_policy", "queuing_policy", "system_qos")
"""Records that are the QoS part of a configuration."""


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    names = _all(reading, "hostname", "hostname")
    versions = _all(reading, "version", "version")
    platform = platform_of(
        reading,
        _all(reading, "boot", "boot"),
        versions[-1].map(lambda text: text.split()[0]) if versions else ABSENT,
    )
    _all(reading, "feature", "feature")  # the lines that need it show the configuration
    extent = extent_of(reading, named=bool(names or versions))
    watchdog = read_watchdog(reading)
    system = read_system(reading, platform, watchdog, extent)
    ports = read_ports(reading)
    builder = Builder(reading, ports, system, platform, _switching(reading), extent)
    interfaces = builder.build()
    add_tunnels(reading, interfaces)
    asn, peers = read_bgp(reading)
    policies = read_policies(reading, CONFIG)
    device = reading.build(
        Device,
        _begin(reading, names, versions),
        hostname=reading.hostname,
        nos=reading.nos,
        vendor="Cisco",
        model=platform.model,
        os_version=platform.os_version,
        asn=asn,
        routing=peers.routing(reading, asn.position, whole=extent.device, policies=policies)
        if peers
        else None,
        partial=not extent.device,
        balancing=read_hash(reading),
        interfaces=interfaces,
        qos=system.objects,
        system=_system_qos(reading, watchdog),
        limits=Limits(headroom_cable_m=LONGEST_CABLE_M),
    )
    if names:
        device.at["hostname"] = names[-1].position
    return device


def _all(reading: Reading, group: str, variable: str) -> list[Value[str]]:
    """All captures of a one-line group."""
    return [
        value
        for record in configuration_records(reading, group)
        for value in Reader(record, reading).all(variable)
    ]


def _begin(reading: Reading, *candidates: list[Value[str]]) -> int:
    """First line of the device: its name, its release, else the first line of the first file."""
    for values in candidates:
        if values:
            return values[0].position
    return reading.src.files[0].first + 1 if reading.src.files else 0


def _switching(reading: Reading) -> Switching:
    """Global lines about ports; the last of each kind is in force."""

    def last(group: str, on: str, off: str) -> Value[bool]:
        records = configuration_records(reading, group)
        return Reader(merge(records), reading).switch(on=on, off=off) if records else ABSENT

    tag_native = _all(reading, "tag_native", "tag_native")
    return Switching(
        routed=last("default_switchport", "no_default_switchport", "default_switchport"),
        up=last("default_shutdown", "no_default_shutdown", "default_shutdown"),
        tag_native=tag_native[-1].map(lambda _: True) if tag_native else ABSENT,
    )


def _system_qos(reading: Reading, watchdog: Watchdog) -> SystemQos:
    if not reading[CONFIG]:
        return SystemQos(src=reading.src)  # neighbours alone
    has_qos = any(configuration_records(reading, group) for group in QOS_GROUPS)
    own_dscp = _own_dscp(reading)
    drops: Value[WatchdogAction] = reading.default(defaults.WATCHDOG_DROPS)
    return SystemQos(
        src=reading.src,
        headroom=HeadroomModel.PLATFORM,
        watchdog=reading.build(
            PfcWatchdog,
            max(watchdog.enabled.position, 0),
            enabled=watchdog.enabled,
            polling_ms=watchdog.interval,
            detection_ms=watchdog.times(watchdog.shutdown),
            restoration_ms=watchdog.times(watchdog.restore),
            action=drops,
        ),
        has_qos=has_qos,
        own_dscp=own_dscp.value,
        at={"own_dscp": own_dscp.position} if own_dscp.position else {},
    )


def _own_dscp(reading: Reading) -> Value[int]:
    """DSCP of all packets that the switch originates; the last line counts."""
    found: Value[int] = ABSENT
    for record in configuration_records(reading, "own_dscp"):
        reader = Reader(record, reading)
        given = value_in_force(reader, "own_dscp", "no_own_dscp")
        found = whole(reader, given, LAST_DSCP, "DSCP")
    return found

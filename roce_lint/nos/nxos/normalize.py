"""Builds the Device of an NX-OS switch, its BGP and VXLAN tunnels included, from its records."""

from __future__ import annotations

from functools import partial
from itertools import chain, pairwise

from roce_lint.model.device import Device, Limits
from roce_lint.model.interface import Interface, Tunnel
from roce_lint.model.qos import HeadroomModel, SystemQos
from roce_lint.model.routing import Balancing
from roce_lint.model.units import DSCPS
from roce_lint.nos.bgp import (
    MOST_PATHS,
    OWN_AS_ONCE,
    Peer,
    Peers,
    as_number,
    is_address,
    leave_out,
    unicast_families,
)
from roce_lint.nos.nxos import defaults, naming
from roce_lint.nos.nxos.binding import Watchdog, port_watchdog, read_system, read_watchdog
from roce_lint.nos.nxos.interfaces import Builder, Switching
from roce_lint.nos.nxos.platform import extent_of, platform_of
from roce_lint.nos.nxos.ports import Lines, WatchdogLine, read_ports
from roce_lint.nos.policies import MAP, PATHS, PREFIXES, read_policies
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.nos.port_vlans import LAST_VNI, Segments
from roce_lint.nos.quantities import number, read_numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, last_line, records, stanzas, value_in_force
from roce_lint.text.match import Record
from roce_lint.text.numbers import whole_number

# `router bgp`: AS of the switch, its neighbours, and the routes it accepts.

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
    peers.router_id = first.text("router_id")
    peers.look_beside(reading, CONFIG)
    peers.max_paths = _max_paths(peers, first)
    for template in first.children("template"):
        name = template.text("peer").value or ""
        _read_neighbor(peers.group(name, template.begin), template)
    for reader in (first, *first.children("vrf")):
        vrf = reader.text("vrf").value or ""
        for neighbor in reader.children("peer"):
            _neighbor(peers, vrf, neighbor)
    return asn, peers


def read_hash(reading: Reading) -> Balancing | None:
    """`ip load-sharing address WHAT [port WHAT] [universal-id N]`; the last line counts."""
    lines = last_line(reading, CONFIG, "load_sharing")
    if lines is None:
        return None
    line = lines.text("hash")
    words = (line.value or "").split()
    pairs = dict(pairwise(words))
    seed = Value(pairs.get("universal-id"), line.position).map(number)
    # Only the word after `address` is read; other forms of the line are unknown.
    ports = Value("port" in words, line.position) if words[:1] == ["address"] else ABSENT
    return reading.build(Balancing, line.position, seed=seed, l4_ports=ports)


def _as(reading: Reading, text: Value[str]) -> Value[int]:
    asn = text.map(as_number)
    if text and asn.value is None:
        reading.bad(f"{(text.value or '')[:20]!r} is not the number of an AS", text.position)
    return asn


def _max_paths(peers: Peers, bgp: Reader) -> Value[int]:
    """Number of paths; announced networks are recorded with the peers."""
    stated: Value[int] = ABSENT
    for family in unicast_families(bgp):
        peers.connected = family.text("redistribute").map(bool).or_else(peers.connected)
        peers.redistributes = peers.connected.or_else(peers.redistributes)
        peers.announce(family.all("own"))
        found = whole(family, family.text("max_paths"), MOST_PATHS, "maximum-paths", 1)
        stated = stated.or_else(found)
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
    for family in unicast_families(reader):
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
                peer.filter("out" if way.strip() == "out" else "in", kind, name, policy.position)


# VXLAN tunnel endpoints: `interface nve1`. `vn-segment` of a VLAN and `vni` of a VRF assign
# segments, `member vni` selects those of the tunnel. No line states the DSCP of the outer header.


def add_tunnels(reading: Reading, interfaces: dict[str, Interface]) -> None:
    """Set the VLANs and VRFs of tunnel endpoints."""
    ends = [
        record
        for record in records(reading, CONFIG, "interface")
        if _port_of(record).startswith("nve") and _port_of(record) in interfaces
    ]
    if not ends:  # segments without a tunnel: understood, but without effect
        for record in records(reading, CONFIG, "vlan") + records(reading, CONFIG, "vrf"):
            for _, position in chain.from_iterable(record.values.values()):
                reading.take(position)
        return
    segments = _segments(reading)
    for name, reader in stanzas(reading, ends, _port_of).items():
        members: set[int] = set()
        begin = 0
        for line in reader.all("member_vni"):
            begin = begin or line.position
            vnis = line.map(lambda text: text.removesuffix(" associate-vrf").strip())
            vni = partial(whole_number, low=1, high=LAST_VNI)
            members |= read_numbers(reading, vnis, vni, "a list of VNIs").value or frozenset()
        vlans, vrfs = segments.members(members, begin)
        interfaces[name].tunnel = reading.build(
            Tunnel, interfaces[name].at[""], vlans=vlans, vrfs=vrfs
        )


def _port_of(record: Record) -> str:
    return naming.canonical(record.values["name"][0][0])


def _segments(reading: Reading) -> Segments:
    segments = Segments()
    for reader in reading.groups(CONFIG, "vlan"):
        listed = reader.text("vlans")
        vlans = read_numbers(reading, listed, upto(LAST_VLAN), "a list of VLANs").value
        vni = whole(reader, reader.text("vni"), LAST_VNI, "vn-segment", 1).value
        down = reader.switch(on="no_shutdown", off="shutdown").value is False
        if vni is not None:
            segments.vlans[vni] |= (not down and vlans) or frozenset()
    for reader in reading.groups(CONFIG, "vrf"):
        words = reader.text("vni").map(lambda text: text.split(maxsplit=1)[0])  # `50001 l3`
        vni = whole(reader, words, LAST_VNI, "vni", 1).value
        name = reader.text("vrf").value
        if vni is not None and name is not None:
            segments.vrfs[vni].add(name)
    return segments


# The device.

LONGEST_CABLE_M = 100.0
"""Metres of cable that need no stated pause buffer (docs/nos/nxos.md, pause and watchdog)."""

QOS_GROUPS = ("class_map", "qos_policy", "network_qos_policy", "queuing_policy", "system_qos")
"""Records that are the QoS part of a configuration."""


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    names = _all(reading, "hostname")
    versions = _all(reading, "version")
    platform = platform_of(
        reading,
        _all(reading, "boot"),
        versions[-1].map(lambda text: text.split()[0]) if versions else ABSENT,
    )
    features = _all(reading, "feature")  # the lines that need it show the configuration
    extent = extent_of(reading, named=bool(names or versions))
    watchdog = read_watchdog(reading)
    system = read_system(reading, platform, watchdog, extent)
    ports = read_ports(reading)
    builder = Builder(reading, ports, system, platform, _switching(reading), extent)
    interfaces = builder.build()
    add_tunnels(reading, interfaces)
    asn, peers = read_bgp(reading)
    policies = read_policies(reading, CONFIG)
    begins = [line.position for line in (names or versions)]
    begins += [file.first + 1 for file in reading.src.files]
    device = reading.build(
        Device,
        next(iter(begins), 0),
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
        forwards=reading.default(defaults.FORWARDS) if extent.device else ABSENT,
        lldp=next(
            (Value(True, each.position) for each in features if each.value == "lldp"),
            reading.default(defaults.NO_LLDP) if extent.device else ABSENT,
        ),
        balancing=read_hash(reading),
        interfaces=interfaces,
        qos=system.objects,
        system=_system_qos(reading, watchdog),
        limits=Limits(headroom_cable_m=LONGEST_CABLE_M),
    )
    if names:
        device.at["hostname"] = names[-1].position
    return device


def _all(reading: Reading, group: str) -> list[Value[str]]:
    """All captures of a one-line group, whose variable has the same name."""
    return [value for reader in reading.groups(CONFIG, group) for value in reader.all(group)]


def _switching(reading: Reading) -> Switching:
    """Global lines about ports; the last of each kind is in force."""

    def last(group: str, on: str, off: str) -> Value[bool]:
        lines = last_line(reading, CONFIG, group)
        return lines.switch(on=on, off=off) if lines else ABSENT

    tag_native = _all(reading, "tag_native")
    return Switching(
        routed=last("default_switchport", "no_default_switchport", "default_switchport"),
        up=last("default_shutdown", "no_default_shutdown", "default_shutdown"),
        tag_native=tag_native[-1].map(lambda _: True) if tag_native else ABSENT,
    )


def _system_qos(reading: Reading, watchdog: Watchdog) -> SystemQos:
    if not reading[CONFIG]:
        return SystemQos(src=reading.src)  # neighbours alone
    stated = watchdog.enabled
    lines = Lines(begin=max(stated.position, 0), watchdog=stated.map(WatchdogLine))
    own = _own_dscp(reading)
    made = reading.build(
        SystemQos,
        headroom=HeadroomModel.PLATFORM,
        watchdog=port_watchdog(reading, lines, watchdog),
        has_qos=any(records(reading, CONFIG, group) for group in QOS_GROUPS),
        own_dscp=own.value,
    )
    if own.position:  # although its value is refused
        made.at["own_dscp"] = own.position
    return made


def _own_dscp(reading: Reading) -> Value[int]:
    """DSCP of all packets that the switch originates; the last line counts."""
    found: Value[int] = ABSENT
    for reader in reading.groups(CONFIG, "own_dscp"):
        given = value_in_force(reader, "own_dscp", "no_own_dscp")
        found = whole(reader, given, DSCPS[-1], "DSCP")
    return found

"""Builds the Device of a Dell OS10 switch, its VXLAN tunnel included, from its records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Fec, Interface, InterfaceKind
from roce_lint.model.routing import Routing
from roce_lint.nos.access_lists import CISCO
from roce_lint.nos.bgp import MOST_PATHS, Peer, Peers, unicast_families
from roce_lint.nos.os10 import defaults
from roce_lint.nos.os10.port_qos import Qos
from roce_lint.nos.port_names import LAST_VLAN, PortNames, PortType
from roce_lint.nos.port_vlans import add_end, routed_vrfs, set_vlans, vlans_by_mode, vni_of
from roce_lint.nos.quantities import gbps_of, read_numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value, put
from roce_lint.nos.stanzas import CONFIG, LAST_AS, as_number, first, last_line, line_of, text_of
from roce_lint.nos.switch_ports import Port, Ports, channel_of
from roce_lint.text.numbers import decimal_of, whole_of

# VXLAN tunnel endpoint `nve`: the virtual networks with a VNI, and their members. A VLAN interface
# joins a virtual network by `virtual-network 10`, a port by `member-interface`; a VRF uses the
# `vni` that `evpn` assigns. No line states the DSCP of the outer header.

TUNNEL = "nve"
"""The tunnel endpoint of a switch, by the name of its stanza."""

TAGGED = " tagged"
"""Suffix of a port name for a single VLAN of the port."""

LAST_NETWORK = 65535


def add_tunnel(reading: Reading, ports: Ports, interfaces: dict[str, Interface]) -> None:
    """Add the tunnel endpoint if the files have one."""
    networks, begin = _networks(reading)
    vrfs = routed_vrfs(_routed(reading))
    end = line_of(reading, "nve")
    begin = end.text("nve").position or begin
    end.text("source")
    joined = _vlans_by_network(ports)
    if not begin:
        return
    vlans = frozenset(vlan for number in networks for vlan in joined.get(number, ()))
    members = {port for found in networks.values() for port in found}
    partly = {port.removesuffix(TAGGED) for port in members if port.endswith(TAGGED)}
    full = {port for port in members if not port.endswith(TAGGED)}
    stated = Value(vlans, begin)
    add_end(reading, interfaces, TUNNEL, begin, full, partly, vlans=stated, vrfs=vrfs)


def _networks(reading: Reading) -> tuple[dict[int, set[str]], int]:
    """Ports of every virtual network with a VNI, and the first VNI line."""
    found: dict[int, set[str]] = defaultdict(set)
    begin = 0
    for reader in reading.groups(CONFIG, "network"):
        number = whole(reader, reader.text("network"), LAST_NETWORK, "virtual-network", 1).value
        vni = vni_of(reader, what="vxlan-vni")
        members = {_port(line.value) for line in reader.all("member") if line.value}
        if number is not None and vni.value is not None:
            begin = begin or vni.position
            found[number] |= members
    return found, begin


def _port(text: str) -> str:
    """Port of `port-channel10 untagged`; that of `ethernet 1/1/5 vlan-tag 200` is marked."""
    port, tag, _ = text.partition(" vlan-tag ")
    name = NAMES.canonical(port.removesuffix(" untagged").replace(" ", ""))
    return name + TAGGED if tag else name


def _vlans_by_network(ports: Ports) -> dict[int, set[int]]:
    """VLANs by the virtual network of their interface."""
    joined: dict[int, set[int]] = defaultdict(set)
    for name, reader in ports.readers.items():
        text = reader.text("virtual_network")
        number = whole(reader, text, LAST_NETWORK, "virtual-network", 1).value
        vlan = name.removeprefix("vlan")
        if number is not None and vlan.isdigit():
            joined[number].add(whole_of(vlan))
    return joined


def _routed(reading: Reading) -> Iterator[Reader]:
    """Stanzas of VRFs, which may have a VNI."""
    for reader in reading.groups(CONFIG, "evpn"):
        reader.text("evpn")
        yield from reader.children("routed")


# The device.

NAMES = PortNames(
    PortType("ethernet", InterfaceKind.PHYSICAL, shown=("eth",)),
    PortType("port-channel", InterfaceKind.LAG, shown=("po",)),
    PortType("vlan", InterfaceKind.VLAN),
    PortType("loopback", InterfaceKind.LOOPBACK),
    PortType("mgmt", InterfaceKind.MANAGEMENT),
    PortType("virtual-network", InterfaceKind.BRIDGE),
    PortType("null", InterfaceKind.OTHER),
)

CHANNEL = channel_of("channel_group", "port-channel", "channel-group", 4096)

PEER_CHANNEL = "port-channel1000"
"""Channel of the discovery interfaces of a VLT domain (docs/nos/os10.md)."""

MTU_RANGE = 1280, 9216

FEC = {
    "off": Fec.NONE,
    "CL74-FC": Fec.FC,
    **dict.fromkeys(("CL91-RS", "CL91-RS544", "CL108-RS", "CL119-RS", "CL134-RS"), Fec.RS),
}


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, "hostname")
    qos = Qos.read(reading, everything=bool(hostname))
    ports = Ports.read(reading, NAMES, CISCO, CHANNEL)
    interfaces = ports.build(lambda port: _interface(ports, port, qos))
    _set_mapped_speeds(reading, interfaces)
    _mark_peer_links(reading, interfaces)
    add_tunnel(reading, ports, interfaces)
    return ports.device(
        hostname,
        interfaces,
        qos,
        vendor="Dell",
        asn=as_number(reading),
        routing=_routing(reading, whole_file=bool(hostname)),
    )


def _set_mapped_speeds(reading: Reading, interfaces: dict[str, Interface]) -> None:
    """Speeds of ports without a line of their own: `interface breakout 1/1/1 map 25g-4x`, where
    `-1x` is the port as a whole.
    """
    mapped: dict[str, Value[float]] = {}
    for reader in reading.groups(CONFIG, "breakout"):
        port, split = reader.text("port"), reader.text("map")
        gbps, _, parts = (split.value or "").partition("g-")
        known = decimal_of(gbps) if gbps.isdigit() and len(gbps) < 5 else None
        mapped[f"ethernet{port.value}{':' * (parts != '1x')}"] = Value(known, split.position)
    for name, made in interfaces.items():
        speed: Value[float] = mapped.get(name[: name.find(":") + 1] or name, ABSENT)
        if "speed_gbps" not in made.at:
            put(made, speed_gbps=speed)


def _mark_peer_links(reading: Reading, interfaces: dict[str, Interface]) -> None:
    """Mark the ports that join two switches to a VLT pair, and their channel."""
    for reader in reading.groups(CONFIG, "vlt"):
        reader.take()
        reader.text("domain")
        for discovery in reader.all("discovery"):
            named = NAMES.expand(discovery.value or "")
            for name in (*named.names, PEER_CHANNEL):
                if name in interfaces:
                    put(interfaces[name], peer_link=Value(True, discovery.position))


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    mtu = port.whole("mtu", MTU_RANGE)
    if port.kind in WIRED or port.kind is InterfaceKind.VLAN:
        mtu = first(mtu, port.reading.default(defaults.MTU))
    made = ports.interface(
        port,
        speed_gbps=gbps_of(reader, reader.text("speed")),
        fec=reader.convert(reader.text("fec"), FEC.__getitem__, "a FEC"),
        ip_mtu=mtu,
        routed=port.routes(lambda port: port.inherit(_reads_as_routed)),
    )
    reader.text("vlt")
    if port.kind in WIRED:
        made.qos = qos.of_port(port)
        set_vlans(made, vlans_by_mode(port, "switchport_mode", _allowed_vlans))
    else:
        set_vlans(made)
    return made


def _reads_as_routed(reader: Reader) -> Value[bool]:
    """Whether the port routes; a port without any such line is not known to be switched."""
    mode = reader.text("switchport_mode").map(lambda _: False)
    return first(reader.switch(on="no_switchport", off="switchport"), mode)


def _allowed_vlans(reader: Reader) -> Value[frozenset[int]]:
    text = reader.text("allowed_vlans")
    return read_numbers(reader.reading, text, upto(LAST_VLAN), "a list of VLANs")


# BGP.


def _routing(reading: Reading, *, whole_file: bool) -> Routing | None:
    """BGP of the switch itself; that of VRFs is not read."""
    bgp = last_line(reading, CONFIG, "bgp")
    if bgp is None:
        return None
    peers = Peers(reading.default(defaults.NO_OWN_AS))
    peers.look_beside(reading, CONFIG)
    paths = whole(bgp, bgp.text("max_paths"), MOST_PATHS, "maximum-paths", 1)
    peers.router_id = bgp.text("router_id")
    peers.max_paths = first(paths, reading.default(defaults.MAX_PATHS))
    for family in unicast_families(bgp):
        peers.announce(family.all("own"))
    for template in bgp.children("template"):
        peers.dynamic |= bool(template.text("listen"))
        _read_peer(peers.group(template.text("peer").value or "", template.begin), template)
    for reader in bgp.children("peer"):
        name = (reader.text("peer").value or "").removeprefix("interface ")
        peer = peers.peer("", NAMES.canonical(name), reader.begin)
        peer.group = (reader.text("group").value or "").partition(" ")[0]
        up = reader.switch(on="up", off="shutdown")
        peer.shut = up.value is False
        peer.unknown = up.value is None or bool(reader.text("local_as"))
        peer.communities = reader.text("community").map(lambda word: word != "extended" or None)
        _read_peer(peer, reader)
    return peers.routing(reading, bgp.begin, whole=whole_file)


def _read_peer(peer: Peer, reader: Reader) -> None:
    reader.take()
    peer.asn = whole(reader, reader.text("asn"), LAST_AS, "AS number", 1)
    for family in unicast_families(reader):
        peer.own_as = family.integer("own_as").or_else(peer.own_as)
        peer.to_own_as = family.text("to_own_as").map(lambda _: True).or_else(peer.to_own_as)
        peer.default_route |= bool(family.text("originates"))
        for line in family.all("policy"):
            kind, name, way = (line.value or "").split()
            peer.filter(way, kind, name, line.position)

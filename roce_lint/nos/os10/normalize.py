"""Builds the Device of a Dell OS10 switch, its VXLAN tunnel included, from its records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind, Tunnel
from roce_lint.nos.access_lists import CISCO
from roce_lint.nos.os10.port_qos import Qos
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.port_names import LAST_VLAN, PortNames, PortType
from roce_lint.nos.port_vlans import (
    LAST_VNI,
    Vlans,
    end_of_tunnels,
    set_vlans,
    some,
    union_of,
    vlans_by_mode,
)
from roce_lint.nos.quantities import read_numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import as_number, device_of, first, records, text_of
from roce_lint.nos.switch_ports import Port, Ports
from roce_lint.text.match import merge
from roce_lint.text.numbers import decimal_of, whole_of

# VXLAN tunnel endpoint `nve`: the virtual networks with a VNI, and their members. A VLAN interface
# joins a virtual network by `virtual-network 10`, a port by `member-interface`; a VRF uses the
# `vni` that `evpn` assigns. No line states the DSCP of the outer header.

TUNNEL = "nve"
"""The tunnel endpoint of a switch, by the name of its stanza."""

TAGGED = " tagged"
"""Suffix of a port name for a single VLAN of the port."""

LAST_NETWORK = 65535


def add_tunnel(
    reading: Reading, ports: Ports, names: PortNames, interfaces: dict[str, Interface]
) -> None:
    """Add the tunnel endpoint if the files have one."""
    networks, begin = _networks(reading, names)
    vrfs = union_of(_routed_vrfs(reading))
    ends = records(reading, CONFIG, "nve")
    if ends:
        end = Reader(merge(ends), reading)
        begin = end.text("nve").position
        end.text("source")
    joined = _vlans_by_network(ports)
    if not begin:
        return
    carried = [number for number, found in networks.items() if found]
    vlans = frozenset(vlan for number in carried for vlan in joined.get(number, ()))
    members = frozenset(port for number in carried for port in networks[number] or ()) - {""}
    tagged = frozenset(port for port in members if port.endswith(TAGGED))
    partly = {port.removesuffix(TAGGED) for port in tagged}
    full = members - tagged
    tunnel = reading.build(
        Tunnel,
        begin,
        vlans=Value(vlans, begin),
        ports=some(full, begin),
        partly=some(partly - full, begin),
        vrfs=vrfs,
    )
    interfaces[TUNNEL] = end_of_tunnels(reading, begin, TUNNEL, tunnel)


def _networks(
    reading: Reading, names: PortNames
) -> tuple[Mapping[int, frozenset[str] | None], int]:
    """Ports of every virtual network with a VNI (`""`: none), None without; the first VNI line."""
    found: dict[int, frozenset[str] | None] = {}
    begin = 0
    for record in records(reading, CONFIG, "network"):
        reader = Reader(record, reading)
        number = whole(reader, reader.text("network"), LAST_NETWORK, "virtual-network", 1).value
        vni = whole(reader, reader.text("vni"), LAST_VNI, "vxlan-vni", 1)
        members = {_port(names, line.value) for line in reader.all("member") if line.value}
        if number is not None and vni.value is not None:
            begin = begin or vni.position
            found[number] = frozenset(members | {""}) | (found.get(number) or frozenset())
    return found, begin


def _port(names: PortNames, text: str) -> str:
    """Port of `port-channel10 untagged`; that of `ethernet 1/1/5 vlan-tag 200` is marked."""
    port, tag, _ = text.partition(" vlan-tag ")
    name = names.canonical(port.removesuffix(" untagged").replace(" ", ""))
    return name + TAGGED if tag else name


def _vlans_by_network(ports: Ports) -> dict[int, set[int]]:
    """VLANs by the virtual network of their interface."""
    joined: dict[int, set[int]] = {}
    for name, reader in ports.readers.items():
        text = reader.text("virtual_network")
        number = whole(reader, text, LAST_NETWORK, "virtual-network", 1).value
        vlan = name.removeprefix("vlan")
        if number is not None and vlan.isdigit():
            joined.setdefault(number, set()).add(whole_of(vlan))
    return joined


def _routed_vrfs(reading: Reading) -> Iterator[Value[str]]:
    """VRFs with a VNI, each at the line of the VNI."""
    for record in records(reading, CONFIG, "evpn"):
        reader = Reader(record, reading)
        reader.text("evpn")
        for child in reader.children("routed"):
            vni = whole(child, child.text("vni"), LAST_VNI, "vni", 1)
            name = child.text("vrf").value
            if vni.value is not None:
                yield Value(name, vni.position)


# The device.

defaults = defaults_of("os10")

CONFIG = "running-config"
"""Name of the source."""

NAMES = PortNames(
    PortType("ethernet", InterfaceKind.PHYSICAL, shown=("eth",)),
    PortType("port-channel", InterfaceKind.LAG, shown=("po",)),
    PortType("vlan", InterfaceKind.VLAN),
    PortType("loopback", InterfaceKind.LOOPBACK),
    PortType("mgmt", InterfaceKind.MANAGEMENT),
    PortType("virtual-network", InterfaceKind.BRIDGE),
    PortType("null", InterfaceKind.OTHER),
)

PEER_CHANNEL = "port-channel1000"
"""Channel of the discovery interfaces of a VLT domain (docs/nos/os10.md)."""

MTU_RANGE = 1280, 9216


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, CONFIG, "hostname")
    qos = Qos.read(reading, everything=bool(hostname))
    lists = CISCO.read(reading, CONFIG)
    ports = Ports.read(reading, records(reading, CONFIG, "interface"), NAMES, _channel, lists=lists)
    splits = _splits(reading)
    interfaces = ports.build(lambda port: _interface(ports, port, qos, splits))
    _mark_peer_links(reading, interfaces)
    add_tunnel(reading, ports, NAMES, interfaces)
    qos.objects.policing = lists.found
    return device_of(
        reading,
        hostname,
        vendor="Dell",
        asn=as_number(reading, CONFIG),
        interfaces=interfaces,
        qos=qos.objects,
        system=qos.system(),
    )


def _channel(reader: Reader) -> Value[str]:
    """`port-channel50` from `channel-group 50 mode active`."""
    text = reader.text("channel_group").map(lambda line: line.split()[0])
    return whole(reader, text, 4096, "channel-group", 1).map(lambda n: f"port-channel{n}")


def _splits(reading: Reading) -> dict[str, Value[float]]:
    """Lane speed of each split port: 25 from `interface breakout 1/1/1 map 25g-4x`."""
    found: dict[str, Value[float]] = {}
    for record in records(reading, CONFIG, "breakout"):
        reader = Reader(record, reading)
        port, split = reader.text("port"), reader.text("map")
        gbps = (split.value or "").partition("g-")[0]
        known = decimal_of(gbps) if gbps.isdigit() and len(gbps) < 5 else None
        found[f"ethernet{port.value}"] = Value(known, split.position)
    return found


def _mark_peer_links(reading: Reading, interfaces: dict[str, Interface]) -> None:
    """Mark the ports that join two switches to a VLT pair, and their channel."""
    for record in records(reading, CONFIG, "vlt"):
        reader = Reader(record, reading)
        reader.take()
        reader.text("domain")
        for discovery in reader.all("discovery"):
            named = NAMES.expand(discovery.value or "")
            for name in (*named.names, PEER_CHANNEL):
                if name in interfaces:
                    interfaces[name].peer_link = True
                    interfaces[name].at["peer_link"] = discovery.position


def _interface(ports: Ports, port: Port, qos: Qos, splits: dict[str, Value[float]]) -> Interface:
    reader = port.reader
    mtu = port.whole("mtu", MTU_RANGE)
    if port.kind in WIRED or port.kind is InterfaceKind.VLAN:
        default: Value[int] = port.reading.default(defaults.MTU)
        mtu = first(mtu, default)
    routed = _reads_as_routed(port)
    lane: Value[float] = splits.get(port.name.rpartition(":")[0], ABSENT)
    made = ports.interface(
        port,
        enabled=reader.switch(on="no_shutdown", off="shutdown"),
        vrf=reader.text("vrf"),
        speed_gbps=first(_speed(reader), lane),
        ip_mtu=mtu,
        routed=routed,
    )
    reader.text("vlt")
    if port.kind in WIRED:
        set_vlans(made, vlans_by_mode(port, "switchport_mode", _allowed_vlans))
        made.qos = qos.of_port(port)
    else:
        set_vlans(made, Vlans())
    return made


def _speed(reader: Reader) -> Value[float]:
    """Gb/s from `speed 25000`; `auto` states none."""
    text = reader.text("speed")
    if text.value in (None, "auto"):
        return ABSENT
    return whole(reader, text, 10**7, "speed", 1).map(lambda mbps: mbps / 1000)


def _reads_as_routed(port: Port) -> Value[bool]:
    """Whether the port routes; a port without any such line is not known to be switched."""
    if port.kind not in WIRED:
        return Value(True, port.reader.begin) if port.kind is InterfaceKind.VLAN else ABSENT

    def lines(reader: Reader) -> Value[bool]:
        mode = reader.text("switchport_mode").map(lambda _: False)
        return first(reader.switch(on="no_switchport", off="switchport"), mode)

    return port.inherit(lines)


def _allowed_vlans(reader: Reader) -> Value[frozenset[int]]:
    text = reader.text("allowed_vlans")
    return read_numbers(reader.reading, text, upto(LAST_VLAN), "a list of VLANs")

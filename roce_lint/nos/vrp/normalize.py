"""Builds the Device of a CloudEngine switch, its VXLAN tunnels included, from its records."""

from __future__ import annotations

import re
from collections import defaultdict

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Fec, Interface, InterfaceKind, Tunnel
from roce_lint.nos.access_lists import Dialect, spell_keyed
from roce_lint.nos.peer_lines import routing_of
from roce_lint.nos.port_names import LAST_VLAN, PortNames, PortType, parent_of
from roce_lint.nos.port_vlans import is_ipv6, routed_vrfs, set_vlans, some, vlans_by_mode, vni_of
from roce_lint.nos.quantities import number, numbers, upto, whole, write_ranges
from roce_lint.nos.reading import Reading, Value
from roce_lint.nos.stanzas import CONFIG, as_number, first, text_of
from roce_lint.nos.switch_ports import SWITCHED, Port, Ports, channel_of, reads_as_routed
from roce_lint.nos.vrp import defaults
from roce_lint.nos.vrp.port_qos import Qos
from roce_lint.text.numbers import decimal_of

# VXLAN tunnel endpoints `interface Nve1`: bridge domains with their VNIs and members. A VLAN joins
# a bridge domain by `l2 binding vlan`, a port by a subinterface; the VNI of a VPN instance carries
# its routed traffic. No line states the DSCP of the outer header.

LAST_DOMAIN = 16_777_215


def add_tunnels(reading: Reading, ports: Ports, interfaces: dict[str, Interface]) -> None:
    """Set the VLANs and VRFs of tunnel endpoints."""
    domains = _domains(reading)
    bound = _members_by_domain(ports)
    vrfs = routed_vrfs(reading.groups(CONFIG, "vpn"))
    for name, reader in ports.readers.items():
        if not name.startswith("Nve"):
            continue
        vnis: set[int] = set()
        position = 0
        for line in reader.all("segment"):
            position = position or line.position
            vnis |= {number((line.value or "").partition(" ")[0]) or 0}
        carried = [found for found in domains.items() if found[1][0] in vnis]
        vlans = frozenset(vlan for _, (_, of_domain) in carried for vlan in of_domain)
        members = {each for domain, _ in carried for each in bound.get(domain, ())}
        touched = {parent_of(each) or each for each in members}
        full = {port for port in touched if _has_no_siblings(interfaces, port, members)}
        known = vnis <= {vni for vni, _ in domains.values()}
        interfaces[name].tunnel = reader.build(
            Tunnel,
            vlans=Value(vlans if known else None, position or reader.begin),
            ports=some(full, position),
            partly=some(touched - full, position),
            vrfs=vrfs,
            outer_ipv6=reader.text("source").map(is_ipv6),
        )


def _domains(reading: Reading) -> dict[int, tuple[int, frozenset[int]]]:
    """VNI and VLANs of every bridge domain that has a VNI."""
    found: dict[int, tuple[int, frozenset[int]]] = {}
    for reader in reading.groups(CONFIG, "bridge_domain"):
        domain = whole(reader, reader.text("number"), LAST_DOMAIN, "bridge-domain", 1).value
        vni = vni_of(reader).value
        vlans: frozenset[int] = frozenset()
        reader.text("layer")
        for line in reader.all("vlans"):
            vlans |= numbers(write_ranges(line.value or ""), upto(LAST_VLAN)) or frozenset()
        if domain is not None and vni is not None:
            found[domain] = vni, vlans
    return found


def _members_by_domain(ports: Ports) -> dict[int, set[str]]:
    """Subinterfaces by bridge domain."""
    bound: dict[int, set[str]] = defaultdict(set)
    for name, reader in ports.readers.items():
        text = reader.text("bridge_domain")
        domain = whole(reader, text, LAST_DOMAIN, "bridge-domain", 1).value
        if domain is not None:
            bound[domain].add(name)
    return bound


def _has_no_siblings(interfaces: dict[str, Interface], port: str, members: set[str]) -> bool:
    """Whether a port has no VLANs of its own and no other subinterfaces than these."""
    own = interfaces.get(port)
    if own is not None and (own.untagged_vlan is not None or own.tagged_vlans or own.routed):
        return False
    return all(name in members for name, each in interfaces.items() if each.parent == port)


# The device.

SPEEDS = (1, 10, 25, 40, 50, 100, 200, 400, 800)

NAMES = PortNames(
    *(PortType(f"{speed}GE", InterfaceKind.PHYSICAL) for speed in SPEEDS[1:]),
    PortType("GE", InterfaceKind.PHYSICAL, others=("GigabitEthernet",)),
    PortType("Eth-Trunk", InterfaceKind.LAG),
    PortType("Vlanif", InterfaceKind.VLAN),
    PortType("LoopBack", InterfaceKind.LOOPBACK),
    PortType("MEth", InterfaceKind.MANAGEMENT),
    PortType("Nve", InterfaceKind.TUNNEL),
    PortType("Tunnel", InterfaceKind.TUNNEL),
)

CHANNEL = channel_of("trunk", "Eth-Trunk", "eth-trunk", low=0)

FRAME_BYTES = 18
"""Bytes of Ethernet header and check sequence, which a frame limit includes: a packet of 1500 bytes
is a frame of 1518 (docs/nos/vrp.md)."""

FECS = {"rs": Fec.RS, "base-r": Fec.FC, "none": Fec.NONE}

MTU_RANGE = 46, 65535

_SPEED = re.compile(r"(\d{1,3})GE\d")

LISTS = Dialect(
    r"acl (?:(?P<kind>ipv6) )?(?:number|name) (?P<name>\S+)",
    r"traffic-filter (?=.*\b(?P<way>inbound|outbound)\b)(?:(?:in|out)bound )?"
    r"acl (?:(?P<kind>ipv6) )?(?:name )?(?P<name>\S+)",
    passes_rest=True,
    spell=spell_keyed,
)
"""Access lists; packets that no rule matches pass (docs/nos/vrp.md)."""


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, "hostname")
    qos = Qos.read(reading, hostname.position)
    ports = Ports.read(reading, NAMES, LISTS, CHANNEL, r" mode l2$")
    interfaces = ports.build(lambda port: _interface(ports, port, qos), qos.own)
    add_tunnels(reading, ports, interfaces)
    return ports.device(
        hostname,
        interfaces,
        qos,
        vendor="Huawei",
        asn=as_number(reading),
        routing=routing_of(reading, CONFIG, enabled_alone=True),
    )


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    routed = port.routes(_reads_as_routed)
    packet, frame = _sizes(port, routed)
    speed = _SPEED.match(port.name)
    made = ports.interface(
        port,
        speed_gbps=decimal_of(speed[1]) if speed else None,
        fec=reader.convert(reader.text("fec"), FECS.__getitem__, "rs, base-r or none"),
        ip_mtu=packet,
        frame_mtu=frame,
        routed=routed,
    )
    if port.kind in WIRED:
        set_vlans(made, vlans_by_mode(port, "link_type"))
        made.qos = qos.of_port(port, routed)
    else:
        set_vlans(made)
    return made


def _reads_as_routed(port: Port) -> Value[bool]:
    """`undo portswitch` routes; a port with VLAN lines is switched; else unknown."""
    stated: Value[bool] = port.inherit(lambda r: r.switch(on="routed", off="switched"))
    if stated.position:
        return stated
    return port.inherit(lambda lines: reads_as_routed(lines, SWITCHED))


def _sizes(port: Port, routed: Value[bool]) -> tuple[Value[int], Value[int]]:
    """Longest packet (`mtu` on a routed interface, else the frame without its header) and longest
    frame (`jumboframe enable`) in bytes.
    """
    packet = port.whole("mtu", MTU_RANGE)
    frame: Value[int] = port.inherit(
        lambda lines: whole(lines, lines.word("jumbo"), 65535, "jumboframe", 1518)
    )
    if port.kind in WIRED:
        frame = first(frame, port.reading.default(defaults.JUMBO))
    if port.kind in WIRED or port.kind is InterfaceKind.VLAN:
        packet = first(packet, port.reading.default(defaults.MTU))
    rest = frame.map(lambda size: size - FRAME_BYTES)
    switched = port.kind in WIRED and not routed.value
    if switched or (rest.value or MTU_RANGE[1]) < (packet.value or 0):
        packet = rest
    return packet, frame

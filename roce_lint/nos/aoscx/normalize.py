"""Builds the Device of an AOS-CX switch, its VXLAN tunnel included, from its records."""

from __future__ import annotations

import re

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind, Tunnel
from roce_lint.nos.access_lists import Dialect
from roce_lint.nos.aoscx import defaults
from roce_lint.nos.aoscx.port_qos import Qos
from roce_lint.nos.peer_lines import routing_of
from roce_lint.nos.port_names import LAST_VLAN, PortNames, PortType
from roce_lint.nos.port_vlans import Vlans, is_ipv6, set_vlans, some
from roce_lint.nos.quantities import read_numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value, put
from roce_lint.nos.stanzas import CONFIG, as_number, first, last_of, text_of
from roce_lint.nos.switch_ports import ROUTES, Port, Ports, channel_of, reads_as_routed
from roce_lint.text.numbers import real

# VXLAN tunnel endpoint: `interface vxlan 1` with its segments, each a VLAN or a VRF. No line states
# the DSCP of the outer header.


def tunnel_of(reader: Reader) -> Tunnel:
    """Tunnel of the lines below `interface vxlan 1`."""
    vlans: set[int] = set()
    vrfs: set[str] = set()
    position = 0
    for child in reader.children("segment"):
        child.text("vni")
        position = position or child.begin
        vlan = whole(child, child.text("vlan"), LAST_VLAN, "VLAN", 1).value
        vrf = child.text("routed_vrf").value
        vlans |= {vlan} if vlan is not None else set()
        vrfs |= {vrf} if vrf is not None else set()
    return reader.build(
        Tunnel,
        vlans=Value(frozenset(vlans), position or reader.begin),
        vrfs=some(vrfs, position),
        outer_ipv6=reader.text("source").map(is_ipv6),
    )


# The device.

NAMES = PortNames(
    PortType("", InterfaceKind.PHYSICAL),
    PortType("lag", InterfaceKind.LAG),
    PortType("vlan", InterfaceKind.VLAN),
    PortType("loopback", InterfaceKind.LOOPBACK),
    PortType("mgmt", InterfaceKind.MANAGEMENT),
    PortType("vxlan", InterfaceKind.TUNNEL),
)

CHANNEL = channel_of("lag", "lag", "lag")

MTU_RANGE = 46, 65535

LONGEST_M = 10**5
"""Metres of a cable; which lengths the device takes is not documented."""

LISTS = Dialect(
    r"access-list (?P<kind>ip|ipv6|mac) (?P<name>\S+)",
    r"apply access-list (?P<kind>ip|ipv6|mac) (?P<name>\S+) (?:routed-)?(?P<way>in|out)\b",
    spell=lambda entry: re.sub("^any ", "ip ", entry),
)
"""Access lists; their entries begin with `any` for every protocol (docs/nos/aoscx.md)."""


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, "hostname")
    qos = Qos.read(reading, everything=bool(hostname))
    ports = Ports.read(reading, NAMES, LISTS, CHANNEL, " multi-chassis$")
    interfaces = ports.build(lambda port: _interface(ports, port, qos))
    return ports.device(
        hostname,
        interfaces,
        qos,
        lldp=reading.default(defaults.LLDP_ON) if hostname else ABSENT,
        vendor="HPE Aruba",
        asn=as_number(reading),
        pools=qos.pools,
        routing=routing_of(reading, CONFIG, enabled_alone=True),
    )


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    if port.kind is InterfaceKind.TUNNEL:
        enabled = reader.switch(on="no_shutdown", off="shutdown")
        return ports.interface(port, enabled=enabled, tunnel=tunnel_of(reader))
    routed = _reads_as_routed(port)
    made = ports.interface(
        port, ip_mtu=_ip_mtu(port, routed), routed=routed, cable_m=_metres(reader)
    )
    if port.kind in WIRED:
        _vlans(port, made)
        made.qos = qos.of_port(port)
    else:
        set_vlans(made)
    return made


def _metres(reader: Reader) -> Value[float]:
    """Metres of `flow-control buffer cable-length 50`; `auto` states none."""
    text = reader.text("cable")
    if text.value == "auto":
        return ABSENT
    return whole(reader, text, LONGEST_M, "cable-length").map(real)


def _ip_mtu(port: Port, routed: Value[bool]) -> Value[int]:
    """`ip mtu` on a routed interface, `mtu` on a switched one, the smaller of the two on both."""
    frame, packet = port.whole("mtu", MTU_RANGE), port.whole("ip_mtu", MTU_RANGE, "ip mtu")
    if port.kind in WIRED:
        frame = first(frame, port.reading.default(defaults.PORT_MTU))
    elif port.kind is not InterfaceKind.VLAN:
        return packet
    if not routed.value:
        return frame
    packet = first(packet, port.reading.default(defaults.IP_MTU))
    smaller = frame.value is not None and packet.value is not None and frame.value < packet.value
    return frame if smaller else packet


def _reads_as_routed(port: Port) -> Value[bool]:
    """`routing` or its `no` form, else an address or VLANs; unknown without any of these."""
    if port.kind is InterfaceKind.VLAN:
        return Value(True, port.reader.begin)
    stated = port.inherit(lambda lines: lines.switch(on="routing", off="no_routing"))
    if stated.position:
        return stated
    return reads_as_routed(port.reader, ROUTES)


def _vlans(port: Port, made: Interface) -> None:
    which, _ = last_of(port.reader, "native_vlan", "native_tagged", reset=())
    tagged = which == "native_tagged"
    tagged_native = port.vlan("native_tagged") if tagged else ABSENT
    native = port.vlan("native_vlan") if not tagged_native else ABSENT
    access = port.vlan("access_vlan")
    allowed = port.inherit(_allowed)
    only = Value(True, access.position) if access and not native and not allowed else ABSENT
    set_vlans(made, Vlans(untagged=first(native, access), tagged=allowed, access=only))
    put(made, tagged=tagged_native.map(lambda _: True))


def _allowed(reader: Reader) -> Value[frozenset[int]]:
    """VLANs of a trunk; `all` is no list."""
    text = reader.text("allowed_vlans")
    if text.value == "all":
        return ABSENT
    return read_numbers(reader.reading, text, upto(LAST_VLAN), "a list of VLANs")

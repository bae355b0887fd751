"""Builds the Device of an IOS-XR router from its records."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind, Tunnel
from roce_lint.nos.access_lists import CISCO
from roce_lint.nos.bgp import read_blocks
from roce_lint.nos.iosxr import MTU_RANGE, TYPES, defaults
from roce_lint.nos.iosxr.port_qos import Qos
from roce_lint.nos.port_names import LAST_VLAN, PortNames, PortType
from roce_lint.nos.port_vlans import set_vlans
from roce_lint.nos.quantities import ETHERNET_HEADER, whole
from roce_lint.nos.reading import Reading, Value, put
from roce_lint.nos.refusals import words
from roce_lint.nos.stanzas import CONFIG, first, text_of
from roce_lint.nos.switch_ports import ROUTES, Port, Ports, channel_of, reads_as_routed

_SHORT = dict(zip(TYPES.values(), words("Gi Te TF Fo Fi Hu TH FH EH"), strict=True))
"""Ethernet types, and the short forms that LLDP neighbours use."""

_GBPS = {name: gbps for gbps, name in TYPES.items()}

NAMES = PortNames(
    *(PortType(name, InterfaceKind.PHYSICAL, shown=(short,)) for name, short in _SHORT.items()),
    PortType("Bundle-Ether", InterfaceKind.LAG, shown=("BE",)),
    PortType("Loopback", InterfaceKind.LOOPBACK, shown=("Lo",)),
    PortType("MgmtEth", InterfaceKind.MANAGEMENT, shown=("Mg",)),
    PortType("BVI", InterfaceKind.VLAN),
    PortType("tunnel-ip", InterfaceKind.TUNNEL),
    PortType("tunnel-te", InterfaceKind.TUNNEL),
    PortType("nve", InterfaceKind.TUNNEL),
)


CHANNEL = channel_of("bundle", "Bundle-Ether", "bundle id")


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, "hostname")
    qos = Qos.read(reading)
    ports = Ports.read(reading, NAMES, CISCO, CHANNEL, "^preconfigure | l2transport$")
    interfaces = ports.build(lambda port: _interface(ports, port, qos))
    asn, routing = read_blocks(reading, CONFIG)
    return ports.device(hostname, interfaces, qos, vendor="Cisco", asn=asn, routing=routing)


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    frame = port.whole("mtu", MTU_RANGE)
    kind = port.name.rstrip("0123456789/:.")
    made = ports.interface(
        port,
        speed_gbps=_GBPS.get(kind) if port.kind is InterfaceKind.PHYSICAL else None,
        frame_mtu=frame,
        ip_mtu=_ip_mtu(port, frame),
        routed=reads_as_routed(reader, ROUTES),
    )
    vlan = whole(reader, reader.word("encapsulation", -1), LAST_VLAN, "VLAN", 1)
    if vlan.value is None and port.kind in WIRED:
        set_vlans(made)
    put(made, tagged_vlans=vlan.map(lambda own: frozenset({own})), tagged=vlan.map(lambda _: True))
    if port.kind in WIRED:
        made.qos = qos.of_port(port)
    if port.name.startswith("nve"):
        made.tunnel = reader.build(Tunnel)  # who is in its segments is not read
    return made


def _ip_mtu(port: Port, frame: Value[int]) -> Value[int]:
    """The smaller of `ipv4 mtu` and the `mtu` frame without its header."""
    low, high = MTU_RANGE
    own = whole(port.reader, port.reader.word("ip_mtu", -1), high, "ipv4 mtu", low)
    rest = frame.map(lambda size: size - ETHERNET_HEADER)
    if port.kind in WIRED:
        rest = first(rest, port.reading.default(defaults.MTU))
    if own.value is None or rest.value is None:
        return own or rest
    return own if own.value <= rest.value else rest

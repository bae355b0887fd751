"""Builds the Device of an IOS-XR router from its records."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind, Tunnel
from roce_lint.nos.access_lists import CISCO
from roce_lint.nos.bgp import read_blocks
from roce_lint.nos.iosxr import ETHERNET_HEADER, MTU_RANGE, TYPES
from roce_lint.nos.iosxr.port_qos import Qos
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.port_names import LAST_VLAN, PortNames, PortType
from roce_lint.nos.port_vlans import Vlans, set_vlans
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import Reader, Reading, Value, put
from roce_lint.nos.stanzas import CONFIG, device_of, first, text_of
from roce_lint.nos.switch_ports import Port, Ports, reads_as_routed

defaults = defaults_of("iosxr")

_SHORT = {
    "GigabitEthernet": "Gi",
    "TenGigE": "Te",
    "TwentyFiveGigE": "TF",
    "FortyGigE": "Fo",
    "FiftyGigE": "Fi",
    "HundredGigE": "Hu",
    "TwoHundredGigE": "TH",
    "FourHundredGigE": "FH",
    "EightHundredGigE": "EH",
}
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


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, CONFIG, "hostname")
    qos = Qos.read(reading)
    ports = Ports.read(reading, NAMES, CISCO, _channel, _header)
    interfaces = ports.build(lambda port: _interface(ports, port, qos))
    qos.objects.policing = ports.lists.found
    asn, routing = read_blocks(reading, CONFIG)
    return device_of(
        reading,
        hostname,
        source=CONFIG,
        vendor="Cisco",
        asn=asn,
        routing=routing,
        interfaces=interfaces,
        qos=qos.objects,
        system=qos.system(),
    )


def _header(text: str) -> str:
    """The name of `preconfigure HundredGigE0/0/0/0` and of `HundredGigE0/0/0/0.1 l2transport`."""
    return text.removeprefix("preconfigure ").removesuffix(" l2transport")


def _channel(reader: Reader) -> Value[str]:
    """`Bundle-Ether1` from `bundle id 1 mode active`."""
    number = whole(reader, reader.word("bundle"), 65535, "bundle id", 1)
    return number.map(lambda n: f"Bundle-Ether{n}")


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    frame = port.whole("mtu", MTU_RANGE)
    kind = port.name.rstrip("0123456789/:.")
    made = ports.interface(
        port,
        enabled=reader.switch(on="no_shutdown", off="shutdown"),
        vrf=reader.text("vrf"),
        speed_gbps=_GBPS.get(kind) if port.kind is InterfaceKind.PHYSICAL else None,
        frame_mtu=frame,
        ip_mtu=_ip_mtu(port, frame),
        routed=reads_as_routed(reader, {"ip_address": True, "ipv6_address": True}),
    )
    vlan = whole(reader, reader.word("encapsulation", -1), LAST_VLAN, "VLAN", 1)
    if vlan.value is None and port.kind in WIRED:
        set_vlans(made, Vlans())
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

"""Builds the Device of an IOS-XR router from its records."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind, Tunnel
from roce_lint.nos.access_lists import CISCO
from roce_lint.nos.iosxr.policies import CONFIG
from roce_lint.nos.iosxr.port_qos import Qos
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.port_names import LAST_VLAN, PortNames, PortType
from roce_lint.nos.port_vlans import Vlans, set_vlans
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import Reader, Reading, Value
from roce_lint.nos.stanzas import as_number, device_of, first, records, text_of
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

_GBPS = {
    "GigabitEthernet": 1.0,
    "TenGigE": 10.0,
    "TwentyFiveGigE": 25.0,
    "FortyGigE": 40.0,
    "FiftyGigE": 50.0,
    "HundredGigE": 100.0,
    "TwoHundredGigE": 200.0,
    "FourHundredGigE": 400.0,
    "EightHundredGigE": 800.0,
}

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

ETHERNET_HEADER = 14
"""Bytes of an untagged Ethernet header, which `mtu` counts (docs/nos/iosxr.md)."""

MTU_RANGE = 64, 65535


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, CONFIG, "hostname")
    qos = Qos.read(reading)
    lists = CISCO.read(reading, CONFIG)
    ports = Ports.read(
        reading, records(reading, CONFIG, "interface"), NAMES, _channel, _header, lists=lists
    )
    interfaces = ports.build(lambda port: _interface(ports, port, qos))
    qos.objects.policing = lists.found
    return device_of(
        reading,
        hostname,
        vendor="Cisco",
        asn=as_number(reading, CONFIG),
        interfaces=interfaces,
        qos=qos.objects,
        system=qos.system(),
    )


def _header(text: str) -> str:
    """The name of `preconfigure HundredGigE0/0/0/0` and of `HundredGigE0/0/0/0.1 l2transport`."""
    return text.removeprefix("preconfigure ").removesuffix(" l2transport")


def _channel(reader: Reader) -> Value[str]:
    """`Bundle-Ether1` from `bundle id 1 mode active`."""
    text = reader.text("bundle").map(lambda line: line.split()[0])
    return whole(reader, text, 65535, "bundle id", 1).map(lambda n: f"Bundle-Ether{n}")


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
    tag = reader.text("encapsulation").map(lambda words: words.split()[-1])
    vlan = whole(reader, tag, LAST_VLAN, "VLAN", 1)
    if vlan.value is not None:
        made.tagged_vlans, made.tagged = frozenset({vlan.value}), True
        made.at["tagged_vlans"] = made.at["tagged"] = vlan.position
    elif port.kind in WIRED:
        set_vlans(made, Vlans())
    if port.kind in WIRED:
        made.qos = qos.of_port(port)
    if port.name.startswith("nve"):
        made.tunnel = reader.build(Tunnel)  # who is in its segments is not read
    return made


def _ip_mtu(port: Port, frame: Value[int]) -> Value[int]:
    """The smaller of `ipv4 mtu` and the `mtu` frame without its header."""
    own = whole(
        port.reader,
        port.reader.text("ip_mtu").map(lambda text: text.split()[-1]),
        MTU_RANGE[1],
        "ipv4 mtu",
        MTU_RANGE[0],
    )
    rest = frame.map(lambda size: size - ETHERNET_HEADER)
    if port.kind in WIRED:
        default: Value[int] = port.reading.default(defaults.MTU)
        rest = first(rest, default)
    if own.value is None or rest.value is None:
        return own or rest
    return own if own.value <= rest.value else rest

"""From the records of an IOS-XR router to the Device."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.nos.iosxr import defaults
from roce_lint.nos.iosxr.port_qos import Qos
from roce_lint.nos.iosxr.records import CONFIG
from roce_lint.nos.port_names import PortNames, PortType
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import first, last_line, records
from roce_lint.nos.switch_ports import Port, Ports, Vlans, set_vlans

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
"""Ethernet types and the short forms that LLDP neighbours repeat."""

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
)

ETHERNET_HEADER = 14
"""Bytes of an untagged Ethernet header, which `mtu` counts (docs/nos/iosxr.md)."""

MTU_RANGE = 64, 65535

WIRED = frozenset({InterfaceKind.PHYSICAL, InterfaceKind.LAG})


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    line = last_line(reading, CONFIG, "hostname")
    hostname: Value[str] = line.text("hostname") if line is not None else ABSENT
    qos = Qos.read(reading)
    ports = Ports.read(reading, records(reading, CONFIG, "interface"), NAMES, _channel, _header)
    interfaces = ports.build(lambda port: _interface(ports, port, qos))
    bgp = last_line(reading, CONFIG, "bgp")
    asn = whole(bgp, bgp.text("asn"), 2**32 - 1, "AS number", 1) if bgp is not None else ABSENT
    device = reading.build(
        Device,
        hostname.position or 1,
        hostname=reading.hostname,
        nos=reading.nos,
        vendor="Cisco",
        asn=asn,
        partial=not hostname,
        interfaces=interfaces,
        qos=qos.objects,
        system=qos.system(),
    )
    if hostname:
        device.at["hostname"] = hostname.position
    return device


def _header(text: str) -> str:
    """The name of `preconfigure HundredGigE0/0/0/0` and of `HundredGigE0/0/0/0.1 l2transport`."""
    return text.removeprefix("preconfigure ").removesuffix(" l2transport")


def _channel(reader: Reader) -> Value[str]:
    """`Bundle-Ether1` from `bundle id 1 mode active`."""
    text = reader.text("bundle").map(lambda line: line.split()[0])
    return whole(reader, text, 65535, "bundle id", 1).map(lambda n: f"Bundle-Ether{n}")


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    frame: Value[int] = port.inherited(
        lambda lines: whole(lines, lines.text("mtu"), MTU_RANGE[1], "mtu", MTU_RANGE[0])
    )
    routed: Value[bool] = ABSENT
    stated = next(
        (reader.record.values[n][-1][1] for n in ("ip_address", "ipv6_address") if n in reader), 0
    )
    if stated:
        routed = Value(True, stated)
    kind = port.name.rstrip("0123456789/:.")
    made = ports.interface(
        port,
        enabled=reader.switch(on="no_shutdown", off="shutdown"),
        vrf=reader.text("vrf"),
        speed_gbps=_GBPS.get(kind) if port.kind is InterfaceKind.PHYSICAL else None,
        frame_mtu=frame,
        ip_mtu=_ip_mtu(port, frame),
        routed=routed,
    )
    vlan = whole(reader, reader.text("encapsulation").map(lambda t: t.split()[-1]), 4094, "VLAN", 1)
    if vlan.value is not None:
        made.tagged_vlans, made.tagged = frozenset({vlan.value}), True
        made.at["tagged_vlans"] = made.at["tagged"] = vlan.position
    elif port.kind in WIRED:
        set_vlans(made, Vlans())
    if port.kind in WIRED:
        made.qos = qos.of_port(port)
    return made


def _ip_mtu(port: Port, frame: Value[int]) -> Value[int]:
    """The smaller of `ipv4 mtu` and what `mtu` leaves of a frame."""
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

"""From the records of an Enterprise SONiC command line to the Device."""

from __future__ import annotations

from roce_lint.model.device import Device, Limits
from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.nos.access_lists import CISCO
from roce_lint.nos.esonic.overlay import is_tunnel, tunnel_of
from roce_lint.nos.esonic.port_qos import Qos
from roce_lint.nos.esonic.words import CONFIG, PortWords
from roce_lint.nos.one_file import as_number, device_of, text_of
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.port_names import PortNames, PortType
from roce_lint.nos.port_vlans import Vlans, set_vlans
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import first, records
from roce_lint.nos.switch_ports import Port, Ports, reads_as_routed, without_range

defaults = defaults_of("esonic")

NAMES = PortNames(
    PortType("Eth", InterfaceKind.PHYSICAL),
    PortType("Ethernet", InterfaceKind.PHYSICAL),
    PortType("PortChannel", InterfaceKind.LAG, others=("port-channel",)),
    PortType("Vlan", InterfaceKind.VLAN),
    PortType("Loopback", InterfaceKind.LOOPBACK),
    PortType("Management", InterfaceKind.MANAGEMENT),
)

ROUTES = {
    "ip_address": True,
    "ipv6_address": True,
    "access_vlan": False,
    "allowed_vlans": False,
}
"""What a line says of whether its port routes, the lines that decide first."""

LIMITS = Limits(cable_steps_m=(5.0, 40.0, 300.0))
"""`cable-length` is one of three (docs/nos/esonic.md)."""


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
        asn=as_number(reading, CONFIG),
        interfaces=interfaces,
        qos=qos.objects,
        system=qos.system(),
        limits=LIMITS,
    )


def _header(text: str) -> str:
    """The names of `PortChannel 10 mode active`."""
    return without_range(text).partition(" mode ")[0]


def _channel(reader: Reader) -> Value[str]:
    """`PortChannel10` from `channel-group 10`."""
    return PortWords.channel(reader).map(lambda n: f"PortChannel{n}")


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    if is_tunnel(port.name):
        port.kind = InterfaceKind.TUNNEL
        return ports.interface(port, tunnel=tunnel_of(reader))
    mtu = PortWords.mtu(reader)
    if port.kind in WIRED:
        default: Value[int] = port.reading.default(defaults.MTU)
        mtu = first(mtu, default)
    made = ports.interface(
        port,
        enabled=PortWords.up(reader),
        vrf=PortWords.vrf(reader),
        speed_gbps=PortWords.speed_gbps(reader),
        fec=PortWords.fec(reader),
        ip_mtu=mtu,
        routed=_reads_as_routed(port),
    )
    set_vlans(made, _vlans(reader) if port.kind in WIRED else Vlans())
    if port.kind is InterfaceKind.PHYSICAL:
        made.qos = qos.of_port(reader, port)
        cable = PortWords.cable_m(reader)
        made.cable_m = cable.value
        if cable.position:
            made.at["cable_m"] = cable.position
    return made


def _reads_as_routed(port: Port) -> Value[bool]:
    """VLAN interfaces route, ports with an address route, ports with VLANs are switched."""
    if port.kind is InterfaceKind.VLAN:
        return Value(True, port.reader.begin)
    if port.kind not in WIRED:
        return ABSENT
    return reads_as_routed(port.reader, ROUTES)


def _vlans(reader: Reader) -> Vlans:
    """`switchport access Vlan 20` and `switchport trunk allowed Vlan 10,20`."""
    untagged, tagged = PortWords.access_vlan(reader), PortWords.allowed_vlans(reader)
    only = Value(True, untagged.position) if untagged and not tagged.position else ABSENT
    return Vlans(untagged=untagged, tagged=tagged, access=only)

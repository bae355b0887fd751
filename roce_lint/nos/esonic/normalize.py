"""From the records of an Enterprise SONiC command line to the Device."""

from __future__ import annotations

from roce_lint.model.device import Device, Limits
from roce_lint.model.interface import WIRED, Fec, Interface, InterfaceKind
from roce_lint.nos.esonic.overlay import is_tunnel, tunnel_of
from roce_lint.nos.esonic.port_qos import CONFIG, Qos
from roce_lint.nos.one_file import as_number, device_of, text_of
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.port_names import LAST_VLAN, PortNames, PortType
from roce_lint.nos.port_vlans import Vlans, set_vlans
from roce_lint.nos.quantities import numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import first, records
from roce_lint.nos.switch_ports import Port, Ports, routed_by, without_range
from roce_lint.text.numbers import decimal_of

defaults = defaults_of("esonic")

NAMES = PortNames(
    PortType("Eth", InterfaceKind.PHYSICAL),
    PortType("Ethernet", InterfaceKind.PHYSICAL),
    PortType("PortChannel", InterfaceKind.LAG, others=("port-channel",)),
    PortType("Vlan", InterfaceKind.VLAN),
    PortType("Loopback", InterfaceKind.LOOPBACK),
    PortType("Management", InterfaceKind.MANAGEMENT),
)

MTU_RANGE = 68, 9216

ROUTES = {
    "ip_address": True,
    "ipv6_address": True,
    "access_vlan": False,
    "allowed_vlans": False,
}
"""What a line says of whether its port routes, the lines that decide first."""

LIMITS = Limits(cable_steps_m=(5.0, 40.0, 300.0))
"""`cable-length` is one of three (docs/nos/esonic.md)."""

FEC = {"rs": Fec.RS, "fc": Fec.FC, "none": Fec.NONE, "auto": Fec.AUTO, "off": Fec.NONE}


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, CONFIG, "hostname")
    qos = Qos.read(reading)
    ports = Ports.read(reading, records(reading, CONFIG, "interface"), NAMES, _channel, _header)
    interfaces = ports.build(lambda port: _interface(ports, port, qos))
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
    text = reader.text("channel_group").map(lambda line: line.split()[0])
    return whole(reader, text, 4096, "channel-group").map(lambda n: f"PortChannel{n}")


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    if is_tunnel(port.name):
        port.kind = InterfaceKind.TUNNEL
        return ports.interface(port, tunnel=tunnel_of(reader))
    mtu: Value[int] = whole(reader, reader.text("mtu"), MTU_RANGE[1], "mtu", MTU_RANGE[0])
    if port.kind in WIRED:
        default: Value[int] = port.reading.default(defaults.MTU)
        mtu = first(mtu, default)
    made = ports.interface(
        port,
        enabled=reader.switch(on="no_shutdown", off="shutdown"),
        vrf=reader.text("vrf"),
        speed_gbps=_speed(reader),
        fec=reader.convert(reader.text("fec").map(str.lower), FEC.__getitem__, "a FEC mode"),
        ip_mtu=mtu,
        routed=_routed(port),
    )
    set_vlans(made, _vlans(reader) if port.kind in WIRED else Vlans())
    if port.kind is InterfaceKind.PHYSICAL:
        made.qos = qos.of_port(reader, port)
        cable = _cable(reader)
        made.cable_m = cable.value
        if cable.position:
            made.at["cable_m"] = cable.position
    return made


def _speed(reader: Reader) -> Value[float]:
    """Gb/s from `speed 25000`; `auto` states none."""
    text = reader.text("speed")
    if text.value in (None, "auto"):
        return ABSENT
    return whole(reader, text, 10**7, "speed", 1).map(lambda mbps: mbps / 1000)


def _cable(reader: Reader) -> Value[float]:
    """Metres from `cable-length 40m`."""
    text = reader.text("cable")
    if not reader.reading.knows("cable-length", text.value, text.position):
        return ABSENT
    return text.map(lambda length: decimal_of(length.removesuffix("m")))


def _routed(port: Port) -> Value[bool]:
    """VLAN interfaces route, ports with an address route, ports with VLANs are switched."""
    if port.kind is InterfaceKind.VLAN:
        return Value(True, port.reader.begin)
    if port.kind not in WIRED:
        return ABSENT
    return routed_by(port.reader, ROUTES)


def _vlans(reader: Reader) -> Vlans:
    """`switchport access Vlan 20` and `switchport trunk allowed Vlan 10,20`."""
    access = reader.text("access_vlan").map(_behind_word)
    untagged = whole(reader, access, LAST_VLAN, "VLAN", 1)

    def vlans(text: str) -> frozenset[int]:
        found = numbers(_behind_word(text), upto(LAST_VLAN))
        if found is None:
            raise ValueError(text)
        return found

    tagged: Value[frozenset[int]] = reader.convert(
        reader.text("allowed_vlans"), vlans, "a list of VLANs"
    )
    only = Value(True, untagged.position) if untagged and not tagged.position else ABSENT
    return Vlans(untagged=untagged, tagged=tagged, access=only)


def _behind_word(text: str) -> str:
    return text.split(None, 1)[1].removeprefix("add ").strip()

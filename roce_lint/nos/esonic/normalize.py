"""From the records of an Enterprise SONiC command line to the Device."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import Fec, Interface, InterfaceKind
from roce_lint.nos.esonic import defaults
from roce_lint.nos.esonic.port_qos import CONFIG, Qos
from roce_lint.nos.port_names import PortNames, PortType
from roce_lint.nos.quantities import number, numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import first, last_line, records
from roce_lint.nos.switch_ports import LAST_VLAN, Port, Ports, Vlans, set_vlans, without_range

NAMES = PortNames(
    PortType("Eth", InterfaceKind.PHYSICAL),
    PortType("Ethernet", InterfaceKind.PHYSICAL),
    PortType("PortChannel", InterfaceKind.LAG, others=("port-channel",)),
    PortType("Vlan", InterfaceKind.VLAN),
    PortType("Loopback", InterfaceKind.LOOPBACK),
    PortType("Management", InterfaceKind.MANAGEMENT),
    PortType("vxlan", InterfaceKind.TUNNEL),
)

MTU_RANGE = 68, 9216

WIRED = frozenset({InterfaceKind.PHYSICAL, InterfaceKind.LAG})

FEC = {"rs": Fec.RS, "fc": Fec.FC, "none": Fec.NONE, "auto": Fec.AUTO, "off": Fec.NONE}


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    line = last_line(reading, CONFIG, "hostname")
    hostname: Value[str] = line.text("hostname") if line is not None else ABSENT
    qos = Qos.read(reading)
    ports = Ports.read(reading, records(reading, CONFIG, "interface"), NAMES, _channel, _header)
    interfaces = ports.build(lambda port: _interface(ports, port, qos))
    device = reading.build(
        Device,
        hostname.position or 1,
        hostname=reading.hostname,
        nos=reading.nos,
        asn=_as_number(reading),
        partial=not hostname,
        interfaces=interfaces,
        qos=qos.objects,
        system=qos.system(),
    )
    if hostname:
        device.at["hostname"] = hostname.position
    return device


def _as_number(reading: Reading) -> Value[int]:
    """The AS of `router bgp 65001 [vrf NAME]`."""
    line = last_line(reading, CONFIG, "bgp")
    if line is None:
        return ABSENT
    return whole(line, line.text("asn").map(lambda text: text.split()[0]), 2**32 - 1, "AS", 1)


def _header(text: str) -> str:
    """The names of `PortChannel 10 mode active`."""
    return without_range(text).partition(" mode ")[0]


def _channel(reader: Reader) -> Value[str]:
    """`PortChannel10` from `channel-group 10`."""
    text = reader.text("channel_group").map(lambda line: line.split()[0])
    return whole(reader, text, 4096, "channel-group").map(lambda n: f"PortChannel{n}")


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
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

    def metres(text: str) -> float:
        found = number(text.removesuffix("m"))
        if not found or not text.endswith("m"):
            raise ValueError(text)
        return float(found)

    return reader.convert(reader.text("cable"), metres, "a length such as 40m")


def _routed(port: Port) -> Value[bool]:
    """VLAN interfaces route, ports with an address route, ports with VLANs are switched."""
    if port.kind is InterfaceKind.VLAN:
        return Value(True, port.reader.begin)
    if port.kind not in WIRED:
        return ABSENT
    values = port.reader.record.values
    for name, routes in (("ip_address", True), ("ipv6_address", True), ("access_vlan", False),
                         ("allowed_vlans", False)):  # fmt: skip
        if name in values:
            return Value(routes, values[name][-1][1])
    return ABSENT


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

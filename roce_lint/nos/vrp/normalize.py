"""From the records of a CloudEngine switch to the Device."""

from __future__ import annotations

import re

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.nos.port_names import PortNames, PortType
from roce_lint.nos.quantities import numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import first, last_line, records
from roce_lint.nos.switch_ports import LAST_VLAN, Port, Ports, Vlans, set_vlans
from roce_lint.nos.vrp import defaults
from roce_lint.nos.vrp.pause import CONFIG
from roce_lint.nos.vrp.port_qos import Qos

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

FRAME_BYTES = 18
"""Bytes of Ethernet header and check sequence that a limit on frames counts: a packet of 1500
bytes is a frame of 1518 (docs/nos/vrp.md)."""

MTU_RANGE = 46, 65535
WIRED = frozenset({InterfaceKind.PHYSICAL, InterfaceKind.LAG})

_SPEED = re.compile(r"(\d{1,3})GE\d")


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    line = last_line(reading, CONFIG, "hostname")
    hostname: Value[str] = line.text("hostname") if line is not None else ABSENT
    qos = Qos.read(reading, hostname.position)
    ports = Ports.read(reading, records(reading, CONFIG, "interface"), NAMES, _channel)
    interfaces = ports.build(lambda port: _interface(ports, port, qos), qos.own)
    device = reading.build(
        Device,
        hostname.position or 1,
        hostname=reading.hostname,
        nos=reading.nos,
        vendor="Huawei",
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
    """The AS of `bgp 65001 [instance NAME]`."""
    line = last_line(reading, CONFIG, "bgp")
    if line is None:
        return ABSENT
    text = line.text("asn").map(lambda words: words.split(maxsplit=1)[0])
    return whole(line, text, 2**32 - 1, "AS number", 1)


def _channel(reader: Reader) -> Value[str]:
    """`Eth-Trunk10` from `eth-trunk 10`."""
    return whole(reader, reader.text("trunk"), 65535, "eth-trunk").map(lambda n: f"Eth-Trunk{n}")


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    routed = _routed(port)
    speed = _SPEED.match(port.name)
    made = ports.interface(
        port,
        enabled=reader.switch(on="no_shutdown", off="shutdown"),
        vrf=reader.text("vrf"),
        speed_gbps=float(speed[1]) if speed else None,
        routed=routed,
    )
    _set_mtu(port, made, routed)
    if port.kind in WIRED:
        set_vlans(made, _vlans(port))
        made.qos = qos.of_port(port, routed)
    else:
        set_vlans(made, Vlans())
    return made


def _routed(port: Port) -> Value[bool]:
    """`undo portswitch` routes; a port with lines about VLANs is switched; else not known."""
    if port.kind is InterfaceKind.VLAN:
        return Value(True, port.reader.begin)
    if port.kind not in WIRED:
        return ABSENT
    stated: Value[bool] = port.inherited(lambda r: r.switch(on="routed", off="switched"))
    if stated.position:
        return stated
    return port.inherited(_switched)


def _switched(reader: Reader) -> Value[bool]:
    values = reader.record.values
    for name in ("link_type", "access_vlan", "native_vlan", "allowed_vlans"):
        if name in values:
            return Value(False, values[name][-1][1])
    return ABSENT


def _set_mtu(port: Port, made: Interface, routed: Value[bool]) -> None:
    """`mtu` where the interface routes, what `jumboframe enable` leaves of a frame elsewhere."""
    packet: Value[int] = port.inherited(
        lambda lines: whole(lines, lines.text("mtu"), MTU_RANGE[1], "mtu", MTU_RANGE[0])
    )
    frame: Value[int] = port.inherited(
        lambda lines: whole(lines, _first_word(lines, "jumbo"), 65535, "jumboframe", 1518)
    )
    if port.kind in WIRED:
        default: Value[int] = port.reading.default(defaults.JUMBO)
        frame = first(frame, default)
    if port.kind in WIRED or port.kind is InterfaceKind.VLAN:
        default = port.reading.default(defaults.MTU)
        packet = first(packet, default)
    rest = frame.map(lambda size: size - FRAME_BYTES)
    switched = port.kind in WIRED and not routed.value
    if switched or (rest.value or MTU_RANGE[1]) < (packet.value or 0):
        packet = rest
    for name, value in (("ip_mtu", packet), ("frame_mtu", frame)):
        if value.value is not None:
            setattr(made, name, value.value)
            made.at[name] = value.position


def _first_word(reader: Reader, name: str) -> Value[str]:
    return reader.text(name).map(lambda text: text.split(maxsplit=1)[0])


def _vlans(port: Port) -> Vlans:
    def vlan(name: str) -> Value[int]:
        return port.inherited(lambda lines: whole(lines, lines.text(name), LAST_VLAN, "VLAN", 1))

    kind: Value[str] = port.inherited(lambda lines: lines.text("link_type"))
    allowed: Value[frozenset[int]] = port.inherited(_allowed)
    return Vlans(
        untagged=first(vlan("native_vlan"), vlan("access_vlan")),
        tagged=allowed,
        access=kind.map(lambda word: word == "access"),
    )


def _allowed(reader: Reader) -> Value[frozenset[int]]:
    """VLANs of all `port trunk allow-pass vlan 10 20 to 30` lines; `all` is no list."""
    found: frozenset[int] = frozenset()
    position = 0
    for value in reader.all("allowed_vlans"):
        text = re.sub(r"\s+to\s+", "-", value.value or "")
        position = position or value.position
        if text == "all":
            return ABSENT
        given = numbers(text, upto(LAST_VLAN))
        if given is None:
            return reader.convert(value, _refuse, "a list of VLANs")
        found |= given
    return Value(found, position) if position else ABSENT


def _refuse(text: str) -> frozenset[int]:
    raise ValueError(text)

"""From the records of a Comware switch to the Device."""

from __future__ import annotations

import re

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.nos.comware import defaults
from roce_lint.nos.comware.maps import CONFIG
from roce_lint.nos.comware.port_qos import Qos
from roce_lint.nos.port_names import PortNames, PortType
from roce_lint.nos.quantities import numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import first, last_line, records
from roce_lint.nos.switch_ports import LAST_VLAN, Port, Ports, Vlans, set_vlans

SPEEDS = {
    "GigabitEthernet": 1,
    "Ten-GigabitEthernet": 10,
    "Twenty-FiveGigE": 25,
    "FortyGigE": 40,
    "FiftyGigE": 50,
    "HundredGigE": 100,
    "TwoHundredGigE": 200,
    "FourHundredGigE": 400,
    "EightHundredGigE": 800,
}
"""Gb/s by type of port."""

SHOWN = {
    "GigabitEthernet": "GE",
    "Ten-GigabitEthernet": "XGE",
    "Twenty-FiveGigE": "WGE",
    "FortyGigE": "FGE",
    "HundredGigE": "HGE",
}
"""Short forms of which documents show an example."""

NAMES = PortNames(
    *(
        PortType(name, InterfaceKind.PHYSICAL, shown=(SHOWN[name],) if name in SHOWN else ())
        for name in SPEEDS
    ),
    PortType("M-GigabitEthernet", InterfaceKind.MANAGEMENT),
    PortType("Bridge-Aggregation", InterfaceKind.LAG, shown=("BAGG",)),
    PortType("Route-Aggregation", InterfaceKind.LAG),
    PortType("Vlan-interface", InterfaceKind.VLAN),
    PortType("LoopBack", InterfaceKind.LOOPBACK),
    PortType("NULL", InterfaceKind.INTERNAL),
    PortType("Tunnel", InterfaceKind.TUNNEL),
    PortType("Vsi-interface", InterfaceKind.OTHER),
)

ETHERNET_HEADER = 14
"""Bytes that a limit on frames counts in any case (docs/nos/comware.md)."""

PLAIN_FRAME = 1536
"""Bytes of the longest frame of a port that is denied jumbo frames."""

LONGEST = 65535

WIRED = frozenset({InterfaceKind.PHYSICAL, InterfaceKind.LAG})

_TYPE = re.compile(r"[A-Za-z-]+")


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = _text(reading, "hostname")
    qos = Qos.read(reading, hostname.position)
    found = records(reading, CONFIG, "interface")
    ports = Ports.read(reading, found, NAMES, _channel)
    interfaces = ports.build(lambda port: _interface(ports, port, qos), qos.own)
    device = reading.build(
        Device,
        hostname.position or 1,
        hostname=reading.hostname,
        nos=reading.nos,
        vendor="H3C",
        os_version=_text(reading, "version"),
        asn=_as_number(reading),
        partial=not hostname,
        interfaces=interfaces,
        qos=qos.objects,
        pools=qos.pause.pools,
        system=qos.system(),
    )
    if hostname:
        device.at["hostname"] = hostname.position
    return device


def _text(reading: Reading, name: str) -> Value[str]:
    line = last_line(reading, CONFIG, name)
    return line.text(name) if line is not None else ABSENT


def _as_number(reading: Reading) -> Value[int]:
    """The AS of `bgp 65001 [instance NAME]`."""
    line = last_line(reading, CONFIG, "bgp")
    if line is None:
        return ABSENT
    text = line.text("asn").map(lambda words: words.split(maxsplit=1)[0])
    return whole(line, text, 2**32 - 1, "AS number", 1)


def _channel(reader: Reader) -> Value[str]:
    """`Route-Aggregation10` from `port link-aggregation group 10` on a port that routes."""
    kind = "Route" if reader.text("link_mode").value == "route" else "Bridge"
    text = reader.text("group").map(lambda words: words.split(maxsplit=1)[0])
    number = whole(reader, text, LONGEST, "aggregation group", 1)
    return number.map(lambda n: f"{kind}-Aggregation{n}")


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    routed = _routed(port)
    kind = _TYPE.match(port.name)
    speed = SPEEDS.get(kind[0]) if kind else None
    made = ports.interface(
        port,
        enabled=reader.switch(on="no_shutdown", off="shutdown"),
        vrf=reader.text("vrf"),
        speed_gbps=float(speed) if speed else None,
        routed=routed,
    )
    _set_mtu(port, made, routed)
    if port.kind in WIRED:
        set_vlans(made, _vlans(port))
        made.qos = qos.of_port(port)
    else:
        set_vlans(made, Vlans())
    return made


def _routed(port: Port) -> Value[bool]:
    """By `port link-mode`, by the kind of aggregation, or by lines about VLANs."""
    begin = port.reader.begin
    if port.kind is InterfaceKind.VLAN or port.name.startswith("Route-Aggregation"):
        return Value(True, begin)
    if port.kind not in WIRED:
        return ABSENT
    if port.name.startswith("Bridge-Aggregation"):
        return Value(False, begin)
    mode = port.reader.text("link_mode")
    if mode.position:
        return mode.map({"route": True, "bridge": False}.get)
    values = port.reader.record.values
    for name in ("link_type", "access_vlan", "native_vlan", "allowed_vlans"):
        if name in values:
            return Value(False, values[name][-1][1])
    return ABSENT


def _set_mtu(port: Port, made: Interface, routed: Value[bool]) -> None:
    """`mtu` where the interface routes, what `jumboframe enable` leaves of a frame elsewhere."""
    packet: Value[int] = port.inherited(
        lambda lines: whole(lines, lines.text("mtu"), LONGEST, "mtu", 46)
    )
    frame: Value[int] = port.inherited(_frame)
    if routed.value:
        packet = first(packet, port.reading.default(defaults.MTU))
    rest = frame.map(lambda size: size - ETHERNET_HEADER)
    switched = port.kind in WIRED and not routed.value
    if switched or (rest.value or LONGEST) < (packet.value or 0):
        packet = rest
    for name, value in (("ip_mtu", packet), ("frame_mtu", frame)):
        if value.value is not None:
            setattr(made, name, value.value)
            made.at[name] = value.position


def _frame(reader: Reader) -> Value[int]:
    """Bytes of the longest frame; unknown without a line, for models differ in it."""
    text = reader.text("jumbo", reset=("no_jumbo",))
    if text.value is None:
        return Value(PLAIN_FRAME if text.position else None, text.position)
    return whole(reader, text, LONGEST, "jumboframe", PLAIN_FRAME)


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
    """VLANs of all `port trunk permit vlan 10 20 to 30` lines; `all` is no list."""
    found: frozenset[int] = frozenset()
    position = 0
    for value in reader.all("allowed_vlans"):
        text = (value.value or "").replace(" to ", "-")
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

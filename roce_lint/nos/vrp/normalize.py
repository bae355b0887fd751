"""From the records of a CloudEngine switch to the Device."""

from __future__ import annotations

import re

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.nos.access_lists import Dialect, spell_keyed
from roce_lint.nos.one_file import as_number, device_of, text_of
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.port_names import PortNames, PortType
from roce_lint.nos.port_vlans import Vlans, set_vlans, vlans_by_mode, vlans_of_lines
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import first, records
from roce_lint.nos.switch_ports import Port, Ports, reads_as_routed, without_range
from roce_lint.nos.vrp.overlay import add_tunnels
from roce_lint.nos.vrp.pause import CONFIG
from roce_lint.nos.vrp.port_qos import Qos
from roce_lint.text.numbers import decimal_of

defaults = defaults_of("vrp")

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

SWITCHED = dict.fromkeys(("link_type", "access_vlan", "native_vlan", "allowed_vlans"), False)
"""Lines that tell that a port does not route, those that decide first."""

_SPEED = re.compile(r"(\d{1,3})GE\d")

LISTS = Dialect(
    r"acl (?:(?P<kind>ipv6) )?(?:number|name) (?P<name>\S+)",
    r"traffic-filter (?=.*\b(?P<way>inbound|outbound)\b)(?:(?:in|out)bound )?"
    r"acl (?:(?P<kind>ipv6) )?(?:name )?(?P<name>\S+)",
    passes_rest=True,
    spell=spell_keyed,
)
"""Access lists; what no rule takes passes (docs/nos/vrp.md)."""


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, CONFIG, "hostname")
    qos = Qos.read(reading, hostname.position)
    lists = LISTS.read(reading, CONFIG)
    ports = Ports.read(
        reading, records(reading, CONFIG, "interface"), NAMES, _channel, _header, lists=lists
    )
    interfaces = ports.build(lambda port: _interface(ports, port, qos), qos.own)
    add_tunnels(reading, ports, interfaces)
    qos.objects.policing = lists.found
    return device_of(
        reading,
        hostname,
        vendor="Huawei",
        asn=as_number(reading, CONFIG),
        interfaces=interfaces,
        qos=qos.objects,
        system=qos.system(),
    )


def _channel(reader: Reader) -> Value[str]:
    """`Eth-Trunk10` from `eth-trunk 10`."""
    return whole(reader, reader.text("trunk"), 65535, "eth-trunk").map(lambda n: f"Eth-Trunk{n}")


def _header(text: str) -> str:
    """The name of the subinterface `10GE1/0/1.1 mode l2`."""
    return without_range(text).removesuffix(" mode l2")


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    routed = _reads_as_routed(port)
    packet, frame = _sizes(port, routed)
    speed = _SPEED.match(port.name)
    made = ports.interface(
        port,
        enabled=reader.switch(on="no_shutdown", off="shutdown"),
        vrf=reader.text("vrf"),
        speed_gbps=decimal_of(speed[1]) if speed else None,
        ip_mtu=packet,
        frame_mtu=frame,
        routed=routed,
    )
    if port.kind in WIRED:
        set_vlans(made, vlans_by_mode(port, "link_type", vlans_of_lines))
        made.qos = qos.of_port(port, routed)
    else:
        set_vlans(made, Vlans())
    return made


def _reads_as_routed(port: Port) -> Value[bool]:
    """`undo portswitch` routes; a port with lines about VLANs is switched; else not known."""
    if port.kind is InterfaceKind.VLAN:
        return Value(True, port.reader.begin)
    if port.kind not in WIRED:
        return ABSENT
    stated: Value[bool] = port.inherit(lambda r: r.switch(on="routed", off="switched"))
    if stated.position:
        return stated
    return port.inherit(lambda lines: reads_as_routed(lines, SWITCHED))


def _sizes(port: Port, routed: Value[bool]) -> tuple[Value[int], Value[int]]:
    """Bytes of the longest packet and of the longest frame.

    A packet may have `mtu` where the interface routes, what `jumboframe enable` leaves of a frame
    elsewhere.
    """
    packet = port.whole("mtu", MTU_RANGE)
    frame: Value[int] = port.inherit(
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
    return packet, frame


def _first_word(reader: Reader, name: str) -> Value[str]:
    return reader.text(name).map(lambda text: text.split(maxsplit=1)[0])

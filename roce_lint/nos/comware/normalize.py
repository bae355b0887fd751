"""From the records of a Comware switch to the Device."""

from __future__ import annotations

import re

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.nos.access_lists import Dialect, spell_keyed
from roce_lint.nos.comware.maps import CONFIG
from roce_lint.nos.comware.overlay import add_tunnel
from roce_lint.nos.comware.port_qos import Qos
from roce_lint.nos.one_file import as_number, device_of, text_of
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.port_names import PortNames, PortType
from roce_lint.nos.port_vlans import Vlans, set_vlans, vlans_by_mode, vlans_of_lines
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import first, records
from roce_lint.nos.switch_ports import Port, Ports, reads_as_routed, without_range
from roce_lint.text.numbers import real

defaults = defaults_of("comware")

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

SWITCHED = dict.fromkeys(("link_type", "access_vlan", "native_vlan", "allowed_vlans"), False)
"""Lines that tell that a port does not route, those that decide first."""

_TYPE = re.compile(r"[A-Za-z-]+")

LISTS = Dialect(
    r"acl (?:(?P<kind>ipv6|mac|user-defined) )?(?:(?:basic|advanced|number) )?(?:name )?"
    r"(?P<name>\S+)",
    r"packet-filter (?:(?P<kind>ipv6|mac|user-defined) )?(?:name )?(?P<name>\S+) "
    r"(?P<way>inbound|outbound)\b",
    passes_rest=True,
    spell=spell_keyed,
)
"""Access lists; what no rule takes passes (docs/nos/comware.md)."""


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, CONFIG, "hostname")
    qos = Qos.read(reading, hostname.position)
    found = records(reading, CONFIG, "interface")
    lists = LISTS.read(reading, CONFIG)
    ports = Ports.read(reading, found, NAMES, _channel, _header, lists=lists)
    interfaces = ports.build(lambda port: _interface(ports, port, qos), qos.own)
    add_tunnel(reading, ports, interfaces)
    qos.objects.policing = lists.found
    return device_of(
        reading,
        hostname,
        vendor="H3C",
        os_version=text_of(reading, CONFIG, "version"),
        asn=as_number(reading, CONFIG),
        interfaces=interfaces,
        qos=qos.objects,
        pools=qos.pause.pools,
        system=qos.system(),
    )


def _channel(reader: Reader) -> Value[str]:
    """`Route-Aggregation10` from `port link-aggregation group 10` on a port that routes."""
    kind = "Route" if reader.text("link_mode").value == "route" else "Bridge"
    text = reader.text("group").map(lambda words: words.split(maxsplit=1)[0])
    number = whole(reader, text, LONGEST, "aggregation group", 1)
    return number.map(lambda n: f"{kind}-Aggregation{n}")


def _header(text: str) -> str:
    """The name of `Tunnel1 mode vxlan`."""
    return without_range(text).partition(" mode ")[0]


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    routed = _reads_as_routed(port)
    packet, frame = _sizes(port, routed)
    kind = _TYPE.match(port.name)
    speed = SPEEDS.get(kind[0]) if kind else None
    made = ports.interface(
        port,
        enabled=reader.switch(on="no_shutdown", off="shutdown"),
        vrf=reader.text("vrf"),
        speed_gbps=real(speed) if speed else None,
        ip_mtu=packet,
        frame_mtu=frame,
        routed=routed,
    )
    if port.kind in WIRED:
        set_vlans(made, vlans_by_mode(port, "link_type", vlans_of_lines))
        made.qos = qos.of_port(port)
    else:
        set_vlans(made, Vlans())
    return made


def _reads_as_routed(port: Port) -> Value[bool]:
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
    return reads_as_routed(port.reader, SWITCHED)


def _sizes(port: Port, routed: Value[bool]) -> tuple[Value[int], Value[int]]:
    """Bytes of the longest packet and of the longest frame.

    A packet may have `mtu` where the interface routes, what `jumboframe enable` leaves of a frame
    elsewhere.
    """
    packet = port.whole("mtu", (46, LONGEST))
    frame: Value[int] = port.inherit(_frame)
    if routed.value:
        packet = first(packet, port.reading.default(defaults.MTU))
    rest = frame.map(lambda size: size - ETHERNET_HEADER)
    switched = port.kind in WIRED and not routed.value
    if switched or (rest.value or LONGEST) < (packet.value or 0):
        packet = rest
    return packet, frame


def _frame(reader: Reader) -> Value[int]:
    """Bytes of the longest frame; unknown without a line, for models differ in it."""
    text = reader.text("jumbo", reset=("no_jumbo",))
    if text.value is None:
        return Value(PLAIN_FRAME if text.position else None, text.position)
    return whole(reader, text, LONGEST, "jumboframe", PLAIN_FRAME)

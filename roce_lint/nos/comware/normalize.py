"""Builds the Device of a Comware switch, its VXLAN tunnel included, from its records."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind, Tunnel
from roce_lint.nos.access_lists import Dialect, spell_keyed
from roce_lint.nos.comware import SPEEDS
from roce_lint.nos.comware.port_qos import Qos
from roce_lint.nos.peer_lines import routing_of
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.port_names import PortNames, PortType
from roce_lint.nos.port_vlans import (
    LAST_VNI,
    Vlans,
    end_of_tunnels,
    set_vlans,
    some,
    union_of,
    vlans_by_mode,
    vlans_of_lines,
)
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, as_number, device_of, first, text_of
from roce_lint.nos.switch_ports import SWITCHED, Port, Ports, reads_as_routed, without_range
from roce_lint.text.numbers import real

# VXLAN tunnel endpoint: the VSIs with a VXLAN, and the ports connected to them. Tunnels to other
# switches come from EVPN or are separate interfaces; all carry RoCE of the same ports, so the
# device gets one endpoint. No line states the DSCP of the outer header.

PLAIN = ("default", "untagged")
"""Encapsulations of a service instance that match RoCE without a VLAN tag."""

TUNNEL = "vxlan"
"""Name of the endpoint of all tunnels of a switch."""


def add_tunnel(reading: Reading, ports: Ports, interfaces: dict[str, Interface]) -> None:
    """Add the tunnel endpoint if a VSI has a VXLAN."""
    vsis: dict[str, Value[int]] = {}
    for reader in reading.groups(CONFIG, "vsi"):
        name = reader.text("vsi").value
        reader.text("gateway")
        vni = whole(reader, reader.text("vni"), LAST_VNI, "vxlan", 1)
        if name is not None and vni.value is not None:
            vsis[name] = vni
    full, partly = _connected_ports(ports, vsis)
    vrfs = union_of(_routed_vrfs(ports, interfaces))
    if not vsis:
        return
    begin = next(iter(vsis.values())).position
    tunnel = reading.build(
        Tunnel,
        begin,
        vlans=Value(frozenset(), begin),
        ports=some(full, begin),
        partly=some(partly - full, begin),
        vrfs=vrfs,
    )
    interfaces[TUNNEL] = end_of_tunnels(reading, begin, TUNNEL, tunnel)


def _connected_ports(ports: Ports, vsis: dict[str, Value[int]]) -> tuple[set[str], set[str]]:
    """Ports with all (untagged) traffic in one of these VSIs, and those with only some VLANs."""
    full: set[str] = set()
    partly: set[str] = set()
    for name, reader in ports.readers.items():
        for child in reader.children("circuit"):
            child.text("instance")
            frames = child.text("frames").value
            vsi = (child.text("vsi").value or "").partition(" ")[0]
            if vsi in vsis:
                (full if frames in PLAIN else partly).add(name)
    return full, partly


def _routed_vrfs(ports: Ports, interfaces: dict[str, Interface]) -> Iterator[Value[str]]:
    """VPN instances of the VSI interfaces with an L3 VXLAN, each at its line."""
    for name, reader in ports.readers.items():
        vni = whole(reader, reader.text("routed_vni"), LAST_VNI, "VXLAN", 1)
        reader.text("layer")
        if vni.value is not None:
            yield Value(interfaces[name].vrf, vni.position)


# The device.

defaults = defaults_of("comware")

SHOWN = {
    "GigabitEthernet": "GE",
    "Ten-GigabitEthernet": "XGE",
    "Twenty-FiveGigE": "WGE",
    "FortyGigE": "FGE",
    "HundredGigE": "HGE",
}
"""Short forms that the documents use in examples."""

NAMES = PortNames(
    *(
        PortType(name, InterfaceKind.PHYSICAL, shown=(SHOWN[name],) if name in SHOWN else ())
        for name in SPEEDS.values()
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
"""Bytes of the Ethernet header, which a frame limit includes (docs/nos/comware.md)."""

PLAIN_FRAME = 1536
"""Longest frame in bytes of a port with jumbo frames disabled."""

LONGEST = 65535

LISTS = Dialect(
    r"acl (?:(?P<kind>ipv6|mac|user-defined) )?(?:(?:basic|advanced|number) )?(?:name )?"
    r"(?P<name>\S+)",
    r"packet-filter (?:(?P<kind>ipv6|mac|user-defined) )?(?:name )?(?P<name>\S+) "
    r"(?P<way>inbound|outbound)\b",
    passes_rest=True,
    spell=spell_keyed,
)
"""Access lists; packets that no rule matches pass (docs/nos/comware.md)."""


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, CONFIG, "hostname")
    qos = Qos.read(reading, hostname.position)
    ports = Ports.read(reading, NAMES, LISTS, _channel, _header)
    interfaces = ports.build(lambda port: _interface(ports, port, qos), qos.own)
    add_tunnel(reading, ports, interfaces)
    qos.objects.policing = ports.lists.found
    return device_of(
        reading,
        hostname,
        source=CONFIG,
        vendor="H3C",
        os_version=text_of(reading, CONFIG, "version"),
        asn=as_number(reading, CONFIG),
        routing=routing_of(reading, CONFIG, enabled_alone=False),
        interfaces=interfaces,
        qos=qos.objects,
        pools=qos.pause.pools,
        system=qos.system(),
    )


def _channel(reader: Reader) -> Value[str]:
    """`Route-Aggregation10` from `port link-aggregation group 10` on a port that routes."""
    kind = "Route" if reader.text("link_mode").value == "route" else "Bridge"
    number = whole(reader, reader.word("group"), LONGEST, "aggregation group", 1)
    return number.map(lambda n: f"{kind}-Aggregation{n}")


def _header(text: str) -> str:
    """The name of `Tunnel1 mode vxlan`."""
    return without_range(text).partition(" mode ")[0]


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    routed = _reads_as_routed(port)
    packet, frame = _sizes(port, routed)
    kind = port.name.rstrip("0123456789/:.")
    speed = next((each for each, name in SPEEDS.items() if name == kind), None)
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
    """Whether the port routes: `port link-mode`, the kind of aggregation, or lines about VLANs."""
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
    """Longest packet and longest frame in bytes.

    The packet limit is `mtu` on a routed interface, else the `jumboframe enable` frame without its
    header.
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
    """Longest frame in bytes; unknown without a line, since models differ."""
    text = reader.text("jumbo", reset=("no_jumbo",))
    if text.value is None:
        return Value(PLAIN_FRAME if text.position else None, text.position)
    return whole(reader, text, LONGEST, "jumboframe", PLAIN_FRAME)

"""Builds the Device of a Comware switch, its VXLAN tunnel included, from its records."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.nos.access_lists import Dialect, spell_keyed
from roce_lint.nos.comware import SPEEDS, defaults
from roce_lint.nos.comware.port_qos import Qos
from roce_lint.nos.peer_lines import routing_of
from roce_lint.nos.port_names import PortNames, PortType
from roce_lint.nos.port_vlans import add_end, set_vlans, union_of, vlans_by_mode, vni_of
from roce_lint.nos.quantities import ETHERNET_HEADER, whole
from roce_lint.nos.reading import Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, as_number, first, text_of
from roce_lint.nos.switch_ports import SWITCHED, Port, Ports, reads_as_routed
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
        vni = vni_of(reader, what="vxlan")
        if name is not None and vni.value is not None:
            vsis[name] = vni
    full, partly = _connected_ports(ports, vsis)
    vrfs = union_of(_routed_vrfs(ports, interfaces))
    if not vsis:
        return
    begin = next(iter(vsis.values())).position
    vlans: Value[frozenset[int]] = Value(frozenset(), begin)
    add_end(reading, interfaces, TUNNEL, begin, full, partly, vlans=vlans, vrfs=vrfs)


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
        vni = vni_of(reader, "routed_vni", "VXLAN")
        reader.text("layer")
        if vni.value is not None:
            yield Value(interfaces[name].vrf, vni.position)


# The device.

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
    hostname = text_of(reading, "hostname")
    qos = Qos.read(reading, hostname.position)
    ports = Ports.read(reading, NAMES, LISTS, _channel, r" mode .*")
    interfaces = ports.build(lambda port: _interface(ports, port, qos), qos.own)
    add_tunnel(reading, ports, interfaces)
    return ports.device(
        hostname,
        interfaces,
        qos,
        vendor="H3C",
        os_version=text_of(reading, "version"),
        asn=as_number(reading),
        routing=routing_of(reading, CONFIG, enabled_alone=False),
        pools=qos.pause.pools,
    )


def _channel(reader: Reader) -> Value[str]:
    """`Route-Aggregation10` from `port link-aggregation group 10` on a port that routes."""
    kind = "Route" if reader.text("link_mode").value == "route" else "Bridge"
    number = whole(reader, reader.word("group"), LONGEST, "aggregation group", 1)
    return number.map(lambda n: f"{kind}-Aggregation{n}")


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    routed = _reads_as_routed(port)
    packet, frame = _sizes(port, routed)
    kind = port.name.rstrip("0123456789/:.")
    speed = next((each for each, name in SPEEDS.items() if name == kind), None)
    made = ports.interface(
        port,
        speed_gbps=real(speed) if speed else None,
        ip_mtu=packet,
        frame_mtu=frame,
        routed=routed,
    )
    if port.kind in WIRED:
        set_vlans(made, vlans_by_mode(port, "link_type"))
        made.qos = qos.of_port(port)
    else:
        set_vlans(made)
    return made


def _reads_as_routed(port: Port) -> Value[bool]:
    """Whether the port routes: `port link-mode`, the kind of aggregation, or lines about VLANs."""
    if port.name.startswith("Route-Aggregation"):
        return Value(True, port.reader.begin)
    return port.routes(_reads_bridge_as_routed)


def _reads_bridge_as_routed(port: Port) -> Value[bool]:
    if port.name.startswith("Bridge-Aggregation"):
        return Value(False, port.reader.begin)
    mode = port.reader.text("link_mode")
    if mode.position:
        return mode.map({"route": True, "bridge": False}.get)
    return reads_as_routed(port.reader, SWITCHED)


def _sizes(port: Port, routed: Value[bool]) -> tuple[Value[int], Value[int]]:
    """Longest packet (`mtu` on a routed interface, else the frame without its header) and longest
    frame (`jumboframe enable`) in bytes.
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

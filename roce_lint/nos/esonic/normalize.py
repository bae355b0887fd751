"""Builds the Device of an Enterprise SONiC switch, its VXLAN tunnel included, from its records."""

from __future__ import annotations

from roce_lint.model.device import Device, Limits, NoteKind
from roce_lint.model.interface import WIRED, Interface, InterfaceKind, Tunnel
from roce_lint.nos.access_lists import CISCO
from roce_lint.nos.esonic.port_qos import Qos
from roce_lint.nos.esonic.words import CONFIG, PortWords
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.port_names import LAST_VLAN, PortNames, PortType
from roce_lint.nos.port_vlans import Vlans, is_ipv6, set_vlans, some
from roce_lint.nos.quantities import number
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import as_number, device_of, first, records, text_of
from roce_lint.nos.switch_ports import Port, Ports, reads_as_routed, without_range

# VXLAN tunnel endpoint: `interface vxlan NAME` with its segments. `qos-mode pipe` gives the outer
# header a fixed DSCP and keeps the inner one, `uniform` copies in both directions. Without the line
# a cited default applies (docs/nos/esonic.md).

WORD = "vxlan "

HIGHEST_DSCP = 63


def is_tunnel(name: str) -> bool:
    """True for `vxlan vtep1`."""
    return name.startswith(WORD)


def tunnel_of(reader: Reader) -> Tunnel:
    """Tunnel of the lines below `interface vxlan NAME`."""
    vlans: set[int] = set()
    vrfs: set[str] = set()
    position = 0
    for line in reader.all("segment"):
        position = position or line.position
        words = (line.value or "").split()
        match words[1:]:
            case ["vlan", first, *rest] if (of := _segment_vlans(first, rest)) is not None:
                vlans |= of
            case ["vrf", name]:
                vrfs.add(name)
            case _:
                what = f"map vni {line.value!r} names no VLAN and no VRF"
                reader.reading.note(NoteKind.BAD_VALUE, what, line.position)
    copied, dscp = _mode(reader)
    return reader.build(
        Tunnel,
        vlans=Value(frozenset(vlans), position or reader.begin),
        vrfs=some(vrfs, position),
        dscp_copied=copied,
        inner_replaced=copied,
        dscp=dscp,
        outer_ipv6=reader.text("source").map(is_ipv6),
    )


def _segment_vlans(first: str, rest: list[str]) -> set[int] | None:
    """The VLANs of `vlan 12` and of `vlan 12 count 3`."""
    begin = number(first)
    count = number(rest[1]) if len(rest) == 2 and rest[0] == "count" else 1 if not rest else None
    if not begin or not count or begin + count - 1 > LAST_VLAN:
        return None
    return set(range(begin, begin + count))


def _mode(reader: Reader) -> tuple[Value[bool], Value[int]]:
    """Whether the DSCP is copied, and the fixed DSCP if not."""
    line = reader.text("qos_mode")
    words = (line.value or "").split()
    pipe: Value[bool] = reader.reading.default(defaults.PIPE)
    zero: Value[int] = reader.reading.default(defaults.OUTER_DSCP)
    match words:
        case []:
            return pipe, zero
        case ["uniform"]:
            return Value(True, line.position), ABSENT
        case ["pipe"]:
            return Value(False, line.position), zero
        case ["pipe", "dscp", text] if (dscp := number(text)) is not None and dscp <= HIGHEST_DSCP:
            return Value(False, line.position), Value(dscp, line.position)
    what = f"qos-mode {line.value!r} is neither uniform nor pipe with a DSCP"
    reader.reading.note(NoteKind.BAD_VALUE, what, line.position)
    return Value(None, line.position), Value(None, line.position)


# The device.

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
"""Lines that show whether a port routes, in order of precedence."""

LIMITS = Limits(cable_steps_m=(5.0, 40.0, 300.0))
"""`cable-length` has three possible values (docs/nos/esonic.md)."""


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
    """VLAN interfaces and ports with an address route; ports with VLANs are switched."""
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

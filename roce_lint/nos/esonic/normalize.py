"""Builds the Device of an Enterprise SONiC switch, its VXLAN tunnel included, from its records."""

from __future__ import annotations

from roce_lint.model.device import Device, Limits
from roce_lint.model.interface import WIRED, Fec, Interface, InterfaceKind, Tunnel
from roce_lint.nos.access_lists import CISCO
from roce_lint.nos.bgp import read_blocks
from roce_lint.nos.esonic import defaults
from roce_lint.nos.esonic.port_qos import Qos
from roce_lint.nos.port_names import LAST_VLAN, PortNames, PortType
from roce_lint.nos.port_vlans import Vlans, is_ipv6, set_vlans, some
from roce_lint.nos.quantities import gbps_of, number, numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, first, text_of
from roce_lint.nos.switch_ports import ROUTES, Port, Ports, channel_of, reads_as_routed
from roce_lint.text.numbers import decimal_of

# VXLAN tunnel endpoint: `interface vxlan NAME` with its segments. `qos-mode pipe` gives the outer
# header a fixed DSCP and keeps the inner one, `uniform` copies in both directions. Without the line
# a cited default applies (docs/nos/esonic.md).

HIGHEST_DSCP = 63


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
                reader.bad(what, line.position)
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
    reader.bad(what, line.position)
    return Value(None, line.position), Value(None, line.position)


# The device.

NAMES = PortNames(
    PortType("Eth", InterfaceKind.PHYSICAL),
    PortType("Ethernet", InterfaceKind.PHYSICAL),
    PortType("PortChannel", InterfaceKind.LAG, others=("port-channel",)),
    PortType("Vlan", InterfaceKind.VLAN),
    PortType("Loopback", InterfaceKind.LOOPBACK),
    PortType("Management", InterfaceKind.MANAGEMENT),
)

CHANNEL = channel_of("channel_group", "PortChannel", "channel-group", 4096, low=0)

FECS = {"rs": Fec.RS, "fc": Fec.FC, "none": Fec.NONE, "auto": Fec.AUTO, "off": Fec.NONE}

LIMITS = Limits(cable_steps_m=(5.0, 40.0, 300.0))
"""`cable-length` has three possible values (docs/nos/esonic.md)."""


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    hostname = text_of(reading, "hostname")
    qos = Qos.read(reading)
    ports = Ports.read(reading, NAMES, CISCO, CHANNEL, " mode .*")
    interfaces = ports.build(lambda port: _interface(ports, port, qos))
    asn, routing = read_blocks(reading, CONFIG, NAMES.canonical)
    return ports.device(hostname, interfaces, qos, asn=asn, routing=routing, limits=LIMITS)


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    if port.name.startswith("vxlan "):
        port.kind = InterfaceKind.TUNNEL
        return ports.interface(port, tunnel=tunnel_of(reader))
    mtu = whole(reader, reader.text("mtu"), 9216, "mtu", 68)
    if port.kind in WIRED:
        mtu = first(mtu, port.reading.default(defaults.MTU))
    made = ports.interface(
        port,
        speed_gbps=gbps_of(reader, reader.text("speed")),
        fec=reader.convert(reader.text("fec").map(str.lower), FECS.__getitem__, "a FEC mode"),
        ip_mtu=mtu,
        routed=port.routes(lambda port: reads_as_routed(port.reader, ROUTES)),
        cable_m=_metres(reader) if port.kind is InterfaceKind.PHYSICAL else None,
    )
    set_vlans(made, _vlans(reader) if port.kind in WIRED else Vlans())
    if port.kind is InterfaceKind.PHYSICAL:
        made.qos = qos.of_port(port)
    return made


def _metres(reader: Reader) -> Value[float]:
    """Metres of `cable-length 40m`, one of few values."""
    text = reader.text("cable")
    if not reader.reading.accepts_word("cable-length", text.value, text.position):
        return ABSENT
    return text.map(lambda length: decimal_of(length.removesuffix("m")))


def _vlans(reader: Reader) -> Vlans:
    """`switchport access Vlan 20` and `switchport trunk allowed Vlan 10,20`."""
    access = reader.text("access_vlan").map(_behind_word)
    untagged = whole(reader, access, LAST_VLAN, "VLAN", 1)
    tagged = reader.convert(
        reader.text("allowed_vlans"),
        lambda text: numbers(_behind_word(text), upto(LAST_VLAN)),
        "a list of VLANs",
    )
    only = Value(True, untagged.position) if untagged and not tagged.position else ABSENT
    return Vlans(untagged=untagged, tagged=tagged, access=only)


def _behind_word(text: str) -> str:
    """`10,20` of `Vlan 10,20` and of `Vlan add 10,20`."""
    return text.split(None, 1)[1].removeprefix("add ").strip()

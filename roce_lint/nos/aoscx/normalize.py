"""From the records of an AOS-CX switch to the Device."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.nos.aoscx import defaults
from roce_lint.nos.aoscx.port_qos import CONFIG, Qos
from roce_lint.nos.port_names import PortNames, PortType
from roce_lint.nos.quantities import listed, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import first, last_line, last_of, records
from roce_lint.nos.switch_ports import (
    LAST_VLAN,
    Port,
    Ports,
    Vlans,
    set_vlans,
    without_range,
)

NAMES = PortNames(
    PortType("", InterfaceKind.PHYSICAL),
    PortType("lag", InterfaceKind.LAG),
    PortType("vlan", InterfaceKind.VLAN),
    PortType("loopback", InterfaceKind.LOOPBACK),
    PortType("mgmt", InterfaceKind.MANAGEMENT),
)

MTU_RANGE = 46, 65535

WIRED = frozenset({InterfaceKind.PHYSICAL, InterfaceKind.LAG})


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    line = last_line(reading, CONFIG, "hostname")
    hostname: Value[str] = line.text("hostname") if line is not None else ABSENT
    qos = Qos.read(reading)
    ports = Ports.read(reading, records(reading, CONFIG, "interface"), NAMES, _channel, _header)
    interfaces = ports.build(lambda port: _interface(ports, port, qos))
    bgp = last_line(reading, CONFIG, "bgp")
    asn = whole(bgp, bgp.text("asn"), 2**32 - 1, "AS number", 1) if bgp is not None else ABSENT
    device = reading.build(
        Device,
        hostname.position or 1,
        hostname=reading.hostname,
        nos=reading.nos,
        vendor="HPE Aruba",
        asn=asn,
        partial=not hostname,
        interfaces=interfaces,
        qos=qos.objects,
        system=qos.system(),
    )
    if hostname:
        device.at["hostname"] = hostname.position
    return device


def _header(text: str) -> str:
    """The name of `lag 10 multi-chassis`."""
    return without_range(text).removesuffix(" multi-chassis")


def _channel(reader: Reader) -> Value[str]:
    """`lag10` from `lag 10`."""
    return whole(reader, reader.text("lag"), 65535, "lag", 1).map(lambda n: f"lag{n}")


def _interface(ports: Ports, port: Port, qos: Qos) -> Interface:
    reader = port.reader
    routed = _routed(port)
    made = ports.interface(
        port,
        enabled=reader.switch(on="no_shutdown", off="shutdown"),
        vrf=reader.text("vrf"),
        ip_mtu=_ip_mtu(port, routed),
        routed=routed,
    )
    if port.kind in WIRED:
        _vlans(port, made)
        made.qos = qos.of_port(port)
    else:
        set_vlans(made, Vlans())
    return made


def _ip_mtu(port: Port, routed: Value[bool]) -> Value[int]:
    """`ip mtu` where the interface routes, `mtu` where it switches, the smaller where both act."""

    def size(name: str) -> Value[int]:
        return port.inherited(
            lambda lines: whole(lines, lines.text(name), MTU_RANGE[1], name, MTU_RANGE[0])
        )

    frame, packet = size("mtu"), size("ip_mtu")
    if port.kind in WIRED:
        default: Value[int] = port.reading.default(defaults.PORT_MTU)
        frame = first(frame, default)
    elif port.kind is not InterfaceKind.VLAN:
        return packet
    if not routed.value:
        return frame
    default = port.reading.default(defaults.IP_MTU)
    packet = first(packet, default)
    smaller = frame.value is not None and packet.value is not None and frame.value < packet.value
    return frame if smaller else packet


def _routed(port: Port) -> Value[bool]:
    """`routing` and its `no` form, else an address or VLANs; a port without any is not known."""
    if port.kind is InterfaceKind.VLAN:
        return Value(True, port.reader.begin)
    stated: Value[bool] = port.inherited(lambda r: r.switch(on="routing", off="no_routing"))
    if stated.position:
        return stated
    values = port.reader.record.values
    for name, routes in (
        ("ip_address", True),
        ("ipv6_address", True),
        ("access_vlan", False),
        ("native_vlan", False),
        ("allowed_vlans", False),
    ):
        if name in values:
            return Value(routes, values[name][-1][1])
    return ABSENT


def _vlans(port: Port, made: Interface) -> None:
    def vlan(name: str) -> Value[int]:
        return port.inherited(lambda lines: whole(lines, lines.text(name), LAST_VLAN, "VLAN", 1))

    which, _ = last_of(port.reader, "native_vlan", "native_tagged", reset=())
    tagged_native = vlan("native_tagged") if which == "native_tagged" else ABSENT
    native = vlan("native_vlan") if not tagged_native else ABSENT
    access = vlan("access_vlan")
    allowed: Value[frozenset[int]] = port.inherited(
        lambda lines: listed(lines.reading, _not_all(lines), upto(LAST_VLAN), "a list of VLANs")
    )
    only = Value(True, access.position) if access and not native and not allowed else ABSENT
    set_vlans(made, Vlans(untagged=first(native, access), tagged=allowed, access=only))
    if tagged_native.value is not None:
        made.tagged = True
        made.at["tagged"] = tagged_native.position


def _not_all(reader: Reader) -> Value[str]:
    """`vlan trunk allowed all` is no list."""
    text = reader.text("allowed_vlans")
    return ABSENT if text.value == "all" else text

"""From the tree of an SR Linux switch to the Device."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import NO_VRF, WIRED, Interface, InterfaceKind
from roce_lint.nos.one_file import LAST_AS, device_of
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.srlinux import defaults
from roce_lint.nos.srlinux.filters import bind_filters, read_filters
from roce_lint.nos.srlinux.overlay import add_tunnels
from roce_lint.nos.srlinux.qos import Qos
from roce_lint.nos.srlinux.sources import CONFIG, JSON
from roce_lint.nos.srlinux.tree import Node, read_json, read_lines
from roce_lint.nos.stanzas import first
from roce_lint.nos.switch_ports import address
from roce_lint.text.numbers import parse_decimal

KINDS = {
    "ethernet-": InterfaceKind.PHYSICAL,
    "lag": InterfaceKind.LAG,
    "irb": InterfaceKind.VLAN,
    "system": InterfaceKind.LOOPBACK,
    "lo": InterfaceKind.LOOPBACK,
    "mgmt": InterfaceKind.MANAGEMENT,
}

STATES = {"enable": True, "disable": False}
TRUTHS = {"true": True, "false": False}

ETHERNET_HEADER = 14
"""Bytes of an untagged Ethernet header, which the MTU of a port counts (docs/nos/srlinux.md)."""

MTU_RANGE = 1280, 9500


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    root = Node(reading)
    for entry in reading[CONFIG]:
        read_lines(root, entry)
    for entry in reading[JSON]:
        read_json(root, entry)
    hostname = root.child("system", "name").text("host-name")
    qos = Qos.read(root)
    interfaces: dict[str, Interface] = {}
    for name, node in root.entries("interface"):
        port = interfaces[name] = _port(root, name, node)
        if port.kind in WIRED:
            port.qos = qos.of_port(name, node)
        for index, below in node.entries("subinterface"):
            made = _subinterface(root, name, index, below)
            interfaces[made.name] = made
    _join(root, interfaces)
    _add_instances(root, interfaces)
    lists = read_filters(root)
    bind_filters(root, lists, interfaces)
    qos.objects.policing = lists.found
    add_tunnels(root, interfaces)
    qos.refer()
    return device_of(
        reading,
        hostname,
        begin=reading.src.files[0].first + 1 if reading[CONFIG] else 0,
        vendor="Nokia",
        asn=first(*(_asn(node) for _, node in root.entries("network-instance"))),
        interfaces=interfaces,
        qos=qos.objects,
        system=qos.system(),
    )


def _asn(node: Node) -> Value[int]:
    return node.child("protocols", "bgp").whole("autonomous-system", LAST_AS, 1)


def _kind(name: str) -> InterfaceKind:
    return next(
        (kind for begin, kind in KINDS.items() if name.startswith(begin)), InterfaceKind.OTHER
    )


def _port(root: Node, name: str, node: Node) -> Interface:
    ethernet = node.child("ethernet")
    frame = first(
        node.whole("mtu", *reversed(MTU_RANGE)),
        root.child("system", "mtu").whole("default-port-mtu", *reversed(MTU_RANGE)),
    )
    kind = _kind(name)
    if kind in WIRED:
        default: Value[int] = node.reading.default(defaults.PORT_MTU)
        frame = first(frame, default)
    for word in ("vlan-tagging", "auto-negotiate"):
        (node if word == "vlan-tagging" else ethernet).text(word)
    ethernet.child("forward-error-correction").text("fec-option")
    routed, packet = _routing(root, node)
    rest = frame.map(lambda size: size - ETHERNET_HEADER)
    smaller = packet.value is not None and (rest.value is None or packet.value <= rest.value)
    made = node.reading.build(
        Interface,
        node.begin,
        name=name,
        kind=kind,
        enabled=node.switch("admin-state", STATES),
        description=node.text("description"),
        speed_gbps=ethernet.convert("port-speed", _gbps, "a speed such as 100G"),
        lag=ethernet.text("aggregate-id"),
        frame_mtu=frame,
        ip_mtu=packet if smaller else rest,
        routed=routed,
    )
    if (
        routed.value
        and kind in WIRED
        and not any(
            sub.child("vlan", "encap").below.get("single-tagged")
            for _, sub in node.entries("subinterface")
        )
    ):
        made.tagged = False
        made.at["tagged"] = routed.position
    return made


def _routing(root: Node, node: Node) -> tuple[Value[bool], Value[int]]:
    """Whether the port routes, by its subinterfaces, and the smallest IP packet they all take."""
    routed: Value[bool] = ABSENT
    packet: Value[int] = ABSENT
    for _, below in node.entries("subinterface"):
        kind = below.text("type")
        if kind.value == "bridged":
            routed = first(routed, Value(False, kind.position))
            continue
        families = [below.below[name] for name in ("ipv4", "ipv6") if name in below.below]
        if not families and not kind:
            continue
        routed = Value(True, kind.position or families[0].begin)
        own = _ip_mtu(root, below)
        if packet.value is None or (own.value is not None and own.value < packet.value):
            packet = own
    return routed, packet


def _ip_mtu(root: Node, node: Node) -> Value[int]:
    default: Value[int] = node.reading.default(defaults.IP_MTU)
    return first(
        node.whole("ip-mtu", *reversed(MTU_RANGE)),
        root.child("system", "mtu").whole("default-ip-mtu", *reversed(MTU_RANGE)),
        default,
    )


def _subinterface(root: Node, parent: str, index: str, node: Node) -> Interface:
    kind = node.text("type")
    bridged = kind.value == "bridged"
    node.text("l2-mtu")
    found: list[str] = []
    position = 0
    for family in ("ipv4", "ipv6"):
        below = node.child(family)
        below.text("admin-state")
        for prefix, each in below.entries("address"):
            known = address(prefix)
            if known is not None:
                found.append(known)
                position = position or each.begin
    vlan = node.child("vlan", "encap", "single-tagged").whole("vlan-id", 4094, 1)
    made = node.reading.build(
        Interface,
        node.begin,
        name=f"{parent}.{index}",
        kind=InterfaceKind.SUBINTERFACE if _kind(parent) in WIRED else _kind(parent),
        parent=parent,
        enabled=node.switch("admin-state", STATES),
        description=node.text("description"),
        addresses=Value(tuple(found), position) if found else (),
        routed=Value(False, kind.position) if bridged else ABSENT,
        ip_mtu=ABSENT if bridged else _ip_mtu(root, node),
    )
    if vlan.value is not None:
        made.tagged_vlans, made.tagged = frozenset({vlan.value}), True
        made.at["tagged_vlans"] = made.at["tagged"] = vlan.position
    return made


def _join(root: Node, interfaces: dict[str, Interface]) -> None:
    """Give a port the addresses of its subinterface 0, and a channel its members."""
    for name, _ in root.entries("interface"):
        port = interfaces[name]
        plain = interfaces.get(f"{name}.0")
        if plain is not None and plain.addresses and not port.addresses:
            port.addresses = plain.addresses
            port.at["addresses"] = plain.at["addresses"]
        channel = interfaces.get(port.lag) if port.lag else None
        if channel is not None:
            channel.members = (*channel.members, name)
            channel.at.setdefault("members", port.at["lag"])


def _add_instances(root: Node, interfaces: dict[str, Interface]) -> None:
    """Give routed subinterfaces, and the ports all of whose are in one, their network instance.

    One that is in none, where others are in some, forwards nothing. A mac-vrf does not route.
    """
    inside = {
        each: Value("" if name == "default" else name, place.begin)
        for name, node in root.entries("network-instance")
        if not (node.text("type").value or "").endswith("mac-vrf")
        for each, place in node.entries("interface")
    }
    of_ports: dict[str, list[Value[str]]] = {}
    for made in interfaces.values() if inside else ():
        if made.parent and made.routed is not False and _kind(made.parent) in WIRED:
            found = inside.get(made.name, Value(NO_VRF, 0))
            made.vrf, made.at["vrf"] = found.value or None, found.position
            of_ports.setdefault(made.parent, []).append(found)
    for name, all_found in of_ports.items():
        first = all_found[0]
        if first.value and all(found.value == first.value for found in all_found):
            for port in (interfaces[name], *map(interfaces.get, interfaces[name].members)):
                if port is not None:
                    port.vrf, port.at["vrf"] = first.value, first.position
                    port.routed = interfaces[name].routed if port.routed is None else port.routed


def _gbps(text: str) -> float:
    """100 from `100G`, 0.001 from `1M`."""
    factor = {"G": 1.0, "M": 0.001, "T": 1000.0}[text[-1:].upper()]
    return parse_decimal(text[:-1]) * factor

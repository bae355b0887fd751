"""Builds the Device of an SR Linux switch, with its filters and tunnels, from its tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.model.device import Device
from roce_lint.model.interface import NO_VRF, WIRED, Fec, Interface, InterfaceKind, Tunnel
from roce_lint.nos.access_lists import ARRIVING, IPV6, LEAVING, AccessLists, Dialect
from roce_lint.nos.access_lists import KINDS as LIST_KINDS
from roce_lint.nos.port_names import parent_of
from roce_lint.nos.port_vlans import end_of_tunnels, some
from roce_lint.nos.quantities import ETHERNET_HEADER
from roce_lint.nos.reading import ABSENT, Reading, Value, put
from roce_lint.nos.srlinux import CONFIG, JSON, defaults
from roce_lint.nos.srlinux.qos import Qos
from roce_lint.nos.srlinux.routing import read_bgp
from roce_lint.nos.srlinux.tree import Lines, Node, read_json
from roce_lint.nos.stanzas import device_of, first, routed_families
from roce_lint.nos.switch_ports import address
from roce_lint.text.numbers import parse_decimal

# Filters: entries that drop RoCE, and the subinterfaces they are bound to.

LAYERS = ("ipv4", "ipv6", "transport", "l2")

WAYS = {"input": ARRIVING, "output": LEAVING}


def read_filters(root: Node) -> AccessLists:
    """All filters; packets without a match are accepted (docs/nos/srlinux.md)."""
    found = AccessLists(root.reading, Dialect(passes_rest=True))
    acl = root.child("acl")
    filters = [*acl.keyed_entries("acl-filter")]
    for kind in ("ipv4", "ipv6"):
        filters += [((name, kind), node) for name, node in acl.entries(f"{kind}-filter")]
    for (name, kind), node in filters:
        found.define(LIST_KINDS.get(kind, kind), name, list(_rules(node)))
    return found


def bind_filters(root: Node, lists: AccessLists, interfaces: dict[str, Interface]) -> None:
    """Bind filters to the ports whose packets they match. Packets of a port with several
    subinterfaces may use another, and those of a bridged port may pass an IRB interface.
    """
    alone = {
        name: len([*node.entries("subinterface")]) == 1 for name, node in root.entries("interface")
    }
    for name, way, kind, bound in [*_bound_in_acl(root), *_bound_below(root)]:
        made = interfaces.get(name)
        if made is None:
            continue
        of_vlan = made.kind is InterfaceKind.VLAN
        for port in interfaces.values():
            own = port.name == made.parent
            if port.qos is not None and (own or (of_vlan and port.routed is False)):
                sure = own and alone[port.name]
                lists.bind(port.qos, way, kind, bound, made.addresses, sure=sure)


def _bound_in_acl(root: Node) -> Iterator[tuple[str, str, str, Value[str]]]:
    """Filters of `acl interface ethernet-1/1.0 input acl-filter EDGE type ipv4`, since 24.3."""
    for ident, node in root.child("acl").entries("interface"):
        ref = node.child("interface-ref")
        port, index = ref.text("interface").value, ref.text("subinterface").value
        name = f"{port}.{index or 0}" if port else ident
        for way, field in WAYS.items():
            for (bound, kind), below in node.child(way).keyed_entries("acl-filter"):
                yield name, field, LIST_KINDS.get(kind, kind), Value(bound, below.begin)


def _bound_below(root: Node) -> Iterator[tuple[str, str, str, Value[str]]]:
    """Filters of lines below the subinterface, before that release."""
    for port, node in root.entries("interface"):
        for index, below in node.entries("subinterface"):
            for way, field in WAYS.items():
                for kind in ("ipv4", IPV6, "mac"):
                    for bound in below.child("acl", way).all(f"{kind}-filter"):
                        yield f"{port}.{index}", field, LIST_KINDS.get(kind, kind), bound


def _rules(node: Node) -> Iterator[Value[str]]:
    """The entries in order, in the syntax of other systems' access lists."""
    for _, entry in sorted(node.entries("entry"), key=lambda each: each[0].zfill(10)):
        action = entry.child("action")
        conditions, done = dict(_words(entry.child("match"))), dict(_words(action))
        limited = any(name.endswith("rate-limit") for name in done)
        codes = conditions.pop("dscp-set", [""])
        text = "deny" if limited or "drop" in action.below else "permit"
        text = f"{text} {_spell(conditions)}{' rate-limit' if limited else ''}"
        position = action.child("drop").begin or action.begin or entry.begin
        for code in codes:
            yield Value(f"{text} dscp {code}" if code else text, position)


def _words(node: Node, path: str = "") -> Iterator[tuple[str, list[str]]]:
    """Every word below a node by its path, without the layer it belongs to, and its values."""
    for name in list(node.leaves):
        yield f"{path}{name}", [each.value or "" for each in node.all(name)]
    for name, below in node.below.items():
        yield from _words(below, path if name in LAYERS else f"{path}{name} ")


def _spell(conditions: dict[str, list[str]]) -> str:
    """Entry in access list syntax; unknown conditions follow the rest."""

    def take(name: str) -> str:
        return conditions.pop(name, [""])[0]

    words = [take("protocol") or take("next-header") or "ip"]
    for end in ("source", "destination"):
        address = [take(name) for name in list(conditions) if name.startswith(f"{end}-ip ")]
        words += ["host", address[0]] if address else ["any"]
        low, high = take(f"{end}-port range start"), take(f"{end}-port range end")
        value, operator = take(f"{end}-port value"), take(f"{end}-port operator")
        if value and operator in ("", "eq"):
            words += ["eq", value]
        elif value or low or high:
            at_least, at_most = {"ge": (value, ""), "le": ("", value)}.get(operator, (low, high))
            words += ["range", at_least or "0", at_most or "65535"]
    return " ".join([*words, *conditions])


# VXLAN tunnel endpoints: `tunnel-interface vxlan0`, and the members of its network instances. An
# instance names its subinterfaces and its `vxlan-interface`. A port that is bridged in one instance
# and routed by its IRB in another uses the tunnel of either. No line states the DSCP of the outer
# header.

IRB = "irb"


def add_tunnels(root: Node, interfaces: dict[str, Interface]) -> None:
    """Add the tunnel endpoints with their ports."""
    inside = {
        name: [each for each, _ in node.entries("interface")]
        for name, node in root.entries("network-instance")
    }
    bridged: dict[str, set[str]] = defaultdict(set)  # ports by their IRB
    for beside in inside.values():
        for irb in (each for each in beside if each.startswith(IRB)):
            bridged[irb] |= {each for each in beside if not each.startswith(IRB)}
    carried: dict[str, dict[str, int]] = defaultdict(dict)
    for name, node in root.entries("network-instance"):
        for end, place in node.entries("vxlan-interface"):
            for each in inside[name]:
                for member in bridged[each] if each.startswith(IRB) else (each,):
                    carried[parent_of(end) or end].setdefault(member, place.begin)
    for name, node in root.entries("tunnel-interface"):
        for _, below in node.entries("vxlan-interface"):
            below.child("ingress").text("vni")
        carried.setdefault(name, {})
    everything: dict[str, set[str]] = defaultdict(set)  # subinterfaces by port
    for port, node in root.entries("interface"):
        everything[port] = {f"{port}.{index}" for index, _ in node.entries("subinterface")}
    begins = {name: node.begin for name, node in root.entries("tunnel-interface")}
    for name, members in carried.items():
        line = next(iter(members.values()), 0)
        touched = {parent_of(member) or member for member in members}
        full = {port for port in touched if everything[port] <= members.keys()}
        begin = begins.get(name) or line
        tunnel = root.reading.build(
            Tunnel,
            begin,
            vlans=Value(frozenset(), begin),
            ports=some(full, line),
            partly=some(touched - full, line),
        )
        interfaces[name] = end_of_tunnels(root.reading, begin, name, tunnel)


# The device.

KINDS = {
    "ethernet-": InterfaceKind.PHYSICAL,
    "lag": InterfaceKind.LAG,
    "irb": InterfaceKind.VLAN,
    "system": InterfaceKind.LOOPBACK,
    "lo": InterfaceKind.LOOPBACK,
    "mgmt": InterfaceKind.MANAGEMENT,
}

FECS = {"disabled": Fec.NONE, "base-r": Fec.FC} | dict.fromkeys(
    ("rs-528", "rs-544", "rs-108"), Fec.RS
)
FAMILIES = ("ipv4", "ipv6")

STATES = {"enable": True, "disable": False}


def normalize(reading: Reading) -> Device:
    """The device that the files describe."""
    root = Node(reading)
    for entry in reading[CONFIG]:
        Lines(root, entry).read()
    for entry in reading[JSON]:
        read_json(root, entry)
    hostname = root.child("system", "name").text("host-name")
    qos = Qos.read(root)
    interfaces: dict[str, Interface] = {}
    # Releases from 23.3 on have a switch for each address family, off by default.
    switched = any(
        "admin-state" in below.child(family).leaves
        for _, port in root.entries("interface")
        for _, below in port.entries("subinterface")
        for family in FAMILIES
    )
    for name, node in root.entries("interface"):
        port = interfaces[name] = _port(root, name, node)
        if port.kind in WIRED:
            port.qos = qos.of_port(port.lag or name, node)  # a channel has that of its members
        for index, below in node.entries("subinterface"):
            made = _subinterface(root, name, index, below, switched=switched)
            interfaces[made.name] = made
    _join(root, interfaces)
    _add_instances(root, interfaces)
    lists = read_filters(root)
    bind_filters(root, lists, interfaces)
    qos.objects.policing = lists.found
    add_tunnels(root, interfaces)
    asn, routing = read_bgp(root, whole=bool(hostname))
    return device_of(
        reading,
        hostname,
        begin=reading.src.files[0].first + 1 if reading[CONFIG] else 0,
        vendor="Nokia",
        asn=asn,
        routing=routing,
        forwards=routed_families(interfaces.values()),
        lldp=root.child("system", "lldp").switch("admin-state", STATES),
        interfaces=interfaces,
        qos=qos.objects,
        system=qos.system(),
        pools=qos.pools(),
    )


def _kind(name: str) -> InterfaceKind:
    kinds = (kind for begin, kind in KINDS.items() if name.startswith(begin))
    return next(kinds, InterfaceKind.OTHER)


def _port(root: Node, name: str, node: Node) -> Interface:
    ethernet = node.child("ethernet")
    frame = first(_mtu(node, "mtu"), _mtu(root.child("system", "mtu"), "default-port-mtu"))
    kind = _kind(name)
    if kind in WIRED:
        frame = first(frame, node.reading.default(defaults.PORT_MTU))
    node.text("vlan-tagging")
    ethernet.text("auto-negotiate")
    speed = ethernet.convert("port-speed", _gbps, "a speed such as 100G")
    fec = first(
        ethernet.child("forward-error-correction").convert("fec-option", FECS.__getitem__, "a FEC"),
        node.child("transceiver").convert("forward-error-correction", FECS.__getitem__, "a FEC"),
        node.reading.default(defaults.ABOVE_100G) if (speed.value or 0) > 100 else ABSENT,
    )
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
        speed_gbps=speed,
        fec=fec,
        lag=ethernet.text("aggregate-id"),
        frame_mtu=frame,
        ip_mtu=packet if smaller else rest,
        routed=routed,
    )
    encapsulations = (sub.child("vlan", "encap") for _, sub in node.entries("subinterface"))
    tagged = any("single-tagged" in each.below for each in encapsulations)
    if routed.value and kind in WIRED and not tagged:
        put(made, tagged=Value(False, routed.position))
    return made


def _routing(root: Node, node: Node) -> tuple[Value[bool], Value[int]]:
    """Whether the port routes, by its subinterfaces, and the smallest IP MTU among them."""
    routed: Value[bool] = ABSENT
    packet: Value[int] = ABSENT
    for _, below in node.entries("subinterface"):
        kind = below.text("type")
        if kind.value == "bridged":
            routed = first(routed, Value(False, kind.position))
            own = _mtu(below, "l2-mtu").map(lambda size: size - ETHERNET_HEADER)
            if own.value is not None and (packet.value is None or own.value < packet.value):
                packet = own
            continue
        families = [below.below[name] for name in FAMILIES if name in below.below]
        if not families and not kind:
            continue
        routed = Value(True, kind.position or families[0].begin)
        own = _ip_mtu(root, below)
        if packet.value is None or (own.value is not None and own.value < packet.value):
            packet = own
    return routed, packet


def _mtu(node: Node, word: str) -> Value[int]:
    return node.whole(word, 9500, 1280)


def _ip_mtu(root: Node, node: Node) -> Value[int]:
    return first(
        _mtu(node, "ip-mtu"),
        _mtu(root.child("system", "mtu"), "default-ip-mtu"),
        node.reading.default(defaults.IP_MTU),
    )


def _subinterface(root: Node, parent: str, index: str, node: Node, *, switched: bool) -> Interface:
    kind = node.text("type")
    bridged = kind.value == "bridged"
    found: list[str] = []
    position = 0
    for family in FAMILIES:
        below = node.child(family)
        on = below.switch("admin-state", STATES)
        for prefix, each in below.entries("address"):
            known = address(prefix)
            if known is not None and (on.value or not (on or switched)):
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
        frame_mtu=_mtu(node, "l2-mtu"),
    )
    put(made, tagged_vlans=vlan.map(lambda own: frozenset({own})), tagged=vlan.map(lambda _: True))
    return made


def _join(root: Node, interfaces: dict[str, Interface]) -> None:
    """Give a port the addresses of its subinterface 0, and a channel its members."""
    for name, _ in root.entries("interface"):
        port = interfaces[name]
        plain = interfaces.get(f"{name}.0")
        if plain is not None and plain.addresses and not port.addresses:
            put(port, addresses=Value(plain.addresses, plain.at["addresses"]))
        channel = interfaces.get(port.lag) if port.lag else None
        if channel is not None:
            channel.members = (*channel.members, name)
            channel.at.setdefault("members", port.at["lag"])


def _add_instances(root: Node, interfaces: dict[str, Interface]) -> None:
    """Set the network instance of routed subinterfaces, and of ports whose subinterfaces share one.
    A subinterface outside, while others are in one, forwards nothing. A mac-vrf does not route.
    """
    inside = {
        each: Value("" if name == "default" else name, place.begin)
        for name, node in root.entries("network-instance")
        if not (node.text("type").value or "").endswith("mac-vrf")
        for each, place in node.entries("interface")
    }
    of_ports: dict[str, list[Value[str]]] = {}
    for made in interfaces.values() if inside else ():
        kind = _kind(made.parent or "")
        routes = kind in WIRED or kind is InterfaceKind.LOOPBACK or made.name in inside
        if made.parent and made.routed is not False and routes:
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

"""Interfaces of a host, and the tagging of their packets, from the recorded statements."""

from __future__ import annotations

import re

from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.model.qos import QosObjects
from roce_lint.nos.linux.host import GID, PORT, Host
from roce_lint.nos.linux.port_qos import QosBuilder
from roce_lint.nos.linux.rdma import address_of
from roce_lint.nos.reading import ABSENT, Value

# 802.1Q tagging of a host port's packets: the place of its addresses, the interface of its RoCE
# addresses in the GID table, and a complete list of interfaces. Unknown if two contradict each
# other.

LINK_LOCAL = "fe80:"


def settle_tags(interfaces: dict[str, Interface], host: Host) -> None:
    """Set the known tagging of every port."""
    carriers = _carriers(host)
    whole = any(
        each.kind is InterfaceKind.LOOPBACK and host.claims.is_live(PORT, name)
        for name, each in interfaces.items()
    )
    stacked = _vlans_by_port(interfaces, carriers)
    for interface in interfaces.values():
        if interface.kind is InterfaceKind.SUBINTERFACE:
            interface.tagged = True
        elif interface.kind in (*WIRED, InterfaceKind.VF):
            base = interfaces.get(interface.lag or interface.name, interface)
            interface.tagged = _tagging(interfaces, base, (stacked, carriers), whole=whole)


def _tagging(
    interfaces: dict[str, Interface],
    base: Interface,
    known: tuple[dict[str, set[str]], set[str]],
    *,
    whole: bool,
) -> bool | None:
    """Tagging of a port. `base` is the port, or its bond; `known` are the interfaces above each
    interface, and those that carry RDMA.
    """
    stacked, carriers = known
    above = stacked.get(base.name, set())
    by_address = _one_of(
        plain=bool(base.addresses),
        stacked=any(interfaces[name].addresses for name in above if name in interfaces),
    )
    by_gid = _one_of(plain=base.name in carriers, stacked=bool(above & carriers))
    if by_address is not None and by_gid is not None and by_address != by_gid:
        return None
    if whole and not above <= interfaces.keys():
        return None  # the table names an interface that the list of all does not have
    tagging = by_gid if by_address is None else by_address
    if tagging is None and whole and not (above or base.addresses or base.name in carriers):
        return False
    return tagging


def _one_of(*, plain: bool, stacked: bool) -> bool | None:
    return None if plain == stacked else stacked


def _vlans_by_port(interfaces: dict[str, Interface], carriers: set[str]) -> dict[str, set[str]]:
    """Possible VLAN interfaces by port. A list without details does not show the kind of a stacked
    interface.
    """
    found: dict[str, set[str]] = {}
    for name, other in interfaces.items():
        if other.kind is not InterfaceKind.VF:
            for base in (*_beginnings(name), other.parent):
                if base is not None and base != name:
                    found.setdefault(base, set()).add(name)
    for name in carriers:
        for base in _beginnings(name):
            found.setdefault(base, set()).add(name)
    return found


def _beginnings(name: str) -> list[str]:
    """`eth0` and `eth0.5` of `eth0.5.7`."""
    parts = name[:MOST].split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


MOST = 64
"""Characters read of a name; Linux allows 15."""


def _carriers(host: Host) -> set[str]:
    """Interfaces that carry the RoCE addresses of the GID tables; each has a link-local one."""
    found = set()
    for name in host.claims.names(GID):
        gid = host.claims.get(GID, name, "GID").value
        carrier = host.claims.get(GID, name, "interface").value
        if gid and carrier and not (address_of(gid) or "").startswith(LINK_LOCAL):
            found.add(str(carrier))
    return found


# Interfaces.

_VF_NAME = re.compile(r"(?P<parent>.+?)(?:np\d+)?v\d+$")
"""systemd names a virtual function after its port: enp65s0f0np0 has enp65s0f0v3."""


def list_existing(host: Host, kind: str, word: str) -> list[str]:
    """Objects of a kind that this host has.

    If an output lists them all, others that a script sets up are noted and left out.
    """
    claims = host.claims
    names = claims.names(kind)
    if not any(claims.has(kind, name, "present") for name in names):
        return names
    live = [name for name in names if claims.is_live(kind, name)]
    known = frozenset(live)
    for name in names:
        if name not in known:
            message = f"{name} is set up here, but this host has no such {word}"
            host.claims.conflict(message, claims.begin(kind, name))
    return live


def build_interfaces(host: Host, objects: QosObjects) -> dict[str, Interface]:
    """All interfaces by name, with QoS, neighbours, channels and virtual functions settled."""
    builder = QosBuilder(host, objects)
    names = list_existing(host, PORT, "network interface")
    interfaces = {name: _interface(host, builder, name) for name in names}
    _join_channels(interfaces, host)
    _find_functions(interfaces, host)
    settle_tags(interfaces, host)
    return interfaces


def _interface(host: Host, builder: QosBuilder, name: str) -> Interface:
    claims = host.claims
    begin = claims.begin(PORT, name)
    kind = _kind(host, name)
    addresses = claims.get(PORT, name, "addresses")
    addresses = addresses or claims.get(PORT, name, "declared addresses")
    vlan = claims.get(PORT, name, "VLAN")
    return host.reading.build(
        Interface,
        begin,
        name=name,
        aliases=_aliases(host, name),
        kind=kind,
        enabled=claims.get(PORT, name, "enabled"),
        routed=addresses.map(lambda found: bool(found) or None),
        addresses=addresses or (),
        tagged_vlans=vlan.map(lambda number: frozenset({number})),
        speed_gbps=claims.get(PORT, name, "speed"),
        live_gbps=_live_speed(host, name),
        autoneg=claims.get(PORT, name, "autonegotiation"),
        fec=claims.get(PORT, name, "FEC"),
        ip_mtu=claims.get(PORT, name, "MTU"),
        parent=claims.get(PORT, name, "parent"),
        neighbors=tuple(host.neighbors.get(name, ())),
        qos=builder.build(name, begin),
    )


def _live_speed(host: Host, name: str) -> Value[float]:
    """Gb/s of the live link; absent if two outputs differ."""
    found = host.claims.get(PORT, name, "speed")
    live = (who.live for who, value in host.claims.values(PORT, name, "speed") if value == found)
    return found if found and any(live) else ABSENT


def _kind(host: Host, name: str) -> Value[InterfaceKind]:
    """Stated kind, else derived from the VLAN or the parent interface; else a port."""
    claims = host.claims
    stated, vlan = claims.get(PORT, name, "kind"), claims.get(PORT, name, "VLAN")
    if vlan:
        return Value(InterfaceKind.SUBINTERFACE, vlan.position)
    parent = claims.get(PORT, name, "parent")
    if stated or not parent:
        return stated or Value(InterfaceKind.PHYSICAL)
    stacked = name.startswith(f"{parent.value}.")
    kind = InterfaceKind.SUBINTERFACE if stacked else InterfaceKind.OTHER
    return Value(kind, parent.position)


def _aliases(host: Host, name: str) -> tuple[str, ...]:
    """Neighbours' names for the port: its MAC, alternative names, the lldpad description."""
    claims = host.claims
    mac = claims.get(PORT, name, "MAC").value
    index = claims.get(PORT, name, "index").value
    described = f"Interface {index:3d} as {name}" if index is not None else None
    others = claims.get(PORT, name, "other names").value or ()
    return tuple(alias for alias in (mac, described, *others) if alias)


def _join_channels(interfaces: dict[str, Interface], host: Host) -> None:
    """Fill both sides of a bond; a port in a bridge is not routed."""
    for name, interface in interfaces.items():
        master = host.claims.get(PORT, name, "master")
        upper = interfaces.get(master.value or "")
        if upper is None:
            continue
        if upper.kind is InterfaceKind.LAG:
            interface.lag = upper.name
            interface.at["lag"] = master.position
            upper.members = (*upper.members, name)
        elif upper.kind is InterfaceKind.BRIDGE:
            interface.routed = False
            interface.at["routed"] = master.position


def _find_functions(interfaces: dict[str, Interface], host: Host) -> None:
    """Link virtual functions: they have their port's QoS and cannot set their own."""
    macs = {
        mac: name
        for name in interfaces
        for mac in host.claims.get(PORT, name, "VF MACs").value or ()
    }
    starts = {re.sub(r"np\d+$", "", name): name for name in interfaces}
    for name, interface in interfaces.items():
        if interface.kind is not InterfaceKind.PHYSICAL:
            continue
        mac = host.claims.get(PORT, name, "MAC")
        match = _VF_NAME.match(name)
        parent = macs.get(mac.value or "") or (starts.get(match["parent"]) if match else None)
        if parent is None or parent == name:
            continue
        interface.kind = InterfaceKind.VF
        interface.parent = parent
        interface.at["kind"] = interface.at["parent"] = mac.position or interface.at.get("", 0)
        if interface.qos is None:
            interface.qos = interfaces[parent].qos

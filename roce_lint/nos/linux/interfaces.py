"""The interfaces of a host, out of what was said about them."""

from __future__ import annotations

import re

from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.qos import QosObjects
from roce_lint.nos.linux.host import PORT, Host
from roce_lint.nos.linux.port_qos import QosBuilder
from roce_lint.nos.linux.tags import settle_tags
from roce_lint.nos.reading import ABSENT, Value

_VF_NAME = re.compile(r"(?P<parent>.+?)(?:np\d+)?v\d+$")
"""systemd names a virtual function after its port: enp65s0f0np0 has enp65s0f0v3."""


def list_existing(host: Host, kind: str, word: str) -> list[str]:
    """Things of a kind that this host has.

    Where an output lists them all, a script that sets up another one is noted and left aside.
    """
    claims = host.claims
    names = claims.names(kind)
    if not any(claims.knows(kind, name, "present") for name in names):
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
    """Gb/s that an output shows the link to run at; none where two outputs differ."""
    found = host.claims.get(PORT, name, "speed")
    live = (who.live for who, value in host.claims.values(PORT, name, "speed") if value == found)
    return found if found and any(live) else ABSENT


def _kind(host: Host, name: str) -> Value[InterfaceKind]:
    """Stated, else told from the VLAN or the interface it stands on; else a port."""
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
    """What a neighbour may call the port: its MAC, other names, and how lldpad describes it."""
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
    """Virtual functions: they have their port's QoS and cannot set their own."""
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

"""Interfaces of a host, and the tagging of their packets, from the recorded statements."""

from __future__ import annotations

import re
from functools import partial

from roce_lint.model.device import NoteKind
from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.model.qos import QosObjects
from roce_lint.nos.linux.host import GID, PORT, Host
from roce_lint.nos.linux.port_qos import QosBuilder
from roce_lint.nos.linux.rdma import address_of
from roce_lint.nos.reading import ABSENT, Value


def settle_tags(interfaces: dict[str, Interface], host: Host) -> None:
    """Set the known 802.1Q tagging of the packets of every port.

    It follows from the place of its addresses, the interface of its RoCE addresses in the GID
    table, and a complete list of interfaces; it is unknown if two contradict each other.
    """
    carriers = _carriers(host)
    whole = any(
        each.kind is InterfaceKind.LOOPBACK and host.claims.is_live(PORT, name)
        for name, each in interfaces.items()
    )
    stacked = _vlans_by_port(interfaces, carriers)
    for interface in interfaces.values():
        if interface.kind is InterfaceKind.SUBINTERFACE:
            interface.tagged = True
        elif interface.kind in (*WIRED, VF):
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
    higher = any(interfaces[name].addresses for name in above if name in interfaces)
    by_address = None if bool(base.addresses) == higher else higher
    by_gid = None if (base.name in carriers) == bool(above & carriers) else bool(above & carriers)
    if by_address is not None and by_gid is not None and by_address != by_gid:
        return None
    if whole and not above <= interfaces.keys():
        return None  # the table names an interface that the list of all does not have
    tagging = by_gid if by_address is None else by_address
    if tagging is None and whole and not (above or base.addresses or base.name in carriers):
        return False
    return tagging


def _vlans_by_port(interfaces: dict[str, Interface], carriers: set[str]) -> dict[str, set[str]]:
    """Possible VLAN interfaces by port. A list without details does not show the kind of a stacked
    interface.
    """
    found: dict[str, set[str]] = {}
    stacked = [(name, other.parent) for name, other in interfaces.items() if other.kind is not VF]
    for name, parent in (*stacked, *((name, None) for name in carriers)):
        parts = name[:64].split(".")  # Linux allows 15 characters
        beginnings = (".".join(parts[:count]) for count in range(1, len(parts)))
        for base in (*beginnings, parent):  # `eth0` and `eth0.5` of `eth0.5.7`
            if base is not None and base != name:
                found.setdefault(base, set()).add(name)
    return found


def _carriers(host: Host) -> set[str]:
    """Interfaces that carry the RoCE addresses of the GID tables; each has a link-local one."""
    found = set()
    for name in host.claims.names(GID):
        gid = host.claims.get(GID, name, "GID").value
        carrier = host.claims.get(GID, name, "interface").value
        if gid and carrier and not (address_of(gid) or "").startswith("fe80:"):
            found.add(str(carrier))
    return found


VF = InterfaceKind.VF
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
    live = dict.fromkeys(name for name in names if claims.is_live(kind, name))
    for name in names:
        if name not in live:
            message = f"{name} is set up here, but this host has no such {word}"
            claims.note(NoteKind.CONFLICT, message, claims.begin(kind, name))
    return list(live)


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
    begin = host.claims.begin(PORT, name)
    get = partial(host.claims.get, PORT, name)
    addresses = get("addresses") or get("declared addresses")
    # Neighbours' names for the port: its MAC, alternative names, the lldpad description.
    described = get("index").map(lambda index: f"Interface {index:3d} as {name}").value
    others = get("other names").value or ()
    return host.reading.build(
        Interface,
        begin,
        name=name,
        aliases=tuple(filter(None, (get("MAC").value, described, *others))),
        kind=_kind(name, get("kind"), get("VLAN"), get("parent")),
        enabled=get("enabled"),
        routed=addresses.map(lambda found: bool(found) or None),
        addresses=addresses or (),
        gateway=get("gateway"),
        tagged_vlans=get("VLAN").map(lambda number: frozenset({number})),
        speed_gbps=get("speed"),
        live_gbps=_live_speed(host, name),
        autoneg=get("autonegotiation"),
        fec=get("FEC"),
        ip_mtu=get("MTU"),
        parent=get("parent"),
        neighbors=tuple(host.neighbors.get(name, ())),
        qos=builder.build(name, begin),
    )


def _live_speed(host: Host, name: str) -> Value[float]:
    """Gb/s of the live link; absent if two outputs differ."""
    found = host.claims.get(PORT, name, "speed")
    live = (who.live for who, value in host.claims.values(PORT, name, "speed") if value == found)
    return found if found and any(live) else ABSENT


def _kind(
    name: str, stated: Value[InterfaceKind], vlan: Value[int], parent: Value[str]
) -> Value[InterfaceKind]:
    """Stated kind, else derived from the VLAN or the parent interface; else a port."""
    if vlan:
        return Value(InterfaceKind.SUBINTERFACE, vlan.position)
    if stated or not parent:
        return stated or Value(InterfaceKind.PHYSICAL)
    stacked = name.startswith(f"{parent.value}.")
    kind = InterfaceKind.SUBINTERFACE if stacked else InterfaceKind.OTHER
    return Value(kind, parent.position)


def _join_channels(interfaces: dict[str, Interface], host: Host) -> None:
    """Fill both sides of a bond; a port in a bridge is not routed."""
    for name, interface in interfaces.items():
        master = host.claims.get(PORT, name, "master")
        upper = interfaces.get(master.value or "")
        if upper is None:
            continue
        if upper.kind is InterfaceKind.LAG:
            interface.lag, interface.at["lag"] = upper.name, master.position
            upper.members = (*upper.members, name)
        elif upper.kind is InterfaceKind.BRIDGE:
            interface.routed, interface.at["routed"] = False, master.position


def _find_functions(interfaces: dict[str, Interface], host: Host) -> None:
    """Link virtual functions: they have their port's QoS and cannot set their own."""
    listed = {name: host.claims.get(PORT, name, "VF MACs").value or () for name in interfaces}
    macs = {mac: name for name, found in listed.items() for mac in found}
    starts = {re.sub(r"np\d+$", "", name): name for name in interfaces}
    for name, interface in interfaces.items():
        if interface.kind is not InterfaceKind.PHYSICAL:
            continue
        mac = host.claims.get(PORT, name, "MAC")
        match = _VF_NAME.match(name)
        parent = macs.get(mac.value or "") or (starts.get(match["parent"]) if match else None)
        if parent is not None and parent != name:
            interface.kind, interface.parent = VF, parent
            interface.at["kind"] = interface.at["parent"] = mac.position or interface.at.get("", 0)
            interface.qos = interface.qos or interfaces[parent].qos

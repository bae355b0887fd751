"""Whether what a port of a host sends is 802.1Q tagged, by what its outputs show.

Three witnesses: where its addresses are, which interface carries its RoCE addresses in the GID
table, and a whole list of the interfaces. Two that contradict each other tell nothing.
"""

from __future__ import annotations

from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.nos.linux.host import GID, PORT, Host
from roce_lint.nos.linux.rdma import address_of

LINK_LOCAL = "fe80:"


def settle_tags(interfaces: dict[str, Interface], host: Host) -> None:
    """Give every port what is known of its tags."""
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
    """`base` is the port, or the bond that it is a member of; `known` is what stands on what, and
    who carries RDMA.
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
    told = by_gid if by_address is None else by_address
    if told is None and whole and not (above or base.addresses or base.name in carriers):
        return False
    return told


def _one_of(*, plain: bool, stacked: bool) -> bool | None:
    return None if plain == stacked else stacked


def _vlans_by_port(interfaces: dict[str, Interface], carriers: set[str]) -> dict[str, set[str]]:
    """What may be a VLAN of a port, by port. A list without details does not say of what kind one
    is that stands on another.
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
"""Characters of a name that are looked at; those of Linux have 15."""


def _carriers(host: Host) -> set[str]:
    """Interfaces that carry the RoCE addresses of the GID tables; every one has a link-local."""
    found = set()
    for name in host.claims.names(GID):
        gid = host.claims.get(GID, name, "GID").value
        carrier = host.claims.get(GID, name, "interface").value
        if gid and carrier and not (address_of(gid) or "").startswith(LINK_LOCAL):
            found.add(str(carrier))
    return found

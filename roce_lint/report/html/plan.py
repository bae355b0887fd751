"""Where a device belongs in a drawing: its tier, its rail, and the unit (pod) it is part of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from roce_lint.analysis.missing_switches import UNREAD, bare, find_absent, is_unread, short
from roce_lint.analysis.paths import End, Paths
from roce_lint.analysis.scope import wires
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Endpoint, Link, LinkSource
from roce_lint.model.interface import Interface
from roce_lint.report.names import natural

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis
    from roce_lint.pipeline import Report

HOSTS, LEAVES, SPINES, SUPERSPINES, OTHERS = 0, 1, 2, 3, -1

TITLES = {
    HOSTS: "hosts",
    LEAVES: "leaves",
    SPINES: "spines",
    SUPERSPINES: "superspines",
    OTHERS: "others",
}

_TIERS = {Role.LEAF: LEAVES, Role.SPINE: SPINES, Role.SUPERSPINE: SUPERSPINES}


class Plan:
    """The devices of a report, sorted out for drawing.

    A rail is the number that a host's NICs give a leaf: NIC i of every host is attached to rail i.
    It is only told where there are several and each leaf is on one. A unit is what hangs together
    below the topmost tier, a part what hangs together at all. Switches of which nothing was read
    are among the devices, and in `unread`.
    """

    def __init__(self, report: Report, paths: Paths | None) -> None:
        fabric = report.fabric
        self.devices: dict[str, Device] = {} if fabric is None else dict(fabric.devices)
        judged = set() if report.analysis is None else set(report.analysis.index())
        unread = [] if report.analysis is None else list(links_to_unread(report.analysis, paths))
        self.unread = {link.b.device.hostname: link.b.device for link in unread}
        self.devices |= self.unread
        self.links: list[Link] = []
        if fabric is not None:
            self.links = [
                link for link in fabric.links if any(end.key in judged for end in link.ends)
            ] + unread
        heard = {link.b.device.hostname for link in unread if link.a.device.is_host}
        nodes = {} if paths is None else paths.nodes
        self.tier = {
            name: HOSTS
            if device.is_host
            else LEAVES
            if name in heard
            else nodes[name].tier
            if name in nodes
            else _TIERS.get(device.role, OTHERS)
            if device.role is not None
            else OTHERS
            for name, device in self.devices.items()
        }
        self._nic_rails = {} if paths is None else _nic_rails(paths.ends)
        self.rail = _rails(self.links, self._nic_rails)
        self.unit = self._units()
        self.part = self._part_numbers(list(self.devices))

    def rail_of(self, end: End) -> int:
        """The rail of a NIC: that of its leaf, else its number in the host; 0 where none is."""
        leaf = end.wires[0].leaf.device.hostname
        return self.rail.get(leaf, 0)

    def order(self, name: str) -> tuple[object, ...]:
        """Sort key of a device inside its tier."""
        return (self.unit.get(name, 0), self.rail.get(name, 0), natural(name), name)

    def _units(self) -> dict[str, int]:
        """Numbers of what hangs together without the topmost tier."""
        top = max(self.tier.values(), default=HOSTS)
        if top < SPINES:
            return {}
        units = self._part_numbers([name for name, tier in self.tier.items() if tier < top])
        return units | self._above(units)

    def _part_numbers(self, names: list[str]) -> dict[str, int]:
        """Numbers of the parts of the fabric that these devices make; 0 is none."""
        parent = {name: name for name in names}

        def root(name: str) -> str:
            while parent[name] != name:
                parent[name] = name = parent[parent[name]]
            return name

        for link in self.links:
            a, b = (end.device.hostname for end in link.ends)
            if a in parent and b in parent:
                first, second = sorted((root(a), root(b)))
                parent[second] = first
        members: dict[str, list[str]] = defaultdict(list)
        for name in parent:
            members[root(name)].append(name)
        whole = [names for names in members.values() if len(names) > 1]
        ordered = sorted(whole, key=lambda names: min((natural(n), n) for n in names))
        return {name: number for number, names in enumerate(ordered, 1) for name in names}

    def _above(self, units: dict[str, int]) -> dict[str, int]:
        """Switches of the topmost tier that serve one unit alone."""
        served: dict[str, set[int]] = defaultdict(set)
        for link in self.links:
            for end in link.ends:
                below = link.other(end).device.hostname
                if end.device.hostname not in units:
                    served[end.device.hostname].add(units.get(below, 0))
        return {name: min(found) for name, found in served.items() if len(found) == 1}


def links_to_unread(analysis: Analysis, paths: Paths | None) -> Iterator[Link]:
    """The cables to switches of which nothing was read: those of switches that paths take, and
    those of RoCE NICs. The switch that was not read is the second end.
    """
    known: dict[str, Device] = {}
    for node in paths.nodes.values() if paths is not None else ():
        for crossing in (*node.up, *node.along, *node.down):
            near, far = crossing.out, crossing.into
            if is_unread(far.device):
                known[short(far.device.hostname)] = far.device
                ends = Endpoint(near.device, near.interface), Endpoint(far.device, far.interface)
                yield Link(*ends, LinkSource.LLDP)
    heard = find_absent(analysis.fabric, hosts=True)
    for host, nic in analysis.roce_nics:
        for name in wires(host, nic):
            neighbor = heard.get((host.hostname, name))
            if neighbor is not None:
                own = Device(hostname=bare(neighbor.device), nos=UNREAD, partial=True)
                far_end = Endpoint(
                    known.setdefault(short(neighbor.device), own), Interface(name=neighbor.names[0])
                )
                yield Link(Endpoint(host, host.interfaces[name]), far_end, LinkSource.LLDP)


def _nic_rails(ends: Iterable[End]) -> dict[tuple[str, str], int]:
    """Number of the NIC in its host, from 1, for every host port."""
    by_host: dict[str, list[End]] = defaultdict(list)
    for end in ends:
        if any(wire.host is not None for wire in end.wires):
            by_host[end.device].append(end)
    return {
        wire.host.key: number
        for found in by_host.values()
        for number, end in enumerate(sorted(found, key=lambda e: (natural(e.nic), e.nic)), 1)
        for wire in end.wires
        if wire.host is not None
    }


def _rails(links: Iterable[Link], nics: dict[tuple[str, str], int]) -> dict[str, int]:
    """The rail of every leaf; empty where leaves are of several rails, or there is but one."""
    found: dict[str, set[int]] = defaultdict(set)
    for link in links:
        for end in link.ends:
            other = link.other(end)
            if end.device.is_host and not other.device.is_host:
                rail = link.rail or end.interface.rail or nics.get(end.key)
                if rail is not None:
                    found[other.device.hostname].add(rail)
    if any(len(rails) > 1 for rails in found.values()):
        return {}
    rails = {leaf: next(iter(numbers)) for leaf, numbers in found.items()}
    return rails if len(set(rails.values())) > 1 else {}

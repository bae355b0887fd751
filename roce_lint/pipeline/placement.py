"""Position of devices in a drawing (tier, rail, pod), and findings by port, link and device."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from roce_lint.analysis.missing_switches import UNREAD, bare, find_absent, is_unread, short
from roce_lint.analysis.paths import End, Paths, all_paths_of
from roce_lint.analysis.scope import wires
from roce_lint.engine.finding import Finding, Severity
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Endpoint, Link, LinkSource
from roce_lint.model.interface import Interface
from roce_lint.text.names import natural

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis
    from roce_lint.pipeline.report import Report

HOSTS, LEAVES, SPINES, SUPERSPINES, OTHERS = 0, 1, 2, 3, -1

TITLES = {
    HOSTS: "hosts",
    LEAVES: "leaves",
    SPINES: "spines",
    SUPERSPINES: "superspines",
    OTHERS: "others",
}

_TIERS = {Role.LEAF: LEAVES, Role.SPINE: SPINES, Role.SUPERSPINE: SUPERSPINES}


class Placement:
    """The devices of a report, arranged for drawing.

    A rail is the index of a host's NIC at a leaf: NIC i of every host is attached to rail i. It is
    set only if there are several rails and each leaf has one. A unit is a connected part below the
    topmost tier, a part a connected part of the whole fabric. Unread switches are among the
    devices, and in `unread`.
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
        """The rail of a NIC's leaf; 0 if there is none."""
        leaf = end.wires[0].leaf.device.hostname
        return self.rail.get(leaf, 0)

    def order(self, name: str) -> tuple[object, ...]:
        """Sort key of a device in its tier."""
        return (self.unit.get(name, 0), self.rail.get(name, 0), natural(name), name)

    def _units(self) -> dict[str, int]:
        """Numbers of the connected parts without the topmost tier."""
        top = max(self.tier.values(), default=HOSTS)
        if top < SPINES:
            return {}
        units = self._part_numbers([name for name, tier in self.tier.items() if tier < top])
        return units | self._above(units)

    def _part_numbers(self, names: list[str]) -> dict[str, int]:
        """Numbers of the connected parts that these devices form; 0: none."""
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
        """Switches of the topmost tier that serve a single unit."""
        served: dict[str, set[int]] = defaultdict(set)
        for link in self.links:
            for end in link.ends:
                below = link.other(end).device.hostname
                if end.device.hostname not in units:
                    served[end.device.hostname].add(units.get(below, 0))
        return {name: min(found) for name, found in served.items() if len(found) == 1}


def paths_of(report: Report) -> Paths | None:
    """All paths of a report; None where nothing was analysed."""
    return all_paths_of(report.analysis) if report.analysis is not None else None


def links_to_unread(analysis: Analysis, paths: Paths | None) -> Iterator[Link]:
    """Cables to unread switches: from switches on paths, and from RoCE NICs. The unread switch is
    the second end.
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
    """Index of the NIC in its host, from 1, for every host port."""
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
    """The rail of every leaf; empty if leaves have several rails, or there is only one."""
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


State = Literal["broken", "warned", "unknown", "holds"]
"""State of a link, a device or a pair of NICs."""

Port = tuple[str, str]

_STATES: dict[Severity, State] = {
    Severity.ERROR: "broken",
    Severity.WARNING: "warned",
    Severity.INFO: "holds",
}


class PageFindings:
    """The findings of a page, numbered as listed, by port and by device."""

    def __init__(self, report: Report, findings: list[Finding]) -> None:
        self.findings = findings
        self.on_port: dict[Port, list[int]] = defaultdict(list)
        self.on_device: dict[str, list[int]] = defaultdict(list)
        fabric = report.fabric
        known = {} if fabric is None else fabric.devices
        for number, finding in enumerate(findings):
            for occurrence in finding.occurrences:
                self.on_device[occurrence.device].append(number)
                device = known.get(occurrence.device)
                if device is None:
                    continue
                for port in dict.fromkeys(_cables(device, occurrence.subjects)):
                    self.on_port[occurrence.device, port].append(number)

    def state(self, numbers: Iterable[int]) -> State:
        """The worst state of some findings; infos do not count."""
        worst = max((self.findings[n].severity for n in numbers), default=Severity.INFO)
        return _STATES[worst]

    def of_device(self, name: str) -> State:
        """State of a device."""
        return self.state(self.on_device.get(name, ()))

    def of_link(self, *ports: Port) -> list[int]:
        """Findings on either end of a link, in listed order."""
        return sorted({n for port in ports for n in self.on_port.get(port, ())})

    def count(self, numbers: Iterable[int]) -> dict[str, int]:
        """Errors, warnings and infos among some findings."""
        counts = dict.fromkeys(("error", "warning", "info"), 0)
        for number in set(numbers):
            counts[self.findings[number].severity.label] += 1
        return counts


def _cables(device: Device, subjects: Iterable[str]) -> Iterator[str]:
    """Ports of subjects: an RDMA device and a channel map to their network ports."""
    for subject in subjects:
        nic = device.nics.get(subject)
        names = wires(device, nic) if nic is not None else (subject,)
        for name in names:
            yield name
            port = device.interfaces.get(name)
            if port is not None:
                yield from port.members

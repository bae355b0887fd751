"""Impact of findings: affected NIC pairs, first faults on their paths, and one example path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

from roce_lint.analysis.classes import classes_by_name
from roce_lint.analysis.first_faults import FirstFaults
from roce_lint.analysis.impact import Impact, impact_of
from roce_lint.analysis.missing_switches import is_unread, lack_of
from roce_lint.analysis.overlay import Packet
from roce_lint.analysis.paths import End, Paths, Port, all_paths_of
from roce_lint.analysis.result import Analysis, Basis, JudgedPort, RoceClass
from roce_lint.analysis.scope import wires
from roce_lint.analysis.walk import Hop, hop_of
from roce_lint.analysis.witness import Path, Witness
from roce_lint.engine.finding import Acts, Finding, Pairs, PathHop, Severity
from roce_lint.engine.page import RulePage
from roce_lint.model.nic import Certainty, Emission
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location, Where


def with_pairs(
    findings: list[Finding], analysis: Analysis, pages: list[RulePage], excerpts: Excerpts
) -> list[Finding]:
    """Add the affected NIC pairs and an example path to findings on known paths. Infos affect no
    path and are left unchanged.
    """
    if not any(_counts(finding) for finding in findings):
        return findings
    paths, impact = all_paths_of(analysis), impact_of(analysis)
    if not impact.pairs:
        return findings
    reach = _Reach(analysis, paths, impact, Witness(impact), excerpts)
    acts: dict[str, Acts] = {page.id: page.head.acts for page in pages}
    known = [
        _FindingReach.of(finding, finding.acts or acts.get(finding.rule, "both"), analysis)
        for finding in findings
        if _counts(finding)
    ]
    extended = (reach.add_reach(one, known) for one in known)
    return [next(extended) if _counts(finding) else finding for finding in findings]


def _counts(finding: Finding) -> bool:
    return finding.severity is not Severity.INFO and finding.suppressed is None


@dataclass(slots=True, frozen=True)
class _FindingReach:
    """A finding with its ports and classes; no class: it concerns all."""

    finding: Finding
    ports: tuple[tuple[Port, Acts], ...]
    classes: frozenset[str]

    @classmethod
    def of(cls, finding: Finding, acts: Acts, analysis: Analysis) -> _FindingReach:
        named = classes_by_name(finding.traffic, analysis.classes) if finding.traffic else ()
        ports = tuple(ports_reached(finding, acts, analysis))
        return cls(finding, ports, frozenset(traffic.name for traffic in named))

    def breaks_all(self, other: _FindingReach, data: frozenset[str]) -> bool:
        """True if this is an error for every class of another finding."""
        if self.finding.severity is not Severity.ERROR:
            return False
        if self.finding.traffic in ("", other.finding.traffic):
            return True
        names = other.classes if other.finding.traffic else data
        return bool(names) and self.classes >= names


@dataclass(slots=True)
class _Reach:
    analysis: Analysis
    paths: Paths
    impact: Impact
    witness: Witness
    excerpts: Excerpts
    known_senders: dict[str, set[End] | None] = field(default_factory=dict)  # by class
    known_firsts: dict[str, FirstFaults | None] = field(default_factory=dict)  # by class

    def add_reach(self, one: _FindingReach, known: list[_FindingReach]) -> Finding:
        """The finding with pairs and path, if a known path crosses it."""
        finding = one.finding
        senders = self._senders(finding.traffic)
        hit = self.impact.through(one.ports, senders)
        if not hit:
            return finding
        path = self.witness.through(one.ports, senders)
        hops = tuple(self._hops(one, path, self._class(finding.traffic))) if path else ()
        first = self._first(one, known, hit)
        ends = "edge port" if self.impact.is_assumed else "NIC"
        pairs = Pairs(hit, self.impact.pairs, first, ends=ends)
        return replace(finding, pairs=pairs, path=hops)

    def _first(self, one: _FindingReach, known: list[_FindingReach], hit: int) -> int | None:
        """Number of pairs whose first error is this finding; None if it is not an error."""
        if one.finding.severity is not Severity.ERROR:
            return None
        if one.finding.traffic not in self.known_firsts:
            self.known_firsts[one.finding.traffic] = self._firsts(one, known)
        first = self.known_firsts[one.finding.traffic]
        return hit if first is None else first.count(one.ports, self._senders(one.finding.traffic))

    def _firsts(self, one: _FindingReach, known: list[_FindingReach]) -> FirstFaults | None:
        """Counter of first faults for the traffic of a finding; None if it is the only error."""
        data = frozenset(traffic.name for traffic in self.analysis.data_classes)
        senders = self._senders(one.finding.traffic)
        breaks = [
            other
            for other in known
            if other.breaks_all(one, data)
            and _all_of(senders, self._senders(other.finding.traffic), self.paths.ends)
        ]
        if len(breaks) == 1:
            return None
        ports = (port for other in breaks for port in other.ports)
        return FirstFaults(self.impact, ports)

    def _senders(self, name: str) -> set[End] | None:
        if name not in self.known_senders:
            found = senders_of(self._class(name), self.analysis, self.paths.ends)
            self.known_senders[name] = found
        return self.known_senders[name]

    def _class(self, name: str) -> RoceClass | None:
        return next((c for c in self.analysis.classes if c.name == name), None)

    def _hops(self, one: _FindingReach, path: Path, traffic: RoceClass | None) -> Iterator[PathHop]:
        """Hops of the path; without DSCPs if no class is known."""
        packet = Packet(traffic.dscps[0]) if traffic is not None else None
        marks = _marks(one)
        devices = groupby(path, key=lambda port: port.device.hostname)
        before: JudgedPort | None = None
        for passed, (_, group) in enumerate(devices):
            ports = list(group)
            into, out = _in_and_out(ports, first=passed == 0)
            hop = None if packet is None else hop_of(self.analysis, into, out, packet)
            met = ((into, "arriving"), (out, "leaving"))
            here = [marks[p.key, way] for p, way in met if p and (p.key, way) in marks]
            place = _classifying_place(hop) if hop is not None else None
            missing = ""
            if is_unread(ports[0].device):
                place, missing = self._neighbor_place(before), lack_of(ports[0].device.hostname)
            before = ports[-1]
            yield PathHop(
                ports[0].device.hostname,
                into.interface.name if into is not None else None,
                out.interface.name if out is not None else None,
                packet.dscp if packet is not None else None,
                here[0] if here else self.excerpts.locate(place, "evidence") if place else None,
                bool(here),
                missing,
            )
            packet = hop.onward if hop is not None else None

    def _neighbor_place(self, near: JudgedPort | None) -> Where | None:
        """The line that names an unread switch as the peer of a port."""
        neighbor = self.analysis.absent.get(near.key) if near is not None else None
        where = neighbor.where() if neighbor is not None else None
        return where if where is not None and where.position else None


def _marks(one: _FindingReach) -> dict[tuple[Port, str], Location]:
    """The deciding place of a finding by port and direction."""
    causes = {o.device: o.locations[0] for o in one.finding.occurrences if o.locations}
    return {
        (port, way): causes[port[0]]
        for port, acts in one.ports
        if port[0] in causes
        for way in (("arriving", "leaving") if acts == "both" else (acts,))
    }


def _all_of(senders: set[End] | None, others: set[End] | None, ends: list[End]) -> bool:
    """True if all of the senders (None: all ends) are among `others`."""
    if others is None or senders is others:
        return True
    return others.issuperset(ends if senders is None else senders)


def senders_of(traffic: RoceClass | None, analysis: Analysis, ends: list[End]) -> set[End] | None:
    """Ends that send a class, including those of hosts that state nothing; None: all ends."""
    if traffic is None or traffic.basis is not Basis.STATED:
        return None
    devices = analysis.fabric.devices
    found = [e for e in ends if _is_stated(e, traffic, devices[e.device].emits) is not False]
    return None if len(found) == len(ends) else set(found)


def _is_stated(end: End, traffic: RoceClass, emits: list[Emission]) -> bool | None:
    """True if an end is configured to send a class; None if nothing is stated for such traffic."""
    own = [
        emission.dscp
        for emission in emits
        if emission.flow is traffic.flow
        and emission.certainty is Certainty.STATED
        and (not emission.nics or end.nic in emission.nics)
    ]
    return None if not own else any(dscp in traffic.dscps for dscp in own)


def _in_and_out(
    ports: list[JudgedPort], *, first: bool
) -> tuple[JudgedPort | None, JudgedPort | None]:
    """Arriving and leaving port of a device on a path."""
    if len(ports) > 1:
        return ports[0], ports[-1]
    return (None, ports[0]) if first else (ports[0], None)


def _classifying_place(hop: Hop) -> Where | None:
    """The line that classifies the packet at a hop."""
    return next((w for w in hop.treated.ingress.tc_where if w.position > 0), None)


def ports_reached(finding: Finding, acts: Acts, analysis: Analysis) -> Iterator[tuple[Port, Acts]]:
    """Ports in scope that a finding and the problems folded into it affect; `acts` are the packets
    affected by the finding itself.
    """
    own = ((o.device, subject, acts) for o in finding.occurrences for subject in o.subjects)
    for device, subject, which in (*own, *finding.reaches):
        for port in _judged_ports(analysis, device, subject):
            yield port, which


def _judged_ports(analysis: Analysis, hostname: str, subject: str) -> Iterator[Port]:
    """Ports in scope of a subject; an RDMA device stands for its network ports."""
    device = analysis.fabric.devices.get(hostname)
    if device is None:
        return
    nic = device.nics.get(subject)
    for name in wires(device, nic) if nic is not None else (subject,):
        if analysis.port(hostname, name) is not None:
            yield hostname, name

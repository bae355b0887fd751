"""How far a finding reaches: the pairs of NICs whose packets pass the ports it stands on, and one
path of one of them as its witness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

from roce_lint.analysis.impact import Impact
from roce_lint.analysis.paths import End, Paths, all_paths_of
from roce_lint.analysis.reachable import Port, Reachable
from roce_lint.analysis.result import Analysis, Basis, JudgedPort, RoceClass
from roce_lint.analysis.scope import wires
from roce_lint.analysis.walk import Hop, hop_of
from roce_lint.analysis.witness import Path, Witness
from roce_lint.engine.finding import Acts, Finding, Pairs, PathHop, Severity
from roce_lint.engine.page import RulePage
from roce_lint.model.nic import Certainty, Emission
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Where


def with_pairs(
    findings: list[Finding], analysis: Analysis, pages: list[RulePage], excerpts: Excerpts
) -> list[Finding]:
    """The findings, those on ports of known paths with the pairs of NICs they reach and a path.

    Infos say nothing against a path and get none.
    """
    if not any(_counts(finding) for finding in findings):
        return findings
    paths = all_paths_of(analysis)
    reached = Reachable(paths)
    impact = Impact(paths, reached)
    if not impact.pairs:
        return findings
    reach = _Reach(analysis, paths, impact, Witness(paths, reached), excerpts)
    acts: dict[str, Acts] = {page.id: page.head.acts for page in pages}
    return [
        reach.told(finding, finding.acts or acts.get(finding.rule, "both"))
        if _counts(finding)
        else finding
        for finding in findings
    ]


def _counts(finding: Finding) -> bool:
    return finding.severity is not Severity.INFO and finding.suppressed is None


@dataclass(slots=True)
class _Reach:
    analysis: Analysis
    paths: Paths
    impact: Impact
    witness: Witness
    excerpts: Excerpts
    known_senders: dict[str, set[End] | None] = field(default_factory=dict)  # by class

    def told(self, finding: Finding, acts: Acts) -> Finding:
        """The finding with pairs and path, where a known path passes it."""
        traffic = next((c for c in self.analysis.classes if c.name == finding.traffic), None)
        if finding.traffic not in self.known_senders:
            found = senders_of(traffic, self.analysis, self.paths.ends)
            self.known_senders[finding.traffic] = found
        senders = self.known_senders[finding.traffic]
        ports = list(reached_by(finding, acts, self.analysis))
        hit = self.impact.through(ports, senders)
        if not hit:
            return finding
        path = self.witness.through(ports, senders)
        hops = tuple(self._hops(finding, path, traffic)) if path is not None else ()
        return replace(finding, pairs=Pairs(hit, self.impact.pairs), path=hops)

    def _hops(self, finding: Finding, path: Path, traffic: RoceClass | None) -> Iterator[PathHop]:
        """The path device by device; where no class is known, without code points."""
        dscp = traffic.dscps[0] if traffic is not None else None
        causes = {
            (occurrence.device, subject): occurrence.locations[0]
            for occurrence in finding.occurrences
            if occurrence.locations
            for subject in occurrence.subjects
        }
        devices = groupby(path, key=lambda port: port.device.hostname)
        for passed, (_, group) in enumerate(devices):
            ports = list(group)
            into, out = _in_and_out(ports, first=passed == 0)
            hop = None if dscp is None else hop_of(self.analysis, into, out, dscp)
            own = [p.interface.name for p in ports]
            own += [n for n, nic in ports[0].device.nics.items() if nic.port in own]
            here = [c for name in own if (c := causes.get((ports[0].device.hostname, name)))]
            place = _decides(hop) if hop is not None else None
            yield PathHop(
                ports[0].device.hostname,
                into.interface.name if into is not None else None,
                out.interface.name if out is not None else None,
                dscp,
                here[0] if here else self.excerpts.locate(place, "evidence") if place else None,
                bool(here),
            )
            dscp = hop.dscp_out if hop is not None else None


def senders_of(traffic: RoceClass | None, analysis: Analysis, ends: list[End]) -> set[End] | None:
    """The ends that send a class; those of a host that states nothing may. None: all do."""
    if traffic is None or traffic.basis is not Basis.STATED:
        return None
    devices = analysis.fabric.devices
    return {end for end in ends if _stated(end, traffic, devices[end.device].emits) is not False}


def _stated(end: End, traffic: RoceClass, emits: list[Emission]) -> bool | None:
    """Whether an end is stated to send a class; None where nothing is stated of such traffic."""
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
    """The arriving and the leaving port of a device on a path."""
    if len(ports) > 1:
        return ports[0], ports[-1]
    return (None, ports[0]) if first else (ports[0], None)


def _decides(hop: Hop) -> Where | None:
    """The line that says what class the packet is in at a hop."""
    return next((w for w in hop.treated.ingress.tc_where if w.position > 0), None)


def reached_by(finding: Finding, acts: Acts, analysis: Analysis) -> Iterator[tuple[Port, Acts]]:
    """The judged ports that a finding, and what was folded into it, is about; `acts` says which
    of their packets it is about itself.
    """
    own = ((o.device, subject, acts) for o in finding.occurrences for subject in o.subjects)
    for device, subject, which in (*own, *finding.reaches):
        for port in _judged(analysis, device, subject):
            yield port, which


def _judged(analysis: Analysis, hostname: str, subject: str) -> Iterator[Port]:
    """The judged ports of a subject; an RDMA device stands for the ports of its wires."""
    device = analysis.fabric.devices.get(hostname)
    if device is None:
        return
    nic = device.nics.get(subject)
    for name in wires(device, nic) if nic is not None else (subject,):
        if analysis.port(hostname, name) is not None:
            yield hostname, name

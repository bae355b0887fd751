"""Answer to a trace: the hops of every path group with their faults."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from roce_lint.analysis.classes import classes_by_name
from roce_lint.analysis.overlay import Packet
from roce_lint.analysis.paths import End, Paths
from roce_lint.analysis.result import RoceClass
from roce_lint.analysis.walk import CnpDelay, Hop, Way, find_cnp_delay, walk
from roce_lint.engine.finding import Acts, Certainty, Finding, Occurrence, Severity, fingerprint
from roce_lint.engine.fold import help_of
from roce_lint.errors import UsageError
from roce_lint.model.device import Device
from roce_lint.model.nic import Certainty as Marking
from roce_lint.model.nic import Flow
from roce_lint.model.units import ranges
from roce_lint.pipeline.diagnosis import BrokenStage as Broken
from roce_lint.pipeline.diagnosis import Diagnoses
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.treatment import NONE, UNKNOWN, Cell, Row, row_of
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Where

_ABOUT_DATA = ("BUF", "CLS", "ECN", "MTU", "PFC")
"""Rule families that concern CNPs and other traffic only if they name them."""

_HELD_UP = {True: "CLS002", False: "CLS004"}
"""Rules about delayed CNPs, by whether the delay is due to the congestion they should end."""

_ANSWERS = "NIC007"
"""Rule about data without CNPs in reply, or the reverse: CNPs travel the opposite way."""
_BACK: dict[Acts, Acts] = {"arriving": "leaving", "leaving": "arriving", "both": "both"}


@dataclass(slots=True)
class Stage:
    """One hop: its ports, cells, and findings."""

    ports: str
    cells: dict[str, Cell]
    missing: list[str]
    findings: list[Finding]
    broken: list[Broken]  # diagnosis of its ports for packets in this direction
    others: int  # other equal-cost ports with identical treatment

    @property
    def key(self) -> Hashable:
        """Equality key for the hops of two paths."""
        texts = tuple(cell.text for cell in self.cells.values())
        findings = (finding.fingerprint for finding in self.findings)
        broken = ((each.stage, each.says) for each in self.broken)
        return (texts, *self.missing, *findings, *broken)

    @property
    def fails(self) -> bool:
        """True if an error affects the hop, or a fault that no selected rule reports."""
        error = any(finding.severity is Severity.ERROR for finding in self.findings)
        return error or any(each.unreported for each in self.broken)

    @property
    def faults(self) -> Iterator[str]:
        """Rules of the errors, and broken stages without one."""
        yield from (f.rule for f in self.findings if f.severity is Severity.ERROR)
        yield from (each.stage for each in self.broken if each.unreported)


@dataclass(slots=True)
class PathGroup:
    """Equal-cost paths with identical treatment."""

    stages: list[Stage]
    paths: int

    @property
    def broken(self) -> bool:
        """True if an error affects one of its hops."""
        return any(stage.fails for stage in self.stages)


@dataclass(slots=True)
class Question:
    """A class from one NIC to another, with the answer."""

    source: End
    target: End
    dscp: int
    traffic: RoceClass | None
    mode: str
    ways: list[PathGroup]
    doubt: str = ""  # condition on the sender that no host states

    @property
    def broken(self) -> bool:
        """True if an error affects one of the path groups."""
        return any(way.broken for way in self.ways)


def ask(
    report: Report, paths: Paths, source: End, target: End, traffic: RoceClass | None, dscp: int
) -> Question:
    """Walk the paths and build the stages of each group.

    Raises:
        UsageError: no path is known.
    """
    analysis, excerpts = report.analysis, report.excerpts
    if analysis is None or excerpts is None:
        raise UsageError("no device was read")
    stages = _Stages(report, excerpts, traffic)
    ways = walk(analysis, paths, source, target, dscp, lambda hop: stages.of(hop).key)
    if not ways:
        joined_up = any(node.up or node.along or node.down for node in paths.nodes.values())
        hint = None if joined_up else "no known link between switches: provide LLDP or links.yaml"
        raise UsageError(f"no path from {source} to {target} is known", hint=hint)
    modes = {c.name: "; ".join(c.modes) for c in report.classes}
    return Question(
        source,
        target,
        dscp,
        traffic,
        modes.get(traffic.name, "") if traffic is not None else "",
        [PathGroup(list(stages.along(way)), way.paths) for way in ways],
        doubt_of(analysis.fabric.devices[source.device], traffic, dscp),
    )


class _Stages:
    """Builds stages of hops, with the findings on their ports."""

    def __init__(self, report: Report, excerpts: Excerpts, traffic: RoceClass | None):
        self._report = report
        self._excerpts = excerpts
        self._traffic = traffic
        self._is_cnp = traffic is not None and traffic.flow is Flow.CNP
        self._analysis = report.analysis
        self._classes = report.analysis.classes if report.analysis is not None else []
        self._diagnosed = (
            Diagnoses(report, report.analysis, excerpts) if report.analysis is not None else None
        )
        self._known: dict[Hashable, Stage] = {}
        self._findings: dict[str, list[tuple[Finding, tuple[str, ...], Acts]]] = defaultdict(list)
        self._accepted: set[tuple[str, str, str]] = set()  # rule, device, subject
        for finding in report.findings:
            if finding.suppressed is not None:
                self._accepted.update(
                    (finding.rule, o.device, name)
                    for o in finding.occurrences
                    for name in o.subjects
                )
                continue
            if finding.severity is Severity.INFO or not self._is_about(finding):
                continue
            for occurrence in finding.occurrences:
                acts = self._acts(finding)
                self._findings[occurrence.device].append((finding, occurrence.subjects, acts))
            for device, subject, acts in finding.reaches:
                self._findings[device].append((finding, (subject,), acts))

    def _is_about(self, finding: Finding) -> bool:
        """True if a finding concerns the traced traffic.

        A finding without a class concerns data; it concerns CNPs, or a DSCP without a class, only
        if it is not about PFC, ECN marking, buffers or packet size.
        """
        if finding.traffic:
            answers = self._is_cnp and finding.rule == _ANSWERS
            return answers or self._traffic in classes_by_name(finding.traffic, self._classes)
        is_data = self._traffic is not None and self._traffic.flow is Flow.DATA
        return is_data or not finding.rule.startswith(_ABOUT_DATA)

    def of(self, hop: Hop) -> Stage:
        """The stage of one hop."""
        key = (*(port.key for port in hop.ports), hop.into is None, *hop.packet.key)
        if key not in self._known:
            self._known[key] = self._make(hop)
        return self._known[key]

    def along(self, way: Way) -> Iterator[Stage]:
        """Stages of a path group, with the number of other ports with identical treatment."""
        for hop, ports in zip(way.hops, way.through, strict=True):
            stage = self.of(hop)
            others = len(ports) - len(hop.ports)
            yield replace(stage, others=others)

    def _make(self, hop: Hop) -> Stage:
        row = row_of(hop.treated, hop.dscp, self._excerpts)
        cells = {"dscp": Cell(_code_point(hop.packet)), **_row_cells(row, hop)}
        cells["mtu"] = self._mtu(hop)
        names = " > ".join(port.interface.name for port in hop.ports)
        where = f"{hop.device.hostname} {names}"
        return Stage(where, cells, row.missing, self._on(hop), list(self._broken_stages(hop)), 0)

    def _broken_stages(self, hop: Hop) -> Iterator[Broken]:
        """Broken stages of the class on the ports of the hop."""
        if self._diagnosed is None or self._traffic is None:
            return
        for each in self._diagnosed.at_hop(self._traffic, hop.into, hop.out):
            if each.rules or not self._is_cnp:  # else `find_cnp_delay` reports the whole hop
                yield each

    def _mtu(self, hop: Hop) -> Cell:
        sizes = [(port.interface.ip_mtu, port.interface.where("ip_mtu")) for port in hop.ports]
        known: list[tuple[int, Where]] = [(size, w) for size, w in sizes if size is not None]
        if not known:
            return Cell("?")
        text = " > ".join(dict.fromkeys(str(size) for size, _ in known))
        found = (self._excerpts.locate(w, "evidence") for _, w in known if w.position)
        return Cell(text, list(dict.fromkeys(found)))

    def _on(self, hop: Hop) -> list[Finding]:
        """Findings on the ports of the hop that affect packets in this direction."""
        arriving = {hop.into.interface.name} if hop.into is not None else set()
        leaving = {hop.out.interface.name} if hop.out is not None else set()
        nics = {n for n, nic in hop.device.nics.items() if nic.port in arriving | leaving}
        names = {
            "arriving": arriving | nics,
            "leaving": leaving | nics,
            "both": arriving | leaving | nics,
        }
        on_it = {
            finding.fingerprint: finding
            for finding, subjects, acts in self._findings.get(hop.device.hostname, ())
            if not subjects or names[acts] & set(subjects)
        }
        found = [finding.on(hop.device.hostname) for finding in on_it.values()]
        if self._traffic is None or not self._is_cnp or not self._analysis:
            return found
        held = find_cnp_delay(self._analysis, hop, self._traffic.name)
        return found if held is None else [*found, *self._delays(hop, held, found)]

    def _delays(self, hop: Hop, held: CnpDelay, found: list[Finding]) -> Iterator[Finding]:
        """CNP delay at a hop, if no finding reports it: the rules leave out consequences of another
        fault of the port.
        """
        device, rule = hop.device.hostname, _HELD_UP[held.grave]
        reported = {name for finding in found for name in (finding.rule, *finding.also)}
        page = self._report.rules.get(rule)
        if page is None or reported & set(_HELD_UP.values()):
            return
        names = tuple(port.interface.name for port in hop.ports)
        if any((rule, device, name) in self._accepted for name in names):
            return
        sure = all(where.citation is None or where.confirmed for where in held.where)
        locations = (self._excerpts.locate(w, "cause") for w in held.where if w.position)
        yield Finding(
            rule=rule,
            name=page.head.name,
            severity=page.severity if sure else min(page.severity, Severity.WARNING),
            confidence=Certainty.HIGH if sure else Certainty.LOW,
            message=held.message,
            consequence=held.consequence,
            occurrences=(Occurrence(device, names, tuple(locations)),),
            fingerprint=fingerprint(rule, device, held.message),
            help=help_of(page),
            traffic=self._traffic.name if self._traffic is not None else "",
        )

    def _acts(self, finding: Finding) -> Acts:
        """Packets affected by a finding: its own value, else that of its rule."""
        acts = finding.acts or self._report.rules[finding.rule].head.acts
        return _BACK[acts] if finding.rule == _ANSWERS and self._is_cnp else acts


def _row_cells(row: Row, hop: Hop) -> dict[str, Cell]:
    """Cells that apply to this hop: a sending NIC receives nothing."""
    cells = dict(row.cells)
    del cells["lossless"]
    if hop.into is None:
        cells["pg"] = cells["sent"] = Cell(NONE)
    if hop.out is None:
        cells.update(dict.fromkeys(("obeyed", "queue", "share", "ecn"), Cell(NONE)))
    if hop.device.is_host:
        cells["ecn"] = Cell(NONE)
    cells["dscp_out"] = Cell(
        NONE if hop.out is None else _code_point(hop.onward), cells.pop("rewrite").places
    )
    return cells


def _code_point(packet: Packet) -> str:
    """The visible DSCP; in an overlay the inner one too."""
    seen = UNKNOWN if packet.dscp is None else str(packet.dscp)
    return f"{seen} over {packet.inner}" if packet.carried else seen


def doubt_of(device: Device, traffic: RoceClass | None, dscp: int) -> str:
    """Assumption on the marking of the sending host; empty where the host states it."""
    if traffic is None or traffic.flow is not Flow.DATA or not device.is_host:
        return ""
    own = [e for e in device.emits if e.flow is Flow.DATA]
    if any(e.dscp == dscp and e.certainty is Marking.STATED for e in own):
        return ""
    default = [e for e in own if e.certainty is Marking.DEFAULT]
    stated = sorted({e.dscp for e in own if e.certainty is Marking.STATED})
    known = "unknown"
    if stated:
        known = f"configured: DSCP {ranges(stated)}"
    elif default:
        known = f"unknown: {default[0].by}"
    return f"{device.hostname} sends DSCP {dscp} ({known})"

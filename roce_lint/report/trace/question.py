"""The answer to a traced class: the hops of every way, with what stands in the way there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from roce_lint.analysis.classes import classes_by_name
from roce_lint.analysis.cnp_delay import CnpDelay, find_cnp_delay
from roce_lint.analysis.overlay import Packet
from roce_lint.analysis.paths import End, Paths
from roce_lint.analysis.result import RoceClass
from roce_lint.analysis.walk import Hop, Way, walk
from roce_lint.engine.finding import Acts, Certainty, Finding, Occurrence, Severity, fingerprint
from roce_lint.engine.fold import help_of
from roce_lint.errors import UsageError
from roce_lint.model.nic import Flow
from roce_lint.pipeline import Report
from roce_lint.pipeline.diagnosis import BrokenStage as Broken
from roce_lint.pipeline.diagnosis import Diagnoses
from roce_lint.report.trace.sender import doubt_of
from roce_lint.report.treatment import NONE, UNKNOWN, Cell, Row, row_of
from roce_lint.report.wording import one_line
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Where

_ABOUT_DATA = ("BUF", "CLS", "ECN", "MTU", "PFC")
"""Families of rules that say nothing of CNPs and other traffic unless they name them."""

_HELD_UP = {True: "CLS002", False: "CLS004"}
"""The rules about notifications that wait, by whether they wait for what they should end."""

_ANSWERS = "NIC007"
"""The rule about data that is not answered by CNPs, or the other way: these go back."""
_BACK: dict[Acts, Acts] = {"arriving": "leaving", "leaving": "arriving", "both": "both"}


@dataclass(slots=True)
class Stage:
    """One hop as shown: its ports, its cells, and the findings that stand in the way there."""

    ports: str
    cells: dict[str, Cell]
    missing: list[str]
    findings: list[Finding]
    broken: list[Broken]  # what the diagnosis of its ports says, of packets that go this way
    others: int  # equal-cost ports on which the packet is treated alike

    @property
    def key(self) -> Hashable:
        """What makes the hops of two paths alike."""
        texts = tuple(cell.text for cell in self.cells.values())
        told = (finding.fingerprint for finding in self.findings)
        return (texts, *self.missing, *told, *((each.stage, each.says) for each in self.broken))

    @property
    def fails(self) -> bool:
        """True where an error stands in the way, or a fault that no rule was asked about."""
        grave = any(finding.severity is Severity.ERROR for finding in self.findings)
        return grave or any(each.untold for each in self.broken)

    @property
    def faults(self) -> Iterator[str]:
        """The rules of the errors, and the stages that fail without one."""
        yield from (f.rule for f in self.findings if f.severity is Severity.ERROR)
        yield from (each.stage for each in self.broken if each.untold)


@dataclass(slots=True)
class PathGroup:
    """Equal-cost paths that treat the class alike."""

    stages: list[Stage]
    paths: int

    @property
    def broken(self) -> bool:
        """True where an error stands in the way."""
        return any(stage.fails for stage in self.stages)


@dataclass(slots=True)
class Question:
    """One question: a class from one NIC to another; and its answer."""

    source: End
    target: End
    dscp: int
    traffic: RoceClass | None
    mode: str
    ways: list[PathGroup]
    doubt: str = ""  # what the sender would have to do, where nothing says that it does

    @property
    def broken(self) -> bool:
        """True where an error stands on one of the ways."""
        return any(way.broken for way in self.ways)


def ask(
    report: Report, paths: Paths, source: End, target: End, traffic: RoceClass | None, dscp: int
) -> Question:
    """Walk, and make the stages of every way.

    Raises:
        UsageError: no path is known.
    """
    analysis, excerpts = report.analysis, report.excerpts
    if analysis is None or excerpts is None:
        raise UsageError("nothing was read")
    stages = _Stages(report, excerpts, traffic)
    ways = walk(analysis, paths, source, target, dscp, lambda hop: stages.of(hop).key)
    if not ways:
        joined_up = any(node.up or node.along or node.down for node in paths.nodes.values())
        hint = None if joined_up else "no link between switches is (a links.yaml or LLDP tells)"
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
    """Makes a stage of a hop, with the findings on its ports."""

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
        """Whether a finding is about the traffic that is followed.

        One that names no class is about the data; a CNP, and a code point of no class, meets it
        only if it is not about pausing, marking, or the room and the size of large packets.
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
        """The stages of a way, with the ports of the paths that are like it."""
        for hop, ports in zip(way.hops, way.through, strict=True):
            stage = self.of(hop)
            others = len(ports) - len(hop.ports)
            yield replace(stage, others=others)

    def _make(self, hop: Hop) -> Stage:
        row = row_of(hop.treated, hop.dscp, self._excerpts)
        cells = {"dscp": Cell(_code_point(hop.packet)), **_row_cells(row, hop)}
        cells["mtu"] = self._mtu(hop)
        names = " > ".join(port.interface.name for port in hop.ports)
        where = one_line(f"{hop.device.hostname} {names}")
        return Stage(where, cells, row.missing, self._on(hop), list(self._broken_stages(hop)), 0)

    def _broken_stages(self, hop: Hop) -> Iterator[Broken]:
        """What is broken for the class on the ports of the hop."""
        if self._diagnosed is None or self._traffic is None:
            return
        for each in self._diagnosed.at_hop(self._traffic, hop.into, hop.out):
            if each.rules or not self._is_cnp:  # else `find_cnp_delay` tells it of the whole hop
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
        """Findings on the ports of the hop that are about packets going this way."""
        arriving = {hop.into.interface.name} if hop.into is not None else set()
        leaving = {hop.out.interface.name} if hop.out is not None else set()
        nics = {n for n, nic in hop.device.nics.items() if nic.port in arriving | leaving}
        wanted = {
            "arriving": arriving | nics,
            "leaving": leaving | nics,
            "both": arriving | leaving | nics,
        }
        on_it = {
            finding.fingerprint: finding
            for finding, subjects, acts in self._findings.get(hop.device.hostname, ())
            if not subjects or wanted[acts] & set(subjects)
        }
        found = [finding.on(hop.device.hostname) for finding in on_it.values()]
        if self._traffic is None or not self._is_cnp or not self._analysis:
            return found
        held = find_cnp_delay(self._analysis, hop, self._traffic.name)
        return found if held is None else [*found, *self._delays(hop, held, found)]

    def _delays(self, hop: Hop, held: CnpDelay, found: list[Finding]) -> Iterator[Finding]:
        """That notifications wait at a hop, where no finding says so: the rules leave out what
        follows from another fault of the port.
        """
        device, rule = hop.device.hostname, _HELD_UP[held.grave]
        told = {name for finding in found for name in (finding.rule, *finding.also)}
        page = self._report.rules.get(rule)
        if page is None or told & set(_HELD_UP.values()):
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
        """Which packets of its ports a finding is about: as it says itself, else as its rule."""
        acts = finding.acts or self._report.rules[finding.rule].head.acts
        return _BACK[acts] if finding.rule == _ANSWERS and self._is_cnp else acts


def _row_cells(row: Row, hop: Hop) -> dict[str, Cell]:
    """The cells of a row that say something about this hop: a NIC that sends receives nothing."""
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
    """The code point that is seen; of a packet in an overlay the inner one too."""
    seen = UNKNOWN if packet.dscp is None else str(packet.dscp)
    return f"{seen} over {packet.inner}" if packet.carried else seen

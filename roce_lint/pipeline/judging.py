"""From the devices that were read to the report: link, analyse, judge, sum up."""

from __future__ import annotations

import os
from collections.abc import Container, Sequence
from dataclasses import dataclass

from roce_lint.analysis.analyse import analyse
from roce_lint.analysis.answers import Answers
from roce_lint.analysis.result import Analysis, Mode
from roce_lint.analysis.uplinks import load_of
from roce_lint.catalog.hardware import Hardware
from roce_lint.engine.accept import Accept
from roce_lint.engine.border import Crash, border
from roce_lint.engine.finding import Diagnostic, Finding
from roce_lint.engine.mending import with_remedies
from roce_lint.engine.reach import with_pairs
from roce_lint.engine.run import Judgement, Rules, judge
from roce_lint.loading.load import LoadResult
from roce_lint.loading.pool import CRASH
from roce_lint.model.apply import WHAT_IF
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Fabric
from roce_lint.model.plan import RocePlan
from roce_lint.phases import phase
from roce_lint.pipeline.conclusion import conclude_report
from roce_lint.pipeline.inputs import cables_of, hardware_of, plan_of
from roce_lint.pipeline.report import ClassSummary, DeviceSummary, Report
from roce_lint.pipeline.request import Progress, Request, is_asked_for, matches
from roce_lint.pipeline.rules import load_rules
from roce_lint.pipeline.understanding import find_hardly_understood
from roce_lint.settings import Settings
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import LineState
from roce_lint.topology.links import UnresolvedLink, build_fabric
from roce_lint.topology.roles import assign_roles

DOUBLED = ("two-configs", "two-devices")
"""Diagnostics that say that one name has two whole configurations."""

SHOWN_STATES = (
    LineState.UNDERSTOOD,
    LineState.IGNORED,
    LineState.SHADOWED,
    LineState.UNRECOGNISED,
    LineState.UNCLAIMED,
)


@dataclass(slots=True)
class Terms:
    """What a run is judged by."""

    request: Request
    settings: Settings
    rules: Rules
    plan: RocePlan
    hardware: Hardware
    accept: Accept | None = None
    keeps: bool = False  # what can be known without asking in a second judgement is kept

    @classmethod
    def of(cls, request: Request, settings: Settings, accept: Accept | None = None) -> Terms:
        """The rules and the plan that a run is judged by.

        Raises:
            UsageError, SettingsError, IntentError, RulePageError: the caller must mend something.
        """
        rules, plan = load_rules(request, settings), plan_of(request, settings)
        return cls(request, settings, rules, plan, hardware_of(settings), accept)

    def report(self, loaded: LoadResult, progress: Progress | None) -> Report:
        """The answer about what was read.

        Raises:
            LinksError: the cable plan is wrong.
        """
        fabric, unresolved = join(loaded, self.request, self.settings)
        self.hardware.fill(fabric.devices.values())
        fabric.plan = self.plan
        for ref in self.plan.src.files if self.request.intent else ():
            ref.name = os.path.relpath(ref.name, loaded.base)  # like all other files of the report
        loaded.diagnostics += find_hardly_understood(fabric.devices.values())
        excerpts = Excerpts(loaded.memory)
        for item in unresolved:
            place = excerpts.locate(item.where, "cause")
            # A port that others name and that its file lacks: the file may have been cut off.
            cut = bool(item.device)
            loaded.diagnostics.append(
                Diagnostic(
                    place.file, "links", item.text, place.line, incomplete=cut, device=item.device
                )
            )
        return self.answer(loaded, fabric, progress)

    def answer(
        self,
        loaded: LoadResult,
        fabric: Fabric,
        progress: Progress | None = None,
        excerpts: Excerpts | None = None,
        like: Analysis | None = None,
    ) -> Report:
        """The answer about a fabric that was joined from what was read, or changed since; then
        `like` is the analysis of what it was.
        """
        rules, plan = self.rules, self.plan
        with phase("analysing"):
            analysis = analyse(fabric, plan, like)
        analysis.answers = Answers() if self.keeps and like is None else None
        excerpts = excerpts or Excerpts(loaded.memory)
        if progress is not None:
            progress("judging", 0, len(rules.pages))
        crashes = [entry for entry in loaded.diagnostics if entry.kind == CRASH]
        doubled = [
            entry
            for entry in loaded.diagnostics
            if entry.kind == DOUBLED[0] or (entry.kind in DOUBLED and entry.incomplete)
        ]
        judged = judge(fabric, analysis, plan, rules, excerpts, crashes, doubled, self.accept)
        return self._sum_up(loaded, judged, analysis, excerpts)

    def _sum_up(
        self, loaded: LoadResult, judged: Judgement, analysis: Analysis, excerpts: Excerpts
    ) -> Report:
        fabric, pages = analysis.fabric, self.rules.pages
        wanted = _wanted_names(self.request, fabric, loaded.diagnostics)
        findings, lost = judged.findings, list[Crash]()
        with (
            phase("counting pairs"),
            border(lost, "to count the pairs of NICs that findings break"),
        ):
            findings = with_pairs(findings, analysis, pages, excerpts)
        with border(lost, "to look up what puts findings right"):
            findings = with_remedies(findings, pages, analysis)
        report = Report(
            findings=[kept for finding in findings if (kept := _on(wanted, finding))],
            unknowns=[u for u in judged.unknowns if not u.device or u.device in wanted],
            diagnostics=loaded.diagnostics + judged.diagnostics,
            devices=[
                _summary(device, analysis)
                for device in fabric.devices.values()
                if device.hostname in wanted
            ],
            classes=_classes(analysis, excerpts),
            links=sum(
                1
                for link in fabric.links
                if link.a.device.hostname in wanted or link.b.device.hostname in wanted
            ),
            judged_ports=sum(1 for port in analysis.ports if port.device.hostname in wanted),
            rules={page.id: page for page in pages},
            skipped=loaded.skipped,
            severities=self.rules.severities,
            left_out=self.rules.left_out,
            part=bool(self.request.device or self.request.role),
            base=loaded.base,
            fabric=fabric,
            analysis=analysis,
            excerpts=excerpts,
        )
        with phase("summing up"), border(lost, "to sum up what the pairs of NICs come to"):
            conclude_report(report)
        report.diagnostics += [crash.diagnostic("") for crash in lost]
        return report


@phase("linking")
def join(
    loaded: LoadResult, request: Request, settings: Settings
) -> tuple[Fabric, list[UnresolvedLink]]:
    """The fabric of the devices that were read, each with its role; and what the cable plan says
    that could not be used.

    Raises:
        LinksError: the cable plan is wrong.
    """
    for device in loaded.devices if request.isolated else ():
        device.src.ignores = []
    fabric, unresolved = build_fabric(loaded.devices, cables_of(request, loaded))
    assign_roles(fabric, {pattern: Role(role) for pattern, role in settings.roles.items()})
    return fabric, unresolved


def _wanted_names(
    request: Request, fabric: Fabric, diagnostics: Sequence[Diagnostic]
) -> Container[str]:
    """The names of the devices that the answer is about; "" stands for the fabric as a whole."""
    if not request.device and not request.role:
        return _Everything()
    unread = {entry.device for entry in diagnostics if entry.device}
    return {name for name in unread if matches(name, request.device) and not request.role} | {
        device.hostname
        for device in fabric.devices.values()
        if is_asked_for(device, request.device, request.role)
    }


class _Everything:
    """Contains whatever it is asked for."""

    def __contains__(self, name: object) -> bool:
        return True


def _on(devices: Container[str], finding: Finding) -> Finding | None:
    """The finding on these devices; None where it stands on none of them."""
    kept = [o for o in finding.occurrences if o.device in devices]
    return finding.restrict(kept) if kept else None


def _summary(device: Device, analysis: Analysis) -> DeviceSummary:
    lines = dict.fromkeys((state.name.lower() for state in SHOWN_STATES), 0)
    files = [ref for ref in device.src.files if ref.source != WHAT_IF]
    for ref in files:
        for state in SHOWN_STATES:
            lines[state.name.lower()] += ref.states.count(state)
    load = load_of(analysis, device)
    return DeviceSummary(
        device.hostname,
        device.nos,
        device.role.value if device.role is not None else None,
        tuple(dict.fromkeys(ref.name for ref in files)),
        lines,
        load.ratio if load is not None else None,
    )


def _classes(analysis: Analysis, excerpts: Excerpts) -> list[ClassSummary]:
    return [
        ClassSummary(
            traffic.name,
            traffic.flow.value,
            traffic.dscps,
            traffic.basis.value,
            traffic.senders,
            tuple(excerpts.locate(where, "evidence") for where in traffic.where if where.position),
            _modes(analysis, traffic.name),
            traffic.backed,
            traffic.marked,
            traffic.sides,
            traffic.tie,
        )
        for traffic in analysis.classes
    ]


def _modes(analysis: Analysis, name: str) -> tuple[str, ...]:
    """The design mode of a class; where networks differ in it, which of them has which."""
    said: dict[str, set[int]] = {}
    for key in sorted(analysis.modes):
        if key[0] == name:
            said.setdefault(_mode(analysis.modes[key]), set()).add(key[1])
    if len(said) < 2:
        return tuple(said)
    found = []
    for mode, networks in said.items():
        ports = (port for port in analysis.ports if port.network in networks)
        names = sorted({port.device.hostname for port in ports if not port.device.is_host})
        rest = f" and {len(names) - 1} more" if len(names) > 1 else ""
        found.append(f"network of {names[0]}{rest}: {mode}" if names else mode)
    return tuple(found)


def _mode(mode: Mode) -> str:
    marking = {True: "ECN marking", False: "no ECN marking", None: "ECN marking not known"}[
        mode.marking
    ]
    yes, no, unknown = mode.pfc_votes
    total = yes + no + unknown
    votes = f"PFC is on at {yes} of {total} {'port' if total == 1 else 'ports'}"
    votes += f", off at {no}" if no else ""
    votes += f", unknown at {unknown}" if unknown else ""
    return f"{mode.pfc.value}, {marking} ({votes})"

"""Report of loaded devices: link, analyse, check, summarise; and a warning where too few of their
lines are recognised.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from roce_lint.analysis.analyse import analyse, forget_tags, settle_tags
from roce_lint.analysis.result import Analysis, Mode
from roce_lint.analysis.reuse import PortResults, reuse_of
from roce_lint.analysis.uplinks import load_of
from roce_lint.catalog.hardware import Hardware
from roce_lint.engine.border import Crash, border
from roce_lint.engine.finding import Diagnostic, Finding
from roce_lint.engine.reach import with_pairs
from roce_lint.engine.run import Judgement, Rules, judge
from roce_lint.engine.waivers import Accept
from roce_lint.loading.load import LoadResult
from roce_lint.loading.pool import CRASH
from roce_lint.model.apply import WHAT_IF
from roce_lint.model.device import Device, NoteKind, Role
from roce_lint.model.fabric import Fabric
from roce_lint.model.plan import RocePlan
from roce_lint.nos.declare import Form
from roce_lint.nos.registry import all_nos
from roce_lint.phases import phase
from roce_lint.pipeline.conclusion import conclude_report
from roce_lint.pipeline.inputs import cables_of, hardware_of, load_rules, plan_of
from roce_lint.pipeline.report import ClassSummary, DeviceSummary, Report
from roce_lint.pipeline.request import Request, is_asked_for, matches
from roce_lint.settings import Settings
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import FileRef, LineState
from roce_lint.topology.links import UnresolvedLink, build_fabric
from roce_lint.topology.roles import assign_roles

LEAST = 20
"""One line in so many must be recognised."""

_TREES = (Form.JSON, Form.YAML)


def find_hardly_understood(devices: Iterable[Device]) -> Iterator[Diagnostic]:
    """Report recognised configurations with nearly no recognised line, or without an interface:
    silence about them must not look healthy.
    """
    for device in devices:
        by_source = all_nos()[device.nos].by_source
        checked = []
        for ref in device.src.files:
            source = by_source[ref.source]
            if source.base and not source.apart:
                tree = source.form in _TREES
                checked.append((ref, _too_little(ref, bare=not device.interfaces, tree=tree)))
        if not checked and (message := _nothing_known(device)):
            ref = device.src.files[0]
            yield Diagnostic(
                ref.name, "not-understood", message,
                device=device.hostname, source=(ref.path, ref.sha256),
            )  # fmt: skip
        # Another form of the same configuration adds nothing; its lines are not a sign that it was
        # not understood.
        again = any(not message for _, message in checked)
        for ref, little in checked:
            if little and again:
                continue
            kind, message = "not-understood", little
            if not message and not device.interfaces and not device.partial:
                kind = "no-interface"
                message = f"a whole configuration of {device.hostname} without any interface"
            if message:
                yield Diagnostic(
                    ref.name, kind, message, device=device.hostname, source=(ref.path, ref.sha256)
                )


def _nothing_known(device: Device) -> str:
    """Message about a device without a known interface some of whose lines a reader could not
    parse.
    """
    states = [state for ref in device.src.files for state in ref.states]
    if LineState.UNDERSTOOD in states or LineState.SHADOWED in states:
        return ""
    if not any(note.kind is NoteKind.UNRECOGNISED for note in device.notes):
        return ""
    lines = len(states) - states.count(LineState.IGNORED)
    return f"no data on {device.hostname}: none of {lines} lines understood"


def _too_little(ref: FileRef, *, bare: bool, tree: bool) -> str:
    """Message about a file with no recognised line, or fewer than one in twenty.

    Unclaimed tables of a tree are known not to matter; the share is not used for a device that has
    interfaces.
    """
    understood = ref.states.count(LineState.UNDERSTOOD) + ref.states.count(LineState.SHADOWED)
    lines = len(ref.states) - ref.states.count(LineState.IGNORED)
    if not lines or (understood and (understood * LEAST >= lines or (tree and not bare))):
        return ""
    what = "keys" if tree else "lines"
    return (
        f"recognised as {ref.source}, but {understood or 'none'} of its {lines} {what} understood"
    )


DOUBLED = ("two-configs", "two-devices")
"""Diagnostics of names with two whole configurations."""

SHOWN_STATES = (
    LineState.UNDERSTOOD,
    LineState.IGNORED,
    LineState.SHADOWED,
    LineState.UNRECOGNISED,
    LineState.UNCLAIMED,
)


@dataclass(slots=True)
class Terms:
    """Rules, plan and hardware of a run."""

    request: Request
    settings: Settings
    rules: Rules
    plan: RocePlan
    hardware: Hardware
    accept: Accept | None = None
    keeps: bool = False  # cached for a second check

    @classmethod
    def of(cls, request: Request, settings: Settings, accept: Accept | None = None) -> Terms:
        """Load the rules, the plan and the hardware.

        Raises:
            UsageError, SettingsError, IntentError, RulePageError: an input is wrong.
        """
        rules, plan = load_rules(request, settings), plan_of(request, settings)
        return cls(request, settings, rules, plan, hardware_of(settings), accept)

    def report(self, loaded: LoadResult) -> Report:
        """Link and check the loaded devices.

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
            # The file lacks a port that others name: it may have been cut off.
            cut = bool(item.device)
            loaded.diagnostics.append(
                Diagnostic(
                    place.file, "links", item.text, place.line, incomplete=cut, device=item.device
                )
            )
        return self.answer(loaded, fabric)

    def answer(
        self,
        loaded: LoadResult,
        fabric: Fabric,
        excerpts: Excerpts | None = None,
        like: Analysis | None = None,
    ) -> Report:
        """Check a fabric joined from loaded devices, or changed since; then `like` is the analysis
        before the change.
        """
        rules, plan = self.rules, self.plan
        with phase("analysing"):
            analysis = analyse(fabric, plan, like)
        reuse_of(analysis).recorded = PortResults() if self.keeps and like is None else None
        excerpts = excerpts or Excerpts(loaded.memory)
        crashes = [entry for entry in loaded.diagnostics if entry.kind == CRASH]
        doubled = [
            entry
            for entry in loaded.diagnostics
            if entry.kind == DOUBLED[0] or (entry.kind in DOUBLED and entry.incomplete)
        ]
        judged = judge(fabric, analysis, plan, rules, excerpts, crashes, doubled, self.accept)
        return self._sum_up(loaded, judged, analysis, excerpts)

    def _with_remedies(
        self, findings: list[Finding], analysis: Analysis, excerpts: Excerpts
    ) -> list[Finding]:
        if not findings or not self.request.remedies:
            return findings
        from roce_lint.remedy.remedies import with_remedies  # noqa: PLC0415  (with findings only)
        from roce_lint.remedy.wants import golden_of  # noqa: PLC0415

        def check(devices: Mapping[str, Device], rules: Container[str]) -> list[Finding]:
            self.hardware.fill(devices.values())
            forget_tags(analysis.fabric)
            fabric = analysis.fabric.with_devices(devices)
            pages = [page for page in self.rules.pages if page.id in rules]
            anew, few = analyse(fabric, self.plan, analysis), replace(self.rules, pages=pages)
            found = judge(fabric, anew, self.plan, few, excerpts).findings
            forget_tags(fabric)
            settle_tags(analysis.fabric)
            return found

        golden = golden_of(self.request.intent)
        return with_remedies(findings, self.rules.pages, analysis, golden, check)

    def _sum_up(
        self, loaded: LoadResult, judged: Judgement, analysis: Analysis, excerpts: Excerpts
    ) -> Report:
        fabric, pages = analysis.fabric, self.rules.pages
        selected = _selected_names(self.request, fabric, loaded.diagnostics)
        findings, lost = judged.findings, list[Crash]()
        with phase("counting pairs"), border(lost, "counting broken pairs of NICs"):
            findings = with_pairs(findings, analysis, pages, excerpts)
        with border(lost, "looking up remedies"):
            findings = self._with_remedies(findings, analysis, excerpts)
        report = Report(
            findings=[kept for finding in findings if (kept := _restrict(selected, finding))],
            unknowns=[u for u in judged.unknowns if not u.device or u.device in selected],
            diagnostics=loaded.diagnostics + judged.diagnostics,
            devices=[
                _summary(device, analysis)
                for device in fabric.devices.values()
                if device.hostname in selected
            ],
            classes=_classes(analysis, excerpts),
            links=sum(
                1
                for link in fabric.links
                if link.a.device.hostname in selected or link.b.device.hostname in selected
            ),
            judged_ports=sum(1 for port in analysis.ports if port.device.hostname in selected),
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
        with phase("summing up"), border(lost, "summing up pairs of NICs"):
            conclude_report(report)
        report.diagnostics += [crash.diagnostic("") for crash in lost]
        return report


@phase("linking")
def join(
    loaded: LoadResult, request: Request, settings: Settings
) -> tuple[Fabric, list[UnresolvedLink]]:
    """The fabric of the loaded devices, each with its role; and unusable entries of the cable plan.

    Raises:
        LinksError: the cable plan is wrong.
    """
    for device in loaded.devices if request.isolated else ():
        device.src.ignores = []
    fabric, unresolved = build_fabric(loaded.devices, cables_of(request, loaded))
    assign_roles(fabric, {pattern: Role(role) for pattern, role in settings.roles.items()})
    return fabric, unresolved


def _selected_names(
    request: Request, fabric: Fabric, diagnostics: Sequence[Diagnostic]
) -> Container[str]:
    """Names of the selected devices; "" stands for the fabric as a whole."""
    if not request.device and not request.role:
        return _Everything()
    unread = {entry.device for entry in diagnostics if entry.device}
    return {name for name in unread if matches(name, request.device) and not request.role} | {
        device.hostname
        for device in fabric.devices.values()
        if is_asked_for(device, request.device, request.role)
    }


class _Everything:
    """Contains every name."""

    def __contains__(self, name: object) -> bool:
        return True


def _restrict(devices: Container[str], finding: Finding) -> Finding | None:
    """The finding on these devices; None where it has no occurrence there."""
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
    """The design mode of a class; with its networks where they differ."""
    by_mode: dict[str, set[int]] = {}
    for key in sorted(analysis.modes):
        if key[0] == name:
            by_mode.setdefault(_mode(analysis.modes[key]), set()).add(key[1])
    if len(by_mode) < 2:
        return tuple(by_mode)
    found = []
    for mode, networks in by_mode.items():
        ports = (port for port in analysis.ports if port.network in networks)
        names = sorted({port.device.hostname for port in ports if not port.device.is_host})
        rest = f" and {len(names) - 1} more" if len(names) > 1 else ""
        found.append(f"network of {names[0]}{rest}: {mode}" if names else mode)
    return tuple(found)


def _mode(mode: Mode) -> str:
    marking = {True: "ECN marking", False: "no ECN marking", None: "ECN marking unknown"}[
        mode.marking
    ]
    yes, no, unknown = mode.pfc_votes
    total = yes + no + unknown
    votes = f"PFC is on at {yes} of {total} {'port' if total == 1 else 'ports'}"
    votes += f", off at {no}" if no else ""
    votes += f", unknown at {unknown}" if unknown else ""
    return f"{mode.pfc.value}, {marking} ({votes})"

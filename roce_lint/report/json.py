"""The JSON report, version 1; its schema is roce_lint.report.json_model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from roce_lint.engine.finding import Diagnostic, Finding, Occurrence, PathHop, Repair, UnknownGroup
from roce_lint.report.json_model import (
    ClassEntry,
    DeviceEntry,
    DiagnosticEntry,
    FileEntry,
    FindingEntry,
    HopEntry,
    Impact,
    JsonReport,
    Lines,
    MissingEntry,
    OccurrenceEntry,
    OrderEntry,
    Place,
    RepairEntry,
    Summary,
    UnknownEntry,
    fix_entry,
    fix_of,
    remedy_entry,
)
from roce_lint.report.places import Places, known_places
from roce_lint.report.selection import Options
from roce_lint.report.wording import escape_json
from roce_lint.text.source import LineState, Location

if TYPE_CHECKING:
    from roce_lint.pipeline import ClassSummary, DeviceSummary, Report


def render(report: Report, options: Options) -> str:
    """The report as JSON text."""
    return escape_json(build(report, options).model_dump_json(indent=2, by_alias=True)) + "\n"


def build(report: Report, options: Options) -> JsonReport:
    """The report in its public shape."""
    places = Places(report.base, options.cwd)
    counts = [finding.severity.label for finding in report.findings if finding.suppressed is None]
    return JsonReport(
        summary=Summary(
            error=counts.count("error"),
            warning=counts.count("warning"),
            info=counts.count("info"),
            suppressed=report.suppressions,
            unknown=len(report.unknowns),
            devices=len(report.devices),
            links=report.links,
            rules=len(report.rules),
            judged_ports=report.judged_ports,
            unrecognised=report.unrecognised_lines,
            skipped=len(report.skipped),
            incomplete=report.incomplete,
            verdict=report.verdict.answer.value,
            pairs=report.verdict.pairs,
            pairs_judged=report.verdict.judged,
            pairs_broken=report.verdict.broken,
            pairs_assumed=report.verdict.assumed,
        ),
        root=report.base,
        missing=[MissingEntry(what=what, pairs=pairs) for what, pairs in report.verdict.missing],
        repairs=[_repair(repair) for repair in report.verdict.repairs],
        order=[
            OrderEntry(fingerprint=step.findings[0].fingerprint, pairs_repaired=step.pairs)
            for step in report.verdict.order
        ],
        files=list(_files(report)),
        devices=[_device(device) for device in report.devices],
        classes=[_class(traffic) for traffic in report.classes],
        findings=[_finding(finding) for finding in report.findings],
        unknowns=[_unknown(unknown) for unknown in report.unknowns],
        diagnostics=[_diagnostic(item, places) for item in report.diagnostics],
    )


def _device(device: DeviceSummary) -> DeviceEntry:
    names = [state.name.lower() for state in LineState if state is not LineState.CAPTURED]
    lines = Lines(**{name: device.lines.get(name, 0) for name in names})
    files = list(device.files)
    return DeviceEntry(
        name=device.name,
        nos=device.nos,
        role=device.role,
        files=files,
        lines=lines,
        oversubscription=device.oversubscription,
    )


def _files(report: Report) -> Iterator[FileEntry]:
    entries = [
        FileEntry(file=name, state="read", device=device.name, reason="")
        for device in report.devices
        for name in device.files
    ]
    entries += [
        FileEntry(file=each.file, state="skipped", device=None, reason=each.reason)
        for each in report.skipped
    ]
    yield from sorted(entries, key=lambda entry: (entry.file, entry.state, entry.device or ""))


def _repair(repair: Repair) -> RepairEntry:
    return RepairEntry(
        fingerprints=[finding.fingerprint for finding in repair.findings],
        pairs_repaired=repair.pairs,
        exact=repair.exact,
    )


def _class(traffic: ClassSummary) -> ClassEntry:
    return ClassEntry.model_validate(
        {
            "name": traffic.name,
            "flow": traffic.flow,
            "dscps": traffic.dscps,
            "basis": traffic.basis,
            "senders": traffic.senders,
            "switches": traffic.backed[1],
            "agreeing": traffic.backed[0],
            "locations": _places(traffic.locations),
            "modes": traffic.modes,
        }
    )


def _finding(finding: Finding) -> FindingEntry:
    occurrences = [_occurrence(finding, each) for each in finding.occurrences]
    first = occurrences[0]
    return FindingEntry.model_validate(
        {
            "rule": finding.rule,
            "name": finding.name,
            "severity": finding.severity.label,
            "confidence": finding.confidence.value,
            "message": finding.message,
            "consequence": finding.consequence,
            "device": first.device,
            "subjects": first.subjects,
            "locations": first.locations,
            "occurrences": occurrences,
            "devices_affected": len(occurrences),
            "impact": _impact(finding),
            "fingerprint": finding.fingerprint,
            "help": finding.help,
            "traffic": finding.traffic,
            "notes": finding.notes,
            "also": finding.also,
            "suppressed": _suppression(finding),
            "fix": fix_of(finding.fix, proved=finding.occurrences[0].verified is not None),
            "fixes": [
                fix_entry(change, proved=each.verified is not None)
                for each in finding.occurrences
                for change in each.wanted
            ],
            "remedy": remedy_entry(finding.remedy),
        }
    )


def finding_data(finding: Finding) -> dict[str, Any]:
    """One finding as JSON data, as in a report."""
    data: dict[str, Any] = _finding(finding).model_dump(mode="json", by_alias=True)
    return data


def _impact(finding: Finding) -> Impact:
    pairs = finding.pairs
    return Impact(
        ports=finding.ports,
        pairs_broken=pairs.hit if pairs is not None else None,
        pairs_first=pairs.first if pairs is not None else None,
        pairs_repaired=pairs.repaired if pairs is not None else None,
        pairs=pairs.all if pairs is not None else None,
        path=[_hop(hop) for hop in finding.path],
    )


def _hop(hop: PathHop) -> HopEntry:
    return HopEntry(
        device=hop.device,
        into=hop.into,
        out=hop.out,
        dscp=hop.dscp,
        place=_places([hop.place])[0] if hop.place is not None else None,
        here=hop.here,
        missing=hop.missing,
    )


def _occurrence(finding: Finding, occurrence: Occurrence) -> OccurrenceEntry:
    return OccurrenceEntry(
        device=occurrence.device,
        subjects=list(occurrence.subjects),
        locations=_places(occurrence.locations),
        fingerprint=finding.fingerprint_of(occurrence),
    )


def _suppression(finding: Finding) -> dict[str, Any] | None:
    mark = finding.suppressed
    if mark is None:
        return None
    return {"by": mark.by, "reason": mark.reason, "expires": mark.expires}


def _places(found: Sequence[Location]) -> list[Place]:
    return [
        Place.model_validate(
            {
                "file": place.file,
                "line": place.line,
                "column": place.column,
                "text": place.text,
                "role": place.role,
                "origin": place.origin.value,
                "note": place.note,
                "path": place.path,
            }
        )
        for place in known_places(found)
    ]


def _unknown(unknown: UnknownGroup) -> UnknownEntry:
    return UnknownEntry(
        rule=unknown.rule,
        device=unknown.device,
        subjects=list(unknown.subjects),
        missing=unknown.missing,
        locations=_places(unknown.locations),
    )


def _diagnostic(item: Diagnostic, places: Places) -> DiagnosticEntry:
    return DiagnosticEntry(
        file=places.within_base(item.file),
        line=item.line,
        kind=item.kind,
        message=item.message,
        incomplete=item.incomplete,
    )

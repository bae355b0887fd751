"""The JSON report, version 1; its schema is roce_lint.report.json_model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roce_lint.engine.finding import Diagnostic, Finding, Occurrence, Repair
from roce_lint.pipeline import ClassSummary, Report
from roce_lint.report import json_model as public
from roce_lint.report.places import Places
from roce_lint.report.selection import Options
from roce_lint.report.wording import escape_json


def render(report: Report, options: Options) -> str:
    """The report as JSON text."""
    return escape_json(build(report, options).model_dump_json(indent=2, by_alias=True)) + "\n"


def build(report: Report, options: Options) -> public.JsonReport:
    """The report in its public shape."""
    places = Places(report.base, options.cwd)
    counts = [finding.severity.label for finding in report.findings if finding.suppressed is None]
    return public.JsonReport(
        summary=public.Summary(
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
        missing=[
            public.MissingEntry(what=what, pairs=pairs) for what, pairs in report.verdict.missing
        ],
        repairs=[_repair(repair) for repair in report.verdict.repairs],
        order=[
            public.OrderEntry(fingerprint=step.findings[0].fingerprint, pairs_repaired=step.pairs)
            for step in report.verdict.order
        ],
        files=list(_files(report)),
        devices=[public.DeviceEntry.model_validate(device) for device in report.devices],
        classes=[_class(traffic) for traffic in report.classes],
        findings=[_finding(finding) for finding in report.findings],
        unknowns=[public.UnknownEntry.model_validate(unknown) for unknown in report.unknowns],
        diagnostics=[_diagnostic(item, places) for item in report.diagnostics],
    )


def _files(report: Report) -> Iterator[public.FileEntry]:
    entries = [
        public.FileEntry(file=name, state="read", device=device.name, reason="")
        for device in report.devices
        for name in device.files
    ]
    entries += [
        public.FileEntry(file=each.file, state="skipped", device=None, reason=each.reason)
        for each in report.skipped
    ]
    yield from sorted(entries, key=lambda entry: (entry.file, entry.state, entry.device or ""))


def _repair(repair: Repair) -> public.RepairEntry:
    return public.RepairEntry(
        fingerprints=[finding.fingerprint for finding in repair.findings],
        pairs_repaired=repair.pairs,
        exact=repair.exact,
    )


def _class(traffic: ClassSummary) -> public.ClassEntry:
    return public.ClassEntry.model_validate(
        {
            "name": traffic.name,
            "flow": traffic.flow,
            "dscps": traffic.dscps,
            "basis": traffic.basis,
            "senders": traffic.senders,
            "switches": traffic.backed[1],
            "agreeing": traffic.backed[0],
            "locations": traffic.locations,
            "modes": traffic.modes,
        }
    )


def _finding(finding: Finding) -> public.FindingEntry:
    occurrences = [_occurrence(finding, each) for each in finding.occurrences]
    first = occurrences[0]
    return public.FindingEntry.model_validate(
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
            "suppressed": finding.suppressed,
            "fix": public.fix_of(finding.fix, proved=finding.occurrences[0].verified is not None),
            "fixes": [
                public.fix_entry(change, proved=each.verified is not None)
                for each in finding.occurrences
                for change in each.wanted
            ],
            "remedy": [finding.remedy] if finding.remedy is not None else [],
        }
    )


def finding_data(finding: Finding) -> dict[str, Any]:
    """One finding as JSON data, as in a report."""
    data: dict[str, Any] = _finding(finding).model_dump(mode="json", by_alias=True)
    return data


def _impact(finding: Finding) -> public.Impact:
    pairs = finding.pairs
    return public.Impact(
        ports=finding.ports,
        pairs_broken=pairs.hit if pairs is not None else None,
        pairs_first=pairs.first if pairs is not None else None,
        pairs_repaired=pairs.repaired if pairs is not None else None,
        pairs=pairs.all if pairs is not None else None,
        path=[public.HopEntry.model_validate(hop) for hop in finding.path],
    )


def _occurrence(finding: Finding, occurrence: Occurrence) -> public.OccurrenceEntry:
    return public.OccurrenceEntry.model_validate(
        {
            "device": occurrence.device,
            "subjects": occurrence.subjects,
            "locations": occurrence.locations,
            "fingerprint": finding.fingerprint_of(occurrence),
        }
    )


def _diagnostic(item: Diagnostic, places: Places) -> public.DiagnosticEntry:
    return public.DiagnosticEntry(
        file=places.within_base(item.file),
        line=item.line,
        kind=item.kind,
        message=item.message,
        incomplete=item.incomplete,
    )

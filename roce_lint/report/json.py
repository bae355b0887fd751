"""The JSON report, version 1: public, changed only by adding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ConfigDict, Field

from roce_lint._version import __version__
from roce_lint.engine.finding import Diagnostic, Finding, Occurrence, PathHop, UnknownGroup
from roce_lint.engine.verdict import Repair
from roce_lint.report.json_fixes import Fix, FixEntry, Part, Text, fix_entry, fix_of
from roce_lint.report.options import Options
from roce_lint.report.places import Places, known
from roce_lint.report.wording import json_escaped
from roce_lint.text.source import LineState, Location

if TYPE_CHECKING:
    from roce_lint.pipeline import ClassSummary, DeviceSummary, Report

SCHEMA: Literal["roce-lint/report/1"] = "roce-lint/report/1"


class Tool(Part):
    """What wrote the report."""

    name: str = "roce-lint"
    version: str = __version__


class Summary(Part):
    """Counts: findings that are not suppressed by severity, and what was looked at."""

    error: int
    warning: int
    info: int
    suppressed: int
    unknown: int = Field(description="entries of `unknowns`")
    devices: int
    links: int
    rules: int
    judged_ports: int
    unrecognised: int = Field(description="lines that no reader recognised")
    skipped: int = Field(description="files beside the configurations that were passed over")
    incomplete: bool = Field(description="something could not be read or judged")
    verdict: Literal["ready", "not-ready", "not-proved"] = Field(
        description="ready: all pairs judged, none broken; not-ready: something is an error; "
        "not-proved: no error, and not all is known"
    )
    pairs: int = Field(
        description="ordered pairs of RoCE NICs of one network with a path between them; where no "
        "host is linked to a switch, of edge ports"
    )
    pairs_judged: int = Field(
        description="pairs that are known to be broken, and those on whose paths no rule that "
        "could be an error had to say unknown"
    )
    pairs_broken: int = Field(description="pairs with an error on one of their equal-cost paths")
    pairs_assumed: bool = Field(description="the pairs are of edge ports: senders are assumed")


class Lines(Part):
    """Lines (leaves of JSON and YAML) of a device by what became of them."""

    understood: int = 0
    ignored: int = 0
    shadowed: int = 0
    unrecognised: int = 0
    unclaimed: int = 0


class DeviceEntry(Part):
    """One device. File names are relative to PATH (several: to their common parent)."""

    name: Text
    nos: Text
    role: Text | None
    files: list[Text]
    lines: Lines
    oversubscription: float | None = Field(
        description="Gb/s that can come in from below for each of uplinks; null where not known"
    )


class FileEntry(Part):
    """A file below PATH that was read, or that was passed over."""

    file: Text
    state: Literal["read", "skipped"]
    device: Text | None = Field(description="whose configuration it is; null where skipped")
    reason: Text = Field(description="why it was skipped")


class MissingEntry(Part):
    """What would have to be known for all pairs to be judged."""

    what: Text
    pairs: int = Field(description="pairs that it leaves open; 0: not a matter of single pairs")


class RepairEntry(Part):
    """The causes that repair most pairs, of all sets of so many."""

    fingerprints: list[str]
    pairs_repaired: int
    exact: bool = Field(
        description="false: there are too many sets to compare, and each cause is the best after "
        "those before"
    )


class Place(Part):
    """One line of one file. `line` is 0 where none is known."""

    file: Text
    line: int
    column: int | None
    text: Text
    role: Literal["cause", "evidence"]
    origin: Literal["stated", "default", "absent"]
    note: Text = Field(description="whose default it is, or that nothing is stated")
    path: Text = Field(description="keys in a JSON or YAML file: TABLE|key|field")


class ClassEntry(Part):
    """A traffic class that was judged and who says that it exists."""

    name: Text
    flow: Text
    dscps: list[int]
    basis: Literal["stated", "plan", "inferred"]
    senders: int = Field(description="hosts that state it")
    switches: int = Field(description="of an inferred class: switches in its networks")
    agreeing: int = Field(description="of these, how many protect it")
    locations: list[Place]
    modes: list[Text] = Field(description="design mode, one per RoCE network where they differ")


class OccurrenceEntry(Part):
    """One device on which the cause of a finding stands."""

    device: Text
    subjects: list[Text]
    locations: list[Place] = Field(description="causes first, then evidence")


class HopEntry(Part):
    """A device on a path: the ports a packet takes and the line that decides there."""

    device: Text
    into: Text | None = Field(description="arriving port; null at the NIC that sends")
    out: Text | None = Field(description="leaving port; null at the NIC that receives")
    dscp: int | None = Field(description="code point the packet arrives with")
    place: Place | None
    here: bool = Field(description="the finding stands at this hop")
    missing: Text = Field(
        default="",
        description="what would tell what the device does, where nothing of it was read; place is "
        "then what says that it is there",
    )


class Impact(Part):
    """How far a finding reaches; more kinds may be added."""

    ports: int = Field(description="ports or other subjects, over all devices")
    pairs_broken: int | None = Field(
        description="ordered pairs of NICs with an equal-cost path through them; "
        "null where no path is known"
    )
    pairs_first: int | None = Field(
        description="those of the broken pairs that have a path on which no other error stands "
        "before it; null where no path is known or it is no error"
    )
    pairs_repaired: int | None = Field(
        description="those of the broken pairs that mending this alone repairs; null where no path "
        "is known or it is no error"
    )
    pairs: int | None = Field(description="all ordered pairs of NICs with a path")
    path: list[HopEntry] = Field(description="one real path through it, from NIC to NIC")


class SuppressionEntry(Part):
    """Why a finding does not count."""

    by: Literal["inline", "baseline", "waiver", "settings"]
    reason: Text
    expires: str | None


class FindingEntry(Part):
    """One cause. `device`, `subjects` and `locations` are those of the first occurrence."""

    rule: str
    name: str
    severity: Literal["error", "warning", "info"]
    confidence: Literal["high", "low"]
    message: Text
    consequence: Text
    device: Text
    subjects: list[Text]
    locations: list[Place]
    occurrences: list[OccurrenceEntry]
    devices_affected: int
    impact: Impact
    fingerprint: str = Field(description="of cause and value; no port and no line is part of it")
    help: str
    traffic: Text
    notes: list[Text]
    also: list[str] = Field(description="ids of narrower rules folded into this finding")
    suppressed: SuppressionEntry | None
    fix: Fix | None
    fixes: list[FixEntry] = Field(description="what would put it right, on all its devices")


class UnknownEntry(Part):
    """What a rule could not judge on a device, and the input that would settle it."""

    rule: str
    device: Text
    subjects: list[Text]
    missing: Text
    locations: list[Place]


class DiagnosticEntry(Part):
    """Something about a file, not about the fabric."""

    file: Text
    line: int | None
    kind: str
    message: Text
    incomplete: bool = Field(description="the answer is not whole because of it")


class JsonReport(Part):
    """The answer of one run of roce-lint check."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    schema_: Literal["roce-lint/report/1"] = Field(default=SCHEMA, alias="schema")
    tool: Tool = Tool()
    root: Text = Field(description="the folder that file names are relative to, as it was given")
    summary: Summary
    missing: list[MissingEntry] = Field(description="why the verdict is not proved")
    repairs: list[RepairEntry] = Field(description="for one cause, two, and so on")
    files: list[FileEntry]
    devices: list[DeviceEntry]
    classes: list[ClassEntry]
    findings: list[FindingEntry]
    unknowns: list[UnknownEntry]
    diagnostics: list[DiagnosticEntry]


def render(report: Report, options: Options) -> str:
    """The report as JSON text."""
    return json_escaped(build(report, options).model_dump_json(indent=2, by_alias=True)) + "\n"


def build(report: Report, options: Options) -> JsonReport:
    """The report in its public shape."""
    places = Places(report.base, options.cwd)
    counts = [finding.severity.label for finding in report.findings if finding.suppressed is None]
    return JsonReport(
        summary=Summary(
            error=counts.count("error"),
            warning=counts.count("warning"),
            info=counts.count("info"),
            suppressed=report.suppressed,
            unknown=len(report.unknowns),
            devices=len(report.devices),
            links=report.links,
            rules=len(report.rules),
            judged_ports=report.judged_ports,
            unrecognised=report.unrecognised,
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
        files=list(_files(report)),
        devices=[_device(device) for device in report.devices],
        classes=[_class(traffic) for traffic in report.classes],
        findings=[_finding(finding) for finding in report.findings],
        unknowns=[_unknown(unknown) for unknown in report.unknowns],
        diagnostics=[_diagnostic(item, places) for item in report.diagnostics],
    )


def schema() -> dict[str, Any]:
    """The JSON Schema of the report (docs/report.schema.json)."""
    made = JsonReport.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}


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
    occurrences = [_occurrence(occurrence) for occurrence in finding.occurrences]
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
            "suppressed": _suppressed(finding),
            "fix": fix_of(finding.fix),
            "fixes": [fix_entry(change) for change in finding.fixes],
        }
    )


def finding_data(finding: Finding) -> dict[str, Any]:
    """One finding as JSON data, in the shape it has in a report."""
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


def _occurrence(occurrence: Occurrence) -> OccurrenceEntry:
    return OccurrenceEntry(
        device=occurrence.device,
        subjects=list(occurrence.subjects),
        locations=_places(occurrence.locations),
    )


def _suppressed(finding: Finding) -> dict[str, Any] | None:
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
        for place in known(found)
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

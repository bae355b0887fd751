"""CSV, for spreadsheets and ticket systems: a row for every device of a finding."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from io import StringIO

from roce_lint.engine.finding import Diagnostic, Finding, Occurrence, UnknownGroup
from roce_lint.pipeline import Report
from roce_lint.report.places import Places, known_places
from roce_lint.report.selection import Options
from roce_lint.report.wording import clean, excerpt, fix_text, message_of, one_line
from roce_lint.text.names import compress
from roce_lint.text.source import Location

COLUMNS = (
    "kind", "severity", "confidence", "rule", "name", "device", "subjects", "file", "line", "text",
    "message", "consequence", "ports", "pairs_broken", "pairs_repaired", "fix", "suppressed",
    "fingerprint",
)  # fmt: skip
"""Public: columns are only added, at the end. `kind` is finding, unknown or diagnostic."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet treat a cell as a formula (OWASP, CSV injection)."""

Row = dict[str, str | int]


def render(report: Report, options: Options) -> str:
    """Findings including suppressed ones, unknowns, and remarks on files."""
    places = Places(report.base, options.cwd)
    out = StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: harmless(value) for name, value in row.items()} for row in _rows(report, places)
    )
    return out.getvalue()


def harmless(value: str | int) -> str | int:
    """Protect a cell from being treated as a formula: a leading apostrophe makes it text."""
    if isinstance(value, int):
        return value
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _rows(report: Report, places: Places) -> Iterator[Row]:
    for finding in report.findings:
        for occurrence in finding.occurrences:
            yield _finding(finding, occurrence, places)
    for unknown in report.unknowns:
        yield _unknown(unknown, places)
    for item in report.diagnostics:
        yield _diagnostic(item, places)


def _finding(finding: Finding, occurrence: Occurrence, places: Places) -> Row:
    pairs, mark = finding.pairs, finding.suppressed
    row: Row = {
        "kind": "finding",
        "severity": finding.severity.label,
        "confidence": finding.confidence.value,
        "rule": finding.rule,
        "name": finding.name,
        "device": occurrence.device,
        "subjects": compress(map(one_line, occurrence.subjects)),
        "message": message_of(finding, occurrence),
        "consequence": finding.consequence,
        "ports": len(occurrence.subjects),
        "fix": fix_text(finding, occurrence.device),
        "suppressed": f"{mark.by}: {mark.reason}" if mark is not None else "",
        "fingerprint": finding.fingerprint,
        **_place(occurrence.locations, places),
    }
    if pairs is not None:
        row["pairs_broken"] = pairs.hit
        row |= {"pairs_repaired": pairs.repaired} if pairs.repaired is not None else {}
    return row


def _unknown(unknown: UnknownGroup, places: Places) -> Row:
    return {
        "kind": "unknown",
        "rule": unknown.rule,
        "device": unknown.device,
        "subjects": compress(map(one_line, unknown.subjects)),
        "message": unknown.missing,
        "ports": len(unknown.subjects),
        **_place(unknown.locations, places),
    }


def _place(locations: Iterable[Location], places: Places) -> Row:
    for place in known_places(locations)[:1]:
        line: Row = {"line": place.line} if place.line > 0 else {}
        return {"file": clean(places.name(place.file)), "text": excerpt(place), **line}
    return {}


def _diagnostic(item: Diagnostic, places: Places) -> Row:
    row: Row = {"kind": "diagnostic", "name": item.kind, "message": item.message}
    row["severity"] = "error" if item.incomplete else "info"
    row["device"] = item.device or ""
    row["file"] = clean(places.name(item.file)) if item.file else ""
    return row | ({"line": item.line} if item.line else {})

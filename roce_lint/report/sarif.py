"""SARIF 2.1.0, for code scanning: one result for every device of a finding."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from roce_lint._version import __version__
from roce_lint.engine.finding import (
    Diagnostic,
    Finding,
    Occurrence,
    PathHop,
    Suppression,
    VerifiedFix,
)
from roce_lint.engine.page import RulePage, add_captions
from roce_lint.pipeline import Report
from roce_lint.report.blocks import SHOWN, at, remark_on
from roce_lint.report.places import Places, homes, known_places, outside
from roce_lint.report.selection import Options
from roce_lint.report.wording import (
    OUTSIDE,
    address,
    clean,
    escape_json,
    excerpt,
    fix_block,
    one_line,
    spell_occurrence,
)
from roce_lint.text.names import compress
from roce_lint.text.numbers import count
from roce_lint.text.source import Location

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}

_PROBLEMS = {"error": "error", "warning": "warning", "info": "recommendation"}

_PRECISION = {"stable": "high", "preview": "medium", "deprecated": "low"}
"""Precision for sorting and filtering alerts, from the stage of a rule."""

_BRACKET = re.compile(r"[\\\[\]]")
_ESCAPED = r"\\\g<0>"
"""The text of a link: SARIF 2.1.0, 3.11.6."""

Json = dict[str, Any]


def render(report: Report, options: Options) -> str:
    """The report as a SARIF log with one run."""
    places = Places(report.base, options.cwd)
    rules = _rules(report, options)
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    files = homes(report)
    results = [
        _result(finding, _place(occurrence, files), index, places, options)
        for finding in report.findings
        for occurrence in finding.occurrences
    ]
    run = {
        "tool": {"driver": {"name": "roce-lint", "version": __version__, "rules": rules}},
        "automationDetails": {"id": "roce-lint/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report, places)],
        "results": results,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return escape_json(json.dumps(log, indent=2, ensure_ascii=False)) + "\n"


def _rules(report: Report, options: Options) -> list[Json]:
    """All selected rules, and rules of findings without a page, by id.

    Only rules with findings include their whole page: all pages are close to a megabyte.
    """
    found = {finding.rule for finding in report.findings}
    rules = {page.id: _rule(page, options, found) for page in report.rules.values()}
    for finding in report.findings:
        rules.setdefault(finding.rule, {"id": finding.rule, "name": finding.name})
    return [rules[rule] for rule in sorted(rules)]


def _rule(page: RulePage, options: Options, found: set[str]) -> Json:
    url = address(options.help_url, page)
    wrong = clean(page.section("What is wrong")) or page.title
    guidance = {"text": clean(page.section("How to fix")) or wrong}
    if page.id in found:
        guidance["markdown"] = clean(add_captions(page.body))
    return {
        "id": page.id,
        "name": page.head.name,
        "shortDescription": {"text": clean(page.title)},
        "fullDescription": {"text": wrong},
        "help": guidance,
        **({"helpUri": url} if url else {}),
        "defaultConfiguration": {"level": _LEVELS[page.head.severity]},
        "properties": {
            "tags": ["roce", page.family],
            "stage": page.head.stage,
            "precision": _PRECISION[page.head.stage],
            "problem.severity": _PROBLEMS[page.head.severity],
        },
    }


def _result(
    finding: Finding,
    occurrence: Occurrence,
    index: dict[str, int],
    places: Places,
    options: Options,
) -> Json:
    found = known_places(occurrence.locations)
    cause = finding.fingerprint
    unique = hashlib.sha256(f"{cause}\0{clean(occurrence.device)}".encode()).hexdigest()[:32]
    result: Json = {
        "ruleId": finding.rule,
        "ruleIndex": index[finding.rule],
        "level": _LEVELS[finding.severity.label],
        "message": {"text": _message(finding, occurrence, found[1:], places)},
        # The line hash is ours: a finding that moves to another line stays the same alert.
        "partialFingerprints": {"primaryLocationLineHash": unique, "roceLintCause/v1": cause},
        "properties": {
            "device": clean(occurrence.device),
            "subjects": [clean(subject) for subject in occurrence.subjects],
            "confidence": finding.confidence.value,
        },
    }
    if found:
        result["locations"] = [_location(found[0], places)]
    if len(found) > 1:
        result["relatedLocations"] = [
            {"id": number, **_location(place, places), "message": {"text": _about(place)}}
            for number, place in enumerate(found[1:], 1)
        ]
    steps = [hop for hop in finding.path if hop.place is not None and known_places([hop.place])]
    if steps and occurrence is finding.occurrences[0]:
        result["codeFlows"] = [{"threadFlows": [{"locations": [_step(h, places) for h in steps]}]}]
    if occurrence.verified is not None and occurrence.verified.edits:
        result["fixes"] = [_fix(occurrence.verified, places)]
    if finding.suppressed is not None:
        result["suppressions"] = [_suppression(finding.suppressed)]
    if options.baseline is not None:
        old = options.baseline.knows(finding, occurrence)
        result["baselineState"] = "unchanged" if old else "new"
    return result


def _place(occurrence: Occurrence, files: dict[str, str]) -> Occurrence:
    """Place a result without a file in the device's first file: it would be hidden otherwise."""
    file = files.get(occurrence.device)
    if known_places(occurrence.locations) or file is None:
        return occurrence
    return replace(occurrence, locations=(Location(file, 0, ""),))


def _message(
    finding: Finding, occurrence: Occurrence, related: Sequence[Location], places: Places
) -> str:
    parts = [spell_occurrence(finding, occurrence)]
    if len(occurrence.subjects) > 1:
        parts.append(f"On {one_line(compress(occurrence.subjects))}.")
    parts += [f"Note: {one_line(note)}." for note in finding.notes]
    if remedy := fix_block(finding, occurrence.device):
        parts.append(f"Fix: {remedy}")
    text = "\n".join(parts).replace("](", "] (")  # device text must not become a link
    links = [
        f"[{_BRACKET.sub(_ESCAPED, at(place, places))}]({number})"
        for number, place in enumerate(related[:SHOWN], 1)
    ]
    return f"{text}\nSee {', '.join(links)}." if links else text


def _fix(fix: VerifiedFix, places: Places) -> Json:
    files: dict[str, list[Json]] = {}
    for file, edit in fix.edits:
        lines = "".join(f"{line}\n" for line in edit.lines)
        region = {"startLine": edit.first, "startColumn": 1, "endLine": edit.end, "endColumn": 1}
        replacement: Json = {"deletedRegion": region, "insertedContent": {"text": clean(lines)}}
        files.setdefault(uri(places.name(file)), []).append(replacement)
    return {
        "description": {"text": clean(fix.text)},
        "artifactChanges": [
            {"artifactLocation": {"uri": name}, "replacements": edits}
            for name, edits in files.items()
        ],
    }


def _step(hop: PathHop, places: Places) -> Json:
    ports = " > ".join(one_line(port) for port in (hop.into, hop.out) if port)
    place = hop.place or Location("", 0, "")
    unread = " (no configuration)" if hop.missing else ""
    text = clean(f"{one_line(hop.device)}{unread} {ports}")
    return {
        "location": {**_location(place, places), "message": {"text": text}},
        "importance": "essential" if hop.here else "important",
    }


def _about(place: Location) -> str:
    """Role and text of a place: the list of places is read without the files."""
    texts = [text for text in (excerpt(place), remark_on(place)) if text]
    return f"{place.role}: {' | '.join(texts)}" if texts else place.role


def _location(place: Location, places: Places) -> Json:
    physical: Json = {"artifactLocation": {"uri": uri(places.name(place.file))}}
    if place.line > 0:
        region: Json = {"startLine": place.line}
        if place.column is not None and place.column > 0:
            region["startColumn"] = place.column
        if place.text:
            region["snippet"] = {"text": clean(place.text)}
        physical["region"] = region
    return {"physicalLocation": physical}


def uri(file: str) -> str:
    """A file name as a relative URI reference."""
    return quote(file.encode("utf-8", "surrogatepass"), safe="/!-._~")


def _suppression(mark: Suppression) -> Json:
    until = f" (until {mark.expires})" if mark.expires else ""
    return {
        "kind": "inSource" if mark.by == "inline" else "external",
        "status": "accepted",
        "justification": f"{mark.by}: {clean(mark.reason)}{until}",
    }


def _invocation(report: Report, places: Places) -> Json:
    notifications = [_notification(item, places) for item in report.diagnostics]
    away = outside(report, places)
    if away:
        text = f"{count(len(away), 'file')} outside the working directory: {OUTSIDE}"
        notifications.append(
            {"descriptor": {"id": "outside-root"}, "level": "warning", "message": {"text": text}}
        )
    invocation: Json = {"executionSuccessful": not report.incomplete}
    if notifications:
        invocation["toolExecutionNotifications"] = notifications
    return invocation


def _notification(item: Diagnostic, places: Places) -> Json:
    notification: Json = {
        "descriptor": {"id": item.kind},
        "level": "error" if item.incomplete else "note",
        "message": {"text": clean(item.message)},
    }
    if item.file:
        notification["locations"] = [_location(Location(item.file, item.line or 0, ""), places)]
    return notification

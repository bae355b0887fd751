"""Markdown for comments and tickets: a table with folded details, and details of one finding."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

from roce_lint.engine.finding import Finding, Occurrence
from roce_lint.pipeline import Report
from roce_lint.report import summary, wording
from roce_lint.report.blocks import SHOWN, list_places, place_text
from roce_lint.report.layout import plain
from roce_lint.report.places import Places, known_places
from roce_lint.report.selection import Options, choose
from roce_lint.text.names import compress
from roce_lint.text.numbers import count
from roce_lint.text.template import render_report

LIMIT = 40
"""Default number of findings: a comment holds 65,536 characters."""

_MARKS = re.compile(r"[\\`*_{}\[\]#|~$]")


def render(report: Report, options: Options) -> str:
    """The report as Markdown."""
    places = Places(report.base, options.cwd)
    chosen = choose(
        report.findings, LIMIT if options.max_findings is None else options.max_findings
    )
    roles = {device.name: device.role for device in report.devices}
    repair = wording.best_repair(report.verdict)
    values = {
        "verdict": wording.verdict(report.verdict),
        "counted": wording.severities(report),
        "repair": wording.repair_text(repair, report.verdict) if repair else "",
        "causes": [f"{f.rule} {place_text(f, places)}" for f in repair.findings] if repair else [],
        "extent": wording.extent(report),
        "incomplete": report.incomplete,
        "findings": [_finding(finding, places, roles) for finding in chosen.shown],
        "left_out": chosen.remark,
        "missing": [item.text.strip() for item in summary.missing(report, options)],
        "diagnostics": [summary.diagnostic(item, places).text for item in report.diagnostics],
    }
    filters: dict[str, Callable[..., str]] = {
        "cell": cell,
        "code": code,
        "fence": fence,
        "html": html.escape,
    }
    return render_report("markdown.j2", values, filters)


def cell(text: str) -> str:
    """Escape text for Markdown and HTML, on one line, in a table or outside.

    The empty comment keeps an `@` in a name from mentioning somebody.
    """
    plain_text = (
        _MARKS.sub(r"\\\g<0>", wording.one_line(text)).replace("<", "&lt;").replace(">", "&gt;")
    )
    return plain_text.replace("@", "@<!-- -->")


def code(text: str) -> str:
    """A code span, delimited by more backticks than its content has."""
    line = wording.one_line(text).replace("|", "\\|")
    marks = "`" * (_longest(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{marks}{pad}{line}{pad}{marks}"


def fence(text: str, language: str = "text") -> str:
    """A code block, delimited by more backticks than its content has."""
    marks = "`" * max(_longest(text) + 1, 3)
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def _longest(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def _finding(finding: Finding, places: Places, roles: dict[str, str | None]) -> dict[str, Any]:
    devices = [occurrence.device for occurrence in finding.occurrences]
    breadth = ""
    if len(devices) > 1:
        breadth = f"On {wording.crowd(devices, roles)}: {compress(devices)}"
    elif len(finding.subjects) > 1:
        breadth = f"On {count(len(finding.subjects), 'port')}: {compress(finding.subjects)}"
    first = known_places(finding.occurrences[0].locations)
    shown = [place for place in first if place.role == "cause"][:SHOWN]
    shown += [place for place in first if place.role != "cause"][:SHOWN]
    return {
        "severity": finding.severity.label,
        "rule": finding.rule,
        "name": finding.name,
        "where": place_text(finding, places),
        "devices": len(devices),
        "text": wording.spell_finding(finding),
        "breadth": breadth,
        "places": plain(list_places(shown, places, indent=0)),
        "notes": finding.notes,
        "fix": "\n\n".join(_fix(finding)),
        "help": finding.help,
    }


def _fix(finding: Finding, device: str = "") -> Iterator[str]:
    """The verified fixes, else the commands or the change."""
    about, lines = wording.fix_lines(finding, device)
    verified = wording.verified_fixes(finding, device)
    if verified:
        yield "Fix, verified:"
        yield from (fence(text, "diff") for text in verified[:SHOWN])
    elif about:
        yield f"Fix: {cell(about)}"
        yield from [fence("\n".join(lines))] if lines else []


def details(finding: Finding, occurrence: Occurrence, places: Places) -> str:
    """Lines of a finding on one device, its impact and its fix."""
    found = known_places(occurrence.locations)
    shown = [place for place in found if place.role == "cause"][:SHOWN]
    shown += [place for place in found if place.role != "cause"][:SHOWN]
    parts = [fence(plain(list_places(shown, places, indent=0)))] if shown else []
    if finding.pairs is not None:
        parts.append(cell(wording.reach_of(finding.pairs)))
    parts += [f"Note: {cell(note)}" for note in finding.notes]
    parts += _fix(finding, occurrence.device)
    parts.append(f"Details and fix: {code(finding.help)}")
    return "\n\n".join(parts)

"""The report as one self-contained page: no network, no server, no second file.

Its content comes from configurations that anybody may have written, so the template escapes
everything, and a content policy lets the page run only its own script and load nothing.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from roce_lint._version import __version__
from roce_lint.engine.finding import Answer, Finding, Severity
from roce_lint.engine.page import RulePage
from roce_lint.pipeline import DeviceSummary, Report
from roce_lint.pipeline.gaps import collect_gaps
from roce_lint.pipeline.pair_matrix import matrices
from roce_lint.pipeline.placement import PageFindings, Placement, paths_of
from roce_lint.report import wording
from roce_lint.report.comparison import Comparison, compare_reports
from roce_lint.report.html.coverage import coverage, headline, order
from roce_lint.report.html.diagram import draw
from roce_lint.report.html.entries import Entries, classes, devices, entry_id, files, gaps
from roce_lint.report.places import WithinBase
from roce_lint.report.selection import Options, SelectedFindings, choose
from roce_lint.report.wording import clean
from roce_lint.resources import resource_dir
from roce_lint.text.numbers import count
from roce_lint.text.template import render_report

# Rule pages as blocks for the template.

_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_CODE = re.compile(r"`([^`]+)`")
_MARKS = re.compile(r"\*\*([^*]+)\*\*|\[([^\]]+)\]\([^)]*\)")

Span = tuple[str, bool]
"""A piece of text; True for code."""


@dataclass(slots=True, frozen=True)
class Block:
    """A paragraph, a list item, or lines of code."""

    kind: Literal["p", "li", "pre"]
    spans: list[Span]


@dataclass(slots=True, frozen=True)
class About:
    """Reference of a rule: its consequence and its fix."""

    id: str
    title: str
    why: list[Block]
    fix: list[Block]  # for the systems concerned
    other_fixes: list[Block]


def about(
    findings: list[Finding], pages: dict[str, RulePage], devices: list[DeviceSummary]
) -> list[About]:
    """References of the rules of some findings, by id; rules without a page are left out."""
    nos = {device.name: device.nos for device in devices}
    systems: dict[str, set[str]] = {}
    for finding in findings:
        found = {nos[each.device] for each in finding.occurrences if each.device in nos}
        systems.setdefault(finding.rule, set()).update(found)
    return [
        About(
            page.id,
            clean(page.title),
            blocks(page.section("Why it matters")),
            *_by_system(blocks(page.section("How to fix")), systems[page.id]),
        )
        for page in (pages[rule] for rule in sorted(systems) if rule in pages)
    ]


def _by_system(found: list[Block], systems: set[str]) -> tuple[list[Block], list[Block]]:
    """General text with the fixes for some systems, and the fixes for others."""
    items = [
        (wording.system_of(f"- {each.spans[0][0]}"), each)
        for each in found
        if each.kind == "li" and each.spans
    ]
    own = any(nos in systems for nos, _ in items)
    others = [each for nos, each in items if own and nos and nos not in systems]
    return [each for each in found if each not in others], others


def blocks(text: str) -> list[Block]:
    """Markdown as blocks: the subset used in rule pages, without HTML."""
    return [Block(kind, _spans(part, kind)) for kind, part in _parts(clean(text))]


def _parts(text: str) -> Iterator[tuple[Literal["p", "li", "pre"], str]]:
    kind: Literal["p", "li", "pre"] = "p"
    held: list[str] = []
    fence = ""
    for line in [*text.split("\n"), ""]:
        opens = _FENCE.match(line)
        begins = _ITEM.match(line) is not None
        if held and not fence and (opens or begins or not line.strip()):
            yield kind, " ".join(held)
            held, kind = [], "p"
        if fence:
            if opens and opens[1].startswith(fence):
                yield "pre", "\n".join(held)
                held, kind, fence = [], "p", ""
            else:
                held.append(line)
        elif opens:
            kind, fence = "pre", opens[1]
        elif line.strip():
            kind = "li" if begins else kind
            held.append(_ITEM.sub("", line).strip())
    if fence and held:
        yield "pre", "\n".join(held)


def _spans(text: str, kind: str) -> list[Span]:
    if kind == "pre":
        return [(text, True)]
    spans: list[Span] = []
    for number, part in enumerate(_CODE.split(text)):
        plain = part if number % 2 else _MARKS.sub(lambda found: found[1] or found[2], part)
        if plain:
            spans.append((plain, bool(number % 2)))
    return spans


FINDINGS = 2000
"""Default number of findings: a browser shows so many without delay."""

ON_PAPER = 40
"""Findings of the short table of a print, which has three pages before its appendix."""


def render(report: Report, options: Options) -> str:
    """The report as HTML."""
    limit = FINDINGS if options.max_findings is None else options.max_findings
    chosen = choose(report.findings, limit)
    ranked = sorted(chosen.shown, key=lambda f: (-f.severity, -(f.pairs.hit if f.pairs else 0)))
    places = WithinBase(report.base, options.cwd)
    page = PageFindings(report, ranked)
    paths = paths_of(report)
    plan = Placement(report, paths)
    drawn = draw(plan, page)
    entries = Entries(report, options, places, page, drawn)
    repair = wording.best_repair(report.verdict)
    beside = compare_reports(report, options.earlier) if options.earlier is not None else None
    assets = resource_dir("templates") / "report" / "html"
    style, script = ((assets / f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    values = {
        "style": style,
        "script": script,
        "policy": _policy(style, script),
        "version": __version__,
        "title": _title(report, options),
        "verdict": wording.verdict(report.verdict),
        "headline": headline(report.verdict),
        "answer": report.verdict.answer.value,
        "counted": f"{wording.severities(report)} in {wording.extent(report)}",
        "repair": wording.repair_text(repair, report.verdict) if repair else "",
        "causes": [entries.cause(finding) for finding in repair.findings] if repair else [],
        "cards": _cards(report),
        "coverage": coverage(report.verdict),
        "checked_all": report.verdict.judged == report.verdict.pairs,
        "order": order(report.verdict, entries.cause),
        "provenance": [(name, wording.one_line(value)) for name, value in options.provenance],
        "about": about(ranked, report.rules, report.devices),
        "beside": _comparison_words(beside, report) if beside is not None else None,
        "new_ids": {entry_id(f) for f in ranked if beside and f.fingerprint in beside.new},
        "explained": {finding.rule for finding in ranked} & report.rules.keys(),
        "empty": _empty(report, chosen),
        "good": report.verdict.answer is Answer.READY,
        "findings": [entries.of(number, finding) for number, finding in enumerate(ranked)],
        "on_paper": ON_PAPER,
        "accepted": [entries.acceptance(f, f.suppressed) for f in report.findings if f.suppressed],
        "left_out": chosen.remark,
        "drawing": drawn,
        "matrices": matrices(report, paths, page, plan),
        "classes": classes(report, places),
        "gaps": gaps(report),
        "devices": devices(report, page),
        "files": files(report, places),
        "incomplete": report.incomplete,
        "filters": {
            "rules": sorted(entries.rules.items()),
            "classes": entries.classes,
            "devices": list(enumerate(entries.devices)),
            "drawn": bool(drawn.nodes),
        },
    }
    return wording.clean(render_report("html/page.html.j2", values, {}))


def _policy(style: str, script: str) -> str:
    """Content policy: nothing is loaded; only the page's style and script are active."""
    own = f"style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _title(report: Report, options: Options) -> str:
    """Name of the checked folder, relative to the working directory."""
    folder = os.path.normpath(os.path.join(options.cwd, report.base))  # noqa: PTH118  (lexical)
    name = os.path.relpath(folder, options.cwd)
    return wording.one_line(os.path.basename(folder) if name.startswith(".") else name)  # noqa: PTH119


def _cards(report: Report) -> list[dict[str, Any]]:
    """The tiles at the top: label, number, and the colour they are shown in."""
    figures: list[tuple[str, str, int, str]] = [
        ("error", "errors", report.count(Severity.ERROR), "error"),
        ("missing input", "missing inputs", len(collect_gaps(report)), "unknown"),
        ("device", "devices", len(report.devices), ""),
    ]
    return [
        {"label": one if number == 1 else many, "number": number, "tone": tone}
        for one, many, number, tone in figures
    ]


def _comparison_words(found: Comparison, report: Report) -> dict[str, Any]:
    """Summary of a comparison, and the resolved findings."""
    then, now = found.earlier, report.verdict
    trend = (
        f"{now.broken:,} of {now.pairs:,} pairs broken; before {then.broken:,} of {then.pairs:,}"
    )
    return {
        "name": wording.one_line(then.name),
        "new": len(found.new),
        "stays": found.stays,
        "trend": trend,
        "gone": [
            {
                "severity": each.severity if each.severity in _SEVERITIES else "info",
                "rule": wording.one_line(each.rule),
                "text": wording.one_line(f"{each.device}: {each.message}"),
            }
            for each in found.gone
        ],
    }


_SEVERITIES = tuple(severity.label for severity in Severity)


def _empty(report: Report, chosen: SelectedFindings) -> str:
    """Text in place of findings if there are none."""
    if chosen.shown:
        return ""
    if not report.devices:
        return "Nothing was checked: no configuration was recognised."
    if not report.judged_ports:
        return "No port was checked: none is known to carry RoCE (see roce-lint show)."
    ports = count(report.judged_ports, "port checked", "ports checked")
    return f"{ports}, no fault found."

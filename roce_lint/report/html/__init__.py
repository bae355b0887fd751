"""The report as one page that needs nothing beside it: no network, no server, no second file.

Everything on it comes from configurations that anybody may have written, so the template escapes
whatever it is given, and a content policy lets the page run its own script and load nothing.
"""

from __future__ import annotations

import base64
import hashlib
import os
from typing import TYPE_CHECKING, Any

from roce_lint._version import __version__
from roce_lint.analysis.paths import all_paths_of
from roce_lint.engine.finding import Severity
from roce_lint.engine.verdict import Answer
from roce_lint.report import summary
from roce_lint.report.comparison import Comparison, compare_reports
from roce_lint.report.html.diagram import Drawing, draw
from roce_lint.report.html.entries import Entries, entry_id
from roce_lint.report.html.lists import classes, devices, files, gaps
from roce_lint.report.html.matrix import matrices
from roce_lint.report.html.plan import Plan
from roce_lint.report.html.prose import about
from roce_lint.report.html.severity import PageFindings
from roce_lint.report.html.shares import coverage, order
from roce_lint.report.options import Options
from roce_lint.report.places import WithinBase
from roce_lint.report.selection import SelectedFindings, choose
from roce_lint.report.wording import best_repair, clean, one_line, repair_text, severities, verdict
from roce_lint.resources import resource_dir
from roce_lint.text.numbers import count
from roce_lint.text.template import render_report

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

FINDINGS = 2000
"""Findings on a page where no number is asked for: what a browser shows without delay."""


ON_PAPER = 40
"""Findings of the short table of a print, which has three pages before its appendix."""


def render(report: Report, options: Options) -> str:
    """The report as HTML."""
    limit = FINDINGS if options.max_findings is None else options.max_findings
    chosen = choose(report.findings, limit)
    ranked = sorted(chosen.shown, key=lambda f: (-f.severity, -(f.pairs.hit if f.pairs else 0)))
    places = WithinBase(report.base, options.cwd)
    standing = PageFindings(report, ranked)
    paths = all_paths_of(report.analysis) if report.analysis is not None else None
    plan = Plan(report, paths)
    drawn = draw(plan, standing)
    entries = Entries(report, options, places, standing, drawn)
    repair = best_repair(report.verdict)
    beside = compare_reports(report, options.earlier) if options.earlier is not None else None
    style, script = _asset("page.css"), _asset("page.js")
    values = {
        "style": style,
        "script": script,
        "policy": _policy(style, script),
        "version": __version__,
        "title": _title(report, options),
        "verdict": verdict(report.verdict),
        "answer": report.verdict.answer.value,
        "counted": severities(report),
        "mend": repair_text(repair, report.verdict) if repair else "",
        "causes": [entries.cause(finding) for finding in repair.findings] if repair else [],
        "cards": _cards(report),
        "coverage": coverage(report.verdict),
        "order": order(report.verdict, entries.cause),
        "provenance": [(name, one_line(value)) for name, value in options.provenance],
        "about": about(ranked, report.rules, options.help_url),
        "beside": _comparison_words(beside, report) if beside is not None else None,
        "new_ids": {entry_id(f) for f in ranked if beside and f.fingerprint in beside.new},
        "told": {finding.rule for finding in ranked} & report.rules.keys(),
        "empty": _empty(report, chosen),
        "good": report.verdict.answer is Answer.READY,
        "findings": [entries.of(number, finding) for number, finding in enumerate(ranked)],
        "on_paper": ON_PAPER,
        "accepted": [entries.acceptance(f) for f in report.findings if f.suppressed is not None],
        "left_out": chosen.remark,
        "drawing": drawn,
        "matrices": matrices(report, paths, standing, plan),
        "classes": classes(report, places),
        "gaps": gaps(report),
        "devices": devices(report, standing),
        "files": files(report, places),
        "incomplete": report.incomplete,
        "filters": _filters(entries, drawn),
    }
    return clean(render_report("html/page.html.j2", values, {}))


def _asset(name: str) -> str:
    """A style sheet or script of ours, as it is put into the page."""
    return (resource_dir("templates") / "report" / "html" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing may be loaded, and only our own style and script may act."""
    rules = [
        "default-src 'none'",
        f"style-src '{_digest(style)}'",
        f"script-src '{_digest(script)}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(rules)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _title(report: Report, options: Options) -> str:
    """The judged folder as it is called from where the user stands."""
    folder = os.path.normpath(os.path.join(options.cwd, report.base))  # noqa: PTH118  (lexical)
    name = os.path.relpath(folder, options.cwd)
    return one_line(os.path.basename(folder) if name.startswith(".") else name)  # noqa: PTH119


def _cards(report: Report) -> list[dict[str, Any]]:
    """The figures at the top: label, number, and the colour they are shown in."""
    figures: list[tuple[str, str, int, str]] = [
        ("error", "errors", report.count(Severity.ERROR), "error"),
        ("warning", "warnings", report.count(Severity.WARNING), "warning"),
        ("info", "info", report.count(Severity.INFO), "info"),
        ("input missing", "inputs missing", len(summary.gaps(report)), "unknown"),
        ("device", "devices", len(report.devices), ""),
        ("link", "links", report.links, ""),
        ("port judged", "ports judged", report.judged_ports, ""),
        ("rule", "rules", len(report.rules), ""),
    ]
    return [
        {"label": one if number == 1 else many, "number": number, "tone": tone}
        for one, many, number, tone in figures
    ]


def _comparison_words(found: Comparison, report: Report) -> dict[str, Any]:
    """What a comparison comes to, in words, and the findings that are gone."""
    then, now = found.earlier, report.verdict
    trend = (
        f"{now.broken:,} of {now.pairs:,} pairs broken; before {then.broken:,} of {then.pairs:,}"
    )
    return {
        "name": one_line(then.name),
        "new": len(found.new),
        "stays": found.stays,
        "trend": trend,
        "gone": [
            {
                "severity": each.severity if each.severity in _SEVERITIES else "info",
                "rule": one_line(each.rule),
                "said": one_line(f"{each.device}: {each.message}"),
            }
            for each in found.gone
        ],
    }


_SEVERITIES = tuple(severity.label for severity in Severity)


def _empty(report: Report, chosen: SelectedFindings) -> str:
    """What stands where findings would, if there are none."""
    if chosen.shown:
        return ""
    if not report.devices:
        return "Nothing was judged: no configuration was recognised."
    if not report.judged_ports:
        return "No port was judged: none is known to carry RoCE (roce-lint show tells why)."
    ports = count(report.judged_ports, "judged port")
    return f"No fault was found on {ports}."


def _filters(entries: Entries, drawn: Drawing) -> dict[str, Any]:
    """What can be chosen: rules, classes and devices that findings are about."""
    return {
        "rules": sorted(entries.rules.items()),
        "classes": entries.classes,
        "devices": list(enumerate(entries.devices)),
        "drawn": bool(drawn.nodes),
    }

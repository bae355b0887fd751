"""Reporters: each formats a Report as text in one format."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from roce_lint.engine.border import Crash, border
from roce_lint.engine.finding import Certainty, Finding, Occurrence
from roce_lint.report.selection import GROUPINGS, Options

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

T = TypeVar("T")

FORMATS = {
    "text": "roce_lint.report.text",
    "concise": "roce_lint.report.concise",
    "json": "roce_lint.report.json",
    "jsonl": "roce_lint.report.jsonl",
    "csv": "roce_lint.report.csv",
    "sarif": "roce_lint.report.sarif",
    "junit": "roce_lint.report.junit",
    "github": "roce_lint.report.github",
    "gitlab": "roce_lint.report.gitlab",
    "markdown": "roce_lint.report.markdown",
    "html": "roce_lint.report.html",
}
"""Public format names and the modules that write them, imported on demand."""


def render(name: str, report: Report, options: Options) -> str:
    """Format the report as `name`, one of FORMATS.

    A finding that cannot be shown is replaced, in the report itself, by a stand-in.
    """
    module = importlib.import_module(FORMATS[name])

    def written(shown: Report) -> str:
        text: str = module.render(shown, options)
        return text

    from roce_lint.budget import pause_collection  # noqa: PLC0415  (who has a report has it)

    with pause_collection():
        return guard(written, report)


# Isolation of findings that crash a reporter: the rest of the report is still written.


def guard(make: Callable[[Report], T], report: Report) -> T:
    """Return `make(report)`. If it fails because of single findings, replace them in the report by
    stand-ins and mark the answer incomplete.

    Raises:
        Exception: what `make` raises for a report without findings: no finding is to blame.
    """
    made: list[T] = []
    with border([], "to show the report"):
        made.append(make(report))
    if made:
        return made[0]
    lost = dict(_find_lost(make, report, report.findings))
    report.findings = [
        _stand_in(finding, lost[id(finding)]) if id(finding) in lost else finding
        for finding in report.findings
    ]
    report.diagnostics = [*report.diagnostics, *(crash.diagnostic("") for crash in lost.values())]
    return make(report)


def _find_lost(
    make: Callable[[Report], object], report: Report, findings: list[Finding]
) -> Iterator[tuple[int, Crash]]:
    """Findings that alone cannot be shown, by identity; found by bisection."""
    crashes: list[Crash] = []
    name = findings[0].rule if len(findings) == 1 else ""
    with border(crashes, f"to show a finding of {name}", name):
        make(replace(report, findings=findings))
    if not crashes:
        return
    if len(findings) == 1:
        yield id(findings[0]), crashes[0]
        return
    half = len(findings) // 2
    for part in (findings[:half], findings[half:]) if findings else ():
        yield from _find_lost(make, report, part)


def _stand_in(finding: Finding, crash: Crash) -> Finding:
    """Stand-in for a finding, with its rule and device only."""
    device = ascii(finding.device)[1:-1]
    return Finding(
        rule=finding.rule,
        name=finding.name,
        severity=finding.severity,
        confidence=Certainty.LOW,
        message=f"a finding that cannot be shown: {crash.text}",
        consequence="its content is unknown",
        occurrences=(Occurrence(device, (), ()),),
        fingerprint=finding.fingerprint,
        help=finding.help,
        suppressed=finding.suppressed,
    )


__all__ = ["FORMATS", "GROUPINGS", "Options", "guard", "render"]

"""Which findings a report for people shows, and how many it leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from roce_lint.engine.finding import Certainty, Diagnostic, Finding, Severity
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

LEFT_OUT = "left-out"
"""Kind of the remark on findings that are not shown because nobody asked for them."""


@dataclass(slots=True, frozen=True)
class SelectedFindings:
    """Findings that are shown, in the order of the report, and those that are not."""

    shown: list[Finding]
    left_out: list[Finding]

    @property
    def remark(self) -> str:
        """How many were left out, by severity; empty when none was."""
        if not self.left_out:
            return ""
        parts = []
        for severity in sorted(Severity, reverse=True):
            number = sum(1 for finding in self.left_out if finding.severity is severity)
            if number:
                plural = "info" if severity is Severity.INFO else ""
                parts.append(count(number, severity.label, plural))
        return f"{count(len(self.left_out), 'more finding')} not shown ({', '.join(parts)})"


def choose(
    findings: Iterable[Finding], limit: int | None, *, suppressed: bool = False
) -> SelectedFindings:
    """At most `limit` findings: the gravest first, then those on the most ports."""
    wanted = [finding for finding in findings if suppressed or finding.suppressed is None]
    if limit is None or len(wanted) <= limit:
        return SelectedFindings(wanted, [])
    ranked = sorted(range(len(wanted)), key=lambda n: (-wanted[n].severity, -wanted[n].ports, n))
    kept = set(ranked[:limit])
    return SelectedFindings(
        [finding for n, finding in enumerate(wanted) if n in kept],
        [finding for n, finding in enumerate(wanted) if n not in kept],
    )


def at_least(report: Report, severity: str | None, confidence: str | None) -> Report:
    """The report without findings that are milder or less sure, and with a remark on how many.

    Counts of the verdict stay as they are: the pairs are broken whatever is shown.
    """
    lowest = Severity[severity.upper()] if severity is not None else Severity.INFO

    def wanted(finding: Finding) -> bool:
        sure = confidence != "high" or finding.confidence is Certainty.HIGH
        return finding.severity >= lowest and sure

    kept = [finding for finding in report.findings if wanted(finding)]
    left = SelectedFindings(kept, [finding for finding in report.findings if not wanted(finding)])
    if not left.left_out:
        return report
    asked = {"--min-severity": severity, "--min-confidence": confidence}
    why = ", ".join(f"{option} {value}" for option, value in asked.items() if value)
    remark = Diagnostic("", LEFT_OUT, f"{why}: {left.remark}", incomplete=False)
    return replace(report, findings=kept, diagnostics=[*report.diagnostics, remark])

"""Options of a report, and the selection of findings that it shows to people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from roce_lint.engine.finding import Certainty, Diagnostic, Finding, Severity
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.engine.baseline import Baseline
    from roce_lint.pipeline import Report
    from roce_lint.report.comparison import Earlier

LEFT_OUT = "left-out"
"""Kind of the remark on findings hidden by options."""


@dataclass(slots=True, frozen=True)
class SelectedFindings:
    """Shown findings, in the order of the report, and hidden ones."""

    shown: list[Finding]
    left_out: list[Finding]

    @property
    def remark(self) -> str:
        """Number of hidden findings by severity; empty if none."""
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
    """At most `limit` findings: the most severe first, then those on the most ports."""
    eligible = [finding for finding in findings if suppressed or finding.suppressed is None]
    if limit is None or len(eligible) <= limit:
        return SelectedFindings(eligible, [])
    order = sorted(eligible, key=lambda finding: (-finding.severity, -finding.ports))
    chosen = {id(finding) for finding in order[:limit]}
    return SelectedFindings(
        [finding for finding in eligible if id(finding) in chosen],
        [finding for finding in eligible if id(finding) not in chosen],
    )


def at_least(report: Report, severity: str | None, confidence: str | None) -> Report:
    """The report without findings of lower severity or confidence, with a remark on their number.

    Counts of the verdict are unchanged: the pairs are broken whatever is shown.
    """
    lowest = Severity[severity.upper()] if severity is not None else Severity.INFO

    def is_shown(finding: Finding) -> bool:
        sure = confidence != "high" or finding.confidence is Certainty.HIGH
        return finding.severity >= lowest and sure

    shown = [finding for finding in report.findings if is_shown(finding)]
    left = SelectedFindings(shown, [each for each in report.findings if not is_shown(each)])
    if not left.left_out:
        return report
    filters = {"--min-severity": severity, "--min-confidence": confidence}
    why = ", ".join(f"{option} {value}" for option, value in filters.items() if value)
    remark = Diagnostic("", LEFT_OUT, f"{why}: {left.remark}", incomplete=False)
    return replace(report, findings=shown, diagnostics=[*report.diagnostics, remark])


GROUPINGS = ("cause", "rule", "device")


@dataclass(slots=True, frozen=True, kw_only=True)
class Options:
    """Options of a report. The same report and options give the same bytes.

    `cwd` is the folder that file names of text formats are made relative to. `max_findings` and
    `group_by` are for people: machine formats always hold everything.
    """

    cwd: str
    verbose: bool = False  # all places, suppressed findings, tracebacks
    show_unknown: bool = False
    all_gaps: bool = False  # include inputs that only hosts provide
    group_by: str = "cause"
    max_findings: int | None = None
    baseline: Baseline | None = None  # known findings: SARIF marks the new ones
    fail_on: str = "error"  # lowest severity that fails, or "never"
    help_url: str = ""  # address of published rule pages, with {path}, {page} or {id}
    color: bool = False
    terminal: bool = False  # interactive: most severe last, with surrounding lines
    width: int = 100  # columns at which lines are folded, on a terminal or with `color`
    provenance: tuple[tuple[str, str], ...] = ()  # for the head of a page: name and value
    earlier: Earlier | None = None  # an earlier report that a page compares with
    passed: bool = False  # the run ends with status 0, and no verdict was required
    statistics: bool = False  # counts per rule instead of findings

"""What the site of a run accepts: its waivers and its baseline, and what is to be said of them."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint.engine.baseline import UNUSED, Baseline, baseline_text
from roce_lint.engine.finding import Diagnostic, Finding, Severity
from roce_lint.engine.ignores import finding_of_unused
from roce_lint.engine.waivers import HIDING, Waivers

if TYPE_CHECKING:
    from roce_lint.pipeline import Report
    from roce_lint.settings import Settings


class AcceptanceRun:
    """Marks what is waived or known; keeps all that was found, for a baseline and for remarks."""

    def __init__(self, settings: Settings, baseline: Baseline | None, today: date | None) -> None:
        self._settings = settings
        self._baseline = baseline
        self._waivers = Waivers(settings.waivers, today or date.today())  # noqa: DTZ011  (the user's)
        self._told: list[Finding] = []

    def __call__(self, findings: list[Finding]) -> list[Finding]:
        """The findings, those marked that are accepted."""
        self._told = [part for finding in findings for part in self._waivers.mark(finding)]
        if self._baseline is not None:
            self._told = self._baseline.apply(self._told)
        return self._told

    def baseline(self, report: Report) -> str:
        """The text of a baseline of all that was found on the devices of a report."""
        wanted = {"", *(device.name for device in report.devices)}
        kept = (
            (f, [o for o in f.occurrences if not report.part or o.device in wanted])
            for f in self._told
        )
        return baseline_text(finding.restrict(found) for finding, found in kept if found)

    def tell(self, report: Report, file: Path | None, *, whole: bool) -> None:
        """Add to a report what is to be said of waivers, and of the baseline in a file: findings
        of their rule, or remarks where that is not judged. `whole`: all rules were, on all devices.
        """
        named = os.path.relpath(self._settings.path, report.base) if self._settings.path else ""
        judged = set(report.rules) if whole else None
        remarks = self._waivers.remarks(self._settings, judged, named)
        gone = (
            self._baseline.count_gone(self._told, report.rules) if self._baseline and whole else 0
        )
        if gone:
            what = "1 entry matches" if gone == 1 else f"{gone} entries match"
            message = f"{what} no finding any more: refresh the baseline with --write-baseline"
            name = os.path.relpath(file or "", report.base)
            remarks.append(
                Diagnostic(name, "baseline", message, incomplete=False, consequence=HIDING)
            )
        _tell(report, self._settings, remarks)


def _tell(report: Report, settings: Settings, remarks: list[Diagnostic]) -> None:
    page = report.rules.get(UNUSED)
    if page is None:
        report.diagnostics = [*report.diagnostics, *remarks]
        return
    own = settings.rules.get(UNUSED)
    severity = Severity[own.severity.upper()] if own and own.severity else page.severity
    found = {finding.fingerprint: finding for finding in report.findings}
    for remark in remarks:
        finding = finding_of_unused(remark, page, severity)
        if finding.fingerprint not in found:  # two waivers alike say one thing
            found[finding.fingerprint] = finding
            report.findings = [*report.findings, finding]

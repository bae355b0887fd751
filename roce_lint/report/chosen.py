"""Which findings a report for people shows, and how many it leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from roce_lint.engine.finding import Finding, Severity
from roce_lint.report.wording import count


@dataclass(slots=True, frozen=True)
class Chosen:
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


def choose(findings: Iterable[Finding], limit: int | None, *, suppressed: bool = False) -> Chosen:
    """At most `limit` findings: the gravest first, then those on the most ports."""
    wanted = [finding for finding in findings if suppressed or finding.suppressed is None]
    if limit is None or len(wanted) <= limit:
        return Chosen(wanted, [])
    ranked = sorted(range(len(wanted)), key=lambda n: (-wanted[n].severity, -wanted[n].ports, n))
    kept = set(ranked[:limit])
    return Chosen(
        [finding for n, finding in enumerate(wanted) if n in kept],
        [finding for n, finding in enumerate(wanted) if n not in kept],
    )

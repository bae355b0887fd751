"""How often each rule was broken (--statistics): a line a rule, the most frequent last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roce_lint.engine.finding import Finding
from roce_lint.report.blocks import devices_in, style_of
from roce_lint.report.layout import Line, line
from roce_lint.report.wording import crowd
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.pipeline import Report


def statistics(report: Report, roles: dict[str, str | None]) -> Iterator[Line]:
    """Causes, ports and devices of every rule that has a finding that is not suppressed."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if finding.suppressed is None:
            by_rule.setdefault(finding.rule, []).append(finding)
    ordered = sorted(
        by_rule.values(),
        key=lambda group: (max(f.severity for f in group), len(group), group[0].rule),
    )
    causes = max((len(group) for group in ordered), default=0)
    for group in ordered:
        gravest = max(group, key=lambda finding: finding.severity)
        ports = sum(finding.ports for finding in group)
        yield line(
            f"{len(group):>{len(str(causes))}}  ",
            (f"{gravest.severity.label:<7}", style_of(gravest)),
            (f"  {group[0].rule}", "rule"),
            f" {group[0].name}: {count(ports, 'port')} on {crowd(devices_in(group), roles)}",
        )

"""How far a finding reaches: the pairs of NICs whose packets pass the ports it stands on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roce_lint.analysis.impact import Acts, Impact, Port
from roce_lint.analysis.paths import Paths
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.scope import wires
from roce_lint.engine.finding import Finding, Pairs, Severity
from roce_lint.engine.page import RulePage


def with_pairs(findings: list[Finding], analysis: Analysis, pages: list[RulePage]) -> list[Finding]:
    """The findings, those on ports of known paths with the pairs of NICs they reach.

    Infos say nothing against a path and get none.
    """
    if not any(_counts(finding) for finding in findings):
        return findings
    impact = Impact(Paths(analysis))
    if not impact.pairs:
        return findings
    acts: dict[str, Acts] = {page.id: page.head.acts for page in pages}
    return [
        _reached(finding, analysis, impact, acts.get(finding.rule, "both"))
        if _counts(finding)
        else finding
        for finding in findings
    ]


def _counts(finding: Finding) -> bool:
    return finding.severity is not Severity.INFO and finding.suppressed is None


def _reached(finding: Finding, analysis: Analysis, impact: Impact, acts: Acts) -> Finding:
    hit = impact.through((port, acts) for port in _ports(finding, analysis))
    return replace(finding, pairs=Pairs(hit, impact.pairs)) if hit else finding


def _ports(finding: Finding, analysis: Analysis) -> Iterator[Port]:
    """The judged ports among the subjects; an RDMA device stands for the ports of its wires."""
    for occurrence in finding.occurrences:
        device = analysis.fabric.devices.get(occurrence.device)
        if device is None:
            continue
        for subject in occurrence.subjects:
            nic = device.nics.get(subject)
            names = wires(device, nic) if nic is not None else (subject,)
            for name in names:
                if analysis.port(device.hostname, name) is not None:
                    yield device.hostname, name

"""Two leaves of one NOS with a host each, checked as a fabric, for tests of any NOS.

The hosts send RoCE with DSCP 26, use PFC priority 3, CNP DSCP 48 and MTU 9000.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from roce_lint.engine.finding import Severity
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from tests.conftest import ROOT

HOSTS = ROOT / "tests" / "fabrics" / "cnp-with-network-control" / "fabric" / "hosts"

Found = list[tuple[str, str, str, int]]
"""Severity, rule, file and line of every cause."""


def judged(folder: Path, leaf: str, port: str, uplink: str, changes: dict[str, str]) -> Report:
    """Report on leaf1 with `changes` to its text, and on an unchanged leaf2."""
    (folder / "links.yaml").write_text(
        f"- [leaf1:{port}, gpu1:ens1np0]\n"
        f"- [leaf2:{port}, gpu2:ens1np0]\n"
        f"- [leaf1:{uplink}, leaf2:{uplink}]\n"
    )
    changed = leaf
    for old, new in changes.items():
        assert old in changed, old
        changed = changed.replace(old, new)
    (folder / "leaf1.cfg").write_text(changed)
    (folder / "leaf2.cfg").write_text(leaf.replace("leaf1", "leaf2"))
    for host in ("gpu1", "gpu2"):
        shutil.copytree(HOSTS / host, folder / "hosts" / host)
    return run(Request(paths=(str(folder),), cache=False), Settings())


def causes(report: Report, least: Severity = Severity.WARNING) -> Found:
    """The causes of all findings from a severity on."""
    return sorted(
        (finding.severity.label, finding.rule, place.file, place.line)
        for finding in report.findings
        if finding.severity >= least
        for occurrence in finding.occurrences
        for place in occurrence.locations
        if place.role == "cause"
    )

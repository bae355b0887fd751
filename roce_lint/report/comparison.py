"""Comparison with an earlier report (--compare): new and resolved findings, and the trend."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roce_lint.errors import UsageError
from roce_lint.pipeline import Report
from roce_lint.report.json_model import SCHEMA

SIZE_LIMIT = 256 << 20
"""Maximum bytes of an earlier report."""


@dataclass(slots=True, frozen=True)
class Before:
    """One cause of an earlier report."""

    fingerprint: str
    severity: str
    rule: str
    device: str
    message: str


@dataclass(slots=True, frozen=True)
class Earlier:
    """Findings of an earlier report, without suppressed ones."""

    name: str
    findings: tuple[Before, ...]
    pairs: int
    broken: int


@dataclass(slots=True, frozen=True)
class Comparison:
    """Differences between this run and an earlier one."""

    earlier: Earlier
    new: frozenset[str]  # fingerprints
    gone: tuple[Before, ...]
    stays: int


def read_earlier(path: Path) -> Earlier:
    """Read a JSON report of this tool.

    Raises:
        UsageError: it cannot be read, or is not such a report.
    """
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise UsageError(error.strerror or str(error), location=str(path)) from None
    if len(data) > SIZE_LIMIT:
        raise UsageError(f"longer than {SIZE_LIMIT >> 20} MiB", location=str(path))
    refusal = UsageError("not a JSON report of roce-lint (--format json)", location=str(path))
    try:
        report = json.loads(data)
        if report["schema"] != SCHEMA:
            raise refusal
        found = tuple(_before(each) for each in report["findings"] if each["suppressed"] is None)
        summary = report["summary"]
        pairs, broken = summary["pairs"], summary["pairs_broken"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise refusal from None
    if not (isinstance(pairs, int) and isinstance(broken, int)):
        raise refusal
    return Earlier(path.name, found, pairs, broken)


def _before(entry: dict[str, Any]) -> Before:
    names = ("fingerprint", "severity", "rule", "device", "message")
    return Before(*(str(entry[name]) for name in names))


def compare_reports(report: Report, earlier: Earlier) -> Comparison:
    """Compare the findings of a report with an earlier one, by fingerprint."""
    now = {f.fingerprint for f in report.findings if f.suppressed is None}
    then = {each.fingerprint for each in earlier.findings}
    gone = tuple(each for each in earlier.findings if each.fingerprint not in now)
    return Comparison(earlier, frozenset(now - then), gone, len(now & then))

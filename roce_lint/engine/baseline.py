"""Baselines: the findings a site already knows, kept as fingerprints in a JSON file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from roce_lint.engine.finding import Finding, Suppression
from roce_lint.errors import UsageError

SCHEMA = "roce-lint/baseline/1"

BY = "baseline"


@dataclass(slots=True, frozen=True)
class Baseline:
    """Known fingerprints, with the rule each belongs to."""

    name: str
    known: dict[str, str]

    def apply(self, findings: Iterable[Finding]) -> list[Finding]:
        """Mark the findings that are known."""
        mark = Suppression(BY, f"known: {self.name}")
        return [
            replace(finding, suppressed=mark)
            if finding.suppressed is None and finding.fingerprint in self.known
            else finding
            for finding in findings
        ]

    def gone(self, findings: Iterable[Finding], judged: Iterable[str]) -> int:
        """How many known findings of the judged rules are no longer found."""
        rules = set(judged)
        missing = set(self.known) - {finding.fingerprint for finding in findings}
        return sum(1 for fingerprint in missing if self.known[fingerprint] in rules)


def read_baseline(path: Path) -> Baseline:
    """Read a baseline file.

    Raises:
        UsageError: it cannot be read or is no baseline.
    """
    try:
        data = json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise UsageError(error.strerror or str(error), location=str(path)) from None
    except (ValueError, RecursionError):
        raise _not_one(path) from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise _not_one(path)
    entries = data.get("findings")
    if not isinstance(entries, list):
        raise _not_one(path)
    known = {}
    for entry in entries:
        if not isinstance(entry, dict):
            raise _not_one(path)
        fingerprint, rule = entry.get("fingerprint"), entry.get("rule")
        if not isinstance(fingerprint, str) or not isinstance(rule, str):
            raise _not_one(path)
        known[fingerprint] = rule
    return Baseline(path.name, known)


def _not_one(path: Path) -> UsageError:
    hint = "--write-baseline makes one"
    return UsageError(f"is no baseline ({SCHEMA})", location=str(path), hint=hint)


def baseline_text(findings: Iterable[Finding]) -> str:
    """The text of a baseline that knows these findings.

    Findings suppressed for another reason are left out: the reason may end. The message is there
    for whoever reviews the file; only the fingerprint counts.
    """
    entries = sorted(
        (
            {
                "fingerprint": finding.fingerprint,
                "rule": finding.rule,
                "device": finding.device,
                "message": finding.message,
            }
            for finding in findings
            if finding.suppressed is None or finding.suppressed.by == BY
        ),
        key=lambda entry: (entry["rule"], entry["device"], entry["fingerprint"]),
    )
    return json.dumps({"schema": SCHEMA, "findings": entries}, indent=2) + "\n"

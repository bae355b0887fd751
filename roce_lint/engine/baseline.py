"""Baselines: the findings a site already knows, kept as fingerprints in a JSON file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roce_lint.engine.finding import Finding, Suppression
from roce_lint.errors import UsageError

SCHEMA = "roce-lint/baseline/1"

BY = "baseline"

SIZE_LIMIT = 256 << 20
"""Bytes of a baseline; one that knows 100,000 findings has 40 MB."""

CRASHES = ("SRC900", "SRC901")
"""A rule or reader that crashed is never known and done with: its answer is missing every time."""


UNUSED = "SRC005"
"""The rule of an ignore, waiver or known finding that covers nothing."""

PART = "#known"
"""Added to the fingerprint of the known part of a finding that has come to further devices."""


@dataclass(slots=True, frozen=True)
class Known:
    """One known cause: the rule it breaks and the devices it is known on."""

    rule: str
    devices: frozenset[str]


@dataclass(slots=True, frozen=True)
class Baseline:
    """Known causes by fingerprint."""

    name: str
    known: dict[str, Known]

    def apply(self, findings: Iterable[Finding]) -> list[Finding]:
        """Mark the findings that are known. On a device where it is not, a known one is new."""
        return [part for finding in findings for part in self._split(finding)]

    def _split(self, finding: Finding) -> list[Finding]:
        entry = self.known.get(finding.fingerprint)
        if entry is None or finding.suppressed is not None or finding.rule in CRASHES:
            return [finding]
        mark = Suppression(BY, f"known: {self.name}")
        old = [o for o in finding.occurrences if o.device in entry.devices]
        new = [o for o in finding.occurrences if o.device not in entry.devices]
        if not new:
            return [replace(finding, suppressed=mark)]
        if not old:
            return [finding]
        known = replace(finding.only(old), suppressed=mark, fingerprint=finding.fingerprint + PART)
        return [finding.only(new), known]

    def knows(self, finding: Finding, device: str) -> bool:
        """Whether a finding is known on a device."""
        entry = self.known.get(finding.fingerprint.split("#")[0])
        return entry is not None and device in entry.devices

    def gone(self, findings: Iterable[Finding], judged: Iterable[str]) -> int:
        """How many known findings of the judged rules are no longer found on any device."""
        rules = set(judged)
        missing = set(self.known) - {_cause(finding) for finding in findings}
        return sum(1 for fingerprint in missing if self.known[fingerprint].rule in rules)


def _cause(finding: Finding) -> str:
    return finding.fingerprint.removesuffix(PART)


def read_baseline(path: Path) -> Baseline:
    """Read a baseline file.

    Raises:
        UsageError: it cannot be read or is no baseline.
    """
    try:
        with path.open("rb") as file:
            text = file.read(SIZE_LIMIT + 1)
        if len(text) > SIZE_LIMIT:
            raise UsageError(f"larger than {SIZE_LIMIT >> 20} MiB", location=str(path))
        data = json.loads(text.decode("utf-8"))
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
        devices = entry.get("devices")
        if not isinstance(fingerprint, str) or not isinstance(rule, str):
            raise _not_one(path)
        if not isinstance(devices, list) or not all(isinstance(name, str) for name in devices):
            raise _not_one(path)
        known[fingerprint] = Known(rule, frozenset(devices))
    return Baseline(path.name, known)


def _not_one(path: Path) -> UsageError:
    hint = "--write-baseline makes one"
    return UsageError(f"is no baseline ({SCHEMA})", location=str(path), hint=hint)


def baseline_text(findings: Iterable[Finding]) -> str:
    """The text of a baseline that knows these findings.

    Findings suppressed for another reason are left out: the reason may end; crashes, which no
    baseline may hide; and what is said about waivers and baselines themselves. The message is
    there for whoever reviews the file; only the fingerprint and the devices count.
    """
    entries: dict[str, dict[str, Any]] = {}
    for finding in findings:
        if finding.suppressed is not None and finding.suppressed.by != BY:
            continue
        if finding.rule in CRASHES or (finding.rule == UNUSED and not finding.device):
            continue
        entry = entries.setdefault(
            _cause(finding),
            {
                "fingerprint": _cause(finding),
                "rule": finding.rule,
                "devices": [],
                "message": finding.message,
            },
        )
        devices = {occurrence.device for occurrence in finding.occurrences}
        entry["devices"] = sorted(devices.union(entry["devices"]))
    ordered = sorted(
        entries.values(), key=lambda entry: (entry["rule"], entry["devices"], entry["fingerprint"])
    )
    return json.dumps({"schema": SCHEMA, "findings": ordered}, indent=2) + "\n"

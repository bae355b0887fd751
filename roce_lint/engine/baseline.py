"""Baselines: known findings of a site, stored as fingerprints in a JSON file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roce_lint.engine.finding import Finding, Occurrence, Severity, Suppression
from roce_lint.errors import UsageError

SCHEMA = "roce-lint/baseline/1"

WHOLE = "folded"
"""JSON field: True if the file also lists findings that were folded into others."""

BY = "baseline"

SIZE_LIMIT = 256 << 20
"""Maximum bytes of a baseline; one with 100,000 findings has 40 MB."""

CRASHES = ("SRC900", "SRC901")
"""Rules that no baseline may hide: a crash leaves the answer incomplete every time."""


UNUSED = "SRC005"
"""Rule for an ignore, waiver or known finding that matches nothing."""

SHOWN = 3
"""New ports listed in a note."""

PART = "#known"
"""Suffix of the fingerprint of the known part of a finding that has spread to other devices."""


@dataclass(slots=True, frozen=True)
class KnownCause:
    """One known cause: its rule, severity, devices and ports.

    `ports` are by device; None for an older file, which names devices only: then all their ports
    are known. A severity of None matches any severity.
    """

    rule: str
    devices: frozenset[str]
    ports: dict[str, frozenset[str]] | None = None
    severity: Severity | None = None

    def new(self, occurrence: Occurrence) -> tuple[str, ...]:
        """Ports (or other subjects) of an occurrence that are not known."""
        if self.ports is None:
            return ()
        known = self.ports.get(occurrence.device, frozenset())
        return tuple(subject for subject in occurrence.subjects if subject not in known)


@dataclass(slots=True, frozen=True)
class Baseline:
    """Known causes by fingerprint."""

    name: str
    known: dict[str, KnownCause]
    whole: bool = True
    """False for an older file, which does not list folded findings: a known cause then also covers
    its consequences.
    """

    def apply(self, findings: Iterable[Finding]) -> list[Finding]:
        """Mark known findings; on a device where it is not known, a finding is new."""
        return [part for finding in findings for part in self._split(finding)]

    def _split(self, finding: Finding) -> list[Finding]:
        entry = self.known.get(cause_of(finding))
        if entry is None or finding.suppressed is not None or finding.rule in CRASHES:
            return [finding]
        if entry.severity is not None and finding.severity > entry.severity:
            note = f"known as {entry.severity.label}, more severe now"
            return [replace(finding, notes=(*finding.notes, note))]
        mark = Suppression(BY, f"known: {self.name}", takes=not self.whole)
        old: list[Occurrence] = []
        new: list[Occurrence] = []
        for occurrence in finding.occurrences:
            grown = entry.new(occurrence)
            known = tuple(subject for subject in occurrence.subjects if subject not in grown)
            if occurrence.device not in entry.devices or (grown and not known):
                new.append(occurrence)
                continue
            old.append(replace(occurrence, subjects=known) if grown else occurrence)
            if grown:
                new.append(replace(occurrence, subjects=grown))
        if not new:
            return [replace(finding, suppressed=mark)]
        if not old:
            return [finding]
        known_part = replace(
            finding.restrict(old) if len(old) < len(finding.occurrences) else finding,
            occurrences=tuple(old),
            suppressed=mark,
            fingerprint=finding.fingerprint + PART,
        )
        return [_grown(finding, old, new), known_part]

    def knows(self, finding: Finding, occurrence: Occurrence) -> bool:
        """True if an occurrence is fully known, with at least this severity."""
        entry = self.known.get(cause_of(finding))
        if entry is None or occurrence.device not in entry.devices or entry.new(occurrence):
            return False
        return entry.severity is None or finding.severity <= entry.severity

    def count_gone(self, findings: Iterable[Finding], judged: Iterable[str]) -> int:
        """Number of known findings of the checked rules that are no longer found on any device."""
        rules = set(judged)
        missing = set(self.known) - {cause_of(finding) for finding in findings}
        return sum(1 for fingerprint in missing if self.known[fingerprint].rule in rules)


def _grown(finding: Finding, old: list[Occurrence], new: list[Occurrence]) -> Finding:
    """New part of a known finding, with a note on the known part."""
    counted = sum(len(occurrence.subjects) or 1 for occurrence in old)
    noun = "port" if all(occurrence.subjects for occurrence in old) else "place"
    first = f"{new[0].device} {', '.join(new[0].subjects[:SHOWN])}".strip()
    left = sum(len(occurrence.subjects) or 1 for occurrence in new)
    left -= len(new[0].subjects[:SHOWN]) or 1
    more = f" and {left} more" if left else ""
    note = f"known on {counted} {noun}{'' if counted == 1 else 's'}, new on {first}{more}"
    part = finding.restrict(new) if len(new) < len(finding.occurrences) else finding
    return replace(part, occurrences=tuple(new), notes=(*part.notes, note))


def cause_of(finding: Finding) -> str:
    """Fingerprint of the cause; the finding may be its known or its waived part."""
    return finding.fingerprint.partition("#")[0]


def read_baseline(path: Path) -> Baseline:
    """Read a baseline file.

    Raises:
        UsageError: it cannot be read or is not a baseline.
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
        raise _invalid(path) from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise _invalid(path)
    entries = data.get("findings")
    if not isinstance(entries, list):
        raise _invalid(path)
    known = {}
    for entry in entries:
        if not isinstance(entry, dict):
            raise _invalid(path)
        fingerprint, rule = entry.get("fingerprint"), entry.get("rule")
        devices = entry.get("devices")
        if not isinstance(fingerprint, str) or not isinstance(rule, str):
            raise _invalid(path)
        if not isinstance(devices, list) or not all(isinstance(name, str) for name in devices):
            raise _invalid(path)
        ports = _ports(entry.get("ports"), path)
        known[fingerprint] = KnownCause(rule, frozenset(devices), ports, _severity(entry, path))
    return Baseline(path.name, known, whole=data.get(WHOLE) is True)


def _ports(stated: object, path: Path) -> dict[str, frozenset[str]] | None:
    if stated is None:
        return None
    if not isinstance(stated, dict) or not all(
        isinstance(names, list) and all(isinstance(name, str) for name in names)
        for names in stated.values()
    ):
        raise _invalid(path)
    return {str(device): frozenset(names) for device, names in stated.items()}


def _severity(entry: dict[str, Any], path: Path) -> Severity | None:
    stated = entry.get("severity")
    if stated is None:
        return None
    found = next((severity for severity in Severity if severity.label == stated), None)
    if found is None:
        raise _invalid(path)
    return found


def _invalid(path: Path) -> UsageError:
    hint = "create one with --write-baseline"
    return UsageError(f"not a roce-lint baseline ({SCHEMA})", location=str(path), hint=hint)


def baseline_text(findings: Iterable[Finding]) -> str:
    """Text of a baseline with these findings, which must not be folded.

    Left out are findings suppressed for another reason, which may expire; crashes, which no
    baseline may hide; and remarks on waivers and baselines. The message is there for reviewers of
    the file; only fingerprint, devices, ports and severity are compared.
    """
    entries: dict[str, dict[str, Any]] = {}
    for finding in findings:
        if finding.suppressed is not None and finding.suppressed.by != BY:
            continue
        if finding.rule in CRASHES or (finding.rule == UNUSED and not finding.device):
            continue
        entry = entries.setdefault(
            cause_of(finding),
            {
                "fingerprint": cause_of(finding),
                "rule": finding.rule,
                "severity": finding.severity.label,
                "devices": [],
                "ports": {},
                "message": finding.message,
            },
        )
        if Severity[entry["severity"].upper()] < finding.severity:
            entry["severity"] = finding.severity.label
        devices = {occurrence.device for occurrence in finding.occurrences}
        entry["devices"] = sorted(devices.union(entry["devices"]))
        for occurrence in finding.occurrences:
            ports = {*entry["ports"].get(occurrence.device, ()), *occurrence.subjects}
            entry["ports"][occurrence.device] = sorted(ports)
    for entry in entries.values():
        entry["ports"] = dict(sorted(entry["ports"].items()))
    ordered = sorted(
        entries.values(), key=lambda entry: (entry["rule"], entry["devices"], entry["fingerprint"])
    )
    return json.dumps({"schema": SCHEMA, WHOLE: True, "findings": ordered}, indent=2) + "\n"

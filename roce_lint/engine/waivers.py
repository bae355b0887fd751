"""Waivers: accepted findings by rule, device and subject, with a reason and a last day; and their
effect on problems.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from roce_lint.engine.baseline import CRASHES
from roce_lint.engine.finding import Diagnostic, Finding, Occurrence, Suppression
from roce_lint.engine.fold import Group, Raw
from roce_lint.settings import Settings, Waiver
from roce_lint.text.names import did_you_mean

PART = "#waived"
"""Suffix of the fingerprint of a waived part of a finding, with its number."""

UNMATCHED = "covers no finding"
HIDING = "it would hide the next fault of that rule"
"""Consequence of a waiver or baseline entry that matches nothing."""


@dataclass(slots=True)
class WaiverResult:
    """Findings with the waived ones marked, and remarks on the waivers."""

    findings: list[Finding]
    diagnostics: list[Diagnostic]


def waive(
    findings: Iterable[Finding],
    settings: Settings,
    today: date,
    *,
    judged: Collection[str] | None = None,
    file: str = "",
) -> WaiverResult:
    """Mark the findings that waivers cover.

    A finding on several devices is split if only some are covered: its waived part is suppressed,
    the rest still counts. A waiver covers an occurrence when all its subjects match; a partial
    match changes nothing and is reported. A waiver without a match is reported as information,
    provided that its rules were checked on all devices: `judged` are their ids, None if only a part
    was checked. `file` is the name of the settings file in diagnostics.
    """
    applied = Waivers(settings.waivers, today)
    marked = [part for finding in findings for part in applied.mark(finding)]
    return WaiverResult(marked, applied.remarks(settings, judged, file))


class Waivers:
    """The waivers of one run by number, with their matches."""

    def __init__(self, waivers: tuple[Waiver, ...], today: date):
        self._all = waivers
        self._today = today
        self._held = {
            number: waiver
            for number, waiver in enumerate(waivers)
            if waiver.expires is None or today <= waiver.expires
        }
        self.used: set[int] = set()
        self.partly: dict[int, str] = {}

    def mark(self, finding: Finding) -> list[Finding]:
        """The finding, suppressed as a whole, in part (then it is split), or not at all."""
        if finding.suppressed is not None or finding.rule in CRASHES:
            return [finding]
        finding = self._without_waived_parts(finding)
        parts: dict[int | None, list[Occurrence]] = {}
        for occurrence in finding.occurrences:
            parts.setdefault(self._owner(finding, occurrence), []).append(occurrence)
        # What still counts comes first and keeps the fingerprint.
        order = sorted(parts, key=lambda number: -1 if number is None else number)
        return [
            replace(
                finding.restrict(parts[number]),
                fingerprint=finding.fingerprint + (f"{PART}{count}" if count else ""),
                suppressed=None if number is None else _suppression(self._held[number]),
            )
            for count, number in enumerate(order)
        ]

    def remarks(
        self,
        settings: Settings,
        judged: Collection[str] | None,
        file: str,
        devices: Collection[str] = (),
    ) -> list[Diagnostic]:
        """Remarks on the waivers after all findings have been marked."""
        found = []
        for number, waiver in enumerate(self._all):
            message, consequence = _remark(number, waiver, self, self._today, judged)
            if message.endswith(UNMATCHED) and not fnmatch.filter(devices, waiver.device):
                near = did_you_mean(waiver.device, devices)
                consequence = f"no device {waiver.device} ({near})" if near else consequence
            if message:
                line = settings.line("waiver", number)
                found.append(
                    Diagnostic(
                        file, "waiver", message, line, incomplete=False, consequence=consequence
                    )
                )
        return found

    def _without_waived_parts(self, finding: Finding) -> Finding:
        """The finding without waived rules that are folded into it: the rest still counts."""
        for number, waiver in self._held.items():
            rules = [rule for rule in finding.also if rule.startswith(waiver.rule)]
            if not rules or finding.rule.startswith(waiver.rule):
                continue
            if not all(_covers(waiver, occurrence) for occurrence in finding.occurrences):
                continue
            self.used.add(number)
            finding = replace(
                finding,
                also=tuple(rule for rule in finding.also if rule not in rules),
                notes=(*finding.notes, f"{', '.join(rules)} is waived: {waiver.reason}"),
            )
        return finding

    def _owner(self, finding: Finding, occurrence: Occurrence) -> int | None:
        """The first waiver that covers an occurrence fully."""
        owner = None
        for number, waiver in self._held.items():
            if not finding.rule.startswith(waiver.rule):
                continue
            if not fnmatch.fnmatchcase(occurrence.device, waiver.device):
                continue
            left = _rest(occurrence.subjects, waiver.subjects)
            if _covers(waiver, occurrence):
                self.used.add(number)
                owner = number if owner is None else owner
            elif len(left) < len(occurrence.subjects):
                self.partly.setdefault(number, f"{occurrence.device} {left[0]}")
        return owner


def _covers(waiver: Waiver, occurrence: Occurrence) -> bool:
    if not fnmatch.fnmatchcase(occurrence.device, waiver.device):
        return False
    if not occurrence.subjects:
        return not waiver.subjects
    return not _rest(occurrence.subjects, waiver.subjects)


def _rest(subjects: tuple[str, ...], globs: tuple[str, ...]) -> list[str]:
    if not globs:
        return []
    return [s for s in subjects if not any(fnmatch.fnmatchcase(s, glob) for glob in globs)]


def _suppression(waiver: Waiver) -> Suppression:
    expires = waiver.expires.isoformat() if waiver.expires else None
    return Suppression("waiver", waiver.reason, expires, takes=True)


def _remark(
    number: int, waiver: Waiver, applied: Waivers, today: date, judged: Collection[str] | None
) -> tuple[str, str]:
    """Remark for the author of a waiver, if any, and its consequence."""
    what = f"waiver of {waiver.rule} for {waiver.device}"
    if waiver.expires is not None and waiver.expires < today:
        return f"{what} expired on {waiver.expires}", "its findings count again"
    if number in applied.used:
        return "", ""
    if number in applied.partly:
        return f"{what} does not cover {applied.partly[number]}", "the whole finding still counts"
    if judged is None:
        return "", ""
    if not any(rule.startswith(waiver.rule) for rule in judged):
        return (
            f"{what} covers nothing, as no rule that was judged starts with {waiver.rule}",
            HIDING,
        )
    return f"{what} {UNMATCHED}", HIDING


# Findings are accepted before folding: a waived cause takes its consequences with it, on its ports;
# a new finding below a cause that a baseline knows is shown.

Accept = Callable[[list[Finding]], list[Finding]]
"""Marks findings, each of one rule and before folding; a finding that is accepted only in part
comes back as several, whose fingerprints begin with its own.
"""

_SUFFIX = re.compile(r"#(?:known|waived\d+)$")


@dataclass(slots=True)
class _Part:
    """Acceptance mark of one part of a finding, to be copied to its problems."""

    finding: Finding
    notes: tuple[str, ...]

    def holds(self, raw: Raw) -> tuple[str, ...] | None:
        """Subjects of a problem that the part covers; None if it covers none."""
        for occurrence in self.finding.occurrences:
            if occurrence.device == raw.problem.device:
                return _common(occurrence, raw)
        return None


def accept_problems(groups: list[Group], accept: Accept) -> list[Raw]:
    """Problems marked by `accept`; a problem accepted on some ports only is split."""
    whole = {group.finding.fingerprint: group for group in groups}
    parts: dict[str, list[_Part]] = {}
    for finding in accept([group.finding for group in groups]):
        owner = whole.get(_SUFFIX.sub("", finding.fingerprint))
        if owner is None:
            continue  # a remark on an acceptance, not a finding of a rule
        known = {*owner.finding.notes, finding.remark}
        notes = tuple(note for note in finding.notes if note not in known)
        parts.setdefault(owner.finding.fingerprint, []).append(_Part(finding, notes))
    return [
        marked
        for fingerprint, group in whole.items()
        for joined in group.raws
        for raw in joined.parts or [joined]
        for marked in _mark(raw, parts.get(fingerprint, []))
    ]


def _mark(raw: Raw, parts: list[_Part]) -> Iterator[Raw]:
    """The problem, split and marked like the parts of its finding."""
    held = [(part, subjects) for part in parts if (subjects := part.holds(raw)) is not None]
    if not held:
        yield raw
    for part, subjects in held if raw.problem.subjects else held[:1]:
        own = raw
        if subjects != raw.problem.subjects:
            own = replace(raw, problem=replace(raw.problem, subjects=subjects))
        own.suppressed = own.suppressed or part.finding.suppressed
        own.notes = (*own.notes, *part.notes)
        yield own


def _common(occurrence: Occurrence, raw: Raw) -> tuple[str, ...] | None:
    subjects = raw.problem.subjects
    if not subjects:
        return subjects
    return tuple(name for name in subjects if name in occurrence.subjects) or None

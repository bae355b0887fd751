"""Waivers: findings a site accepts, by rule, device and subject, with a reason and a last day."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase

from roce_lint.engine.baseline import CRASHES
from roce_lint.engine.finding import Diagnostic, Finding, Occurrence, Suppression
from roce_lint.settings import Settings, Waiver

PART = "#waived"
"""Added to the fingerprint of a waived part of a finding, with its number."""

HIDING = "it would hide the next fault of that kind"
"""What follows from a waiver or baseline that covers nothing."""


@dataclass(slots=True)
class WaiverResult:
    """Findings with the waived ones marked, and what is to be said about the waivers."""

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

    A finding that stands on several devices is split when only some of them are covered: its
    waived part is suppressed, the rest still counts. A waiver covers an occurrence when all its
    subjects match; one that covers only some of them changes nothing and is told so. A waiver
    that covers nothing is an information, provided that its rules were judged on all devices:
    `judged` are their ids, None when only a part was asked for. `file` is how the settings file
    is named in diagnostics.
    """
    applied = Waivers(settings.waivers, today)
    marked = [part for finding in findings for part in applied.mark(finding)]
    return WaiverResult(marked, applied.remarks(settings, judged, file))


class Waivers:
    """The waivers of one run by number, with what each was found to cover."""

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
        self, settings: Settings, judged: Collection[str] | None, file: str
    ) -> list[Diagnostic]:
        """What is to be said about the waivers, when all findings have been marked."""
        found = []
        for number, waiver in enumerate(self._all):
            message, consequence = _remark(number, waiver, self, self._today, judged)
            if message:
                line = settings.line("waiver", number)
                found.append(
                    Diagnostic(
                        file, "waiver", message, line, incomplete=False, consequence=consequence
                    )
                )
        return found

    def _without_waived_parts(self, finding: Finding) -> Finding:
        """The finding without the folded rules that are waived: the rest of it still counts."""
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
        """The first waiver that covers an occurrence whole."""
        owner = None
        for number, waiver in self._held.items():
            if not finding.rule.startswith(waiver.rule):
                continue
            if not fnmatchcase(occurrence.device, waiver.device):
                continue
            left = _rest(occurrence.subjects, waiver.subjects)
            if _covers(waiver, occurrence):
                self.used.add(number)
                owner = number if owner is None else owner
            elif len(left) < len(occurrence.subjects):
                self.partly.setdefault(number, f"{occurrence.device} {left[0]}")
        return owner


def _covers(waiver: Waiver, occurrence: Occurrence) -> bool:
    if not fnmatchcase(occurrence.device, waiver.device):
        return False
    if not occurrence.subjects:
        return not waiver.subjects
    return not _rest(occurrence.subjects, waiver.subjects)


def _rest(subjects: tuple[str, ...], globs: tuple[str, ...]) -> list[str]:
    if not globs:
        return []
    return [s for s in subjects if not any(fnmatchcase(s, glob) for glob in globs)]


def _suppression(waiver: Waiver) -> Suppression:
    expires = waiver.expires.isoformat() if waiver.expires else None
    return Suppression("waiver", waiver.reason, expires, takes=True)


def _remark(
    number: int,
    waiver: Waiver,
    applied: Waivers,
    today: date,
    judged: Collection[str] | None,
) -> tuple[str, str]:
    """What the author of a waiver should know, if anything, and what follows from it."""
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
    return f"{what} covers no finding", HIDING

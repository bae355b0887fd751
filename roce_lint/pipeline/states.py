"""Findings of two states of a fabric: which are gone, which are new, and which stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roce_lint.engine.finding import Finding, Occurrence

Atom = tuple[str, int, str, str, str]
"""A rule, its severity, a device, one of its ports or other subjects, and the traffic class."""


@dataclass(slots=True, frozen=True)
class StateDifference:
    """What two states differ in, as findings. A finding may stand in several of the lists, with
    other devices in each.
    """

    gone: list[Finding]
    new: list[Finding]
    stays: list[Finding]


def compare_states(before: Sequence[Finding], after: Sequence[Finding]) -> StateDifference:
    """Compare the findings of two states; those that are suppressed count for nothing."""
    mine, theirs = (_atoms(findings) for findings in (before, after))
    return StateDifference(
        [part for f in _that_count(before) for part in _part(f, theirs, kept=False)],
        [part for f in _that_count(after) for part in _part(f, mine, kept=False)],
        [part for f in _that_count(after) for part in _part(f, mine, kept=True)],
    )


def _that_count(findings: Iterable[Finding]) -> Iterable[Finding]:
    return (finding for finding in findings if finding.suppressed is None)


def _atoms(findings: Iterable[Finding]) -> set[Atom]:
    return {
        atom
        for finding in _that_count(findings)
        for occurrence in finding.occurrences
        for atom in _of(finding, occurrence)
    }


def _of(finding: Finding, occurrence: Occurrence) -> list[Atom]:
    severity, traffic = finding.severity.value, finding.traffic
    return [
        (finding.rule, severity, occurrence.device, subject, traffic)
        for subject in occurrence.subjects or ("",)
    ]


def _part(finding: Finding, others: set[Atom], *, kept: bool) -> Iterable[Finding]:
    """The finding on the devices where all of it is on the other side too, or some is not."""
    chosen = [
        occurrence
        for occurrence in finding.occurrences
        if others.issuperset(_of(finding, occurrence)) is kept
    ]
    return [finding.restrict(chosen)] if chosen else []

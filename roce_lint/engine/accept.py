"""Accepted findings, marked before anything is folded: a cause that is waived takes what follows
from it with it, on its ports; a new finding below a cause that a baseline knows is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from roce_lint.engine.finding import Finding, Occurrence
from roce_lint.engine.fold import Group, Raw

Accept = Callable[[list[Finding]], list[Finding]]
"""Given all findings, each of one rule and nothing folded, gives them back marked: a finding of
which only a part is accepted comes back as several, whose fingerprints begin with its own.
"""

_SUFFIX = re.compile(r"#(?:known|waived\d+)$")


@dataclass(slots=True)
class _Part:
    """What is to be said of the problems that one part of a finding stands for."""

    finding: Finding
    notes: tuple[str, ...]

    def holds(self, raw: Raw) -> tuple[str, ...] | None:
        """Those subjects of a problem that the part is about; None where it is about none."""
        for occurrence in self.finding.occurrences:
            if occurrence.device == raw.problem.device:
                return _common(occurrence, raw)
        return None


def accept_problems(groups: list[Group], accept: Accept) -> list[Raw]:
    """All problems, marked as `accept` says; one of which only some ports are accepted becomes
    several.
    """
    whole = {group.finding.fingerprint: group for group in groups}
    parts: dict[str, list[_Part]] = {}
    for finding in accept([group.finding for group in groups]):
        owner = whole.get(_SUFFIX.sub("", finding.fingerprint))
        if owner is None:
            continue  # said about what is accepted, and no finding of a rule
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
    """A problem as the parts of its finding have it."""
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

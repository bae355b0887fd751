"""One line that hurts several traffic classes alike is one cause: their problems become one."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import reduce

from roce_lint.engine.fold import Raw
from roce_lint.model.change import Change
from roce_lint.model.path import Path

Naming = Callable[[Sequence[str]], str]
"""How several traffic classes are called together."""


def together(raws: Iterable[Raw], naming: Naming) -> list[Raw]:
    """Problems that differ in nothing but the traffic class, as one that names all the classes.

    They have one rule, the same places, ports and value, and read alike but for the class's name.
    """
    alike: dict[Hashable, list[Raw]] = {}
    for raw in raws:
        alike.setdefault(_but_for_class(raw), []).append(raw)
    return [_joined(group, naming) for group in alike.values()]


def _but_for_class(raw: Raw) -> Hashable:
    problem = raw.problem
    if not problem.traffic:
        return id(raw)
    cause = raw.cause
    return (
        raw.page.id,
        raw.severity,
        problem.device,
        problem.subjects,
        None if cause is None else (id(cause.src), cause.position),
        problem.value,
        _named(problem.message, problem.traffic, ""),
        _named(problem.consequence, problem.traffic, ""),
        raw.suppressed.reason if raw.suppressed is not None else None,
    )


def _joined(group: list[Raw], naming: Naming) -> Raw:
    first = group[0]
    names = list(dict.fromkeys(raw.problem.traffic for raw in group))
    if len(names) < 2:
        return first
    name, own = naming(names), first.problem
    problem = replace(
        own,
        message=_named(own.message, own.traffic, name),
        consequence=_named(own.consequence, own.traffic, name),
        at=list(dict.fromkeys(where for raw in group for where in raw.problem.at)),
        traffic=name,
        changes=_for_all([raw.problem.changes for raw in group]),
    )
    notes = tuple(dict.fromkeys(note for raw in group for note in raw.notes))
    return replace(
        first,
        problem=problem,
        notes=notes,
        also={r for raw in group for r in raw.also},
        evidence=[where for raw in group for where in raw.evidence],
    )


def _named(text: str, old: str, new: str) -> str:
    """The text with one class's name in the place of another's; `DSCP 3` is not in `DSCP 30`."""
    return re.sub(re.escape(old) + r"(?![\d,-])", lambda _: new, text)


def _for_all(changes: Sequence[tuple[Change, ...]]) -> tuple[Change, ...]:
    """The changes for all classes, of what every class has one for."""
    by_path: dict[Path, list[Change]] = {}
    for own in changes:
        for change in own:
            by_path.setdefault(change.path, []).append(change)
    joined = (_both(own) for own in by_path.values() if len(own) == len(changes))
    return tuple(change for change in joined if change is not None)


def _both(changes: list[Change]) -> Change | None:
    """One change for all classes: sets of priorities add up, anything else has to be the same."""
    sets = [change.value for change in changes if isinstance(change.value, frozenset)]
    if len(sets) == len(changes):
        union: frozenset[object] = reduce(lambda a, b: a | b, sets, frozenset())
        return replace(changes[0], value=union)
    return changes[0] if len(set(changes)) == 1 else None

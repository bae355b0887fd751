"""One line that hurts several code points or traffic classes alike is one cause: one problem."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import reduce

from roce_lint.engine.api import Problem
from roce_lint.engine.fold import Raw
from roce_lint.model.change import Change
from roce_lint.model.path import Path
from roce_lint.model.units import ranges

Naming = Callable[[Sequence[str]], str]
"""How several traffic classes are called together."""


def merge_code_points(raws: Iterable[Raw], naming: Naming) -> list[Raw]:
    """Problems that differ in nothing but the code point, or the traffic class, as one that names
    all of them.

    They have one rule, the same places, ports and value, and read alike but for these names.
    """
    of_classes = (
        _of_code_points(group, naming) for group in _likeness_groups(raws, _but_for_code_point)
    )
    return [_of_classes(group, naming) for group in _likeness_groups(of_classes, _but_for_class)]


def _likeness_groups(raws: Iterable[Raw], key: Callable[[Raw], Hashable]) -> Iterable[list[Raw]]:
    alike: dict[Hashable, list[Raw]] = {}
    for raw in raws:
        alike.setdefault(key(raw), []).append(raw)
    return alike.values()


def _but_for_code_point(raw: Raw) -> Hashable:
    dscp = raw.problem.dscp
    if dscp is None:
        return id(raw)
    problem = raw.problem
    texts = (_blank(text, problem) for text in (problem.message, problem.consequence))
    return (*_but_for(raw, problem.value.removeprefix(str(dscp))), *texts)


def _blank(text: str, problem: Problem, codes: str = "*", classes: str = "*") -> str:
    """A text with others in the place of the code point and of those of its class."""
    kind, _, _ = problem.traffic.rpartition("DSCP ")
    text = _name(text, problem.traffic, f"{kind}\0") if kind else text
    return _name(text, f"DSCP {problem.dscp}", codes).replace("\0", classes)


def _but_for_class(raw: Raw) -> Hashable:
    problem = raw.problem
    if not problem.traffic:
        return id(raw)
    texts = (_name(t, problem.traffic, "") for t in (problem.message, problem.consequence))
    return (*_but_for(raw, problem.value), *texts)


def _but_for(raw: Raw, value: str) -> tuple[Hashable, ...]:
    """What a problem is, without the texts that name what it tells of."""
    problem, cause = raw.problem, raw.cause
    return (
        raw.page.id,
        raw.severity,
        problem.device,
        problem.subjects,
        None if cause is None else (id(cause.src), cause.position),
        value,
        raw.suppressed.reason if raw.suppressed is not None else None,
    )


def _of_code_points(group: list[Raw], naming: Naming) -> Raw:
    """One problem for all code points that one line leads astray alike, whatever their classes."""
    first = group[0]
    dscps = {raw.problem.dscp for raw in group} - {None}
    if len(dscps) < 2:
        return first
    own, numbers = first.problem, ranges({dscp for dscp in dscps if dscp is not None})
    names = list(dict.fromkeys(raw.problem.traffic for raw in group))
    traffic = naming(names) if len(names) > 1 else own.traffic
    kind, _, _ = own.traffic.rpartition("DSCP ")
    codes, classes = f"DSCP {numbers}", traffic.removeprefix(kind)
    problem = replace(
        own,
        message=_blank(own.message, own, codes, classes),
        consequence=_blank(own.consequence, own, codes, classes),
        value=numbers + own.value.removeprefix(str(own.dscp)),
        traffic=traffic,
        dscp=None,
    )
    return _join(group, problem)


def _of_classes(group: list[Raw], naming: Naming) -> Raw:
    first = group[0]
    names = list(dict.fromkeys(raw.problem.traffic for raw in group))
    if len(names) < 2:
        return first
    name, own = naming(names), first.problem
    problem = replace(
        own,
        message=_name(own.message, own.traffic, name),
        consequence=_name(own.consequence, own.traffic, name),
        traffic=name,
    )
    return _join(group, problem)


def _join(group: list[Raw], problem: Problem) -> Raw:
    """The problem of a whole group, with the places, changes and consequences of all."""
    problem.at = list(dict.fromkeys(where for raw in group for where in raw.problem.at))
    problem.changes = _for_all([raw.problem.changes for raw in group])
    notes = tuple(dict.fromkeys(note for raw in group for note in raw.notes))
    return replace(
        group[0],
        problem=problem,
        notes=notes,
        also={r for raw in group for r in raw.also},
        covered=[each for raw in group for each in raw.covered],
        evidence=[where for raw in group for where in raw.evidence],
        parts=group,
    )


def _name(text: str, old: str, new: str) -> str:
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

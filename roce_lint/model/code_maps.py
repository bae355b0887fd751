"""What two maps of numbers give otherwise, numbers that go the same way together."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from roce_lint.model.qos import CodeMap
from roce_lint.model.units import ranges

Differing = tuple[str, int | None, int | None, tuple[Hashable, Hashable], bool]
"""The numbers ("24-31"; empty: all that have no entry), both values, the names under which the maps
know the places that decide, and whether only the wording differs."""


def entries_of(a: CodeMap, b: CodeMap, *, stated: bool = False) -> Iterator[Differing]:
    """What `a` and `b` give otherwise; with `stated` also what only one of them states."""
    groups: dict[Hashable, list[int]] = {}
    for number in sorted(a.entries.keys() | b.entries.keys()):
        one, other = a.get(number), b.get(number)
        keys = a.key(number), b.key(number)
        wording = one == other
        if wording and not (stated and a.stated(keys[0]) != b.stated(keys[1])):
            continue
        places = a.at.get(keys[0], 0), b.at.get(keys[1], 0)
        named = tuple(key if key == "otherwise" else "" for key in keys)
        groups.setdefault((one, other, places, named, wording), []).append(number)
    for numbers in groups.values():
        first = numbers[0]
        one, other = a.get(first), b.get(first)
        yield ranges(numbers), one, other, (a.key(first), b.key(first)), one == other
    if a.otherwise != b.otherwise and _leaves_open(a, b):
        yield "", a.otherwise, b.otherwise, ("otherwise", "otherwise"), False


def _leaves_open(a: CodeMap, b: CodeMap) -> bool:
    """Whether there are numbers that neither names; a map of all code points, or of all eight
    classes, names everything there is.
    """
    named = a.entries.keys() | b.entries.keys()
    return len(named) < 8 or (max(named) >= 8 and len(named) < 64)

"""Differences of model objects, field by field without their names, and of code maps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from roce_lint.model.interface import Fec
from roce_lint.model.path import Path, Step
from roce_lint.model.qos import Classifier, CodeMap, Match, MatchKind
from roce_lint.model.schema import Labels
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import ranges
from roce_lint.model.values import key_text
from roce_lint.text.source import NO_SOURCE, Origin, Where

# Differences of code maps, grouped by value.

Differing = tuple[str, int | None, int | None, tuple[Hashable, Hashable], bool]
"""Numbers ("24-31"; empty: all without an entry), both values, the keys of the deciding places, and
whether only the wording differs."""


def entries_of(a: CodeMap, b: CodeMap, *, stated: bool = False) -> Iterator[Differing]:
    """Yield the differences of two maps; with `stated` also entries that only one states."""
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
    """Whether neither map lists some number. A map of all DSCPs or eight classes is complete."""
    named = a.entries.keys() | b.entries.keys()
    return len(named) < 8 or (max(named) >= 8 and len(named) < 64)


# Model objects.

ENTRIES = "entries"
"""The field of a map that holds its entries."""

NOWHERE = Where(NO_SOURCE, 0, Origin.ABSENT)

READING = {
    "src", "at", "structures", "notes", "unread", "partial", "nics_partial", "repeated", "limits",
    "asic", "shape",
}  # fmt: skip
"""Metadata of reading, and capabilities of the platform."""

LABELS = {"name", "hostname", "aliases", "class_name", "number", "tc_names"}
"""Names of objects on their device."""


@dataclass(slots=True, frozen=True)
class Difference:
    """One value that differs, with its place on both sides.

    A value is an object where one side has none, or refers to another one; `inner` then holds their
    differences. `wording` is True if both sides have the same value and only one states it.
    """

    path: Path
    a: Any
    b: Any
    a_where: Where
    b_where: Where
    wording: bool = False
    inner: tuple[Difference, ...] = ()


@dataclass(slots=True, frozen=True)
class NestedDifference:
    """A difference below an object; `steps` lead there."""

    steps: tuple[Step, ...]
    a: Any
    b: Any
    a_where: Where
    b_where: Where
    wording: bool = False
    inner: tuple[NestedDifference, ...] = ()

    def below(self, *steps: Step) -> NestedDifference:
        """The path relative to the parent object, skipping map levels."""
        whole = steps + self.steps
        if self.steps[0].field == ENTRIES:
            whole = (*steps[:-1], Step(steps[-1].field, self.steps[0].key), *self.steps[1:])
        return replace(self, steps=whole, inner=tuple(f.below(*steps) for f in self.inner))

    def of(self, device: str) -> Difference:
        """The difference with its complete path."""
        inner = tuple(f.of(device) for f in self.inner)
        places = self.a_where, self.b_where
        return Difference(Path(device, self.steps), self.a, self.b, *places, self.wording, inner)


_NAMES: dict[Any, tuple[str, ...]] = {}


def names_of(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a class that are compared one by one."""
    found = _NAMES.get(kind)
    if found is None:
        found = _NAMES[kind] = tuple(
            each.name for each in fields(kind) if each.name not in READING | LABELS
        )
    return found


class Objects:
    """Comparison of model objects; shared objects are compared once."""

    def __init__(self, labels: Labels, stated: bool):  # noqa: FBT001
        self.labels = labels
        self.stated = stated
        self._known: dict[tuple[int, int], list[NestedDifference]] = {}

    def objects(self, a: Sourced, b: Sourced) -> list[NestedDifference]:
        """Differences of two objects of one class."""
        key = (id(a), id(b))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = list(self._objects(a, b))
        return known

    def _objects(self, a: Sourced, b: Sourced) -> Iterator[NestedDifference]:
        if isinstance(a, CodeMap) and isinstance(b, CodeMap):
            yield from self._codes(a, b)
            return
        for name in names_of(type(a)):
            yield from self.field(a, b, name)

    def field(self, a: Sourced, b: Sourced, name: str) -> Iterator[NestedDifference]:
        """Differences in one field of two objects."""
        one, other = getattr(a, name), getattr(b, name)
        if isinstance(one, Sourced) or isinstance(other, Sourced):
            yield from self.diff_references(Step(name), one, other, a, b)
        elif isinstance(one, dict):
            yield from self.diff_keyed(name, one, other, a, b)
        elif isinstance(one, list):
            yield from self._compare_lists(name, one, other, a, b)
        elif isinstance(one, tuple) and any(isinstance(e, Sourced) for e in (*one, *(other or ()))):
            for number, pair in enumerate(pair_entries(one, other, lambda _: 0)):
                yield from self.entry(Step(name, str(number)), *pair, a, b)
        elif one == other or _is_left_open(name, one, other) or self.labels.same(a, b, name):
            if self.stated and a.stated(name) != b.stated(name):
                yield NestedDifference(
                    (Step(name),), one, other, a.where(name), b.where(name), wording=True
                )
        else:
            yield NestedDifference((Step(name),), one, other, a.where(name), b.where(name))

    def diff_references(
        self,
        step: Step,
        one: Sourced | None,
        other: Sourced | None,
        a: Sourced,
        b: Sourced,
        names: tuple[Hashable, Hashable] | None = None,
        collections: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None,
    ) -> Iterator[NestedDifference]:
        """Differences of an object that two others refer to, each by its own line.

        Where they refer to different objects, that is the difference, and not their contents.
        """
        if one is None or other is None:
            if one is not other and not (is_empty(one) and is_empty(other)):
                places = a.where(step.field), b.where(step.field)
                yield NestedDifference((step,), one, other, *places)
            return
        found = self.objects(one, other)
        if names is None:
            names = (getattr(one, "name", None), getattr(other, "name", None))
        if any(not f.wording for f in found) and self.labels.is_other(one, names, collections):
            places = a.where(step.field), b.where(step.field)
            if Origin.STATED in {place.origin for place in places if place.position}:
                inner = tuple(f.below(step) for f in found)
                yield NestedDifference((step,), one, other, *places, inner=inner)
                return
        for f in found:
            yield f.below(step)

    def entry(
        self, step: Step, one: Sourced | None, other: Sourced | None, a: Sourced, b: Sourced
    ) -> Iterator[NestedDifference]:
        """Differences in an entry of a collection; either side may lack it."""
        if one is None or other is None:
            if one is not other:
                mine, theirs = one or a, other or b
                yield NestedDifference((step,), one, other, mine.where(), theirs.where())
            return
        for f in self.objects(one, other):
            yield f.below(step)

    def diff_keyed(
        self, name: str, one: Mapping[Any, Any], other: Mapping[Any, Any], a: Sourced, b: Sourced
    ) -> Iterator[NestedDifference]:
        """Differences of two collections with keyed entries."""
        for key in dict.fromkeys((*one, *other)):
            mine, theirs = one.get(key), other.get(key)
            step = Step(name, key_text(key))
            if isinstance(mine, Sourced) and isinstance(theirs, Sourced):
                yield from self._compare_held(step, key, mine, theirs, a, b)
            elif mine != theirs:
                places = []
                for value, owner in ((mine, a), (theirs, b)):
                    at_key = owner.where(key)
                    if isinstance(value, Sourced) and not at_key.position:
                        at_key = value.where()
                    places.append(at_key)
                yield NestedDifference((step,), mine, theirs, places[0], places[1])

    def _compare_held(
        self, step: Step, key: Hashable, mine: Sourced, theirs: Sourced, a: Sourced, b: Sourced
    ) -> Iterator[NestedDifference]:
        """Like `diff_references`, where the referring line is found by the key."""
        found = self.objects(mine, theirs)
        names = getattr(mine, "name", None), getattr(theirs, "name", None)
        other = a.stated(key) and b.stated(key) and self.labels.is_other(mine, names, None)
        if other and any(not f.wording for f in found):
            inner = tuple(f.below(step) for f in found)
            yield NestedDifference((step,), mine, theirs, a.where(key), b.where(key), inner=inner)
            return
        for f in found:
            yield f.below(step)

    def _compare_lists(
        self, name: str, one: list[Any], other: list[Any], a: Sourced, b: Sourced
    ) -> Iterator[NestedDifference]:
        """Compare ordered lists as a whole; they differ at the first unequal entry."""
        if isinstance(a, Classifier):
            one, other = (list(filter(_is_beside, entries)) for entries in (one, other))
        contents = [list(map(_contents, entries)) for entries in (one, other)]
        if contents[0] == contents[1]:
            return
        first = next(
            (n for n, (x, y) in enumerate(zip(*contents, strict=False)) if x != y),
            min(len(one), len(other)),
        )
        places = [
            entries[first].where() if first < len(entries) else owner.where(name)
            for entries, owner in ((one, a), (other, b))
        ]
        yield NestedDifference(
            (Step(name),), getattr(a, name), getattr(b, name), places[0], places[1]
        )

    def _codes(self, a: CodeMap, b: CodeMap) -> Iterator[NestedDifference]:
        for numbers, one, other, keys, wording in entries_of(a, b, stated=self.stated):
            step = Step(ENTRIES, numbers) if numbers else Step("otherwise")
            yield NestedDifference((step,), one, other, a.where(keys[0]), b.where(keys[1]), wording)


def pair_entries(
    a: Sequence[Any], b: Sequence[Any], key: Callable[[Any], Hashable]
) -> Iterator[tuple[Any, Any]]:
    """Pair the entries of two lists: equal ones first, then by key, then by position."""
    waiting = list(b)
    pairs: dict[int, Any] = {}
    for same in (lambda x, y: x == y, lambda x, y: key(x) == key(y), lambda _x, _y: True):
        for number, one in enumerate(a):
            if number in pairs:
                continue
            place = next((n for n, other in enumerate(waiting) if same(one, other)), None)
            if place is not None:
                pairs[number] = waiting.pop(place)
    for number, one in enumerate(a):
        yield one, pairs.get(number)
    for other in waiting:
        yield None, other


OPEN: dict[str, tuple[object, ...]] = {"fec": (None, Fec.AUTO), "autoneg": (None, True)}
"""Values that leave the choice to the link, as if nothing were stated."""


def _is_left_open(name: str, one: object, other: object) -> bool:
    return name in OPEN and one in OPEN[name] and other in OPEN[name]


def _is_beside(entry: Match) -> bool:
    """Whether an entry adds to the DSCP and PCP maps."""
    plain = entry.kind in {MatchKind.DSCP, MatchKind.PCP, MatchKind.ANY}
    return not plain or entry.set_dscp is not None or entry.police_bps is not None


def _contents(entry: Any) -> Hashable:
    """Contents of a list entry, without its name."""
    if not is_dataclass(entry):
        return entry  # type: ignore[no-any-return]
    unnamed = {"text"} if isinstance(entry, Match) and entry.kind is MatchKind.ACL else set()
    return tuple(getattr(entry, n) for n in names_of(type(entry)) if n not in unnamed)


def is_empty(item: Sourced | None) -> bool:
    """Whether an object is missing or has no values."""
    return item is None or all(
        value is None or value in _EMPTY or (isinstance(value, CodeMap) and not value.entries)
        for value in (getattr(item, name) for name in names_of(type(item)))
    )


_EMPTY: tuple[object, ...] = ({}, [], ())

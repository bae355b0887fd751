"""Maps stated by witnesses, such as DSCP to priority, and their merging."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.units import ranges
from roce_lint.nos.reading import ABSENT, Value

SHOWN = 3
"""Entries of a map that a note about a difference prints."""


@dataclass(slots=True)
class Table:
    """Numbers to values stated by one witness, such as DSCP to priority.

    `place` returns the position of an entry; it is called for retained entries only. A table that
    is not `whole` covers its entries only. `doubtful` are numbers it maps to two values.
    """

    entries: dict[int, Any]
    place: Callable[[int], int]
    whole: bool = True
    doubtful: frozenset[int] = frozenset()


@dataclass(slots=True)
class SettledTable:
    """Merged table of all witnesses: entries with their positions.

    `unknown` are numbers that a witness states without a known value.
    """

    entries: dict[int, Any] = field(default_factory=dict)
    at: dict[Hashable, int] = field(default_factory=dict)
    unknown: frozenset[int] = frozenset()
    whole: bool = False

    def __bool__(self) -> bool:
        return bool(self.entries or self.unknown or self.whole)

    @property
    def begin(self) -> int:
        """Position of the first entry; 0 without entries."""
        return next(iter(self.at.values()), 0)

    def value(self, number: int) -> Value[Any]:
        """The value of a number."""
        return Value(self.entries.get(number), self.at.get(number, 0))

    def set_bits(self, count: int) -> Value[frozenset[int]]:
        """The numbers with a true value, if all of `count` numbers are known."""
        return ABSENT if self.unknown_numbers(count) else self.known_bits(count)

    def known_bits(self, count: int) -> Value[frozenset[int]]:
        """The numbers with a known true value, if any of `count` numbers is known."""
        known = [number for number in range(count) if number in self.entries]
        if not known:
            return ABSENT
        position = next((self.at[n] for n in known if self.entries[n]), self.at[known[0]])
        return Value(frozenset(n for n in known if self.entries[n]), position)

    def unknown_numbers(self, count: int) -> frozenset[int]:
        """The numbers without any statement."""
        return frozenset(number for number in range(count) if number not in self.entries)


def place_in(places: Mapping[int, int]) -> Callable[[int], int]:
    """Place function of a table with a position for each entry; others are at the first."""
    begin = next(iter(places.values()), 0)
    return lambda number: places.get(number, begin)


def placed(
    entries: Mapping[int, tuple[Any, int]],
    *,
    whole: bool = True,
    doubtful: frozenset[int] = frozenset(),
) -> Table:
    """A table of values that stand beside their positions."""
    values = {number: value for number, (value, _) in entries.items()}
    places = {number: place for number, (_, place) in entries.items()}
    return Table(values, place_in(places), whole, doubtful)


def line_of(position: int) -> Callable[[int], int]:
    """Place function of a table on one line."""
    return lambda _: position


Differing = list[tuple[int, Any, Any]]
"""Numbers with the value so far and the differing one; None if a whole table has no entry."""


def add(settled: SettledTable, places: dict[int, Callable[[int], int]], other: Table) -> Differing:
    """Add the table of another witness of the same plane; return the differences."""
    differing: Differing = []
    for number in {**settled.entries, **other.entries}:
        if number in settled.unknown:
            continue
        mine, yours = settled.entries.get(number), other.entries.get(number)
        here, there = number in settled.entries, number in other.entries
        if number in other.doubtful:
            forget(settled, [number])
        elif here and there:
            if mine != yours:
                differing.append((number, mine, yours))
        elif settled.whole and other.whole:
            differing.append((number, mine, yours))
        elif there:
            settled.entries[number] = yours
            places[number] = other.place
    return differing


def forget(settled: SettledTable, numbers: Iterable[int]) -> None:
    """Make the values of numbers unknown."""
    settled.unknown = settled.unknown.union(numbers)
    for number in numbers:
        settled.entries.pop(number, None)


def overlaid(before: Table, after: Table) -> Table:
    """A table overlaid with later entries."""
    entries = {**before.entries, **after.entries}
    doubtful = (before.doubtful - after.entries.keys()) | after.doubtful
    return Table(entries, _places(entries, after, before), before.whole, doubtful)


def _places(entries: Iterable[int], first: Table, second: Table) -> Callable[[int], int]:
    """Place function of two tables; resolved at once, since a chain of thousands would overflow."""
    return place_in({n: (first if n in first.entries else second).place(n) for n in entries})


def either(one: Table, other: Table) -> Table:
    """Table after either of two branches: entries of both or one; differing ones are doubtful."""
    entries = {**other.entries, **one.entries}
    unclear = frozenset(
        n for n in one.entries.keys() & other.entries.keys() if one.entries[n] != other.entries[n]
    )
    same = {n: value for n, value in entries.items() if n not in unclear}
    doubtful = one.doubtful | other.doubtful | unclear
    return Table(same, _places(entries, one, other), whole=False, doubtful=doubtful)


SWITCHES = ("PFC", "NP enabled", "RP enabled")

NUMBERED = {
    **dict.fromkeys((*SWITCHES, "priority to class", "priority to buffer"), "priority"),
    "DSCP to priority": "DSCP",
    "buffer size": "buffer",
}
"""Name of the numbers of a table; by default they are traffic classes."""


def spell(what: str, differing: Differing) -> str:
    """`DSCP 26 = 5 and 3; DSCP 30 = none and 6`; equal differences share their numbers."""
    field_name = what.split(" ", 1)[-1]  # after the name of the port
    convert = bool if field_name in SWITCHES else None
    groups: dict[tuple[Any, Any], list[int]] = {}
    for number, mine, yours in differing:
        groups.setdefault((mine, yours), []).append(number)
    parts = [
        f"{NUMBERED.get(field_name, 'class')} {ranges(numbers)} ="
        f" {spell_value(convert(mine) if convert else mine)}"
        f" and {spell_value(convert(yours) if convert else yours)}"
        for (mine, yours), numbers in list(groups.items())[:SHOWN]
    ]
    if len(groups) > SHOWN:
        parts.append(f"and {len(groups) - SHOWN} more")
    return "; ".join(parts)


def spell_value(value: Any) -> str:
    """A value in the form of a note."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, frozenset) and all(isinstance(n, int) for n in value):
        return ranges(value) or "none"
    return str(getattr(value, "value", value))

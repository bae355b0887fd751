"""Statements of outputs and files about one object of a host, and the value in force.

A live value wins over a declared one, which is lost at the next boot or was never applied; the
difference is noted. Two live outputs, or two files, that differ leave the value unknown: file order
never decides. Within one file the last statement wins, as when the file is run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.device import NoteKind, ParseNote
from roce_lint.model.sourced import Concern
from roce_lint.model.units import ranges
from roce_lint.nos.reading import ABSENT, Reading, Value

# Maps stated by witnesses, such as DSCP to priority, and their merging.

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

    `unknown` are numbers that a witness states without a known value; they have positions too.
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
            places.setdefault(number, other.place)
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


# Statements.


@dataclass(slots=True, frozen=True)
class Witness:
    """Source of statements: its name in notes, and whether it shows the live state."""

    name: str
    live: bool
    file: int = -1
    conditional: bool = False  # in a branch or function that may not run


Subject = tuple[str, str]
"""Kind of thing and its name: ("port", "ens1np0"), ("nic", "mlx5_0")."""


class Claims:
    """Collects statements of witnesses, then settles them field by field."""

    __slots__ = ("_named", "_noted", "_settled", "_statements", "_tables", "_values", "reading")

    def __init__(self, reading: Reading):
        self.reading = reading
        self._statements: dict[Subject, dict[str, list[tuple[Witness, Value[Any]]]]] = {}
        self._tables: dict[Subject, dict[str, list[tuple[Witness, Table]]]] = {}
        self._named: tuple[dict[str, dict[str, None]], ...] = ({}, {})
        self._values: dict[tuple[str, str, str], Value[Any]] = {}
        self._settled: dict[tuple[str, str, str], SettledTable] = {}
        self._noted: set[str] = set()

    def state(self, kind: str, name: str, what: str, value: Value[Any], who: Witness) -> None:
        """Record that field `what` has this value according to `who`; absent values are skipped."""
        if value.value is None:
            return
        self._named[0].setdefault(kind, {})[name] = None
        self._statements.setdefault((kind, name), {}).setdefault(what, []).append((who, value))

    def state_table(self, kind: str, name: str, what: str, table: Table, who: Witness) -> None:
        """Record a map stated by `who`."""
        self._named[1].setdefault(kind, {})[name] = None
        self._tables.setdefault((kind, name), {}).setdefault(what, []).append((who, table))

    def names(self, kind: str) -> list[str]:
        """Names of one kind, in order of their first statement; those with maps only come last."""
        fields, tables = (named.get(kind, {}) for named in self._named)
        return list({**fields, **tables})

    def only(self, *kinds: str) -> bool:
        """True if there are statements about these kinds only."""
        return set() < {kind for named in self._named for kind in named} <= {*kinds}

    def has(self, kind: str, name: str, *fields: str) -> bool:
        """True if a witness states one of the fields."""
        statements = (self._statements.get((kind, name), {}), self._tables.get((kind, name), {}))
        return any(what in known for what in fields for known in statements)

    def is_live(self, kind: str, name: str) -> bool:
        """True if a live output covers the object."""
        return any(
            who.live
            for known in (self._statements, self._tables)
            for statements in known.get((kind, name), {}).values()
            for who, _ in statements
        )

    def values(self, kind: str, name: str, what: str) -> list[tuple[Witness, Value[Any]]]:
        """All statements about a field, in order."""
        return self._statements.get((kind, name), {}).get(what, [])

    def tables(self, kind: str, name: str, what: str) -> list[tuple[Witness, Table]]:
        """All statements about a map so far, in order."""
        return self._tables.get((kind, name), {}).get(what, [])

    def where(self, kind: str, what: str, test: Callable[[Any], bool]) -> list[str]:
        """Names of the objects with a stated value of a field that passes the test."""
        stated = ((name, self.values(kind, name, what)) for name in self.names(kind))
        return [name for name, found in stated if any(test(value.value) for _, value in found)]

    def begin(self, kind: str, name: str) -> int:
        """Position of the first statement about an object; live outputs come first."""
        statements = [
            entry for each in self._statements.get((kind, name), {}).values() for entry in each
        ]
        for live in (True, False):
            for who, value in statements:
                if who.live is live and value.position > 0:
                    return value.position
        tables = [each for every in self._tables.get((kind, name), {}).values() for each in every]
        return next((table.place(number) for _, table in tables for number in table.entries), 0)

    def get(self, kind: str, name: str, what: str) -> Value[Any]:
        """The value of a field in force; absent if not stated or if witnesses differ.

        Called after all statements are recorded: the first call notes a difference.
        """
        key = (kind, name, what)
        if key not in self._values:
            self._values[key] = self._value(f"{name} {what}", self.values(*key))
        return self._values[key]

    def table(self, kind: str, name: str, what: str) -> SettledTable:
        """The map in force, entry by entry; called after all statements are recorded."""
        key = (kind, name, what)
        if key not in self._settled:
            self._settled[key] = self._table(f"{name} {what}", self.tables(*key))
        return self._settled[key]

    def _value(self, what: str, statements: list[tuple[Witness, Value[Any]]]) -> Value[Any]:
        live = [entry for entry in statements if entry[0].live]
        declared = _last_of_each(entry for entry in statements if not entry[0].live)
        value = self._agree(what, live or declared)
        for who, other in declared if live and value else ():
            if other.value != value.value and not who.conditional:
                message = f"{what} is {spell_value(value.value)} now, {who.name} sets"
                message += f" {spell_value(other.value)} (lost at reboot or never applied)"
                self.note(NoteKind.DRIFT, message, other.position, value.position)
        return value

    def _table(self, what: str, statements: list[tuple[Witness, Table]]) -> SettledTable:
        if not statements:
            return SettledTable()
        live = [entry for entry in statements if entry[0].live]
        declared = _by_file(entry for entry in statements if not entry[0].live)
        settled = self._merge(what, live or declared)
        for who, table in declared if live else ():
            if not who.conditional:
                self._compare(what, settled, who, table)
        return settled

    def note(self, kind: NoteKind, message: str, *positions: int) -> None:
        """Add a note once; the first position is shown, the second is evidence."""
        if message in self._noted:
            return
        self._noted.add(message)
        places = [position for position in positions if position > 0]
        at: dict[Hashable, int] = dict(zip(("", Concern.OTHER), places, strict=False))
        note = ParseNote(kind=kind, message=message, src=self.reading.src, at=at)
        self.reading.notes.append(note)

    def _agree(self, what: str, statements: list[tuple[Witness, Value[Any]]]) -> Value[Any]:
        if not statements:
            return ABSENT
        who, value = statements[0]
        for other_who, other in statements[1:]:
            if other.value != value.value:
                message = f"{what} is {spell_value(value.value)} in {who.name}"
                message += f" and {spell_value(other.value)} in {other_who.name}"
                self.note(NoteKind.CONFLICT, message, value.position, other.position)
                return ABSENT
        return value

    def _merge(self, what: str, statements: list[tuple[Witness, Table]]) -> SettledTable:
        who, first = statements[0]
        settled = SettledTable(dict(first.entries), whole=first.whole)
        places = dict.fromkeys(settled.entries, first.place)
        forget(settled, first.doubtful)
        for other_who, other in statements[1:]:
            differing = add(settled, places, other)
            settled.whole = settled.whole or other.whole
            if differing:
                number = differing[0][0]
                message = f"{what} differs between {who.name} and {other_who.name}"
                message += f" ({spell(what, differing)})"
                here, there = places.get(number, first.place)(number), other.place(number)
                self.note(NoteKind.CONFLICT, message, here, there)
                forget(settled, [number for number, _, _ in differing])
        stated = (*settled.entries, *sorted(settled.unknown & places.keys()))
        settled.at = {n: places[n](n) for n in stated}
        return settled

    def _compare(self, what: str, settled: SettledTable, who: Witness, table: Table) -> None:
        differing = [
            (number, settled.entries.get(number), value)
            for number, value in table.entries.items()
            if number not in settled.unknown
            and settled.entries.get(number) != value
            and (number in settled.entries or settled.whole)
        ]
        if differing:
            number = differing[0][0]
            message = f"{what} is not what {who.name} sets ({spell(what, differing)}; first what"
            message += " is now), lost at reboot or never applied"
            now = settled.at.get(number, settled.begin)
            self.note(NoteKind.DRIFT, message, table.place(number), now)


def _last_of_each(
    statements: Iterable[tuple[Witness, Value[Any]]],
) -> list[tuple[Witness, Value[Any]]]:
    """The last statement of each file; differing branches leave the value unknown."""
    last: dict[Witness, Value[Any]] = {}
    unclear: set[Witness] = set()
    for who, value in statements:
        if who.conditional and who in last and last[who].value != value.value:
            unclear.add(who)
        last[who] = value
    return [(who, value) for who, value in last.items() if who not in unclear]


def _by_file(statements: Iterable[tuple[Witness, Table]]) -> list[tuple[Witness, Table]]:
    """Merged tables of each file: a later entry replaces an earlier one."""
    merged: dict[Witness, Table] = {}
    for who, table in statements:
        before = merged.get(who)
        if before is None or (table.whole and not who.conditional):
            merged[who] = table
        else:
            merged[who] = (either if who.conditional else overlaid)(before, table)
    return list(merged.items())

"""Statements of outputs and files about one object of a host, and the value in force.

A live value wins over a declared one, which is lost at the next boot or was never applied; the
difference is noted. Two live outputs, or two files, that differ leave the value unknown: file order
never decides. Within one file the last statement wins, as when the file is run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from roce_lint.model.device import NoteKind, ParseNote
from roce_lint.model.sourced import Concern
from roce_lint.nos.linux import tables
from roce_lint.nos.linux.tables import SettledTable, Table, forget, spell, spell_value
from roce_lint.nos.reading import ABSENT, Reading, Value


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
        value = self._values.get(key)
        if value is None:
            value = self._values[key] = self._value(f"{name} {what}", self.values(*key))
        return value

    def table(self, kind: str, name: str, what: str) -> SettledTable:
        """The map in force, entry by entry; called after all statements are recorded."""
        key = (kind, name, what)
        settled = self._settled.get(key)
        if settled is None:
            settled = self._settled[key] = self._table(f"{name} {what}", self.tables(*key))
        return settled

    def _value(self, what: str, statements: list[tuple[Witness, Value[Any]]]) -> Value[Any]:
        if not statements:
            return ABSENT
        live = [entry for entry in statements if entry[0].live]
        declared = _last_of_each(entry for entry in statements if not entry[0].live)
        if not live:
            return self._agree(what, declared) if declared else ABSENT
        value = self._agree(what, live)
        if value:
            for who, other in declared:
                if other.value != value.value and not who.conditional:
                    message = f"{what} is {spell_value(value.value)} now, {who.name} sets"
                    message += f" {spell_value(other.value)} (lost at reboot or never applied)"
                    self.drift(message, other.position, value.position)
        return value

    def _table(self, what: str, statements: list[tuple[Witness, Table]]) -> SettledTable:
        if not statements:
            return SettledTable()
        live = [entry for entry in statements if entry[0].live]
        declared = _by_file(entry for entry in statements if not entry[0].live)
        if not live:
            return self._merge(what, declared)
        settled = self._merge(what, live)
        for who, table in declared:
            if not who.conditional:
                self._compare(what, settled, who, table)
        return settled

    def conflict(self, message: str, *positions: int) -> None:
        """Note once that statements of one kind differ, so that none is in force."""
        self._note(NoteKind.CONFLICT, message, positions)

    def drift(self, message: str, *positions: int) -> None:
        """Note once that a declared value differs from the live one."""
        self._note(NoteKind.DRIFT, message, positions)

    def ambiguous(self, message: str, *positions: int) -> None:
        """Note once that one statement gives two values, so that the value is unknown."""
        self._note(NoteKind.AMBIGUOUS, message, positions)

    def _note(self, kind: NoteKind, message: str, positions: tuple[int, ...]) -> None:
        """Add a note; the first position is shown, the second is evidence."""
        if message in self._noted:
            return
        self._noted.add(message)
        places = [position for position in positions if position > 0]
        at: dict[Hashable, int] = dict(zip(("", Concern.OTHER), places, strict=False))
        note = ParseNote(kind=kind, message=message, src=self.reading.src, at=at)
        self.reading.notes.append(note)

    def _agree(self, what: str, statements: list[tuple[Witness, Value[Any]]]) -> Value[Any]:
        who, value = statements[0]
        for other_who, other in statements[1:]:
            if other.value != value.value:
                message = f"{what} is {spell_value(value.value)} in {who.name}"
                message += f" and {spell_value(other.value)} in {other_who.name}"
                self.conflict(message, value.position, other.position)
                return ABSENT
        return value

    def _merge(self, what: str, statements: list[tuple[Witness, Table]]) -> SettledTable:
        who, first = statements[0]
        settled = SettledTable(dict(first.entries), whole=first.whole)
        forget(settled, first.doubtful)
        places = dict.fromkeys(settled.entries, first.place)
        for other_who, other in statements[1:]:
            differing = tables.add(settled, places, other)
            settled.whole = settled.whole or other.whole
            if differing:
                number = differing[0][0]
                message = f"{what} differs between {who.name} and {other_who.name}"
                message += f" ({spell(what, differing)})"
                here, there = places.get(number, first.place)(number), other.place(number)
                self.conflict(message, here, there)
                forget(settled, [number for number, _, _ in differing])
        settled.at = {n: places[n](n) for n in settled.entries}
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
            self.drift(message, table.place(number), settled.at.get(number, settled.begin))


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
            merged[who] = (tables.either if who.conditional else tables.overlaid)(before, table)
    return list(merged.items())

"""Records of configuration stanzas: those of one name added up, the last of several lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.text.records import Record, merge
from roce_lint.text.source import LineState

T = TypeVar("T")


def records(reading: Reading, source: str, group: str) -> list[Record]:
    """All records of a top-level group over all files of a source, in file order."""
    return [record for entry in reading[source] for record in entry.records.get(group, ())]


def stanzas(
    reading: Reading, records: Iterable[Record], name: Callable[[Record], str]
) -> dict[str, Reader]:
    """Readers by name in order of first appearance, records of one name added up."""
    grouped: dict[str, list[Record]] = {}
    for record in records:
        grouped.setdefault(name(record), []).append(record)
    return {
        key: Reader(merge(found), reading, starts=tuple(r.position for r in found))
        for key, found in grouped.items()
    }


def name_from(variable: str) -> Callable[[Record], str]:
    """Takes a record's name from a variable of its first line."""
    return lambda record: record.values[variable][0][0]


def last_of(reader: Reader, *names: str, reset: tuple[str, ...]) -> tuple[str, Value[str]]:
    """Of lines that replace each other, the one in force and its variable; the rest is shadowed.

    `reset` are the `no` forms that take any of them back.
    """
    found = {name: reader.record.values[name] for name in (*names, *reset) if name in reader}
    if not found:
        return "", ABSENT
    best = max(found, key=lambda name: found[name][-1][1])
    for name, captures in found.items():
        for _, position in captures if name != best else ():
            reader.reading.mark(position, LineState.SHADOWED)
    value = reader.text(best)
    return ("", ABSENT) if best in reset else (best, value)


def value_in_force(reader: Reader, name: str, *reset: str) -> Value[str]:
    """The value in force; absent where nothing states it or a `no` form took it back."""
    value = reader.text(name, reset=reset)
    return value or ABSENT


def first(*values: Value[T]) -> Value[T]:
    """The first value that anything states or cites.

    A line whose value was refused counts: the value is then not known, and what stands behind it
    (a channel's line, a default) does not apply.
    """
    for value in values:
        if value.position:
            return value
    return ABSENT


def last_line(reading: Reading, source: str, group: str) -> Reader | None:
    """A reader over all records of a group that states one thing; None where there is none."""
    found = records(reading, source, group)
    return Reader(merge(found), reading) if found else None

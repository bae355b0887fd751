"""Code maps out of values with positions: stated entries, identities, inverses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from roce_lint.model.qos import CodeMap
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import ABSENT, Reading, Value


def code_map(
    reading: Reading,
    begin: int,
    entries: Mapping[int, Value[int]],
    *,
    name: str | None = None,
    otherwise: Value[int] = ABSENT,
) -> CodeMap:
    """A map of stated entries; an entry whose value is not known is left out."""
    made = reading.build(CodeMap, begin, name=name, otherwise=otherwise)
    for number, value in sorted(entries.items()):
        if value.value is not None:
            made.entries[number] = value.value
            made.at[number] = value.position
    return made


def same(reading: Reading, begin: int, default: Default, numbers: Iterable[int]) -> CodeMap:
    """Every number stays what it is, and `default` says why."""
    cited = reading.default(default).position
    return code_map(reading, begin, {number: Value(number, cited) for number in numbers})


def inverse(entries: Mapping[int, Value[int]]) -> dict[int, Value[int]]:
    """From values back to numbers, the lowest number first, each with the line of its entry."""
    found: dict[int, Value[int]] = {}
    for number, value in sorted(entries.items()):
        if value.value is not None:
            found.setdefault(value.value, Value(number, value.position))
    return found


def by_values(
    lines: Iterable[tuple[Value[frozenset[int]], Value[int]]],
) -> dict[int, Value[int]]:
    """Entries from lines that give several numbers one value; the last line of a number holds."""
    found: dict[int, Value[int]] = {}
    for numbers, value in lines:
        for number in sorted(numbers.value or ()):
            found[number] = Value(value.value, numbers.position or value.position)
    return found

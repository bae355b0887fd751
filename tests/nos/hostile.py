"""Hostile texts, and invariants of a device for any content of its files, for tests of any NOS."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from hypothesis import strategies as st

from roce_lint.model.device import Device
from roce_lint.model.sourced import Sourced

ODD = ("99999999999999999999", "-1", "٣", "1-", "-", ",", "1,,2", "\x00", "\u2028", "0x10", "1/0", "é" * 50)  # fmt: skip
"""Words that a careless parser mistakes for numbers or lists."""


def some_of(lines: list[str]) -> st.SearchStrategy[str]:
    """Texts of these lines in any order, any of them more than once."""
    return st.lists(st.sampled_from(lines), max_size=60).map("\n".join)


def mixed(lines: list[str], odd: Iterable[str] = ODD) -> st.SearchStrategy[str]:
    """Texts of these lines with any word replaced by one of another line or by an odd one."""
    words = sorted({word for line in lines for word in line.split()})
    edits = st.tuples(st.sampled_from(lines), st.integers(0, 12), st.sampled_from([*words, *odd]))

    def changed(edit: tuple[str, int, str]) -> str:
        line, place, word = edit
        parts = line.split(" ")
        parts[min(place, len(parts) - 1)] = word
        return " ".join(parts)

    return st.lists(edits.map(changed) | st.sampled_from(lines), max_size=40).map("\n".join)


def parts(item: object) -> Iterator[object]:
    """An object and all that is in it, keys of maps as well; not the files it was read from."""
    yield item
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        for field in dataclasses.fields(item):
            if field.name != "src":
                yield from parts(getattr(item, field.name))
    elif isinstance(item, dict):
        for key, value in item.items():
            yield key
            yield from parts(value)
    elif isinstance(item, list | tuple | set | frozenset):
        for value in item:
            yield from parts(value)


def kinds_of_text(device: Device) -> set[type]:
    """Types of all texts of a device; a parser's own type would not be written as text."""
    return {type(part) for part in parts(device) if isinstance(part, str)}


def misplaced(device: Device) -> list[tuple[object, int]]:
    """Positions that are neither in a file of the device nor one of its citations."""
    last = device.src.files[-1]
    inside = range(-len(device.src.citations), last.first + last.lines + 1)
    return [
        (name, position)
        for part in parts(device)
        if isinstance(part, Sourced)
        for name, position in part.at.items()
        if position not in inside
    ]

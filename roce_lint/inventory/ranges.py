"""Names with ranges: `leaf[01-64]`, `leaf[01:64:2]`, `rack[a:c]`, `gpu[1,3,7-9]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roce_lint.text.numbers import whole_number

MOST = 100_000
"""Names that one line may stand for."""

_RANGE = re.compile(r"\[([A-Za-z0-9]{1,12}(?:[-:,][A-Za-z0-9]{1,12}){1,200})\]")
_PART = re.compile(r"([A-Za-z0-9]+)[-:]([A-Za-z0-9]+)(?::(\d{1,6}))?")


class BadRange(ValueError):
    """A range that has no members, or too many."""


def expand_ranges(text: str) -> list[str]:
    """All names that a text with ranges stands for.

    Raises:
        BadRange: a range runs backwards, mixes letters and digits, or there are too many names.
    """
    names = [""]
    at = 0
    for found in _RANGE.finditer(text):
        members = [one for part in found[1].split(",") for one in _members(part)]
        if len(names) * len(members) > MOST:
            raise BadRange(f"more than {MOST} names")
        names = [name + text[at : found.start()] + member for name in names for member in members]
        at = found.end()
    return [name + text[at:] for name in names]


def _members(part: str) -> Iterator[str]:
    found = _PART.fullmatch(part)
    if found is None:
        yield part
        return
    first, last, by = found.groups()
    step = whole_number(by or "1", 1, MOST)
    low, high = whole_number(first), whole_number(last)
    if step is None:
        raise BadRange(f"{part!r} has no step")
    if low is not None and high is not None:
        if high < low or high - low > MOST * step:
            raise BadRange(f"{part!r} is no range")
        width = len(first) if first.startswith("0") or len(first) == len(last) else 0
        yield from (str(number).zfill(width) for number in range(low, high + 1, step))
    elif len(first) == len(last) == 1 and first.isalpha() and last.isalpha() and first <= last:
        yield from (chr(code) for code in range(ord(first), ord(last) + 1, step))
    else:
        raise BadRange(f"{part!r} is no range")

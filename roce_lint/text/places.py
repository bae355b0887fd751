"""Lines, columns and paths, shared by all tree readers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from roce_lint.errors import ReadError

Data: TypeAlias = "dict[str, Data] | list[Data] | str | int | float | bool | None"

Keys: TypeAlias = tuple[Hashable, ...]
"""A path into a tree: keys of mappings and indexes of lists, from the root down."""

Place: TypeAlias = tuple[int, int]
"""Line and column, both counted from 1."""

DEPTH_LIMIT = 100
"""Levels a tree may nest; real configurations stay below 20."""

NOTE_LIMIT = 20
"""Notes of one kind that are kept; the rest are counted."""

LAST_COUNTS = "; the last one counts"
"""End of a note about a repeated key."""

BOM = "\ufeff"


@dataclass(slots=True, frozen=True)
class Note:
    """An oddity that did not prevent reading."""

    line: int
    message: str
    path: Keys = field(default=(), compare=False)  # the path it is about, if known


class LineIndex:
    """Converts offsets into lines and columns; only a newline ends a line."""

    def __init__(self, text: str):
        self._ends = [found.start() for found in re.finditer("\n", text)]

    def above(self, offset: int) -> int:
        """Number of lines above the character at `offset`."""
        return bisect_right(self._ends, offset - 1)

    def place(self, offset: int) -> Place:
        """Line and column of the character at `offset`."""
        line = bisect_right(self._ends, offset - 1)
        return line + 1, offset - (self._ends[line - 1] if line else -1)


def line_of(text: str, offset: int) -> int:
    """Line of the character at `offset`."""
    return text.count("\n", 0, offset) + 1


def error_at(name: str, line: int, message: str, hint: str | None = None) -> ReadError:
    """The error to raise for line `line` of file `name`."""
    return ReadError(message, location=f"{name}:{line}", hint=hint)


def find_doubled_keys(
    lines: LineIndex, doubles: Iterable[tuple[int, str]], paths: Iterable[Keys] = ()
) -> list[Note]:
    """Notes for repeated keys (offset, key) of a mapping, not more than NOTE_LIMIT.

    `paths` are those of the keys, where the reader knows them.
    """
    found = list(doubles)
    known = [*paths, *[()] * len(found)]
    notes = [
        Note(lines.place(offset)[0], f'"{key[:80]}" comes again{LAST_COUNTS}', path)
        for (offset, key), path in zip(found[:NOTE_LIMIT], known, strict=False)
    ]
    if len(found) > NOTE_LIMIT:
        line = lines.place(found[NOTE_LIMIT][0])[0]
        notes.append(Note(line, f"{len(found) - NOTE_LIMIT} more keys come again"))
    return notes

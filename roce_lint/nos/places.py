"""Positions of what is taken out of lines and trees, which counts as understood with that."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from roce_lint.nos.reading import Input, Reading
from roce_lint.nos.trees import LEAF
from roce_lint.text.source import LineState


@dataclass(slots=True)
class Places:
    """Places in the files of one device."""

    reading: Reading

    def at(self, entry: Input, *keys: Hashable) -> int:
        """Position of a path in a tree; what it leads to counts as read."""
        self.mark(entry, *keys)
        return self.spot(entry, *keys)

    def mark(self, entry: Input, *keys: Hashable) -> None:
        """Count what a path leads to as read. Places in lists are alike."""
        node = entry.taken
        for key in keys:
            node = node.setdefault("*" if isinstance(key, int) else key, {})
        node[LEAF] = True

    def spot(self, entry: Input, *keys: Hashable) -> int:
        """Position of a path in a tree."""
        return self.reading.src.path(entry.file, entry.root + keys)

    def line(self, entry: Input, number: int) -> int:
        """Position of a line (from 1) of a file; the line counts as understood."""
        ref = self.reading.src.files[entry.file]
        ref.states[number - 1] = LineState.UNDERSTOOD
        return ref.first + number

    def spot_of_line(self, entry: Input, number: int) -> int:
        """Position of a line (from 1) of a file."""
        return self.reading.src.files[entry.file].first + number

    @staticmethod
    def lines(entry: Input) -> list[tuple[int, str]]:
        """Stripped lines of a file with their numbers, without blanks and the command header."""
        return [
            (number, text)
            for number, line in enumerate(entry.lines, 1)
            if (text := line.strip()) and not (number == 1 and text.startswith("# command:"))
        ]

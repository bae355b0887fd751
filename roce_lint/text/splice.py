"""Line edits in a text; untouched lines stay byte-identical, line ends included."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise


@dataclass(slots=True, frozen=True, order=True)
class Splice:
    """Lines that replace `count` lines from line `first` on (1 is the first); with a count of 0
    they are inserted before it.
    """

    first: int
    count: int
    lines: tuple[str, ...]

    @property
    def end(self) -> int:
        """The line after the last replaced one."""
        return self.first + self.count

    def meets(self, other: Splice) -> bool:
        """Whether the two overlap. Two may insert lines before the same line."""
        if self == other:
            return False
        if self.count and other.count:
            return self.first < other.end and other.first < self.end
        return self.first < other.first < self.end or other.first < self.first < other.end


def splice(text: str, splices: Iterable[Splice]) -> str:
    """Apply all edits; none may overlap.

    An inserted line ends as the line before it does, or as the line after it.

    Raises:
        ValueError: two edits overlap, or one is about lines that the text does not have.
    """
    lines = text.split("\n")
    ordered = sorted(set(splices))
    for one, other in pairwise(ordered):
        if one.meets(other):
            raise ValueError(f"lines {one.first} and {other.first} are changed twice")
    for splice in reversed(ordered):
        at = splice.first - 1
        if not 0 <= at <= len(lines) or splice.end - 1 > len(lines):
            raise ValueError(f"there is no line {splice.first}")
        near = lines[max(at - 1, 0) : at + 1]
        end = "\r" if any(line.endswith("\r") for line in near) else ""
        lines[at : at + splice.count] = [line + end for line in splice.lines]
    return "\n".join(lines)


def unified_diff(before: str, after: str, name: str) -> list[str]:
    """The unified diff of two texts, each line with its end, in the form `patch -p1` takes."""
    a, b = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (before, after))
    return [
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(a, b, f"a/{name}", f"b/{name}")
    ]

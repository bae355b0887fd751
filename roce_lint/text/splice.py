"""Line edits in a text; untouched lines stay byte-identical, line ends included."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
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
        end = "\r" if _returns(lines, at) else ""
        lines[at : at + splice.count] = [line + end for line in splice.lines]
    return "\n".join(lines)


def _returns(lines: Sequence[str], at: int) -> bool:
    near = lines[max(at - 1, 0) : at + 1]
    return any(line.endswith("\r") for line in near)


def unified_diff(before: str, after: str, name: str) -> list[str]:
    """The unified diff of two texts, each line with its end, in the form `patch -p1` takes."""
    made = []
    for line in difflib.unified_diff(
        _lines_with_ends(before), _lines_with_ends(after), f"a/{name}", f"b/{name}"
    ):
        if line.endswith("\n"):
            made.append(line)
        else:
            made.append(f"{line}\n\\ No newline at end of file\n")
    return made


def _lines_with_ends(text: str) -> list[str]:
    """The lines with their ends; only a line feed ends one."""
    lines = text.split("\n")
    ended = [f"{line}\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] else ended

"""Alignment of two texts by their common lines, in order.

Lines that occur once on either side are anchors, as in Bram Cohen's patience diff: a configuration
has many of them, and the stretches between are short. Comparing every line with every other one
takes minutes where each port has the same ten lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST = 1000
"""Largest stretch without a unique line, in lines of both sides, that is compared line by line; a
longer one counts as different."""

DEPTH = 12
"""Maximum recursion depth: real texts need three or four."""


@dataclass(slots=True, frozen=True)
class Stretch:
    """Lines from `a` up to `a_end` on the one side and from `b` up to `b_end` on the other."""

    a: int
    a_end: int
    b: int
    b_end: int
    same: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether neither side has a line in it."""
        return self.a == self.a_end and self.b == self.b_end


def align(a: Sequence[str], b: Sequence[str]) -> list[Stretch]:
    """Divide both texts into stretches, alternately common and different."""
    found: list[Stretch] = []
    x = y = 0
    for same in sorted(_same(a, b), key=lambda s: s.a):
        between = Stretch(x, same.a, y, same.b)
        found += [stretch for stretch in (between, same) if not stretch.is_empty]
        x, y = same.a_end, same.b_end
    rest = Stretch(x, len(a), y, len(b))
    return found if rest.is_empty else [*found, rest]


def _same(a: Sequence[str], b: Sequence[str]) -> Iterator[Stretch]:
    waiting = [(Stretch(0, len(a), 0, len(b)), 0)]
    while waiting:
        whole, depth = waiting.pop()
        head, inner, tail = _ends(a, b, whole)
        yield from (stretch for stretch in (head, tail) if not stretch.is_empty)
        if inner.a == inner.a_end or inner.b == inner.b_end:
            continue
        anchors = _anchors(a, b, inner) if depth < DEPTH else []
        if anchors:
            waiting += ((part, depth + 1) for part in _parts(inner, anchors))
        elif inner.a_end - inner.a + inner.b_end - inner.b <= MOST:
            yield from _one_by_one(a, b, inner)


def _ends(a: Sequence[str], b: Sequence[str], whole: Stretch) -> tuple[Stretch, Stretch, Stretch]:
    """The common beginning, the middle, and the common end."""
    x, y = whole.a, whole.b
    while x < whole.a_end and y < whole.b_end and a[x] == b[y]:
        x, y = x + 1, y + 1
    x_end, y_end = whole.a_end, whole.b_end
    while x < x_end and y < y_end and a[x_end - 1] == b[y_end - 1]:
        x_end, y_end = x_end - 1, y_end - 1
    return (
        Stretch(whole.a, x, whole.b, y, same=True),
        Stretch(x, x_end, y, y_end),
        Stretch(x_end, whole.a_end, y_end, whole.b_end, same=True),
    )


def _anchors(a: Sequence[str], b: Sequence[str], inner: Stretch) -> list[tuple[int, int]]:
    """The longest sequence of unique lines that are in the same order on both sides."""
    mine, theirs = _once(a, inner.a, inner.a_end), _once(b, inner.b, inner.b_end)
    pairs = [(x, theirs[line]) for line, x in mine.items() if line in theirs]
    ends: list[int] = []  # the least end of a sequence of each length, as in patience
    last: list[int] = []  # the pair of that end
    before: list[int] = []
    for number, (_, y) in enumerate(pairs):
        length = bisect_left(ends, y)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [y]
        last[length : length + 1] = [number]
    row: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        row.append(pairs[number])
        number = before[number]
    return row[::-1]


def _once(lines: Sequence[str], first: int, end: int) -> dict[str, int]:
    """Unique lines in order, with their indexes."""
    places: dict[str, int] = {}
    for place in range(first, end):
        places[lines[place]] = -1 if lines[place] in places else place
    return {line: place for line, place in places.items() if place >= 0}


def _parts(inner: Stretch, anchors: list[tuple[int, int]]) -> Iterator[Stretch]:
    """Cut the stretch before each anchor."""
    x, y = inner.a, inner.b
    for next_x, next_y in (*anchors, (inner.a_end, inner.b_end)):
        yield Stretch(x, next_x, y, next_y)
        x, y = next_x, next_y


def _one_by_one(a: Sequence[str], b: Sequence[str], inner: Stretch) -> Iterator[Stretch]:
    mine, theirs = a[inner.a : inner.a_end], b[inner.b : inner.b_end]
    for block in SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks():
        if block.size:
            x, y = inner.a + block.a, inner.b + block.b
            yield Stretch(x, x + block.size, y, y + block.size, same=True)

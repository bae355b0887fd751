"""Many names as people write them: leaf001-512, Ethernet1/1-64, Ethernet0,8,...,504."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from roce_lint.text.numbers import whole_of

RUN = 3
"""Names in a row from which on a range is shorter to read than a list."""

STRIDE = 4
"""The same where the numbers grow by more than one."""

_NUMBER = re.compile(r"[0-9]{1,18}")


def natural(name: str) -> tuple[tuple[str, int], ...]:
    """A sort key by which leaf2 stands before leaf10."""
    words, numbers = _split(name)
    return tuple(zip(words, [*map(whole_of, numbers), -1], strict=True))


def compress(names: Iterable[str], limit: int = 8) -> str:
    """The names in natural order, runs as ranges, no more than `limit` of them.

    Numbers with leading zeros run within one width: leaf09 and leaf010 are different series.
    """
    parts = _ranges(sorted(set(names), key=lambda name: (natural(name), name)))
    shown = ", ".join(text for text, _ in parts[:limit])
    left = sum(count for _, count in parts[limit:])
    return f"{shown} and {left} more" if left else shown


@dataclass(slots=True)
class _Run:
    """Names that differ in one number (`at` tells which of the name's), which grows by `step`."""

    names: list[str]
    at: int = -1
    step: int = 0

    def takes(self, name: str) -> bool:
        """Whether a name carries the run on."""
        grown = _grown(self.names[-1], name)
        if grown is None or (self.step and grown != (self.at, self.step)):
            return False
        self.at, self.step = grown
        self.names.append(name)
        return True

    @property
    def long(self) -> bool:
        """True where a range is shorter to read than the names."""
        return len(self.names) >= (RUN if self.step == 1 else STRIDE)

    def spell(self) -> list[tuple[str, int]]:
        """The names, or one range, each with the number of names it stands for."""
        if not self.long:
            return [(name, 1) for name in self.names]
        (words, numbers), (_, last) = _split(self.names[0]), _split(self.names[-1])
        first, second = numbers[self.at], _split(self.names[1])[1][self.at]
        inner = "-" if self.step == 1 else f",{second},...,"
        inner = f"{first}{inner}{last[self.at]}"
        tail = any(words[self.at + 1 :])
        numbers[self.at] = f"[{inner}]" if tail else inner
        text = "".join(word + number for word, number in zip(words, [*numbers, ""], strict=True))
        return [(text, len(self.names))]


def _ranges(names: list[str]) -> list[tuple[str, int]]:
    parts: list[tuple[str, int]] = []
    run = _Run([])
    for name in names:
        if not run.names:
            run = _Run([name])
        elif not run.takes(name):
            # The last name of what is no run may begin one: leaf1, leaf3-5.
            seed = [] if run.long else run.names[-1:]
            parts += run.spell()[: len(run.names) - len(seed)]
            run = _Run(seed or [name])
            if seed and not run.takes(name):
                parts += run.spell()
                run = _Run([name])
    return parts + run.spell()


def _grown(one: str, other: str) -> tuple[int, int] | None:
    """Which number of a name is greater in the next name, and by how much, all else being equal."""
    (words, numbers), (others, following) = _split(one), _split(other)
    if words != others:
        return None
    changed = [n for n, number in enumerate(numbers) if number != following[n]]
    if len(changed) != 1:
        return None
    before, after = numbers[changed[0]], following[changed[0]]
    padded = before != str(whole_of(before)) or after != str(whole_of(after))
    if padded and len(before) != len(after):
        return None
    return changed[0], whole_of(after) - whole_of(before)


def _split(name: str) -> tuple[list[str], list[str]]:
    """The words of a name and the numbers between them."""
    return _NUMBER.split(name), _NUMBER.findall(name)

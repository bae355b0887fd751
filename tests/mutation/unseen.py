"""unseen.txt: the mutants that no finding points at, by the reason for which none does.

    ## The reason, in a sentence.
    leaf3 spine1 delete digit: DSCP_TO_TC_MAP|AZURE|{0-25,27-47} / *

A line names devices, kinds of mutation and shapes; every kind on every device is meant. `*` stands
for any text, `{0-2,5,x}` for one of the numbers and words in it. A line may only cover what is
unseen: to take in a mutant that is found is an error, so that no pattern hides one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.mutation.change import KINDS
from tests.mutation.mutants import Mutant

FILE = Path(__file__).with_name("unseen.txt")


@dataclass(frozen=True)
class Entry:
    """One line of the list."""

    number: int
    devices: tuple[str, ...]
    kinds: tuple[str, ...]
    pattern: str
    reason: str

    def __str__(self) -> str:
        return f"unseen.txt:{self.number}: {self.pattern}"

    @cached_property
    def _shape(self) -> re.Pattern[str]:
        return re.compile(expression(self.pattern))

    def covers(self, mutant: Mutant) -> bool:
        """Whether the line covers the mutant."""
        own = mutant.device in self.devices and mutant.kind in self.kinds
        return own and self._shape.fullmatch(mutant.shape) is not None


def expression(pattern: str) -> str:
    """A pattern as a regular expression."""
    parts = re.split(r"(\*|\{[^{}]*\})", pattern)
    return "".join(
        ".*" if part == "*" else _one_of(part[1:-1]) if part[:1] == "{" else re.escape(part)
        for part in parts
    )


def _one_of(text: str) -> str:
    return f"(?:{'|'.join(re.escape(word) for part in text.split(',') for word in _words(part))})"


def _words(part: str) -> Iterable[str]:
    ends = re.fullmatch(r"(\d+)-(\d+)", part)
    return map(str, range(int(ends[1]), int(ends[2]) + 1)) if ends else [part]


def entries(text: str) -> Iterator[Entry]:
    """All lines of the list."""
    reason = ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("## "):
            reason = line[3:]
        elif line and not line.startswith("# "):
            words, _, pattern = line.partition(": ")
            kinds = tuple(word for word in words.split() if word in KINDS)
            devices = tuple(word for word in words.split() if word not in KINDS)
            yield Entry(number, devices, kinds, pattern, reason)

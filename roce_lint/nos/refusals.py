"""Documented bounds and word lists of a platform, and the note about a value outside them.

The device refuses such a line, so its setting is not in force; with a confirmed document, that is a
fault of the line and not of its reader.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from roce_lint.nos.declare import table_lines
from roce_lint.text.numbers import parse_decimal, parse_whole, whole_part
from roce_lint.text.source import Citation, Confidence

UNSET = "the line has no effect and its setting stays unset"
_BOUNDS = re.compile(r"(-?[\d.]+) to (-?[\d.]+)(?: (.+))?")


@dataclass(frozen=True)
class Bounds:
    """The numbers that a platform accepts for a setting, bounds included.

    `source` points at a heading of docs/nos/<nos>.md. `instead` describes the effect of another
    number.
    """

    what: str
    low: float
    high: float
    source: str
    unit: str = ""
    instead: str = UNSET
    confidence: Confidence = Confidence.CONFIRMED

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high

    @property
    def citation(self) -> Citation:
        """Source of the bounds."""
        return Citation(f"{self.what}: {self.takes}", self.source, self.confidence)

    @property
    def takes(self) -> str:
        """Description of the accepted values."""
        unit = f" {self.unit}" if self.unit else ""
        return f"{_plain(self.low)} to {_plain(self.high)}{unit}"


@dataclass(frozen=True)
class Words:
    """All words that a platform accepts for a setting."""

    what: str
    words: Collection[str]
    source: str
    instead: str = UNSET
    confidence: Confidence = Confidence.CONFIRMED

    @property
    def citation(self) -> Citation:
        """Source of the word list."""
        return Citation(f"{self.what}: {self.takes}", self.source, self.confidence)

    @property
    def takes(self) -> str:
        """Description of the accepted values."""
        return ", ".join(self.words)


Limit = Bounds | Words


def words(text: str) -> tuple[str, ...]:
    """Words with blanks between them."""
    return tuple(text.split())


def _plain(number: float) -> str:
    return str(whole_part(number)) if number == whole_part(number) else f"{number:g}"


@cache
def limits_of(nos: str) -> dict[str, Limit]:
    """Limits of a platform by setting, from the lines of templates/<nos>/limits.txt."""
    source = f"docs/nos/{nos}.md#what-the-device-refuses"
    found: dict[str, Limit] = {}
    for line in table_lines(nos, "limits"):
        what, takes, instead, unsure = [*re.split(r" *\| *", line), "", ""][:4]
        rest = instead or UNSET, Confidence(unsure or "confirmed")
        ends = _BOUNDS.fullmatch(takes)
        if ends is None:
            found[what] = Words(what, tuple(takes.split(", ")), source, *rest)
        else:
            low, high = (parse_decimal(n) if "." in n else parse_whole(n) for n in ends.group(1, 2))
            found[what] = Bounds(what, low, high, source, ends[3] or "", *rest)
    return found


def bounds_in(nos: str, what: str) -> Bounds:
    """Bounds of the number of setting `what` of a platform.

    Raises:
        TypeError: that is limited to words, not to numbers.
    """
    found = limits_of(nos)[what]
    if not isinstance(found, Bounds):
        raise TypeError(f"{what} takes words: {found.takes}")
    return found

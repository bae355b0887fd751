"""What a platform refuses: documented bounds and word lists, and the remark that says so.

A value outside them is no riddle. The device does not take the line, so what it states does not
hold; where the documentation is confirmed, that is a fault of the line and not of its reader.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from roce_lint.text.numbers import whole_part
from roce_lint.text.source import Citation, Confidence

UNSET = "the line has no effect: what it sets is not set"


@dataclass(frozen=True)
class Bounds:
    """The numbers that a setting of a platform takes, both ends included.

    `source` points at a heading of docs/nos/<nos>.md. `instead` says what holds where a line gives
    another number.
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
        """Who says so."""
        return Citation(f"{self.what}: {self.takes}", self.source, self.confidence)

    @property
    def takes(self) -> str:
        """What it takes, in words."""
        unit = f" {self.unit}" if self.unit else ""
        return f"{_plain(self.low)} to {_plain(self.high)}{unit}"


@dataclass(frozen=True)
class Words:
    """The words that a setting of a platform takes, all of them."""

    what: str
    words: Collection[str]
    source: str
    instead: str = UNSET
    confidence: Confidence = Confidence.CONFIRMED

    @property
    def citation(self) -> Citation:
        """Who says so."""
        return Citation(f"{self.what}: {self.takes}", self.source, self.confidence)

    @property
    def takes(self) -> str:
        """What it takes, in words."""
        return ", ".join(self.words)


Limit = Bounds | Words


def _plain(number: float) -> str:
    return str(whole_part(number)) if number == whole_part(number) else f"{number:g}"


def table(*limits: Limit) -> dict[str, Limit]:
    """The limits of a platform by what they are about."""
    return {limit.what: limit for limit in limits}


def bounds_in(limits: Mapping[str, Limit], what: str) -> Bounds:
    """The bounds of a number that is about `what`.

    Raises:
        TypeError: that is limited to words, not to numbers.
    """
    found = limits[what]
    if not isinstance(found, Bounds):
        raise TypeError(f"{what} takes words: {found.takes}")
    return found

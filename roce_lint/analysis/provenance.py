"""A derived value with its provenance: deciding places, missing input, doubts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from roce_lint.text.source import Where

T = TypeVar("T")

SURE: tuple[Where, ...] = ()
"""No doubts."""


@dataclass(slots=True, frozen=True)
class Fact(Generic[T]):
    """A derived value, or None and the missing input.

    `where` are the deciding places, the nearest first. `doubts` are unconfirmed places that could
    change the value. `readings` are all values it can have in doubt, if known: what holds for each
    of them holds for certain.
    """

    value: T | None
    where: tuple[Where, ...] = ()
    missing: str = ""
    doubts: tuple[Where, ...] = SURE
    readings: frozenset[T] | None = None

    @property
    def place(self) -> Where | None:
        """Nearest deciding place."""
        return self.where[0] if self.where else None

    @property
    def certain(self) -> bool:
        """True where the value is known and no doubt can change it."""
        return self.value is not None and not self.doubts

    def all_readings(self) -> frozenset[T] | None:
        """All possible values; None where a doubt leaves it open."""
        if self.value is None:
            return None
        return self.readings if self.doubts else frozenset((self.value,))


def unconfirmed_places(places: Iterable[Where | None]) -> tuple[Where, ...]:
    """Places that rest on an unconfirmed default."""
    return tuple(place for place in places if place is not None and not place.confirmed)

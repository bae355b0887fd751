"""Wishes that cannot be met, gathered so that one run tells all of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.catalog.refusals import Loc, Refusal
from roce_lint.text.spelling import did_you_mean

HINTED = 50
"""Wishes that are told with a hint."""

__all__ = ["Loc", "Refusals"]


@dataclass(slots=True)
class Refusals:
    """What a design lacks or cannot have, each with the path of the wish in the intent."""

    found: dict[Refusal, None] = field(default_factory=dict)

    def add(self, keys: Loc, message: str, hint: str = "") -> None:
        """Tell of one wish; what is told twice of one place is told once."""
        self.found.setdefault(Refusal(keys, message, hint))

    def unknown(self, keys: Loc, what: str, name: str, known: list[str]) -> None:
        """Tell of a name that nothing has, with the nearest that something has.

        Only so many are compared with all names as are shown.
        """
        hint = did_you_mean(name[:40], known) if len(self.found) < HINTED else ""
        self.add(keys, f"{what} {name[:40]!a}", hint)

    def __bool__(self) -> bool:
        return bool(self.found)

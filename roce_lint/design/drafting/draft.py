"""A draft intent: keys, and comments beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from roce_lint.catalog.refusals import Loc
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.numbers import whole_part
from roce_lint.text.source import Where

T = TypeVar("T", bound=Hashable)


@dataclass(slots=True)
class Draft:
    """Keys of an intent as in YAML, comments by the path of the key below them, and configuration
    without a key. `incomplete`: a device or requirement was left out.
    """

    excerpts: Excerpts
    tree: dict[str, Any] = field(default_factory=dict)
    notes: dict[Loc, list[str]] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    incomplete: bool = False
    commented: set[Loc] = field(default_factory=set)
    """Paths with a comment below them."""

    def note(self, keys: Loc, text: str) -> None:
        """Add a comment above a key, once."""
        self.commented.update(keys[:n] for n in range(1, len(keys)))
        notes = self.notes.setdefault(keys, [])
        if text not in notes:
            notes.append(text)

    def leave(self, text: str) -> None:
        """Report configuration without a key."""
        self.incomplete = True
        if text not in self.left:
            self.left.append(text)

    def put(self, keys: Loc, value: Any) -> None:
        """Set a key, and the mappings above it."""
        at = self.tree
        for key in keys[:-1]:
            at = at.setdefault(str(key), {})
        at[str(keys[-1])] = value

    def get(self, keys: Loc) -> Any:
        """The value of a key; None if it is missing."""
        at: Any = self.tree
        for key in keys:
            at = at.get(key) if isinstance(at, dict) else None
        return at

    def drop(self, keys: Loc) -> bool:
        """Remove a key, and mappings that become empty; False if it is missing."""
        at: Any = self.tree
        for key in keys[:-1]:
            if not isinstance(at, dict) or key not in at:
                return False
            at = at[key]
        if not isinstance(at, dict) or keys[-1] not in at:
            return False
        del at[keys[-1]]
        if not at and len(keys) > 1:
            self.drop(keys[:-1])
        return True

    def line(self, where: Where) -> str:
        """File and line of a place; empty if it is not in a file."""
        if not where.position:
            return ""
        found = self.excerpts.locate(where)
        return f"{found.file}:{found.line}" if found.file else ""


def short(number: float) -> float | int:
    """A number as people write it: integers without a fraction."""
    return whole_part(number) if number == whole_part(number) else number


def usual(votes: Iterable[tuple[T | None, int]]) -> T | None:
    """The most common value, the first of several; None if there is none."""
    counts: Counter[T] = Counter()
    for value, weight in votes:
        if value is not None:
            counts[value] += weight
    return counts.most_common(1)[0][0] if counts else None

"""An intent in the making: its keys, and what is to be said beside them in comments."""

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
    """The keys of an intent as YAML has them, comments by the path of the key they stand above,
    and what stands in no key. `incomplete` is True where a device or wish had to be left out.
    """

    excerpts: Excerpts
    tree: dict[str, Any] = field(default_factory=dict)
    notes: dict[Loc, list[str]] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    incomplete: bool = False
    commented: set[Loc] = field(default_factory=set)
    """Paths below which something has a comment."""

    def note(self, keys: Loc, text: str) -> None:
        """Say something above a key; what was said there already is said once."""
        self.commented.update(keys[:n] for n in range(1, len(keys)))
        said = self.notes.setdefault(keys, [])
        if text not in said:
            said.append(text)

    def leave(self, text: str) -> None:
        """Say that something of the fabric stands in no key."""
        self.incomplete = True
        if text not in self.left:
            self.left.append(text)

    def put(self, keys: Loc, value: Any) -> None:
        """Set a key, and the mappings that it stands in."""
        at = self.tree
        for key in keys[:-1]:
            at = at.setdefault(str(key), {})
        at[str(keys[-1])] = value

    def drop(self, keys: Loc) -> bool:
        """Take a key out, and what holds nothing then; False where it is not there."""
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
        """The file and line of a place; empty where nobody wrote it."""
        if not where.position:
            return ""
        found = self.excerpts.locate(where)
        return f"{found.file}:{found.line}" if found.file else ""


def short(number: float) -> float | int:
    """A number as people write it: a whole one without a fraction."""
    return whole_part(number) if number == whole_part(number) else number


def usual(votes: Iterable[tuple[T | None, int]]) -> T | None:
    """What most have, the first met of equals; None where nobody has anything."""
    counts: Counter[T] = Counter()
    for value, weight in votes:
        if value is not None:
            counts[value] += weight
    return counts.most_common(1)[0][0] if counts else None

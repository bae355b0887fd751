"""The base of every model object: plain values, with their positions beside them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.text.source import NO_SOURCE, Origin, SourceMap, Where


@dataclass(slots=True, kw_only=True)
class Sourced:
    """A model object whose fields remember where they were stated.

    `at` maps a field name (or a code point, in a CodeMap) to a position; `at[""]` is where the
    object begins. Positions do not take part in equality: two devices are equal when they are
    configured alike, wherever it was written.
    """

    src: SourceMap = field(default=NO_SOURCE, repr=False, compare=False)
    at: dict[Hashable, int] = field(default_factory=dict, repr=False, compare=False)

    def where(self, name: Hashable = "", label: str = "") -> Where:
        """The place of field `name`: its line, the default that holds, or the object's line."""
        position = self.at.get(name, 0)
        if position > 0:
            return Where(self.src, position, Origin.STATED, None, label)
        begin = max(self.at.get("", 0), 0)
        if position < 0:
            return Where(self.src, begin, Origin.DEFAULT, self.src.citation(position), label)
        origin = Origin.STATED if name == "" else Origin.ABSENT
        return Where(self.src, begin, origin, None, label)

    def stated(self, name: Hashable) -> bool:
        """True when a line states the field (not a default)."""
        return self.at.get(name, 0) > 0

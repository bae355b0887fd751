"""The base of every model object: plain values, with their positions beside them."""

from __future__ import annotations

import enum
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from roce_lint.text.source import NO_SOURCE, Origin, SourceMap, Where


class Home(NamedTuple):
    """Key of `Sourced.at` for the line below which a field could be stated, where none states it
    and the object itself begins elsewhere: a setting of the whole device that each port has.
    """

    field: Hashable


class Part(NamedTuple):
    """Key of `Sourced.at` for the line of one part of a field, where each part can have its own:
    one priority of a set, one of several numbers.
    """

    field: Hashable
    part: Hashable


class Concern(enum.Enum):
    """Key of `Sourced.at` for a line that concerns the object and states none of its fields."""

    BESIDE = "beside"  # right for others, and only shown
    LIMIT = "limit"  # who says what the platform takes
    LOST = "lost"  # about a part that cannot be told, as it names what nothing defines
    OTHER = "other"  # contradicts the object's own line
    OTHER_AGENT = "other agent"  # a second one that does the same
    PROFILE = "profile"  # names what would give several fields, and is not known
    SECOND_OTHER = "other 2"
    SECTION = "section"  # begins the section that the object stands in
    SETTER = "overwritten"  # makes the field that somebody sets what it is


@dataclass(slots=True, kw_only=True)
class Sourced:
    """A model object whose fields remember where they were stated.

    `at` maps a field name to a position; `at[""]` is where the object begins. The entries of a
    field that holds many (code points, variables, addresses) stand under their own keys, all else
    under a `Home`, `Part` or `Concern`. Positions do not take part in equality: two devices are
    equal when they are configured alike, wherever it was written.
    """

    src: SourceMap = field(default=NO_SOURCE, repr=False, compare=False)
    at: dict[Hashable, int] = field(default_factory=dict, repr=False, compare=False)

    def where(self, name: Hashable = "", label: str = "") -> Where:
        """The place of field `name`: its line, the default that holds, or the object's line.

        What no line states has the place where it could be stated.
        """
        position = self.at.get(name, 0)
        if position > 0:
            return Where(self.src, position, Origin.STATED, None, label)
        begin = self.at.get(Home(name)) or max(self.at.get("", 0), 0)
        if position < 0:
            return Where(self.src, begin, Origin.DEFAULT, self.src.citation(position), label)
        origin = Origin.STATED if name == "" else Origin.ABSENT
        return Where(self.src, begin, origin, None, label)

    def placed(self, name: Hashable) -> bool:
        """True when a line states the field, or is known as the one below which it lacks."""
        return self.stated(name) or Home(name) in self.at

    def stated(self, name: Hashable) -> bool:
        """True when a line states the field (not a default)."""
        return self.at.get(name, 0) > 0

"""The base of every model object: plain values with separate positions; fast construction."""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, NamedTuple

from roce_lint.text.source import NO_SOURCE, Origin, SourceMap, Where


class Home(NamedTuple):
    """Key of `Sourced.at` for the line below which an unstated field could be stated, if the object
    itself begins elsewhere: a device-wide setting that each port has.
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

    BESIDE = "beside"  # correct on other platforms, and shown as a hint
    LIMIT = "limit"  # source of a limit of the platform
    LOST = "lost"  # about an unidentified part: it uses an undefined name
    OTHER = "other"  # contradicts the object's own line
    OTHER_AGENT = "other agent"  # a second one with the same effect
    PROFILE = "profile"  # an undefined name that would give several fields
    SECOND_OTHER = "other 2"
    SECTION = "section"  # begins the section that holds the object
    SETTER = "overwritten"  # configures the agent that sets the field


@dataclass(slots=True, kw_only=True)
class Sourced:
    """A model object whose fields remember where they were stated.

    `at` maps a field name to a position; `at[""]` is where the object begins. Entries of a field
    with many (DSCPs, variables, addresses) have their own keys, everything else a `Home`, `Part` or
    `Concern`. Positions are excluded from equality: devices are equal if their configurations mean
    the same, wherever it was written.
    """

    src: SourceMap = field(default=NO_SOURCE, repr=False, compare=False)
    at: dict[Hashable, int] = field(default_factory=dict, repr=False, compare=False)

    def where(self, name: Hashable = "", label: str = "") -> Where:
        """Place of field `name`: its line, the effective default, or the object's line.

        A field that no line states has the place where it could be stated.
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
        """Whether a line states the field, or is known as the parent it is missing from."""
        return self.stated(name) or Home(name) in self.at

    def stated(self, name: Hashable) -> bool:
        """Whether a line states the field (not a default)."""
        return self.at.get(name, 0) > 0


# Fast construction from field values, for copying and transfer. Objects are made by the million,
# and the keyword constructor of a data class with thirty fields takes five times as long as setting
# the fields.


@dataclass(slots=True, frozen=True)
class Remake:
    """Disassembles objects of one data class and builds them again.

    `values` gives the values of all fields in order, `make` builds an object from as many. It
    raises TypeError or ValueError for a wrong number.
    """

    values: Callable[[Any], tuple[Any, ...]]
    make: Callable[..., Any]


class _Kinds(dict[type[Any], Remake]):
    """One `Remake` per data class with two fields or more, made on first use."""

    def __missing__(self, kind: type[Any]) -> Remake:
        names = [entry.name for entry in fields(kind)]
        frozen: bool = kind.__dataclass_params__.frozen
        # Frozen classes are set only by their constructor, which takes few, positional values.
        make = kind if frozen else _maker(kind, names)
        found = self[kind] = Remake(attrgetter(*names), make)
        return found


def _maker(kind: type[Any], names: list[str]) -> Callable[..., Any]:
    """Compile a function that sets all fields in one statement, as `dataclass` does: a loop over
    setattr takes seven times as long.
    """
    known: dict[str, Any] = {"new": object.__new__, "kind": kind}
    targets = ", ".join(f"made.{name}" for name in names)
    text = f"def make(*values):\n made = new(kind)\n {targets} = values\n return made"
    exec(text, known)  # noqa: S102  (of names in our own code)
    made: Callable[..., Any] = known["make"]
    return made


REMAKE = _Kinds()
"""`Remake` by class."""

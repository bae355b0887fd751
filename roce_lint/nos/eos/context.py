"""What the parts of the EOS reader share: cited defaults, and which of two lines counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from roce_lint.model.device import NoteKind
from roce_lint.nos.base import Default
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.text.source import LineState

T = TypeVar("T")

SOURCE = "running-config"


def captured_values(reader: Reader, name: str) -> list[Value[str]]:
    """What a line states, not yet taken: whether it counts is known when all lines are read."""
    return [Value(text, position) for text, position in reader.record.values.get(name, ())]


def word(reader: Reader, name: str) -> str:
    """The one capture of a line that states just one, not yet taken; empty where it has none."""
    found = reader.record.values.get(name)
    return found[-1][0] if found else ""


@dataclass(slots=True)
class Context:
    """One device while it is read.

    `begin` is where objects begin that no line begins (what the platform brings). `whole` is
    True when the files hold the whole configuration, so that an absent line means the default.
    `spelled` is True for `show running-config all`, where defaults are printed as lines.
    """

    reading: Reading
    begin: int = 0
    whole: bool = False
    spelled: bool = False
    _defaults: dict[int, Value[Any]] = field(default_factory=dict)

    def default(self, default: Default) -> Value[Any]:
        """A cited default; made once a device, because every port asks for the same ones."""
        value = self._defaults.get(id(default))
        if value is None:
            value = self._defaults[id(default)] = self.reading.default(default)
        return value

    def settle(self, what: str, stated: Iterable[Value[T]], default: Value[T]) -> Value[T]:
        """The value in force of several lines that set one thing in several places.

        A port, its profile, its channel and the channel's profile may all speak. Where they
        differ EOS does not say whose word counts: the value is unknown and a note names both
        lines. In a file that spells out defaults, a line with the default says nothing.
        """
        found = [value for value in stated if value.value is not None]
        if not found:
            return default
        first = found[0]
        if all(value.value == first.value for value in found):
            return first
        if self.spelled:
            found = [value for value in found if value.value != default.value]
            if all(value.value == found[0].value for value in found):
                return found[0]
        other = next(value for value in found if value.value != found[0].value)
        self.reading.note(
            NoteKind.CONFLICT,
            f"{what}: another line applies here too and says otherwise, "
            "and EOS does not document which of the two counts",
            found[0].position,
            beside=other.position,
        )
        return ABSENT

    def switch(self, *, on: str, off: str) -> Value[bool]:
        """True or False by the last line of two groups of device-wide lines."""
        lines = [(line, "on") for line in self.reading.groups(SOURCE, on)]
        lines += [(line, "off") for line in self.reading.groups(SOURCE, off)]
        if not lines:
            return ABSENT
        lines.sort(key=lambda entry: entry[0].begin)
        self.settle_lines([line.begin for line, _ in lines[:-1]], ())
        last, flag = lines[-1]
        return last.text(flag).map(lambda _: flag == "on")

    def settle_lines(self, lines: Iterable[int], alive: Collection[int]) -> None:
        """Mark the lines in force as understood, and those that others overrule as shadowed."""
        for position in lines:
            state = LineState.UNDERSTOOD if position in alive else LineState.SHADOWED
            self.reading.mark(position, state)

    def last(self, group: str) -> Reader | None:
        """The last of the device-wide lines of one group, which is the one that counts."""
        found = list(self.reading.groups(SOURCE, group))
        self.settle_lines([line.begin for line in found[:-1]], ())
        return found[-1] if found else None

    def bad(self, message: str, position: int) -> None:
        """Note a line whose value the device cannot mean."""
        self.reading.note(NoteKind.BAD_VALUE, message, position)

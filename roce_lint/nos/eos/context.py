"""Shared state of the EOS reader: cited defaults, and the choice between two lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from roce_lint.model.device import NoteKind
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.text.source import LineState

T = TypeVar("T")

SOURCE = "running-config"


def captured_values(reader: Reader, name: str) -> list[Value[str]]:
    """Captures of a line, not yet taken: their effect is known once all lines are read."""
    return [Value(text, position) for text, position in reader.record.values.get(name, ())]


def word(reader: Reader, name: str) -> str:
    """The only capture of a line, not yet taken; empty without one."""
    found = reader.record.values.get(name)
    return found[-1][0] if found else ""


@dataclass(slots=True)
class Context:
    """One device while it is read.

    `begin` is the position of objects without a line (platform defaults). `whole` is True when the
    files hold the whole configuration, so that an absent line means the default. `spelled` is True
    for `show running-config all`, where defaults are printed as lines.
    """

    reading: Reading
    begin: int = 0
    whole: bool = False
    spelled: bool = False
    model: Value[str] = ABSENT
    version: Value[str] = ABSENT

    def default(self, default: Default) -> Value[Any]:
        """A cited default."""
        return self.reading.default(default)

    def settle(self, what: str, stated: Iterable[Value[T]], default: Value[T]) -> Value[T]:
        """The value in force among several lines that set the same thing.

        A port, its profile, its channel and the channel's profile may all set it. EOS does not
        document which wins where they differ: the value is unknown and a note names both lines. In
        a file that prints defaults, a line with the default has no weight.
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
        """Mark lines in force as understood, and overruled lines as shadowed."""
        for position in lines:
            state = LineState.UNDERSTOOD if position in alive else LineState.SHADOWED
            self.reading.mark(position, state)

    def last(self, group: str) -> Reader | None:
        """The last device-wide line of one group, which is in force."""
        found = list(self.reading.groups(SOURCE, group))
        self.settle_lines([line.begin for line in found[:-1]], ())
        return found[-1] if found else None

    def bad(self, message: str, position: int) -> None:
        """Note a line with an invalid value."""
        self.reading.note(NoteKind.BAD_VALUE, message, position)

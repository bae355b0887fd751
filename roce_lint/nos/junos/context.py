"""Shared state of the Junos reader: the tree, and whether the configuration is complete."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roce_lint.model.device import NoteKind
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.statements import Branch
from roce_lint.text.numbers import decimal_of, whole_number

SOURCE = "configuration"

_RATE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)([kmgt]?)")
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


@dataclass(slots=True)
class Context:
    """One device while it is read.

    `begin` is the position of objects without a line (platform defaults). `whole` is True when the
    files hold the whole configuration, so that an absent line means the default; `named` is True
    when they hold the beginning of a device's configuration, even if its end is missing.
    """

    reading: Reading
    top: Branch
    begin: int
    whole: bool
    named: bool = False

    @property
    def evolved(self) -> bool:
        """Whether the device runs, or may run, Junos Evolved: no line states the release."""
        release = self.top.text("version").value
        return release is None or "EVO" in release.upper()

    @property
    def cos(self) -> Branch:
        """`class-of-service`."""
        return self.top.get("class-of-service")

    def bad(self, message: str, position: int, *others: int) -> None:
        """Note a line with an invalid value, and the lines that it contradicts."""
        self.reading.note(NoteKind.BAD_VALUE, message, position, *others)

    def conflict(self, message: str, position: int, *others: int) -> None:
        """Note lines that contradict each other."""
        self.reading.note(NoteKind.CONFLICT, message, position, *others)

    def bounded(self, value: Value[str], what: str, highest: int) -> Value[int]:
        """A number of a setting from 0 to `highest`; others are refused or noted, and unknown."""
        if value.value is None:
            return ABSENT
        self.reading.take(value.position)
        number = whole_number(value.value, high=highest)
        limit = self.reading.limits.get(what)
        if number is not None:
            return Value(number, value.position)
        if limit is None:
            self.bad(f"{what} {value.value[:32]!r} is not 0 to {highest}", value.position)
        else:
            self.reading.refuse(limit, value.value, value.position)
        return ABSENT


def bits_of(rate: str) -> int | None:
    """Bits per second of `16g`."""
    found = _RATE.fullmatch(rate)
    return int(decimal_of(found[1]) * _UNITS[found[2]]) if found else None

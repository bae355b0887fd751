"""One command of a script: its place, and the fields it sets in the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Table, Witness, line_of
from roce_lint.nos.linux.host import NIC, PORT, Host
from roce_lint.nos.linux.sysfs import Sysfs
from roce_lint.nos.reading import Value

Convert = Callable[[str], Any]
"""Parses a word; None if the tool would refuse it."""

Words = tuple[str | None, ...]
"""Words of a command; None is a word with an unknown value."""


@dataclass(slots=True)
class Setter:
    """One command of a script: its place, and its witness."""

    host: Host
    who: Witness
    sysfs: Sysfs
    position: int
    tool: str = ""

    def state(self, kind: str, name: str | None, what: str, value: object) -> None:
        """Record a field of an object; ignored if the word is unknown."""
        if name is None:
            self.unplaced(kind, what)
        else:
            record = self.host.nic if kind == NIC else partial(self.host.claims.state, kind)
            record(name, what, Value(value, self.position), self.who)
            self.host.reading.take(self.position)

    def port(self, name: str | None, what: str, value: object) -> None:
        """Record a field of a network interface."""
        self.state(PORT, name, what, value)

    def nic(self, name: str | None, what: str, value: object) -> None:
        """Record a field of an RDMA device."""
        self.state(NIC, name, what, value)

    def port_table(
        self,
        name: str | None,
        what: str,
        entries: Mapping[int, object],
        *,
        whole_table: bool = False,
    ) -> None:
        """Record (a part of) a map of a network interface."""
        if name is None:
            self.unplaced(PORT, what)
        elif entries or whole_table:
            table = Table(dict(entries), line_of(self.position), whole_table)
            self.host.port_table(name, what, table, self.who)
            self.host.reading.take(self.position)

    def unplaced(self, kind: str, what: str) -> None:
        """Record a field of a device that only the running script knows."""
        self.host.unplaced.append((self.position, self.tool, kind, what))
        self.host.reading.take(self.position)

    def wrong(self, message: str, name: str | None = None, *sets: str) -> None:
        """Note a faulty command, once for all rounds of a loop.

        `sets` are the fields of a port or RDMA device that the tool therefore does not set.
        """
        text = f"{self.tool} {message}"
        if (self.position, text) not in self.host.wrong_forms:
            self.host.wrong_forms.add((self.position, text))
            self.host.reading.note(NoteKind.LEXICAL, text, self.position)
            if name and sets:
                self.host.refused.append((self.host.reading.notes[-1], name, sets))

    def take(
        self, option: str, given: str | None, convert: Convert, takes: str, *place: str | None
    ) -> Any:
        """The value of an option; None if only the running script knows it, or the tool refuses it
        (`convert` returns None). `place` are the other arguments of `wrong`.
        """
        value = convert(given) if given is not None else None
        if value is None and given is not None:
            name, *sets = place or (None,)
            self.wrong(f"{option} takes {takes}, not {given}", name, *filter(None, sets))
        return value


def getopts(words: Words, letters: str) -> list[tuple[str, str | None]]:
    """Options with values as the shell's getopts parses them, up to the first other word."""
    found: list[tuple[str, str | None]] = []
    rest = list(words)
    while rest and rest[0] is not None and rest[0].startswith("-") and len(rest[0]) > 1:
        word = rest.pop(0) or ""
        if word[1] in letters:
            found.append((word[1], word[2:] or (rest.pop(0) if rest else None)))
    return found


def assignments(words: Words) -> list[tuple[str, str]]:
    """Name and value of the words `name=value`."""
    parts = (word.partition("=") for word in words if word and "=" in word)
    return [(name, value) for name, _, value in parts]

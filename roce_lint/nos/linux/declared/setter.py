"""One command of a script on its way into the model: where it stands and what it sets."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import Host
from roce_lint.nos.linux.sysfs import Sysfs
from roce_lint.nos.linux.tables import Table, line_of
from roce_lint.nos.reading import Value

Words = tuple[str | None, ...]
"""Words of a command; None is a word whose value is not known."""


@dataclass(slots=True)
class Setter:
    """One command of a script: where it stands and on whose behalf it is taken."""

    host: Host
    who: Witness
    sysfs: Sysfs
    position: int
    tool: str = ""

    def port(self, name: str | None, what: str, value: object) -> None:
        """The command sets a field of a network interface; an unknown word sets nothing known."""
        if name is not None:
            self.host.port(name, what, Value(value, self.position), self.who)
            self.host.reading.take(self.position)

    def port_table(
        self, name: str | None, what: str, entries: dict[int, object], *, whole_table: bool
    ) -> None:
        """The command sets (a part of) a map of a network interface."""
        if name is not None and entries:
            table = Table(entries, line_of(self.position), whole_table)
            self.host.port_table(name, what, table, self.who)
            self.host.reading.take(self.position)

    def nic(self, name: str | None, what: str, value: object) -> None:
        """The command sets a field of an RDMA device."""
        if name is not None:
            self.host.nic(name, what, Value(value, self.position), self.who)
            self.host.reading.take(self.position)

    def wrong(self, message: str) -> None:
        """The command is not what its author meant; noted once, however often a loop runs it."""
        text = f"{self.tool} {message}"
        if (self.position, text) not in self.host.wrong_forms:
            self.host.wrong_forms.add((self.position, text))
            self.host.reading.note(NoteKind.LEXICAL, text, self.position)

"""Shared state of the Junos reader: the tree, and whether the configuration is complete."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.device import NoteKind
from roce_lint.nos.reading import Reading
from roce_lint.nos.statements import Branch

SOURCE = "configuration"


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

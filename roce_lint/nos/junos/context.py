"""What the parts of the Junos reader share: the tree, and whether it is the whole configuration."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.device import NoteKind
from roce_lint.nos.reading import Reading
from roce_lint.nos.statements import Branch

SOURCE = "configuration"


@dataclass(slots=True)
class Context:
    """One device while it is read.

    `begin` is where objects begin that no line begins (what the platform brings). `whole` is
    True when the files hold the whole configuration, so that an absent line means the default;
    `named` when they hold that of a device from its beginning, be it that the end is missing.
    """

    reading: Reading
    top: Branch
    begin: int
    whole: bool
    named: bool = False

    @property
    def evolved(self) -> bool:
        """Whether it runs Junos Evolved, or may: no line tells the release."""
        release = self.top.text("version").value
        return release is None or "EVO" in release.upper()

    @property
    def cos(self) -> Branch:
        """`class-of-service`."""
        return self.top.get("class-of-service")

    def bad(self, message: str, position: int, *others: int) -> None:
        """Note a line whose value the device cannot mean, and those that it goes against."""
        self.reading.note(NoteKind.BAD_VALUE, message, position, *others)

"""A configuration before and after a correction, as a system's own commands are made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class FileEdit(NamedTuple):
    """The text of one configuration file, and what it is to become."""

    before: str
    after: str


@dataclass(frozen=True)
class Typed:
    """How the statements of a system are typed, and taken back.

    With `put` each is one line with the words of its headers before it (`set interfaces ...`);
    without, each header is typed, and `leave` ends what is below it.
    """

    take: str = "no"
    put: str = ""
    leave: str = "exit"
    begin: tuple[str, ...] = ("configure terminal",)
    end: tuple[str, ...] = ("end",)

"""What a live pull asks of a system: commands that only show, and the lines that prepare a session.

A declaration that could change anything is refused where it is made, which is when its system is
imported: a pull never gets to see it.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from roce_lint.errors import RoceLintError

FILTERS = ("no-more", "json", "display inheritance no-comments", "display xml", "as json")
"""What may stand behind a pipe: how an answer is written and paged, and nothing that selects,
counts or keeps it.
"""

SHOWING = (
    "show", "display", "info from running", "info from state", "nv show", "nv config show",
    "cat /etc/sonic/config_db.json", "lldpcli -f json show neighbors",
)  # fmt: skip
"""The words that a command may begin with, of whatever system it is."""

_NEVER = re.compile(r"[^ -~]|[;&<>`$\\!*?{}()'\"\[\]~#^]|\.\.")
_LONGEST = 200


class Kind(enum.Enum):
    """The sets that a pull can be asked for."""

    CONFIG = "config"
    STATE = "state"
    COUNTERS = "counters"


class ForbiddenCommand(RoceLintError):
    """A command that is declared for a pull and does more than show."""


def see_that_it_shows(command: str, words: Iterable[str]) -> None:
    """See that a command begins with one of the words of its system and does nothing beside it.

    Raises:
        ForbiddenCommand: it begins otherwise, or holds a separator, a redirection, a pipe into
            something else than a filter, or a character that a shell takes for more than itself.
    """
    said, *filters = (part.strip() for part in command.split("|"))
    if command != command.strip() or not said or len(command) > _LONGEST or _NEVER.search(command):
        raise ForbiddenCommand(f"{command!r} holds more than one command that shows")
    allowed = [word for word in words if word in SHOWING]
    # A file is shown alone: another one behind its name would be shown as well.
    if not any(
        said == word or (said.startswith(f"{word} ") and word[:4] != "cat ") for word in allowed
    ):
        raise ForbiddenCommand(f"{command!r} does not begin with a word that only shows")
    for each in filters:
        if each not in FILTERS:
            raise ForbiddenCommand(f"{command!r} hands its answer to {each!r}")


@dataclass(frozen=True)
class Command:
    """One command of a pull. `needed`: without its answer nothing is known of the device."""

    text: str
    kind: Kind = Kind.CONFIG
    needed: bool = False

    @cached_property
    def file(self) -> str:
        """What the file with its answer is called: without its filters, they only change a form."""
        said = self.text.split("|")[0].strip()
        return re.sub(r"[^A-Za-z0-9]+", "-", said).strip("-").lower() + ".txt"


@dataclass(frozen=True)
class PullPlan:
    """How one system is asked.

    `words` are those with which its commands may begin, `prepares` the lines that netmiko sends by
    itself for the session alone (their source is docs/live.md), `enable` what is sent where the
    prompt ends in `>`, `asks` a regex of questions at login that nobody may answer for the owner,
    `around` a regex of lines that belong to the prompt, `unknown` a regex of what is answered to
    a command that the release does not know, `called` the names that inventories have for the
    system.

    Raises:
        ForbiddenCommand: a command does more than show.
    """

    words: tuple[str, ...]
    commands: tuple[Command, ...]
    prepares: tuple[str, ...] = ()
    enable: str | None = None
    asks: str | None = None
    around: str = r"(?!)"
    unknown: str = r"(?!)"
    called: tuple[str, ...] = ()
    script: bool = False  # a host: the collector is run instead of commands

    def __post_init__(self) -> None:
        """Refuse what does not only show."""
        for command in self.commands:
            see_that_it_shows(command.text, self.words)
        files = [command.file for command in self.commands]
        if len(set(files)) < len(files):
            raise ForbiddenCommand(f"two commands would be kept in one file: {sorted(files)}")

    def of(self, kinds: Iterable[Kind]) -> tuple[Command, ...]:
        """The commands of some sets, in the order in which they are declared."""
        wanted = frozenset(kinds)
        return tuple(command for command in self.commands if command.kind in wanted)

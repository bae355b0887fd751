"""Live pull commands of a system, all read-only, and the lines that prepare a session.

A declaration that could change anything is refused on import of its system, before any pull.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from roce_lint.errors import RoceLintError
from roce_lint.nos.declare import table_lines

FILTERS = ("no-more", "json", "display inheritance no-comments", "display xml", "as json")
"""Allowed words after a pipe: they format and page, but do not select, count or store."""

SHOWING = (
    "show", "display", "info from running", "info from state", "nv show", "nv config show",
    "cat /etc/sonic/config_db.json", "lldpcli -f json show neighbors",
)  # fmt: skip
"""Allowed first words of a command of any system."""

_NEVER = re.compile(r"[^ -~]|[;&<>`$\\!*?{}()'\"\[\]~#^]|\.\.")
_LONGEST = 200


class Kind(enum.Enum):
    """Sets of commands that a pull can run."""

    CONFIG = "config"
    STATE = "state"
    COUNTERS = "counters"


class ForbiddenCommand(RoceLintError):
    """A declared pull command that does more than show."""


def require_read_only(command: str, words: Iterable[str]) -> None:
    """Require a command to begin with a word of its system and only to show something.

    Raises:
        ForbiddenCommand: it begins otherwise, or holds a separator, a redirection, a pipe into
            something else than a filter, or a character that a shell takes for more than itself.
    """
    base, *filters = (part.strip() for part in command.split("|"))
    if command != command.strip() or not base or len(command) > _LONGEST or _NEVER.search(command):
        raise ForbiddenCommand(f"{command!r} contains more than one read-only command")
    allowed = [word for word in words if word in SHOWING]
    # Only one file may be shown: a second name would be shown as well.
    if not any(
        base == word or (base.startswith(f"{word} ") and word[:4] != "cat ") for word in allowed
    ):
        raise ForbiddenCommand(f"{command!r} does not begin with a read-only command word")
    for each in filters:
        if each not in FILTERS:
            raise ForbiddenCommand(f"{command!r} hands its answer to {each!r}")


@dataclass(frozen=True)
class Command:
    """One command of a pull. `needed`: without its output nothing is known of the device."""

    text: str
    kind: Kind = Kind.CONFIG
    needed: bool = False

    @cached_property
    def file(self) -> str:
        """Name of the output file: the command without its filters, which only change the form."""
        base = self.text.split("|")[0].strip()
        return re.sub(r"[^A-Za-z0-9]+", "-", base).strip("-").lower() + ".txt"


@dataclass(frozen=True)
class PullPlan:
    """Pull commands and session handling of one system.

    `words` are the allowed first words of its commands, `prepares` the lines that netmiko sends to
    set up the session (see docs/live.md), `enable` the command sent at a prompt ending in `>`,
    `asks` a regex of login questions that only the owner may answer, `around` a regex of lines that
    belong to the prompt, `unknown` a regex of the reply to a command that the release lacks,
    `called` the inventory names of the system.

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
        """Refuse commands that are not read-only."""
        for command in self.commands:
            require_read_only(command.text, self.words)
        files = [command.file for command in self.commands]
        if len(set(files)) < len(files):
            raise ForbiddenCommand(f"two commands would be kept in one file: {sorted(files)}")

    def of(self, kinds: Iterable[Kind]) -> tuple[Command, ...]:
        """The commands of some sets, in declaration order."""
        selected = frozenset(kinds)
        return tuple(command for command in self.commands if command.kind in selected)


def pull_plan(nos: str) -> PullPlan:
    """The plan in templates/<nos>/pull.txt: lines `key: value`, several of them for a list. The
    keys of commands are `needed` and the words of Kind; patterns are between slashes.
    """
    parts: dict[str, Any] = {"commands": ()}
    for line in table_lines(nos, "pull"):
        key, _, text = line.partition(": ")
        if key in ("words", "prepares", "called"):
            parts[key] = (*parts.get(key, ()), text)
        elif key in ("enable", "asks", "around", "unknown"):
            parts[key] = text.removeprefix("/").removesuffix("/")
        else:
            kind = Kind.CONFIG if key == "needed" else Kind(key)
            parts["commands"] += (Command(text, kind, needed=key == "needed"),)
    return PullPlan(**parts)

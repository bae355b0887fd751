"""What is found in a script: commands with their words, assignments, and texts within."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.text.places import Note


@dataclass(slots=True, frozen=True)
class HereText:
    """A text inside a script that a command reads, and the line that it begins on."""

    text: str  # what is not known in it stands as UNKNOWN
    number: int


UNKNOWN = "$(unknown)"
"""What a text holds in place of a value that only the running script knows; a shell that reads the
text finds nothing in it that is known, either."""


@dataclass(slots=True, frozen=True)
class Assignment:
    """A variable given a value: `X=1`, `export X=1`, or `X=1` before a command."""

    name: str
    value: str | None  # None: not known without running the script
    number: int
    exported: bool  # programs started later, or the command behind it, see it
    conditional: bool = False  # as for Command


@dataclass(slots=True, frozen=True)
class Command:
    """One simple command as the script would run it; unrolled loops give one a round."""

    words: tuple[str | None, ...]  # None: not known without running; may stand for several words
    number: int
    text: str  # as written
    last: int  # line of its end; the same unless it is continued
    stdin: tuple[str | None, ...] = ()  # files it reads from by `<`
    stdout: tuple[str | None, ...] = ()  # files it writes to by `>` and `>>`, the last one wins
    environment: tuple[Assignment, ...] = ()
    here: HereText | None = None  # what follows it up to a word, by `<<`
    piped: bool = False  # reads what the command before it in the list writes
    conditional: bool = False  # within if, case, while or a function, or behind && or ||


@dataclass(slots=True)
class Script:
    """What a script would do, in the order of its text."""

    commands: list[Command] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

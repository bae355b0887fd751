"""The words in which a NOS is declared: sources, sections, signatures, defaults."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from roce_lint.text.source import Citation, Confidence
from roce_lint.text.statements import EVERYTHING, Wanted

ADDRESSES = {
    "IPV4_ADDRESS": r"ipv4 address \S.*",
    "IPV6_ADDRESS": r"ipv6 address \S.*",
}
"""Named patterns for templates, which may hold no digit; what they capture begins so."""


def print_command_pattern(command: str) -> str:
    """Regex of a command that prints all of a configuration or a `part` of it, piped or not."""
    return command + r"(?: (?P<part>[^|]*?))?(?: *\|.*)?"


def hostname_pattern(words: str) -> str:
    """Regex of the line that names the device; a sentence in a banner goes on behind the name."""
    return rf"^{words} (?P<name>\S+)[^\S\n]*$"


class Form(enum.Enum):
    """The shape of a source's text, which decides how it is taken apart."""

    INDENTED = "indented"  # EOS, NX-OS: stanzas by indentation, our matcher
    LINES = "lines"  # command output: TTP
    STATEMENTS = "statements"  # Junos: words in braces or `set` lines, one tree
    JSON = "json"
    YAML = "yaml"
    INI = "ini"
    ENV = "env"
    SHELL = "shell"
    RAW = "raw"  # a value or two; the normalizer reads the lines itself


class Plane(enum.Enum):
    """What a source tells: what boots, what is configured, what is active."""

    STARTUP = "startup"
    CONFIG = "config"
    STATE = "state"


@dataclass(frozen=True)
class Signature:
    """A sign that a text was written by this source.

    `pattern` is searched with MULTILINE in the head and tail of the file. `weight` adds to the
    score when found; weights near 10 are proof, 1 to 3 are hints.
    """

    pattern: str
    weight: int
    why: str

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern, re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """A kind of top-level stanza that template `name` claims (templates/<nos>/parse/<name>.ttp)."""

    name: str
    header: str  # regex, matched at the start of a depth-0 line


@dataclass(frozen=True)
class Ignored:
    """Lines in claimed sections that are known and do not matter, and why.

    `pattern` is matched at the start of the stripped line and must begin with a literal word.
    `subtree` ignores the lines below a match as well.
    """

    pattern: str
    why: str
    subtree: bool = False

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern)


@dataclass(frozen=True)
class Skip:
    """A region that is not configuration (a banner): from `start` to `end`.

    `start` may capture a group `end`, the literal that closes the region when seen; otherwise
    `end` is the regex of the closing line.
    """

    start: str
    end: str | None = None


@dataclass(frozen=True)
class Ending:
    """The end of a whole text: one with a line like `begins` near its top has one like `ends` last.

    Of what has a line like `excerpted` at its top people keep pieces, which end between stanzas.
    """

    begins: str
    ends: str
    excerpted: str | None = None


class ExportError(Exception):
    """A text in another form of a configuration that cannot be read, why, and at which line."""

    def __init__(self, message: str, line: int):
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Export:
    """Another form in which a system prints the same configuration, read as the form of its source.

    A text that begins with `begins`, holds the word `hint` and in its head the regex `sign` is of
    this form. `lines` makes the lines of the source's form of it, each with the number of the line
    that says so, and raises ExportError where it cannot; `what` names the form then, and `instead`
    what to save.
    """

    what: str
    hint: str
    sign: str
    begins: str
    lines: Callable[[str], list[tuple[str, int]]]
    instead: str

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled sign."""
        return re.compile(self.sign)


@dataclass(frozen=True, eq=False)  # declared once; comparing all its patterns would cost more
class Source:
    """One kind of file or command output of a NOS.

    `command` is a regex of the command that prints it; its named groups become `Input.args`.
    `file_name` is a regex on the base name of a file, for captures without a header; its named
    groups are args as well. `signatures` score the content.
    `base`: the source describes the whole device, so two different ones for one name conflict.
    `apart`: the source is for many devices at once; each of its files is one of its own.
    """

    name: str
    form: Form
    plane: Plane = Plane.CONFIG
    command: str | None = None
    run: str | None = None  # the read-only command a live pull runs
    file_name: str | None = None
    signatures: tuple[Signature, ...] = ()
    sections: tuple[Section, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    comment: str | None = None  # regex of a comment line, matched on the stripped line
    trailing: str | None = None  # regex of a whole line with a comment behind its group `kept`
    skips: tuple[Skip, ...] = ()
    reattach: str | None = None  # depth-0 lines that belong to the stanza before
    childless: str | None = None  # lines that open no block, however deep the next one stands
    separator: str | None = None  # comment lines between stanzas: what follows begins a new one
    continuation: str | None = None  # leaf lines that a deeper next line continues
    outer: str | None = None  # depth-0 lines no section claims; None: indentation alone is read
    base: bool = False
    apart: bool = False
    hostname: str | None = None  # regex with group `name`, searched with MULTILINE
    documents: bool = True  # False: a text beside the configs that is skipped on purpose
    wanted: Wanted = field(default_factory=lambda: EVERYTHING)  # words of STATEMENTS that are kept
    ending: Ending | None = None
    refusal: str | None = None  # regex of the whole text: the command had nothing to tell (trees)
    exports: tuple[Export, ...] = ()  # other forms of the same text
    variables: str | None = None  # regex of words that the system fills, and no template has
    speaks: bool = False  # a command that says something whenever it works
    environment: bool = False  # holds variables of programs, which may be secrets
    neighbors: Callable[..., Any] | None = None  # what the text shows that LLDP heard: Heard
    says: bool = True  # False: known, and nothing in it says how RoCE is set up


@dataclass(frozen=True)
class Default:
    """What the platform does when a line is absent, and who says so.

    `source` points at a heading of docs/nos/<nos>.md ("docs/nos/eos.md#trust-and-maps"), which
    in turn names the vendor document. An unconfirmed default lowers any finding that rests on it
    to a warning, unless what is confirmed of it is enough: `among` and `unfilled`, as a Citation
    has them.
    """

    value: object
    says: str
    source: str
    confidence: Confidence = Confidence.CONFIRMED
    among: frozenset[int] | None = None
    unfilled: bool = False

    @cached_property
    def citation(self) -> Citation:
        """The citation that positions refer to."""
        return Citation(self.says, self.source, self.confidence, self.among, self.unfilled)

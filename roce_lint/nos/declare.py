"""Declarations of a NOS: sources, sections, signatures, defaults."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from roce_lint.resources import resource_dir
from roce_lint.text.numbers import parse_whole
from roce_lint.text.source import Citation, Confidence
from roce_lint.text.statements import EVERYTHING, Wanted

ADDRESSES = {"IPV4_ADDRESS": r"ipv4 address \S.*", "IPV6_ADDRESS": r"ipv6 address \S.*"}
"""Named patterns for templates without a digit in their name; their captures begin so."""


def print_command_pattern(command: str) -> str:
    """Regex of a command that prints all or `part` of a configuration, piped or not."""
    return command + r"(?: (?P<part>[^|]*?))?(?: *\|.*)?"


def hostname_pattern(words: str) -> str:
    """Regex of the line with the device name; in a banner, more text follows the name."""
    return rf"^{words} (?P<name>\S+)[^\S\n]*$"


def alternatives(pattern: str) -> tuple[list[str], str]:
    """Alternatives of a regex up to the end of its (opened) group, and the rest of the regex."""
    depth, found = 0, [""]
    for position, char in enumerate(pattern):
        if depth == 0 and char == ")":
            return found, pattern[position + 1 :]
        depth += (char == "(") - (char == ")")
        if depth == 0 and char == "|":
            found.append("")
        else:
            found[-1] += char
    return found, ""


class Form(enum.Enum):
    """Form of a source's text, which selects its parser."""

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
    """State that a source shows: startup, configured, or active."""

    STARTUP = "startup"
    CONFIG = "config"
    STATE = "state"


@dataclass(frozen=True)
class Signature:
    """Evidence that a text is of this source.

    `pattern` is searched with MULTILINE in the head and tail of the file. `weight` is added to the
    score when it is found; weights near 10 are conclusive, 1 to 3 are hints.
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
    """Kinds of top-level stanzas that template `name` claims (templates/<nos>/parse/<name>.ttp)."""

    name: str
    header: str  # regex, matched at the start of a depth-0 line; alternatives are separate kinds


LISTS = {
    "BOUND_LIST": r"(?:ip|ipv6|mac)\s+(?:port\s+)?(?:access-group|traffic-filter)\s+\S.*",
    "IPV4": r"\d+(?:\.\d+){3}",
    "ACTION": r"permit|deny",
    "PREFIX_LIST": r"(?:ip|ipv6)\s+prefix-list\s+\S.*",
    "GOES_ON": r"continue(?:\s+\d+)?",
    "LIST_ENTRY": r"(?:seq\s+\d+\s+)?(?:permit|deny)\s.*",
}
"""Named patterns of lists and route maps, where a line numbers and permits what it names."""

ROUTES = tuple(
    Section("routes", header)
    for header in (
        r"route-map \S+ (?:permit|deny) \d",
        r"(?:ip|ipv6) prefix-list \S",
        r"ip (?:as-path access-list|community-list) ",
    )
)
"""Sections of the same."""


@dataclass(frozen=True)
class Ignored:
    """Known irrelevant lines in claimed sections, with the reason.

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


# Tables of a system beside its templates: lines of templates/<nos>/<name>.txt, patterns in slashes.


def ignored_lines(nos: str, name: str = "ignored") -> tuple[Ignored, ...]:
    """The lines of ignored.txt, each below its reason in brackets; `+` is for whole subtrees."""
    found: list[Ignored] = []
    why = ""
    for line in table_lines(nos, name):
        if line.startswith("["):
            why = line[1:-1]
        else:
            found.append(Ignored(line.lstrip("+")[1:-1], why, subtree=line.startswith("+")))
    return tuple(found)


def signatures_of(nos: str) -> tuple[Signature, ...]:
    """The lines of signatures.txt: `8 /^switchname / switchname`."""
    found = []
    for line in table_lines(nos, "signatures"):
        weight, _, rest = line.partition(" /")
        pattern, _, why = rest.rpartition("/ ")
        found.append(Signature(pattern, parse_whole(weight), why))
    return tuple(found)


def named_patterns(nos: str) -> dict[str, str]:
    """The lines of patterns.txt: `FEATURE /bgp|lldp/`."""
    pairs = (line[:-1].partition(" /") for line in table_lines(nos, "patterns"))
    return {name: pattern for name, _, pattern in pairs}


def table_lines(nos: str, name: str) -> list[str]:
    """Lines of templates/<nos>/<name>.txt, without comments."""
    text = (resource_dir("templates") / nos / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


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
    """Last line of a complete text: if a line near the top matches `begins`, the last one matches
    `ends`. A text whose top line matches `excerpted` is often saved in pieces, which end between
    stanzas.
    """

    begins: str
    ends: str
    excerpted: str | None = None


class ExportError(Exception):
    """A text in another form of a configuration that cannot be read, with reason and line."""

    def __init__(self, message: str, line: int):
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Export:
    """Another output form of the same configuration, converted to the form of its source.

    A text that begins with `begins`, holds the word `hint` and in its head the regex `sign` is of
    this form. `lines` converts it to lines of the source's form, each with its original line
    number, and raises ExportError on failure; that message names the form (`what`) and the form to
    save `instead`.
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
    groups are args as well. `signatures` score the content. `base`: the source describes the whole
    device, so two different files for one name conflict. `apart`: the source is for many devices at
    once; each of its files is a separate device. `own` is a regex of values that differ between
    equal devices: the reader only keeps a value in a group and compares it with others, and does
    not read a match without a group.
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
    trailing: str | None = None  # regex of a whole line with a comment after its group `kept`
    skips: tuple[Skip, ...] = ()
    reattach: str | None = None  # depth-0 lines that belong to the stanza before
    childless: str | None = None  # lines that open no block, whatever the next indent
    separator: str | None = None  # comment lines between stanzas; a new one follows
    continuation: str | None = None  # leaf lines that a deeper next line continues
    outer: str | None = None  # depth-0 lines no section claims; None: indentation alone is read
    base: bool = False
    apart: bool = False
    hostname: str | None = None  # regex with group `name`, searched with MULTILINE
    documents: bool = True  # False: a text that is skipped on purpose
    wanted: Wanted = field(default_factory=lambda: EVERYTHING)  # words of STATEMENTS that are kept
    ending: Ending | None = None
    refusal: str | None = None  # regex of the whole text: empty answer (trees)
    exports: tuple[Export, ...] = ()  # other forms of the same text
    variables: str | None = None  # regex of words that the system fills, and no template has
    own: str | None = None  # regex of values of one device: only kept and compared, or not read
    never_empty: bool = False  # a command with output whenever it works
    environment: bool = False  # holds variables of programs, which may be secrets
    neighbors: Callable[..., Any] | None = None  # LLDP neighbours in the text: Heard
    has_settings: bool = True  # False: known, without RoCE settings


def stanzas(run: str, *, hostname: str, command: str = "", nos: str = "", **parts: Any) -> Source:
    """The configuration of a whole device in indented stanzas, printed by the command `run`.

    `hostname` are the words before the device name, `command` a regex of alternative commands.
    `nos` has its signatures and ignored lines beside its templates.
    """
    if nos:
        parts |= {"signatures": signatures_of(nos), "ignored": ignored_lines(nos)}
    return Source(
        "running-config",
        Form.INDENTED,
        run=run,
        command=print_command_pattern(command or run),
        hostname=hostname_pattern(hostname),
        base=True,
        **parts,
    )


@dataclass(frozen=True)
class Default:
    """Platform behaviour when a line is absent, with its source.

    `source` points at a heading of docs/nos/<nos>.md ("docs/nos/eos.md#trust-and-maps"), which in
    turn names the vendor document. A finding that rests on an unconfirmed default is at most a
    warning, unless the confirmed part suffices: `among` and `unfilled`, as in Citation.
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

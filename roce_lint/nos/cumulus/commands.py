"""Lines of `nv set` commands, split into words."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from roce_lint.nos.cumulus.statements import Statements
from roce_lint.nos.reading import Input
from roce_lint.text.source import LineState

QUOTED_LINES = 200
"""Lines that a quoted text may span; a login banner has some twenty."""

_SET = "nv set "
_PROMPTED = re.compile(r"(?:[^\s#$]{1,128}[$#] *|[ \t]+)?(?:sudo +)?nv +(?P<verb>set|unset) +")

KEPT = 1 << 15
"""Cached split lines: most occur again in the next device."""

_SPECIAL = re.compile(r"['\"\\#]")
_DESCRIBED = re.compile(r"(?P<words>[^'\"\\#]+ )'(?P<text>[^'\n]*)' *")
"""A command with one quoted text at its end, as nearly all quoted commands are."""

CLAIMED = ("interface", "qos", "bridge", "nve")
"""First words of statements about ports, classes and tunnels."""

BESIDE = {
    "acl": ("acl ",),
    "system": ("system hostname ", "system forwarding packet-trim ",
               "system forwarding ecmp-hash ", "system lldp state "),
    "router": ("router bgp autonomous-system ", "router bgp router-id ",
               "router adaptive-routing ", "router policy "),
    "vrf": ("neighbor", "peer-group", "autonomous-system", "address-family", "dynamic-neighbor",
            "router-id", "static", "ospf", "ospf6"),
}  # fmt: skip
"""Partly read first words, with the statements that are read."""

_KNOWN: dict[str, list[str]] = {}
"""Words of unquoted lines; empty if no word is relevant."""

_WANTED = tuple(f"{word} " for word in (*CLAIMED, *BESIDE))


class Unread(NamedTuple):
    """A line of a claimed part; its text is used if no reader takes it."""

    number: int  # of the line, from 0
    words: list[str]

    @property
    def text(self) -> str:
        """The statement without the name of its interface."""
        words = self.words
        named = words[:1] == ["interface"]
        return f"interface {' '.join(words[2:])}" if named else " ".join(words)


def read_commands(statements: Statements, entry: Input) -> list[Unread]:
    """Add the commands of one file to the tree; returns the lines that need a reader."""
    ref = statements.reading.src.files[entry.file]
    claimed: list[Unread] = []
    for number, verb, words in _commands(statements, entry):
        change = statements.drop if verb == "unset" else statements.put
        change(words, ref.first + number + 1)
        if words[0] in CLAIMED:
            claimed.append(Unread(number, words))
    return claimed


def _commands(statements: Statements, entry: Input) -> Iterator[tuple[int, str, list[str]]]:
    """Line number from 0, verb, and words of each command that may be relevant."""
    reading = statements.reading
    ref = reading.src.files[entry.file]
    lines = entry.lines
    number = -1
    while number < len(lines) - 1:
        number += 1
        line = lines[number]
        known = _KNOWN.get(line)
        if known is not None:
            if known:
                yield number, "set", known
            continue
        verb = "set"
        if line.startswith(_SET):
            rest = line[len(_SET) :]
        else:
            found = _PROMPTED.match(line)
            if found is None:
                if not line.strip() or line.lstrip().startswith("#"):
                    ref.states[number] = LineState.IGNORED
                continue
            verb, rest = found["verb"], line[found.end() :]
        if _SPECIAL.search(rest):
            words, end = _split_quoted(lines, number, rest)
            if end < 0:
                reading.bad("a quote begins here that never ends", ref.first + number + 1)
                ref.states[number] = LineState.UNRECOGNISED
                continue
            first, number = number, end
        else:
            words, first = _plain(line, verb, rest), number
        if words and (words[0] in CLAIMED or is_read_beside(words)):
            yield first, verb, words


def _plain(line: str, verb: str, rest: str) -> list[str]:
    """Words of an unquoted command; empty if no word is relevant."""
    words = rest.split() if rest.startswith(_WANTED) else []
    if words and words[0] not in CLAIMED and not is_read_beside(words):
        words = []
    if verb == "set" and len(_KNOWN) < KEPT:
        _KNOWN[line] = words
    return words


def is_read_beside(words: list[str]) -> bool:
    """True for a statement that is read although it is outside the claimed parts."""
    read_words = BESIDE.get(words[0])
    if read_words is None:
        return False
    if words[0] == "vrf":
        return any(word in words for word in read_words)
    text = " ".join(words) + " "
    return text.startswith(read_words)


def _split_quoted(lines: list[str], number: int, rest: str) -> tuple[list[str], int]:
    """Words of a quoted command, which may span lines, and its last line, or -1."""
    simple = _DESCRIBED.fullmatch(rest)
    if simple:
        return [*simple["words"].split(), simple["text"]], number
    parts = [rest]
    for end in range(number, min(number + QUOTED_LINES, len(lines))):
        if end > number:
            parts.append(lines[end])
        if end > number and not ("'" in lines[end] or '"' in lines[end]):
            continue
        try:
            return shlex.split("\n".join(parts), comments=True), end
        except ValueError:  # the quote is still open
            continue
    return [], -1

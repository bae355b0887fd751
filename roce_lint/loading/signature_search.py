"""Fast search for signatures, without trying every pattern at every character.

A pattern is tried only where it can match: at the lines that begin with its first words, at the
lines that contain a required word, or, where it may span lines, in texts that contain such a word.
The result is the same as that of a plain search.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from roce_lint.nos.declare import Signature

Search = Callable[[str], re.Match[str] | None]

_CLASS = re.compile(r"\[\^?\]?(?:[^\]\\]|\\.)*\]", re.DOTALL)
_QUANTIFIER = re.compile(r"(?:[*?+]|\{\d*,?\d*\})[?+]?")
_PLAIN = re.compile(r"[^\\\[\](){}*+?.|^$]+")  # characters that match themselves
_REPEATED = re.compile(r"\+|\{[1-9]")  # a quantifier that cannot mean "none"
_ESCAPES = {"x": 4, "u": 6, "U": 10}  # lengths of escapes longer than two characters
_LETTER = re.compile(r"[A-Za-z0-9]")
_GROUP = re.compile(r"\((?:\?(?:(?P<around><?[=!])|:|P<\w+>))?")
_BLANKS = re.compile(r"\^(?:\[ \\t\][*+]|\\s\*| \{2,\d?\})?")
_MAY_SPAN = re.compile(r"\\[WDnxuU]|(?<!\[\^)\\s|\[\^(?!\\s)|\n|\(\?[^:=!<P]")
"""Constructs that may match the end of a line, or whose literal is not literal; a class of all but
blanks does not."""

WORDS = 4
"""Maximum number of alternative words to search for; more would be no faster than the pattern."""


LONG = 6
"""Characters of a word that few texts contain by chance."""

AHEAD_WORDS = 16
"""The same for a look-ahead, which goes through all of a text."""


@dataclass(slots=True, frozen=True)
class Literals:
    """Literals required by a pattern.

    `prefix` begins a line and the match; one of `needed` is somewhere in the match. Either may be
    empty, where nothing is certain.
    """

    prefix: str = ""
    needed: tuple[str, ...] = ()


@dataclass(slots=True, frozen=True)
class Heads:
    """Characters of which one must begin a line; `stripped` if blanks may precede them."""

    texts: frozenset[str] = frozenset({""})
    stripped: bool = False


@cache
def searcher(signature: Signature) -> Search:
    """A function equivalent to `signature.regex.search`, but faster.

    The pattern is compiled when a text first contains a required literal: a run meets few of the
    systems.
    """
    pattern = signature.pattern
    literals = literals_of(pattern)
    prefix, needed = literals.prefix, literals.needed
    required = [words for words in (*_aheads(pattern), needed) if words]

    def lacks(text: str) -> bool:
        return any(not any(word in text for word in words) for words in required)

    if prefix.isspace():
        return lambda text: None if lacks(text) else _at_lines(signature, prefix, text)
    if prefix:
        return lambda text: _at_lines(signature, prefix, text)
    alone = _alternatives(pattern)[0] == 1  # every match is tested for its beginning
    if alone and pattern.startswith("^") and len(needed) == 1 and not _MAY_SPAN.search(pattern):
        return lambda text: _in_lines(signature, needed[0], text)
    # A pattern anchored at the start of the text is tried only there, and at once if it is short.
    anchored = alone and pattern.startswith(r"\A")
    if anchored and r"[\s\S]" not in pattern:
        return signature.regex.match

    def find(text: str) -> re.Match[str] | None:
        if lacks(text):
            return None
        return signature.regex.match(text) if anchored else signature.regex.search(text)

    return find


def _at_lines(signature: Signature, prefix: str, text: str) -> re.Match[str] | None:
    """The first match at a line that begins with `prefix`."""
    if text.startswith(prefix) and (found := signature.regex.match(text)):
        return found
    line = "\n" + prefix
    at = text.find(line)
    while at >= 0:
        if found := signature.regex.match(text, at + 1):
            return found
        at = text.find(line, at + 1)
    return None


def _in_lines(signature: Signature, word: str, text: str) -> re.Match[str] | None:
    """The first match at the beginning of a line that contains `word`."""
    at = text.find(word)
    while at >= 0:
        if found := signature.regex.match(text, text.rfind("\n", 0, at) + 1):
            return found
        end = text.find("\n", at)
        at = text.find(word, end) if end >= 0 else -1
    return None


@cache
def literals_of(pattern: str) -> Literals:
    """The literals of a pattern that is searched with MULTILINE; none if in doubt."""
    if pattern.startswith("(?") and pattern[2:3] not in ":=!<P":
        return Literals()  # flags change the meaning of literals
    branches, needed = _alternatives(pattern)
    return Literals(_prefix(pattern) if branches == 1 else "", needed)


def _aheads(pattern: str) -> list[tuple[str, ...]]:
    """For each leading look-ahead of a pattern, words of which one is required."""
    found: list[tuple[str, ...]] = []
    at = len(r"\A")
    if not pattern.startswith(r"\A") or _alternatives(pattern)[0] != 1:
        return found
    while (kind := _GROUP.match(pattern, at)) and kind["around"] in ("=", "!"):
        inside = _Reader(pattern, kind.end(), AHEAD_WORDS)
        words = inside.alternatives()
        at = inside.at + 1
        if kind["around"] == "=":
            found.append(words)
    return found


def _prefix(pattern: str) -> str:
    """The words a pattern begins with, at the beginning of a line."""
    reader = _Reader(pattern, 1)
    prefix = ""
    while pattern.startswith("^") and not reader.ended():
        prefix += reader.plain()
        if reader.ended():
            break
        item = reader.item()
        prefix += item.literal
        if item.repeated or not item.literal:
            break
    return prefix


def heads_of(pattern: str, length: int) -> Heads:
    """Beginnings of the lines at which a pattern can match: `length` characters of each
    alternative.

    Only "" if the pattern may match elsewhere, or requires fewer characters.
    """
    blanks = _BLANKS.match(pattern)
    if blanks is None or _alternatives(pattern)[0] != 1:
        return Heads()
    reader = _Reader(pattern, blanks.end())
    heads = reader.heads({""}, length)
    if reader.vague or any(len(head) < length for head in heads):
        return Heads()
    return Heads(frozenset(head[:length] for head in heads), stripped=blanks[0] != "^")


@cache
def _alternatives(pattern: str) -> tuple[int, tuple[str, ...]]:
    """Number of alternatives of a pattern, and words of which every match has one."""
    reader = _Reader(pattern)
    words = reader.alternatives()
    return reader.branches, words


@dataclass(slots=True, frozen=True)
class _Item:
    """One item of a pattern: its required character, or the words of a group."""

    literal: str = ""
    words: tuple[str, ...] = ()
    repeated: bool = False  # the next item need not follow at once


_END = _Item()


class _Reader:
    """Parser of a pattern, or the inside of a group, up to its end."""

    def __init__(self, pattern: str, at: int = 0, limit: int = WORDS) -> None:
        self.pattern = pattern
        self.at = at
        self.limit = limit  # words of a group that are worth searching for
        self.branches = 0
        self.vague = False

    def ended(self) -> bool:
        """Whether an alternative ends here."""
        return self.at >= len(self.pattern) or self.pattern[self.at] in "|)"

    def alternatives(self) -> tuple[str, ...]:
        """Words of which every match has one; none if an alternative requires no word."""
        found: list[tuple[str, ...]] = []
        while True:
            found.append(self._branch())
            if not self.pattern.startswith("|", self.at):
                break
            self.at += 1
        self.branches = len(found)
        if not all(found):
            return ()
        return tuple(dict.fromkeys(word for words in found for word in words))

    def _branch(self) -> tuple[str, ...]:
        """The longest run of literal characters, or the words of a longer group."""
        best: tuple[str, ...] = ()
        run = ""
        while not self.ended():
            run += self.plain()
            item = _END if self.ended() else self.item()
            run += item.literal
            best = max(best, (run,) if run else (), item.words, key=_worth)
            if item.repeated or not item.literal:
                run = ""
        return best

    def heads(self, begun: set[str], length: int) -> set[str]:
        """Beginnings extended by an alternative, up to `length` characters.

        Fixed characters and (optional) groups of them are followed; `vague` is set when something
        else comes before all characters are known.
        """
        while not self.ended() and any(len(head) < length for head in begun):
            plain = self.plain()
            more = _longer(begun, plain, length) if plain else self._heads_of_item(begun, length)
            quantifier = None if plain else _QUANTIFIER.match(self.pattern, self.at)
            if quantifier and quantifier[0] == "?":
                self.at = quantifier.end()
                more |= begun
            elif quantifier:
                self.vague = True
            if self.vague:
                break
            begun = more
        return begun

    def _heads_of_item(self, begun: set[str], length: int) -> set[str]:
        kind = _GROUP.match(self.pattern, self.at)
        if kind is None or kind["around"]:
            literal, _ = self._single()
            self.vague |= not literal
            return _longer(begun, literal, length)
        inside = _Reader(self.pattern, kind.end())
        found: set[str] = set()
        while True:
            found |= inside.heads(begun, length)
            inside._branch()
            if not self.pattern.startswith("|", inside.at):
                break
            inside.at += 1
        self.vague |= inside.vague
        self.at = inside.at + 1
        return found

    def plain(self) -> str:
        """Consume the literal characters up to the next item."""
        found = _PLAIN.match(self.pattern, self.at)
        if found is None:
            return ""
        # The last character is an item if a quantifier follows.
        self.at = found.end() - self.pattern.startswith(("*", "+", "?", "{"), found.end())
        return self.pattern[found.start() : self.at]

    def item(self) -> _Item:
        """Consume the next item with its quantifier."""
        literal, words = self._single()
        quantifier = _QUANTIFIER.match(self.pattern, self.at)
        if quantifier is None:
            return _Item(literal, words)
        self.at = quantifier.end()
        certain = _REPEATED.match(quantifier[0]) is not None
        return _Item(literal, words, repeated=True) if certain else _Item(repeated=True)

    def _single(self) -> tuple[str, tuple[str, ...]]:
        char = self.pattern[self.at]
        if char == "\\":
            escaped = self.pattern[self.at + 1]
            letter = _LETTER.match(escaped)
            self.at += _ESCAPES.get(escaped, 2) if letter else 2
            return "" if letter else escaped, ()
        if char == "[":
            found = _CLASS.match(self.pattern, self.at)
            self.at = found.end() if found else len(self.pattern)
            return "", ()
        if char == "(":
            return "", self._group()
        self.at += 1
        return "" if char in ".^$" else char, ()

    def _group(self) -> tuple[str, ...]:
        """The words of a group; none of a look-ahead or look-behind, which is not part of the
        match.
        """
        kind = _GROUP.match(self.pattern, self.at)
        inside = _Reader(self.pattern, kind.end() if kind else self.at + 1, self.limit)
        words = inside.alternatives()
        self.at = inside.at + 1
        return () if len(words) > self.limit or (kind and kind["around"]) else words


def _longer(heads: set[str], text: str, length: int) -> set[str]:
    return {head + text if len(head) < length else head for head in heads}


def _worth(words: tuple[str, ...]) -> tuple[int, int]:
    """Selectivity of words: the shortest decides, and of long ones the fewest."""
    return min(LONG, min(map(len, words), default=0)), -len(words)

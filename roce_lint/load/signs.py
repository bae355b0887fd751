"""Looks for signatures in a text without trying every pattern at every character.

A pattern is searched for only where it can match: at the lines that begin with the words it
begins with, or, where it begins otherwise, in texts that hold a word it cannot match without.
The answer is the same as that of a plain search.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from roce_lint.nos.base import Signature

Search = Callable[[str], re.Match[str] | None]

_CLASS = re.compile(r"\[\^?\]?(?:[^\]\\]|\\.)*\]", re.DOTALL)
_QUANTIFIER = re.compile(r"[*?+]|\{\d*,?\d*\}")
_REPEATED = re.compile(r"\+|\{[1-9]")  # a quantifier that cannot mean "none"
_ESCAPES = {"x": 4, "u": 6, "U": 10}  # lengths of escapes longer than two characters
_LETTER = re.compile(r"[A-Za-z0-9]")


@dataclass(slots=True, frozen=True)
class Literals:
    """What every match of a pattern holds.

    `prefix` begins a line and the match; `needed` is somewhere in the match. Either may be empty.
    `single` says that the pattern has no alternatives at its top level.
    """

    prefix: str = ""
    needed: str = ""
    single: bool = True


@cache
def searcher(signature: Signature) -> Search:
    """A function that finds what `signature.regex.search` finds, faster."""
    regex = signature.regex
    literals = literals_of(signature.pattern)
    prefix, needed = literals.prefix, literals.needed
    if signature.pattern.startswith(r"\A") and literals.single:
        return lambda text: regex.match(text) if needed in text else None
    if prefix:
        return lambda text: _at_lines(regex, prefix, text)
    if needed:
        return lambda text: regex.search(text) if needed in text else None
    return regex.search


def _at_lines(regex: re.Pattern[str], prefix: str, text: str) -> re.Match[str] | None:
    if text.startswith(prefix) and (found := regex.match(text)):
        return found
    begin = 0
    line = "\n" + prefix
    while (at := text.find(line, begin)) >= 0:
        if found := regex.match(text, at + 1):
            return found
        begin = at + 1
    return None


@cache
def literals_of(pattern: str) -> Literals:
    """The literals of a pattern that is searched with MULTILINE; empty where in doubt."""
    if pattern.startswith("(?") and pattern[2:3] not in (":", "=", "!", "<"):
        return Literals(single=False)  # flags change what a literal meets
    pieces = _pieces(pattern)
    if pieces is None:
        return Literals(single=False)
    prefix = ""
    if pieces and pieces[0] == "^":
        prefix = pieces[1] if len(pieces) > 1 and pieces[1] != "^" else ""
    runs = [piece for piece in pieces if piece not in ("", "^")]
    return Literals(prefix, max(runs, key=len, default=""))


def _pieces(pattern: str) -> list[str] | None:
    """Runs of literal characters at the top level, in order; "" between two that something
    divides, and "^" for a leading anchor. None where the top level has alternatives.
    """
    pieces = [""]
    at = 0
    if pattern.startswith("^"):
        pieces = ["^", ""]
        at = 1
    while at < len(pattern):
        char = pattern[at]
        if char == "|":
            return None
        literal, after = _literal(pattern, at)
        quantifier = _QUANTIFIER.match(pattern, after)
        if quantifier:
            end = quantifier.end()
            end += pattern.startswith(("?", "+"), end)
            if literal and _REPEATED.match(quantifier[0]):
                pieces[-1] += literal
            pieces.append("")
            at = end
            continue
        if literal:
            pieces[-1] += literal
        else:
            pieces.append("")
        at = after
    return pieces


def _literal(pattern: str, at: int) -> tuple[str, int]:
    """The character that must stand here, or "" where several may, and where the next item is."""
    char = pattern[at]
    if char == "\\":
        escaped = pattern[at + 1]
        if _LETTER.match(escaped):
            return "", at + _ESCAPES.get(escaped, 2)
        return escaped, at + 2
    if char == "[":
        found = _CLASS.match(pattern, at)
        return "", found.end() if found else len(pattern)
    if char == "(":
        return "", _group_end(pattern, at)
    if char in ".^$":
        return "", at + 1
    return char, at + 1


def _group_end(pattern: str, at: int) -> int:
    depth = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif char == "[":
            found = _CLASS.match(pattern, at)
            at = found.end() - 1 if found else len(pattern)
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return at

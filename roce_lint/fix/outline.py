"""A configuration as statements: each line with the headers it stands below.

Knows indentation and nothing else: what braces enclose is indented too, and a `set` line is a
statement by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_COMMENTS = ("!", "#", "/*", "//")
_CLOSING = {"}", "};", "},", "]", "],", "!", "exit"}
_BRACES = {"}", "};", "},", "]", "],"}
LONGEST = 200_000
"""Lines of a text up to which it is looked at."""


@dataclass(slots=True, frozen=True)
class Statement:
    """One line: its number, what stands before its text, and the texts of its headers."""

    line: int
    indent: str
    text: str
    above: tuple[str, ...]
    last: int  # the last line of what belongs to it: its own, where it is no header


def outline(text: str) -> list[Statement]:
    """The statements of a text, in order; of JSON without the commas behind them."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if len(lines) > LONGEST:
        return []
    return list(_statements(lines, "," if is_json(text) else None))


def is_json(text: str) -> bool:
    """Whether a text is written as JSON, where commas stand between statements."""
    return text.lstrip("\ufeff \r\n\t").startswith("{")


def _statements(lines: Sequence[str], between: str | None) -> Iterator[Statement]:
    open_: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        body = line.strip()
        if not body or body.startswith(_COMMENTS) or body in _CLOSING:
            continue
        if between is not None:
            body = body.removesuffix(between)
        indent = line[: len(line) - len(line.lstrip())]
        depth = len(indent.expandtabs())
        while open_ and open_[-1][0] >= depth:
            open_.pop()
        above = tuple(text for _, text in open_)
        yield Statement(number, indent, body, above, _last(lines, number, depth))
        open_.append((depth, body))


def _last(lines: Sequence[str], number: int, depth: int) -> int:
    """The last line of the block that a line begins, with the brace that closes it."""
    last = at = number
    while at < len(lines):
        line = lines[at]
        body = line.strip()
        here = len(line.expandtabs()) - len(line.expandtabs().lstrip())
        if body and here <= depth:
            opened = last > number or lines[number - 1].rstrip().endswith(("{", "["))
            closes = here == depth and body in _BRACES and opened
            return at + 1 if closes else last
        if body:
            last = at + 1
        at += 1
    return last

"""Statements of a text with their headers, by indentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# Only indentation matters: text in braces is indented too, and a `set` line is a separate
# statement.

_COMMENTS = ("!", "#", "/*", "//")
_CLOSING = {"}", "};", "},", "]", "],", "!", "exit"}
_BRACES = {"}", "};", "},", "]", "],"}
LONGEST = 200_000
"""Largest number of lines that is parsed."""


@dataclass(slots=True, frozen=True)
class Statement:
    """One line: its number, its indent, and the texts of its headers."""

    line: int
    indent: str
    text: str
    above: tuple[str, ...]
    last: int  # last line of its block; its own line if it is not a header


def outline(text: str) -> list[Statement]:
    """The statements of a text, in order; for JSON without trailing commas."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if len(lines) > LONGEST:
        return []
    return list(_statements(lines, "," if is_json(text) else ""))


def is_json(text: str) -> bool:
    """Whether a text is JSON, with commas between statements."""
    return text.lstrip("\ufeff \r\n\t").startswith("{")


def _statements(lines: Sequence[str], between: str) -> Iterator[Statement]:
    open_: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        body = line.strip()
        if not body or body.startswith(_COMMENTS) or body in _CLOSING:
            continue
        body = body.removesuffix(between)
        indent = line[: len(line) - len(line.lstrip())]
        depth = len(indent.expandtabs())
        while open_ and open_[-1][0] >= depth:
            open_.pop()
        above = tuple(text for _, text in open_)
        yield Statement(number, indent, body, above, _last(lines, number, depth))
        open_.append((depth, body))


def _last(lines: Sequence[str], number: int, depth: int) -> int:
    """The last line of a block, with its closing brace."""
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

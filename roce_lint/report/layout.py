"""Lines of styled pieces, rendered as plain or coloured text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Style = Literal[
    "", "place", "error", "warning", "info", "good", "rule", "name", "dim", "code", "strong"
]

Piece = tuple[str, Style]


@dataclass(slots=True, frozen=True)
class Line:
    """One line of a report. On a terminal a long one is folded, never cut: a line of configuration
    often ends in the value that decides. `hang` indents the rest of it further.
    """

    pieces: tuple[Piece, ...] = ()
    indent: int = 0
    hang: int = 0

    @property
    def text(self) -> str:
        """The line without colour."""
        return (" " * self.indent + "".join(text for text, _ in self.pieces)).rstrip()


EMPTY = Line()


def line(*pieces: str | Piece, indent: int = 0, hang: int = 0) -> Line:
    """A line of pieces; a plain string has no style."""
    return Line(tuple((p, "") if isinstance(p, str) else p for p in pieces), indent, hang)


def plain(lines: Iterable[Line]) -> str:
    """The lines as plain text, each with its end."""
    return "".join(f"{item.text}\n" for item in lines)

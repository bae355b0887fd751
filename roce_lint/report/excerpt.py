"""The line that decides with the lines around it and a mark under its value, for terminals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from roce_lint.report.layout import Line, Style, line
from roce_lint.report.places import Places, WithinBase, is_virtual
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location

INDENT = 4

REACH = 2
"""Lines shown before and after the one that decides."""

_WORD = re.compile(r"[\w.+-]+")


@dataclass(slots=True, frozen=True)
class Near:
    """Shows where a place stands in its file."""

    excerpts: Excerpts | None
    base: str
    cwd: str
    width: int  # columns there are: a mark under a folded line would point anywhere

    @property
    def places(self) -> Places:
        """Names below the folder that was judged: a heading has named it."""
        return WithinBase(self.base, self.cwd)

    def lines(self, place: Location, message: str, style: Style) -> Iterator[Line]:
        """The lines around a place; nothing where they cannot be had."""
        if self.excerpts is None or is_virtual(place.file):
            return
        found = self.excerpts.around(place.file, place.line, REACH)
        width = len(str(found[-1][0])) if found else 0
        for number, text in found:
            here = number == place.line
            yield line(
                (f"{number:>{width}} | ", "place" if here else "dim"),
                (text, "code" if here else "dim"),
                indent=INDENT,
                hang=INDENT,
            )
            if here:
                begin, end = value_columns(text, message)
                mark = " " * begin + "^" * (end - begin)
                if INDENT + width + len(" | ") + end <= self.width:
                    yield line((f"{'':>{width}} | ", "dim"), (mark, style), indent=INDENT)


def value_columns(text: str, message: str) -> tuple[int, int]:
    """Where in a line the value stands that a message speaks of: first and last column.

    The last number of the line that the message repeats, else its last such word, else all.
    """
    told = set(_WORD.findall(message))
    words = [word for word in _WORD.finditer(text) if word[0] in told]
    numbers = [word for word in words if word[0].isdecimal()]
    for found in (*numbers[-1:], *words[-1:]):
        return found.span()
    return len(text) - len(text.lstrip()), len(text)

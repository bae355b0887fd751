"""The numbers by which the rest of the fabric carries a class, on the line that has others.

Only code points and priorities that the class has elsewhere in this fabric are tried, on the
lines that a finding names as its cause: the proof tells which of them it is, if any.
"""

from __future__ import annotations

import re

from roce_lint.analysis.result import Analysis
from roce_lint.engine.finding import Occurrence
from roce_lint.fix.equals import Deviation, deviation
from roce_lint.fix.examples import cause_statements
from roce_lint.fix.files import Files
from roce_lint.text.numbers import whole_of
from roce_lint.text.splice import Splice

_NUMBER = re.compile(r"(?<![\w.:/-])(?:[01]{6}|\d{1,2})(?![\w.:/-])")
"""In decimal digits, or a code point in its six bits."""

CODE_POINTS = 64

CLASS = "so the class is carried elsewhere in this fabric"

MOST = 12
"""Ways that are tried for one finding."""


def numbers_of(analysis: Analysis) -> tuple[int, ...]:
    """Priorities and code points that carry RoCE here, priorities first."""
    priorities = {m.priority for m in analysis.modes.values() if m.priority is not None}
    dscps = {dscp for traffic in analysis.classes for dscp in traffic.dscps}
    return (*sorted(priorities), *sorted(dscps - priorities))


def by_class(occurrence: Occurrence, files: Files, numbers: tuple[int, ...]) -> list[Deviation]:
    """Each cause line of an occurrence with one number changed into one of these."""
    found: list[Deviation] = []
    for file, statement in cause_statements(occurrence, files):
        comma = "," if file.is_json and file.ends_in_comma(statement.line) else ""
        there = {each[0] for each in _NUMBER.finditer(statement.text)}
        for at in reversed(list(_NUMBER.finditer(statement.text))):
            texts = [_without(statement.text, at)] + [
                statement.text[: at.start()] + number + statement.text[at.end() :]
                for number in _spell(at[0], numbers)
                if number not in there
            ]
            for text in filter(None, texts):
                splice = Splice(statement.line, 1, (statement.indent + text + comma,))
                found.append(deviation(file, "", splice, statement, CLASS))
    return found[:MOST]


def _spell(old: str, numbers: tuple[int, ...]) -> list[str]:
    """The numbers as one of them is written."""
    if len(old) == _BITS:
        return [text for number in numbers if (text := format(number, "06b")) != old]
    if whole_of(old) >= CODE_POINTS:
        return []
    return [str(number) for number in numbers if number != whole_of(old)]


_BITS = 6


def _without(text: str, at: re.Match[str]) -> str:
    """The line without one number of a list; empty where it stands in none."""
    behind = _NEXT.match(text, at.end())
    if behind is not None:
        return text[: at.start()] + text[behind.end() - len(behind[1]) :]
    before = _BEFORE.search(text[: at.start()])
    return text[: before.end(1)] + text[at.end() :] if before is not None else ""


_NEXT = re.compile(r"[ ,]+(\d+)")
_BEFORE = re.compile(r"(\d)[ ,]+$")

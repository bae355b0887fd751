"""What stands before every line of a text and is not its own: time stamps, quoting, indentation."""

from __future__ import annotations

import re
from dataclasses import dataclass

ENOUGH = 4
"""Lines that must bear a stamp before it is taken for one."""

_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_SENDER = r"(?: [\w.:-]{1,64} [\w./-]{1,40}(?:\[\d{1,9}\])?(?=:))?"
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_FORMS = (
    rf"\[?\d{{4}}[-/]\d\d[-/]\d\d[T _]{_CLOCK}(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?",
    rf"\[?\d{{1,2}}[-/]\d{{1,2}}[-/]\d{{2,4}}[T _]{_CLOCK}\]?",
    rf"\[?(?:[A-Z][a-z]{{2}} )?{_MONTH} [ \d]\d (?:\d{{4}} )?{_CLOCK}(?: \d{{4}})?\]?{_SENDER}",
    rf"\[?{_CLOCK}\]?",
    r"\[[ \d]{1,6}\.\d{1,9}\]",
)
_BETWEEN = (r"(?::|[ \t]*[|>]|[ \t]-)(?:[ \t]|$)", r"(?:[ \t]|$)")
_STAMPS = tuple(tuple(re.compile(form + then) for then in _BETWEEN) for form in _FORMS)
_QUOTED = re.compile(r">(?: |$)")
_DIGIT = re.compile(r"[\[\d]|[A-Z][a-z]{2} ")


@dataclass(slots=True)
class Margin:
    """How many characters were cut off before each line (-1: not the same everywhere), and what."""

    width: int
    what: str


def find_stamp(lines: list[str]) -> tuple[list[str], Margin] | None:
    """The lines without the time stamps before them, where all lines have one."""
    texts = [line for line in lines if line and not line.isspace()]
    if len(texts) < ENOUGH or not _DIGIT.match(texts[0]):
        return None
    for ways in _STAMPS:
        for stamp in ways if ways[-1].match(texts[0]) else ():
            if all(stamp.match(line) for line in texts):
                return _cut(lines, stamp, "time stamps before every line")
    return None


def find_quoting(lines: list[str]) -> tuple[list[str], Margin] | None:
    """The lines of an answered mail without the mark of quoting, where all have it."""
    texts = [line for line in lines if line and not line.isspace()]
    if len(texts) < ENOUGH or not all(_QUOTED.match(line) for line in texts):
        return None
    return _cut(lines, _QUOTED, "the mark of quoting before every line")


def find_indent(lines: list[str]) -> tuple[list[str], Margin] | None:
    """The lines without the blanks that all of them begin with."""
    first = next((line for line in lines if line and not line.isspace()), "")
    if not first.startswith((" ", "\t")):
        return None
    texts = [line for line in lines if line and not line.isspace()]
    width = min(len(line) - len(line.lstrip(first[0])) for line in texts)
    if not width or len(texts) < ENOUGH:
        return None
    return [line[width:] for line in lines], Margin(width, "the same indentation on every line")


def _cut(lines: list[str], mark: re.Pattern[str], what: str) -> tuple[list[str], Margin]:
    cut, widths = [], set()
    for line in lines:
        found = mark.match(line)
        if found is None:
            cut.append("")
            continue
        widths.add(found.end())
        cut.append(line[found.end() :])
    return cut, Margin(widths.pop() if len(widths) == 1 else -1, what)

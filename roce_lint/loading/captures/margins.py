"""What stands before every line of a text and is not its own: time stamps, quoting, indentation."""

from __future__ import annotations

import re
from dataclasses import dataclass

ENOUGH = 4
"""Lines that must bear a stamp before it is taken for one."""

_LONGEST = 400
"""Characters of a line in which what stands before it ends: no pattern meets more."""

HEADS = ("!", "#")
"""How the lines begin that a collector writes before a whole text."""

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
    texts = _texts(lines)
    if not texts or not _DIGIT.match(texts[0][:_LONGEST]):
        return None
    for ways in _STAMPS:
        for stamp in ways if _met(ways[-1], texts[0]) else ():
            if all(_met(stamp, line) for line in texts) and _are_enough(texts, stamp):
                return _cut(lines, stamp, "time stamps before every line")
    return None


def find_quoting(lines: list[str]) -> tuple[list[str], Margin] | None:
    """The lines of an answered mail without the mark of quoting, where all have it."""
    texts = _texts(lines)
    if not all(_met(_QUOTED, line) for line in texts) or not _are_enough(texts, _QUOTED):
        return None
    return _cut(lines, _QUOTED, "the mark of quoting before every line")


def find_indent(lines: list[str]) -> tuple[list[str], Margin] | None:
    """The lines without the blanks that all of them begin with."""
    first = next((x for x in lines if x and x[0] not in HEADS and not x.isspace()), "")
    if not first.startswith((" ", "\t")):
        return None
    texts = _texts(lines)
    width = min(len(line) - len(line.lstrip(first[0])) for line in texts)
    if not width or len(texts) < ENOUGH:
        return None
    kept = [line if line[:1] in HEADS else line[width:] for line in lines]
    return kept, Margin(width, "the same indentation on every line")


def _texts(lines: list[str]) -> list[str]:
    """The lines that say anything, without the comments that a program put before all of them."""
    texts = [line for line in lines if line and not line.isspace()]
    first = next((n for n, line in enumerate(texts) if line[0] not in HEADS), len(texts))
    return texts[first:]


def _met(mark: re.Pattern[str], line: str) -> re.Match[str] | None:
    return mark.match(line[:_LONGEST])


def _are_enough(texts: list[str], mark: re.Pattern[str]) -> bool:
    """Whether a mark is none by chance: before many lines, or before a document on one line."""
    if len(texts) >= ENOUGH:
        return True
    found = _met(mark, texts[0]) if texts else None
    return found is not None and texts[0][found.end() :].lstrip().startswith(("{", "["))


def _cut(lines: list[str], mark: re.Pattern[str], what: str) -> tuple[list[str], Margin]:
    cut, widths = [], set()
    for line in lines:
        found = _met(mark, line)
        if found is None:
            cut.append(line if line[:1] in HEADS else "")
            continue
        widths.add(found.end())
        cut.append(line[found.end() :])
    return cut, Margin(widths.pop() if len(widths) == 1 else -1, what)

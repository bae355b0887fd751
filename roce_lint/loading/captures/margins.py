"""Removal of text added before every line: time stamps, quoting, indentation, names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from roce_lint.loading.captures.segment import Segment
from roce_lint.loading.captures.terminal import begins_with_pager_mark
from roce_lint.text.numbers import whole_of

ENOUGH = 4
"""Minimum lines with a stamp, or with the same name."""

_LONGEST = 400
"""Characters of a line within which a margin ends; patterns see no more."""

MISSED = 50
"""Maximum gap between two line numbers, as empty lines between them have none."""

OPENS = 50
"""Lines of a YAML document within which its first text begins."""

HEADS = ("!", "#")
"""Beginnings of lines that a collector writes before a whole text."""

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
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,64}m")
_NUMBERED = re.compile(r"[ \t]{0,8}(?P<number>\d{1,7})(?:[\t:| ]|$)")
NAMED = re.compile(r"(?P<name>[A-Za-z/.][\w./-]{0,200})(?::|[ \t]{1,4}\|)")
_DOCUMENT = re.compile(r"(?:\d{1,7}[:|\t])?[ \t]*[{\[]")
_MOVES = re.compile(r"[\r\b\x1b]")
_OPENS_TEXT = re.compile(r"(?::|^-|[ \t]-)[ \t][|>][-+]?\d?[ \t]*$")
_DIGIT = re.compile(r"[\[\d]|[A-Z][a-z]{2} ")


@dataclass(slots=True)
class Margin:
    """Width cut off before each line (-1: varies), and its description."""

    width: int
    what: str


def common_mark(lines: list[str]) -> re.Pattern[str] | None:
    """Common beginning of all lines: a stamp, a quote mark or a blank; the lines before the first
    text of a YAML document do not count. None without one.
    """
    texts = _texts(lines)
    heads = enumerate(line[-_LONGEST:] for line in texts[:OPENS])
    opener = next((n for n, line in heads if _OPENS_TEXT.search(line)), -1)
    for begin in sorted({0, opener + 1}):
        found = _mark_of(texts[begin:])
        if found is not None:
            return found
    return None


def _mark_of(texts: list[str]) -> re.Pattern[str] | None:
    if len(texts) < ENOUGH:
        return None
    if texts[0][0] in " \t" and (width := _least(texts, texts[0][0])):
        return re.compile(f"{texts[0][0]}{{{width}}}")
    stamps = (ways[-1] for ways in _STAMPS) if _DIGIT.match(texts[0][:_LONGEST]) else ()
    named = _met(NAMED, texts[0])
    names = (re.compile(re.escape(named[0])),) if named is not None else ()
    marks = (*names, *stamps, _QUOTED, _COLOUR, _NUMBERED)
    return next((mark for mark in marks if all(_met(mark, line) for line in texts)), None)


def find_stamp(lines: list[str]) -> tuple[list[str], Margin] | None:
    """Remove the time stamps, where all lines have one."""
    texts = _texts(lines)
    if not texts or not _DIGIT.match(texts[0][:_LONGEST]):
        return None
    for ways in _STAMPS:
        for stamp in ways if _met(ways[-1], texts[0]) else ():
            if all(_met(stamp, line) for line in texts) and _are_enough(texts, stamp):
                return _cut(lines, stamp, "time stamps before every line")
    return None


def find_quoting(lines: list[str]) -> tuple[list[str], Margin] | None:
    """Remove the quote marks of a mail; only the lines of an answer around it have none."""
    quoted = [n for n, line in enumerate(lines) if line.startswith(">") and _met(_QUOTED, line)]
    if not quoted:
        return None
    inside = _texts(lines[quoted[0] : quoted[-1] + 1])
    if len(inside) != len(quoted) or not _are_enough(inside, _QUOTED):
        return None
    if 2 * len(inside) < len(_texts(lines)):
        return None
    return _cut(lines, _QUOTED, "the mark of quoting before every line")


def find_numbers(lines: list[str]) -> tuple[list[str], Margin] | None:
    """Remove consecutive line numbers written by an editor or `cat -n`."""
    texts = _texts(lines)
    if not texts or not _met(_NUMBERED, texts[0]) or not _are_enough(texts, _NUMBERED):
        return None
    last = -1
    for line in texts:
        found = _met(_NUMBERED, line)
        number = whole_of(found["number"]) if found is not None else None
        if number is None or number <= last or (last >= 0 and number > last + MISSED):
            return None
        last = number
    return _cut(lines, _NUMBERED, "the number before every line")


def find_name(lines: list[str]) -> tuple[list[str], Margin] | None:
    """Remove the one file or host name that a search or a parallel shell put before all lines."""
    texts = _texts(lines)
    found = _met(NAMED, texts[0]) if texts else None
    if found is None or not all(line.startswith(found[0]) for line in texts):
        return None
    mark = re.compile(re.escape(found[0]))
    if not _are_enough(texts, mark):
        return None
    return _cut(lines, mark, "the name of a host or file before every line")


def find_indent(lines: list[str]) -> tuple[list[str], Margin] | None:
    """Remove the common indentation."""
    first = next((x for x in lines if x and x[0] not in HEADS and not x.isspace()), "")
    if not first.startswith((" ", "\t")):
        return None
    texts = _texts(lines)
    plain = [line for line in texts if not _MOVES.search(line) and not begins_with_pager_mark(line)]
    width = _least(plain, first[0])
    # A row drawn over a pager mark has its own indentation after the blanks that erased the mark.
    if not width or len(texts) < ENOUGH or _least(texts, first[0]) < width:
        return None
    kept = [line if line[:1] in HEADS else line[width:] for line in lines]
    return kept, Margin(width, "the same indentation on every line")


def _least(texts: list[str], blank: str) -> int:
    """Blanks that each of the lines begins with."""
    return min((len(line) - len(line.lstrip(blank)) for line in texts), default=0)


def _texts(lines: list[str]) -> list[str]:
    """The lines with content, without comments that a program put before all of them."""
    texts = [line for line in lines if line and not line.isspace()]
    first = next((n for n, line in enumerate(texts) if line[0] not in HEADS), len(texts))
    return texts[first:]


def _met(mark: re.Pattern[str], line: str) -> re.Match[str] | None:
    return mark.match(line[:_LONGEST])


def _are_enough(texts: list[str], mark: re.Pattern[str]) -> bool:
    """Whether a mark is not accidental: before many lines, or before a document on one line."""
    if len(texts) >= ENOUGH:
        return True
    found = _met(mark, texts[0]) if texts else None
    return found is not None and _DOCUMENT.match(texts[0], found.end()) is not None


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


# Lines of a parallel shell or a file search, prefixed with several names.

LOOKED_AT = 16 << 10
"""Characters within which a name before all lines, or those of one host, is recognisable."""

_OF_FILES = frozenset((
    ".cfg", ".conf", ".config", ".txt", ".log", ".set", ".json", ".yaml", ".yml", ".out", ".bak",
))  # fmt: skip


def may_begin_with_names(text: str, first: str) -> bool:
    """Whether lines may begin with such names, like the `first` line; a cheap test."""
    named = NAMED.match(first)
    if named is None:
        return False
    again = text.count(f"\n{named[0]}", 0, LOOKED_AT)
    return again + 1 >= ENOUGH or (not again and "{" in first[named.end() :])


def by_names(whole: Segment) -> list[Segment]:
    """The lines of each name as a separate text.

    Empty if a line has no name, or a name has a few lines only: `key: value` has that form as
    well. A single common name is a margin (`find_name`).
    """
    found: dict[str, list[int]] = {}
    for index, line in enumerate(whole.lines):
        if not line or line.isspace() or (not found and line.startswith(HEADS)):
            continue
        named = NAMED.match(line)
        if named is None:
            return []
        found.setdefault(named["name"], []).append(index)
    if len(found) < 2 or min(map(len, found.values())) < ENOUGH:
        return []
    return list(_parts(whole, found))


def _parts(whole: Segment, found: dict[str, list[int]]) -> Iterator[Segment]:
    for name, indices in found.items():
        width = len(name) + 1
        yield Segment(
            [whole.lines[index][width:] for index in indices],
            [whole.numbers[index] for index in indices],
            _host(name) or whole.host,
            whole.command,
            width if whole.margin >= 0 else -1,
            whole.startup,
        )


def _host(name: str) -> str | None:
    """The host of a name; None for a file name, whose text identifies the host."""
    path = PurePosixPath(name)
    return None if "/" in name or path.suffix in _OF_FILES else name

"""Lines that a terminal of some width broke in two, joined again where the width shows it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from roce_lint.loading.captures.margins import common_mark
from roce_lint.loading.captures.terminal import is_pager_mark

WIDTHS = {80: 2, 132: 2, 100: 3, 120: 3, 140: 3, 160: 3, 200: 3}
"""Columns of terminals, and how many lines must reach the edge to believe that it is one."""

COMMENTS = "#!"
"""How a line begins that is no statement, and shows no width: it may have been written later."""

_HEAD = ("# command:", "#command:")
"""The head of a file, which is written after the capture and never broken."""

_ENDS = (";", "{", "}")

ROWS = 40
"""Rows that one line may have been broken into; a document on one line into any number."""

NARROWEST = min(WIDTHS)
WIDEST = max(WIDTHS)

_DOCUMENT = re.compile(r'(?:[^"{\[]{0,80}=> )?[{\[]["{\[]')
"""How JSON begins that stands on one line, also behind the head of a task."""

_QUOTE = re.compile(r'\\.|(?P<quote>")')


def join_rows(
    lines: list[str], widest: int, begins: Callable[[str], bool] = lambda _: False
) -> tuple[list[str], int]:
    """The lines with what was broken put together, and how many were.

    The rest of a line stands at the left edge of the next row, whatever the indentation, and is no
    word with which other lines at the edge begin; behind a comment, no line either that `begins` a
    block of some system. Beyond doubt is what lacks a margin that all other lines have, and what
    goes on in a string of JSON. Rows that were added to a line are left empty, so that every other
    line keeps its number; so is the mark of a pager between two rows.
    """
    whole = lines
    if any("\r" in line for line in lines):
        lines = [line.rstrip("\r") for line in lines]
    text = _Text(lines, widest, begins)
    if not text.is_broken():
        return whole, 0
    result = list(lines)
    count = 0
    index = 0
    while index < len(result) - 1:
        rows = text.rows(index) if len(lines[index]) == widest else [index]
        if len(rows) > 1:
            result[index] = "".join(lines[row] for row in rows)
            result[index + 1 : rows[-1] + 1] = [""] * (rows[-1] - index)
            count += 1
        index = rows[-1] + 1
    return (result, count) if count else (whole, 0)


@dataclass(slots=True)
class _Text:
    """The lines, the columns of the longest, and what is known of where they were broken."""

    lines: list[str]
    widest: int
    begins: Callable[[str], bool]
    behind: set[int] = field(default_factory=set)  # lines behind one that reaches the edge
    mark: re.Pattern[str] | None = None  # what all other lines begin with
    begun: dict[str, bool] = field(default_factory=dict)

    def is_broken(self) -> bool:
        """Whether enough lines reach the edge to believe that it is one."""
        lines = self.lines
        full = [n for n, line in enumerate(lines[:-1]) if len(line) == self.widest]
        full = [n for n in full if not _is_ruler(lines[n])]
        if 2 * sum(_is_padded(lines[n]) for n in full) >= len(full):
            return False  # a copy of a screen
        self.behind = {self.next(n) for n in full}
        self.mark = self._margin()
        full = [n for n in full if self.mark is not None or lines[n][0] not in COMMENTS]
        full = [n for n in full if not _is_beside_comment(lines[n], lines[self.next(n)])]
        if any(self._is_certain(n) for n in full):
            return True
        rests = [n for n in full if _is_rest(lines[self.next(n)])]
        if not rests or all(self._is_begun(lines[self.next(n)]) for n in rests):
            return False
        # Where every statement ends with a mark of its own, a line without one was broken.
        certain = any(not lines[n].rstrip().endswith(_ENDS) for n in rests)
        return len(rests) >= WIDTHS[self.widest] or (certain and _is_marked(lines))

    def next(self, index: int) -> int:
        """Index of the row that comes next; the mark of a pager is none."""
        after = index + 1
        while after < len(self.lines) - 1 and is_pager_mark(self.lines[after]):
            after += 1
        return after

    def rows(self, index: int) -> list[int]:
        """The rows of the line that begins at `index`."""
        rows = [index]
        lines = self.lines
        first = lines[index]
        if first.startswith(_HEAD):
            return rows
        document = _DOCUMENT.match(first) is not None
        quoted = first.lstrip().startswith('"')
        inside = escaped = False
        while len(lines[rows[-1]]) == self.widest and not _is_ruler(lines[rows[-1]]):
            after = self.next(rows[-1])
            if after >= len(lines) or _is_beside_comment(first, lines[after]):
                break
            if quoted:
                turns, escaped = _turns(lines[rows[-1]], escaped=escaped)
                inside = inside != turns
            if len(rows) > ROWS and not (document or inside):
                break
            ours = document and _DOCUMENT.match(lines[after]) is None
            if not (ours or inside or self._goes_on(first, lines[after])):
                break
            rows.append(after)
        return rows

    def _goes_on(self, first: str, line: str) -> bool:
        if self.mark is not None:
            return bool(line) and not self.mark.match(line)
        if not _is_rest(line) or self._is_begun(line):
            return False
        return not (first[0] in COMMENTS and self.begins(line))

    def _is_certain(self, index: int) -> bool:
        """Whether a full line is beyond doubt one that was broken."""
        line, after = self.lines[index], self.lines[self.next(index)]
        if self.mark is not None:
            return bool(after) and not self.mark.match(after)
        if _DOCUMENT.match(line):
            return bool(after) and not _DOCUMENT.match(after)
        return line.lstrip().startswith('"') and _turns(line)[0]

    def _margin(self) -> re.Pattern[str] | None:
        """The margin of all lines but those that stand behind a full one."""
        behind = [self.lines[n] for n in self.behind if n < len(self.lines) and self.lines[n]]
        if not behind:
            return None
        others = [line for n, line in enumerate(self.lines) if n not in self.behind]
        mark = common_mark(others)
        return None if mark is None or all(mark.match(line) for line in behind) else mark

    def _is_begun(self, line: str) -> bool:
        """Whether a line begins with a word with which one begins that goes on in no other."""
        word = _word(line)
        known = self.begun.get(word)
        if known is None:
            known = self.begun[word] = any(
                word in other and _word(other) == word
                for n, other in enumerate(self.lines)
                if n not in self.behind
            )
        return known


def _is_beside_comment(line: str, after: str) -> bool:
    """Whether two rows are comments: the second is no rest of the first."""
    return line[0] in COMMENTS and after.startswith(line[0])


def _turns(row: str, *, escaped: bool = False) -> tuple[bool, bool]:
    """Whether a string begins in a row and does not end there, or the other way round; and whether
    the row ends with what escapes the first character of the next, as `escaped` says of this one.
    """
    start = 1 if escaped else 0
    quotes = sum(found["quote"] is not None for found in _QUOTE.finditer(row, start))
    ending = len(row) - max(len(row.rstrip("\\")), start)
    return quotes % 2 == 1, ending % 2 == 1


def _is_marked(lines: list[str]) -> bool:
    """Whether the statements of a text end with semicolons and braces."""
    texts = [line for line in lines if line.strip() and line.lstrip()[0] not in "#/"]
    ended = sum(line.rstrip().endswith(_ENDS) for line in texts)
    return ended * 10 > len(texts) * 8


def find_fold(lines: list[str], widest: int) -> int | None:
    """Index of the first row that something else than a terminal broke; None where none did.

    A terminal counts no control character as a column. Where a row that it drew over is the widest
    with them, as wide as a terminal, and another follows that looks like its rest, a line that ends
    there by chance cannot be told from one that goes on.
    """
    for index, line in enumerate(lines[:-1]):
        if len(line) == widest and _is_drawn(line) and _is_rest(lines[index + 1]):
            return index
    return None


def widest_of(text: str) -> int:
    """Characters of the longest line, where those are as many as a terminal has columns; else 0."""
    lines = text.split("\n")
    widest = max(map(len, lines))
    if widest in WIDTHS and "\r" not in text:
        return widest
    if "\r" in text and widest <= WIDEST + 1:
        # The end of a line is in no column, however it is written.
        widest = max(len(line.rstrip("\r")) for line in lines)
        return widest if widest in WIDTHS else 0
    return 0


def _is_rest(line: str) -> bool:
    """At the left edge, or after the one blank at which the line was broken; no bracket alone."""
    text = line.strip()
    return bool(text) and not line.startswith("  ") and text[0] not in "{[}]!#"


def _is_padded(line: str) -> bool:
    """Whether a row was filled with blanks up to the edge, as a copy of a screen is: with more
    than an indentation has, which may stand at the edge too.
    """
    return line.endswith(" " * 8)


def _is_drawn(line: str) -> bool:
    """Whether a terminal went back in a row, so that its characters are more than its columns."""
    return "\r" in line or "\b" in line or "\x1b" in line


def _is_ruler(line: str) -> bool:
    """True for a heading that is drawn up to the edge."""
    return line[-4:] == line[-1] * 4 and not (line[-1].isalnum() or line[-1].isspace())


def _word(line: str) -> str:
    words = line.split(None, 1)
    return words[0] if words else ""

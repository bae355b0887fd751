"""Rejoins lines wrapped by a terminal, where its width is evident."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from roce_lint.loading.captures.margins import common_mark
from roce_lint.loading.captures.terminal import is_pager_mark

WIDTHS = {80: 2, 132: 2, 100: 3, 120: 3, 140: 3, 160: 3, 200: 3}
"""Terminal widths, and the lines at the edge required to accept each."""

COMMENTS = "#!"
"""Beginnings of comments, which are no evidence of a width: they may be later additions."""

_HEAD = ("# command:", "#command:")
"""The head of a file, which is written after the capture and never wrapped."""

_ENDS = (";", "{", "}")

ROWS = 40
"""Maximum rows of one wrapped line; a document on one line has no maximum."""

NARROWEST = min(WIDTHS)
WIDEST = max(WIDTHS)

_DOCUMENT = re.compile(r'(?:[^"{\[]{0,80}=> )?[{\[]["{\[]')
"""Beginning of JSON on one line, also after the head of a task."""

_QUOTE = re.compile(r'\\.|(?P<quote>")')


def join_rows(
    lines: list[str], widest: int, begins: Callable[[str], bool] = lambda _: False
) -> tuple[list[str], int]:
    """The lines with wrapped ones rejoined, and their count.

    The rest of a line is at the left edge of the next row, whatever the indentation, and does not
    begin with a word that begins other lines at the edge; after a comment, it is not a line that
    `begins` a block of some system either. A row without the margin that all other lines have, or
    inside a string of JSON, is certainly a rest. Rejoined rows are left empty, so that every other
    line keeps its number; so is a pager mark between two rows.
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
    """The lines, the width of the longest, and evidence of wrapping."""

    lines: list[str]
    widest: int
    begins: Callable[[str], bool]
    behind: set[int] = field(default_factory=set)  # lines after one that reaches the edge
    mark: re.Pattern[str] | None = None  # common beginning of all other lines
    begun: dict[str, bool] = field(default_factory=dict)

    def is_broken(self) -> bool:
        """Whether enough lines reach the edge to accept the width."""
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
        # If every statement has an end mark, a line without one was wrapped.
        certain = any(not lines[n].rstrip().endswith(_ENDS) for n in rests)
        return len(rests) >= WIDTHS[self.widest] or (certain and _is_marked(lines))

    def next(self, index: int) -> int:
        """Index of the next row; a pager mark is not a row."""
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
        """Whether a full line was certainly wrapped."""
        line, after = self.lines[index], self.lines[self.next(index)]
        if self.mark is not None:
            return bool(after) and not self.mark.match(after)
        if _DOCUMENT.match(line):
            return bool(after) and not _DOCUMENT.match(after)
        return line.lstrip().startswith('"') and _turns(line)[0]

    def _margin(self) -> re.Pattern[str] | None:
        """The margin of all lines except those after a full one."""
        behind = [self.lines[n] for n in self.behind if n < len(self.lines) and self.lines[n]]
        if not behind:
            return None
        others = [line for n, line in enumerate(self.lines) if n not in self.behind]
        mark = common_mark(others)
        return None if mark is None or all(mark.match(line) for line in behind) else mark

    def _is_begun(self, line: str) -> bool:
        """Whether a line begins with a word that only begins statements."""
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
    """Whether two rows are comments: the second is then not a rest of the first."""
    return line[0] in COMMENTS and after.startswith(line[0])


def _turns(row: str, *, escaped: bool = False) -> tuple[bool, bool]:
    """Whether a row opens a string that continues, or closes a continued one; and whether it ends
    with an escape of the next character, as `escaped` states of the row before.
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
    """Index of the first row that was not wrapped by a terminal; None without one.

    A terminal counts no control character as a column. If a redrawn row is the widest with them, as
    wide as a terminal, and the next one looks like its rest, a line that ends there by chance
    cannot be distinguished from a wrapped one.
    """
    for index, line in enumerate(lines[:-1]):
        if len(line) == widest and _is_drawn(line) and _is_rest(lines[index + 1]):
            return index
    return None


def widest_of(text: str) -> int:
    """Characters of the longest line, if equal to a terminal width; else 0."""
    lines = text.split("\n")
    widest = max(map(len, lines))
    if widest in WIDTHS and "\r" not in text:
        return widest
    if "\r" in text and widest <= WIDEST + 1:
        # Line ends of any form occupy no column.
        widest = max(len(line.rstrip("\r")) for line in lines)
        return widest if widest in WIDTHS else 0
    return 0


def _is_rest(line: str) -> bool:
    """Whether a row begins at the left edge or after one blank, and is not a bracket alone."""
    text = line.strip()
    return bool(text) and not line.startswith("  ") and text[0] not in "{[}]!#"


def _is_padded(line: str) -> bool:
    """Whether a row is padded with blanks up to the edge, as in a copy of a screen: with more than
    those of an indentation.
    """
    return line.endswith(" " * 8)


def _is_drawn(line: str) -> bool:
    """Whether a terminal moved back in a row, so that it has more characters than columns."""
    return "\r" in line or "\b" in line or "\x1b" in line


def _is_ruler(line: str) -> bool:
    """Whether a heading is a ruler up to the edge."""
    return line[-4:] == line[-1] * 4 and not (line[-1].isalnum() or line[-1].isspace())


def _word(line: str) -> str:
    words = line.split(None, 1)
    return words[0] if words else ""

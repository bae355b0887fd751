"""Splits indented configuration into stanzas, and their lines by depth.

Only indentation makes structure here; `modes` restores lines that lost it. Blank lines and comments
never do: EOS prints an indented `!` between the blocks of one stanza, and NX-OS allows comments
anywhere. Depth is counted with a stack of indents, so that one blank, three blanks and tabs give
the same result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from roce_lint.errors import ExtractError

Line = tuple[int, str, int]
"""Depth below the header (1 and more), text without its indent, line number (from 1)."""

JOINED_WIDTH = 1000
"""Length from which a line is no longer continued: hostile input could grow it without limit."""

KEPT = 1 << 16
KEPT_WIDTH = 120
"""Lines of a layout that are cached after splitting, and their maximum length."""

_NO_WIDTH = dict.fromkeys(map(ord, "\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"))
"""Characters that Python strips as blanks and that do not indent."""


@dataclass(slots=True)
class Stanza:
    """A line at depth 0 and the lines indented below it, each with its depth and number.

    `flat` is True if all lines are consecutive and directly below the header; most stanzas of
    ports are.
    """

    header: str
    number: int
    depths: Sequence[int] = ()
    texts: list[str] = field(default_factory=list)
    numbers: Sequence[int] = ()
    flat: bool = False

    @property
    def body(self) -> list[Line]:
        """The lines below the header."""
        return list(zip(self.depths, self.texts, self.numbers, strict=True))


@dataclass(slots=True)
class Sections:
    """A text split into stanzas. Lines are numbered from 1."""

    stanzas: list[Stanza] = field(default_factory=list)
    ignored: list[int] = field(default_factory=list)  # blank, comment, or in a skipped region
    joined: dict[int, int] = field(default_factory=dict)  # continuation line: line it continues
    unterminated: list[int] = field(default_factory=list)  # where a region begins and never ends

    def settle(self, states: bytearray) -> None:
        """Give every continuation line the state of the line it continues."""
        for number, leader in self.joined.items():
            states[number - 1] = states[leader - 1]


@dataclass(frozen=True)
class Layout:
    """Structure of a text besides its indentation. All regexes match at the start of a line's text.

    `skips` are regions that are not configuration, such as banners: the regexes of the opening and
    closing lines. Where the first captures a group `end`, that literal closes the region at its
    next occurrence, even on the opening line. `reattach` finds lines at depth 0 that belong to the
    stanza before them, `continuation` lines that a deeper line directly below continues. `trailing`
    finds lines with a comment at their end; its group `kept` is the rest. `separator` finds
    comments between stanzas: the line below one begins a stanza, even if it is indented (some
    devices print global lines so). `childless` finds lines below a header that open no block: a
    deeper line directly below is their sibling, as it is for the device.
    """

    comment: str | None = None
    trailing: str | None = None
    skips: tuple[tuple[str, str | None], ...] = ()
    reattach: str | None = None
    continuation: str | None = None
    separator: str | None = None
    childless: str | None = None

    @cached_property
    def regions(self) -> list[tuple[re.Pattern[str], re.Pattern[str] | None]]:
        """The skips, compiled.

        Raises:
            ExtractError: a region has no end.
        """
        regions = []
        for start, end in self.skips:
            opening = re.compile(start)
            if end is None and "end" not in opening.groupindex:
                raise ExtractError(f"there is no end for the region {start!r}")
            regions.append((opening, None if end is None else re.compile(end)))
        return regions

    @cached_property
    def is_attached(self) -> Callable[[str], object] | None:
        """Test for lines at depth 0 that belong to the stanza before."""
        return re.compile(self.reattach).match if self.reattach else None

    @cached_property
    def is_continued(self) -> Callable[[str], object] | None:
        """Test for lines that a deeper line continues."""
        return re.compile(self.continuation).match if self.continuation else None

    @cached_property
    def opens_none(self) -> Callable[[str], object] | None:
        """Test for lines without children."""
        return re.compile(self.childless).match if self.childless else None

    @cached_property
    def is_separator(self) -> Callable[[str], object] | None:
        """Test for comments that end a stanza."""
        return re.compile(self.separator).fullmatch if self.separator else None

    @cached_property
    def rows(self) -> _Rows:
        """State of each line."""
        return _Rows(self)

    @cached_property
    def shapes(self) -> _Shapes:
        """Depths of lines by their codes."""
        return _Shapes()


_Row = tuple[int, str, bool, int]
"""Columns of blanks before a line's text, the text, whether it is not configuration (blank, a
comment, or the opening of a region), and its code."""

_DEEPEST = 100
_HEEDED, _ENDING, _QUIET, _ODD = 0x80, 0xFD, 0xFE, 0xFF
"""The code of a line is its indent, by which most texts are split at once. HEEDED is added where a
deeper line below would not be an ordinary child, ENDING for a separator, QUIET for another comment
or a blank line, ODD for a line that needs individual treatment."""

_WHOLE = re.compile(rb"\x00([\x01-\xfc]*)[\xfd\xfe]*(?=\x00|\Z)")
"""A stanza without odd lines, and the blank lines and comments between it and the next."""

SHAPES = 4096
SHAPE_LINES = 1024
"""Bodies whose depths are cached, and the maximum of their lines."""


class _Rows(dict[str, _Row]):
    """Cache of split lines. Most lines recur, in this file or in the next device's."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        comment = (re.compile(layout.comment),) if layout.comment else ()
        openings = [opening for opening, _ in layout.regions]
        self._trailing = re.compile(layout.trailing).fullmatch if layout.trailing else None
        self._apart = [regex.match for regex in (*comment, *openings)]
        self._opens = [regex.match for regex in openings]
        self._separates = layout.is_separator
        self._heeded = [test for test in (layout.is_continued, layout.opens_none) if test]
        self._attached = layout.is_attached

    def __missing__(self, line: str) -> _Row:
        text = line.strip()
        apart = not text
        for match in self._apart:
            if match(text):
                apart = True
                break
        if self._trailing and not apart and (cut := self._trailing(text)):
            text = cut["kept"]
        indent = _indent(line)
        row = (indent, text, apart, self._code(indent, text, apart=apart))
        if len(self) < KEPT and len(line) <= KEPT_WIDTH:
            self[line] = row
        return row

    def _code(self, indent: int, text: str, *, apart: bool) -> int:
        if apart:
            if self._separates and self._separates(text):
                return _ENDING
            return _ODD if any(test(text) for test in self._opens) else _QUIET
        if indent > _DEEPEST or (not indent and self._attached and self._attached(text)):
            return _ODD
        if any(test(text) for test in self._heeded):
            return indent | _HEEDED if indent else _ODD
        return indent


_Shape = tuple[Sequence[int], bool]
"""Depths of the lines of a body, and whether all of them are 1."""


class _Shapes(dict[bytes, _Shape | None]):
    """Depths by the codes of the lines; None if a line needs individual treatment."""

    def __missing__(self, codes: bytes) -> _Shape | None:
        shape = self._depths(codes)
        if len(self) < SHAPES and len(codes) <= SHAPE_LINES:
            self[codes] = shape
        return shape

    @staticmethod
    def _depths(codes: bytes) -> _Shape | None:
        depths = []
        indents = [0]
        above = 0
        for code in codes:
            indent = code & ~_HEEDED
            if above & _HEEDED and indent > indents[-1]:
                return None
            _nest(indents, indent)
            depths.append(len(indents) - 1)
            above = code
        return tuple(depths), max(depths, default=1) == 1


def split(lines: list[str], layout: Layout) -> Sections:
    """Split a text into stanzas; no line, however odd, makes it fail.

    A line deeper than its parent but not as deep as its elder siblings is their sibling. If the
    first line of a text is indented, its indentation is depth 0 until a line is indented less.
    """
    result = Sections()
    rows = list(map(layout.rows.__getitem__, lines))
    texts = [row[1] for row in rows]
    codes = bytes([row[3] for row in rows])
    at = 0
    while at < len(rows):
        found = _WHOLE.match(codes, at)
        shape = layout.shapes[found[1]] if found else None
        if found is None or shape is None:
            at = _by_line(result, layout, rows, at)
            continue
        first, end = found.span(1)
        numbers = range(first + 1, end + 1)
        result.stanzas.append(
            Stanza(texts[at], at + 1, shape[0], texts[first:end], numbers, shape[1])
        )
        at = found.end()
        result.ignored += range(end + 1, at + 1)
    return result


def _by_line(result: Sections, layout: Layout, rows: list[_Row], at: int) -> int:
    """Split a text line by line, up to a line that certainly begins a stanza.

    Returns the index of that line.
    """
    stanza: Stanza | None = None
    depths: list[int] = []
    texts: list[str] = []
    numbers: list[int] = []
    indents = [0]  # of the open stanza's header and of each depth below it
    counted = enumerate(islice(rows, at, None), at)
    for index, (indent, text, apart, code) in counted:
        if not code and index > at:
            return index
        if apart:
            if _skip(layout, result, index + 1, text, counted) and indent <= indents[0]:
                stanza = None  # a line below a banner is not below the line before it
            continue
        if stanza is None or indent <= indents[0]:
            if stanza is None or not (layout.is_attached and layout.is_attached(text)):
                indents, depths, texts, numbers = [indent], [], [], []
                stanza = Stanza(text, index + 1, depths, texts, numbers)
                result.stanzas.append(stanza)
                continue
            indents, depth = indents[:1], 1
        else:
            deeper = indent > indents[-1]
            if deeper and layout.is_continued and _join(layout, result, text, index + 1):
                continue
            if deeper and len(indents) > 1 and layout.opens_none and layout.opens_none(texts[-1]):
                indents.pop()
            _nest(indents, indent)
            depth = len(indents) - 1
        depths.append(depth)
        texts.append(text)
        numbers.append(index + 1)
    return len(rows)


def _nest(indents: list[int], indent: int) -> None:
    """Adjust the indents of the open depths to a line."""
    while indents[-1] > indent:
        indents.pop()
    if indents[-1] < indent:
        indents.append(indent)


def _indent(line: str) -> int:
    """Columns of blanks before a line's text; tab stops at every eighth column."""
    width = len(line) - len(line.lstrip())
    blanks = line[:width]
    if blanks == " " * width:
        return width
    return len(blanks.translate(_NO_WIDTH).expandtabs())


def _skip(
    layout: Layout, result: Sections, number: int, text: str, rows: Iterator[tuple[int, _Row]]
) -> bool:
    """Ignore a line, and the whole region if it opens one; True if that ends a stanza."""
    result.ignored.append(number)
    if layout.is_separator and layout.is_separator(text):
        return True
    for opening, closing in layout.regions:
        opened = opening.match(text)
        if opened is None:
            continue
        literal = opened.groupdict().get("end")
        if literal and literal in text[opened.end() :]:
            return True
        for index, (_, line, _, _) in rows:
            result.ignored.append(index + 1)
            if literal in line if literal else closing and closing.match(line):
                return True
        result.unterminated.append(number)
        return True
    return False


def _join(layout: Layout, result: Sections, text: str, number: int) -> bool:
    """Append a deeper line to the line above, if that one can be continued."""
    stanza = result.stanzas[-1]
    above = stanza.texts[-1] if stanza.texts else stanza.header
    if len(above) > JOINED_WIDTH or not (layout.is_continued and layout.is_continued(above)):
        return False
    if stanza.texts:
        stanza.texts[-1] = f"{above} {text}"
        result.joined[number] = stanza.numbers[-1]
    else:
        stanza.header = f"{above} {text}"
        result.joined[number] = stanza.number
    return True

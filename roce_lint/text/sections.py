"""Indented configuration taken apart: stanzas, and their lines by depth.

Only indentation makes structure. Blank lines and comments never do: EOS prints an indented `!`
between the blocks of one stanza, and NX-OS allows comments anywhere. Depth is counted with a
stack of indents, so that one blank, three blanks and tabs all read alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from roce_lint.errors import ExtractError

Line = tuple[int, str, int]
"""Depth below the header (1 and more), text without its indent, line number (from 1)."""

JOINED_WIDTH = 1000
"""Length from which a line is not continued any more: hostile input could grow it for ever."""

KEPT = 1 << 16
KEPT_WIDTH = 120
"""Lines of a layout that are kept taken apart, and how long they may be."""

_NO_WIDTH = dict.fromkeys(map(ord, "\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"))
"""Characters that Python strips as blanks and that indent nothing."""


@dataclass(slots=True)
class Stanza:
    """A line at depth 0 and the lines indented below it."""

    header: str
    number: int
    body: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class Sections:
    """A text taken apart. Lines are numbered from 1."""

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
    """What shapes a text besides its indentation. All regexes match at the start of a line's text.

    `skips` are regions that are not configuration, such as banners: the regex of the line that
    opens one and the regex of the line that closes it. Where the first captures a group `end`,
    that literal closes the region wherever it is seen next, be it on the opening line itself.
    `reattach` finds lines at depth 0 that belong to the stanza before them, `continuation` lines
    that a deeper line directly below continues. `trailing` finds lines with a comment at their
    end; its group `kept` is the rest. `separator` finds comments that stand between stanzas: the
    line below one begins a stanza, though it be indented (some devices print global lines so).
    `childless` finds lines below a header that open no block: a deeper line directly below is
    their sibling, as it is for the device, whatever wrote the text.
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
            ExtractError: nothing says where a region ends.
        """
        regions = []
        for start, end in self.skips:
            opening = re.compile(start)
            if end is None and "end" not in opening.groupindex:
                raise ExtractError(f"nothing says where the region {start!r} ends")
            regions.append((opening, None if end is None else re.compile(end)))
        return regions

    @cached_property
    def is_attached(self) -> Callable[[str], object] | None:
        """The test for lines at depth 0 that belong to the stanza before."""
        return re.compile(self.reattach).match if self.reattach else None

    @cached_property
    def is_continued(self) -> Callable[[str], object] | None:
        """The test for lines that a deeper line continues."""
        return re.compile(self.continuation).match if self.continuation else None

    @cached_property
    def opens_none(self) -> Callable[[str], object]:
        """The test for lines that have nothing below them."""
        return re.compile(self.childless or "(?!)").match

    @cached_property
    def is_separator(self) -> Callable[[str], object] | None:
        """The test for comments that end a stanza."""
        return re.compile(self.separator).fullmatch if self.separator else None

    @cached_property
    def rows(self) -> _Rows:
        """What is known of each line by itself."""
        return _Rows(self)


_Row = tuple[int, str, bool]
"""Columns of blanks before a line's text, the text, and whether it is no configuration: blank,
a comment, or the opening of a region.
"""


class _Rows(dict[str, _Row]):
    """Lines taken apart. Most lines come again, in this file or in the next device's."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        comment = (re.compile(layout.comment),) if layout.comment else ()
        self._trailing = re.compile(layout.trailing).fullmatch if layout.trailing else None
        self._apart = [regex.match for regex in (*comment, *(r for r, _ in layout.regions))]

    def __missing__(self, line: str) -> _Row:
        text = line.strip()
        apart = not text
        for match in self._apart:
            if match(text):
                apart = True
                break
        if self._trailing and not apart and (cut := self._trailing(text)):
            text = cut["kept"]
        row = (_indent(line), text, apart)
        if len(self) < KEPT and len(line) <= KEPT_WIDTH:
            self[line] = row
        return row


def split(lines: list[str], layout: Layout) -> Sections:
    """Take a text apart; no line, however odd, makes it fail.

    A line deeper than its parent but not as deep as its elder siblings is their sibling. Where
    the first line of a text is indented, that is depth 0 until a line stands further left.
    """
    result = Sections()
    stanzas = result.stanzas
    rows = enumerate(map(layout.rows.__getitem__, lines), 1)
    body: list[Line] | None = None  # of the open stanza
    indents = [0]  # of the open stanza's header and of each depth below it
    depth, sibling = 0, -1  # of the last line of the body, and its indent; -1 where it has none
    for number, (indent, text, apart) in rows:
        if indent == sibling and not apart:
            body.append((depth, text, number))  # type: ignore[union-attr]  # most lines
            continue
        if apart:
            if _skip(layout, result, number, text, rows) and indent <= indents[0]:
                body, sibling = None, -1  # a line below a banner is not below what was before it
        elif body is None or indent <= indents[0]:
            if body is not None and layout.is_attached and layout.is_attached(text):
                indents, sibling = indents[:1], -1
                body.append((1, text, number))
                continue
            indents = [indent]
            body, sibling = [], -1
            stanzas.append(Stanza(text, number, body))
        else:
            deeper = indent > indents[-1]
            if deeper and layout.is_continued and _join(layout, result, text, number):
                continue
            if deeper and body and len(indents) > 1 and layout.opens_none(body[-1][1]):
                indents.pop()
            _nest(indents, indent)
            depth, sibling = len(indents) - 1, indent
            body.append((depth, text, number))
    return result


def _nest(indents: list[int], indent: int) -> None:
    """Bring the indents of the open depths to a line's own."""
    while indents[-1] > indent:
        indents.pop()
    if indents[-1] < indent:
        indents.append(indent)


def _indent(line: str) -> int:
    """Columns of blanks before a line's text; tabs stop at every eighth column."""
    width = len(line) - len(line.lstrip())
    blanks = line[:width]
    if blanks == " " * width:
        return width
    return len(blanks.translate(_NO_WIDTH).expandtabs())


def _skip(
    layout: Layout,
    result: Sections,
    number: int,
    text: str,
    rows: Iterator[tuple[int, _Row]],
) -> bool:
    """Ignore a line, and the whole region if it opens one; True where that ends a stanza."""
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
        for inner, (_, line, _) in rows:
            result.ignored.append(inner)
            if literal in line if literal else closing and closing.match(line):
                return True
        result.unterminated.append(number)
        return True
    return False


def _join(layout: Layout, result: Sections, text: str, number: int) -> bool:
    """Append a deeper line to the line above, if that one is of the kind that continues."""
    stanza = result.stanzas[-1]
    if stanza.body:
        depth, above, leader = stanza.body[-1]
    else:
        depth, above, leader = 0, stanza.header, stanza.number
    if len(above) > JOINED_WIDTH or not (layout.is_continued and layout.is_continued(above)):
        return False
    if depth:
        stanza.body[-1] = (depth, f"{above} {text}", leader)
    else:
        stanza.header = f"{above} {text}"
    result.joined[number] = leader
    return True

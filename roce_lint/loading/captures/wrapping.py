"""Lines that a terminal of some width broke in two, joined again where the width shows it."""

from __future__ import annotations

from collections.abc import Callable

WIDTHS = {80: 2, 132: 2, 100: 3, 120: 3, 140: 3, 160: 3, 200: 3}
"""Columns of terminals, and how many lines must reach the edge to believe that it is one."""

COMMENTS = "#!"
"""How a line begins that is no statement, and shows no width: it may have been written later."""

_HEAD = ("# command:", "#command:")
"""The head of a file, which is written after the capture and never broken."""

_ENDS = (";", "{", "}")

ROWS = 40
"""Rows that one line may have been broken into."""


def joined(
    lines: list[str], widest: int, begins: Callable[[str], bool] = lambda _: False
) -> tuple[list[str], int]:
    """The lines with what was broken put together, and how many were.

    The rest of a line stands at the left edge of the next row, whatever the indentation, and is no
    word with which other lines at the edge begin; behind a comment, no line either that `begins` a
    block of some system. Rows that were added to a line are left empty, so that every other line
    keeps its number.
    """
    whole, lines = lines, [line.rstrip("\r") for line in lines]
    at_edge = [
        index
        for index, line in enumerate(lines[:-1])
        if len(line) == widest and not _is_ruler(line) and line[0] not in COMMENTS
    ]
    rests = [index for index in at_edge if _is_rest(lines[index + 1])]
    # Where every statement ends with a mark of its own, a line without one was broken.
    certain = any(not lines[index].rstrip().endswith(_ENDS) for index in rests)
    enough = 1 if certain and _is_marked(lines) else WIDTHS[widest]
    if len(rests) < enough:
        return whole, 0
    comments = {n for n, line in enumerate(lines) if len(line) == widest and line[0] in COMMENTS}
    begun = _begun(lines, {index + 1 for index in (*rests, *comments)})
    result = list(lines)
    count = 0
    index = 0
    while index < len(result) - 1:
        last = _last_row(lines, index, widest, begun, begins)
        if last > index:
            result[index] = "".join(lines[index : last + 1])
            result[index + 1 : last + 1] = [""] * (last - index)
            count += 1
        index = last + 1
    return result, count


def _last_row(
    lines: list[str], index: int, widest: int, begun: set[str], begins: Callable[[str], bool]
) -> int:
    """Index of the last row of the line that begins at `index`."""
    first = lines[index]
    last = index
    if len(first) != widest or first.startswith(_HEAD):
        return last
    comment = first.startswith(tuple(COMMENTS))
    while (
        len(lines[last]) == widest
        and not _is_ruler(lines[last])
        and last - index < ROWS
        and last + 1 < len(lines)
        and _is_rest(lines[last + 1])
        and _word(lines[last + 1]) not in begun
        and not (comment and begins(lines[last + 1]))
    ):
        last += 1
    return last


def _is_marked(lines: list[str]) -> bool:
    """Whether the statements of a text end with semicolons and braces."""
    texts = [line for line in lines if line.strip() and line.lstrip()[0] not in "#/"]
    ended = sum(line.rstrip().endswith(_ENDS) for line in texts)
    return ended * 10 > len(texts) * 8


def is_width(widest: int) -> bool:
    """Whether the longest line of a text may have been broken at the edge of a terminal."""
    return widest in WIDTHS


def _is_rest(line: str) -> bool:
    """At the left edge, or after the one blank at which the line was broken; no bracket alone."""
    text = line.strip()
    return bool(text) and not line.startswith("  ") and text[0] not in "{[}]!#"


def _is_ruler(line: str) -> bool:
    """True for a heading that is drawn up to the edge."""
    return line[-4:] == line[-1] * 4 and not line[-1].isalnum()


def _begun(lines: list[str], but: set[int]) -> set[str]:
    """The words with which lines begin that go on in no other."""
    return {_word(line) for index, line in enumerate(lines) if index not in but}


def _word(line: str) -> str:
    words = line.split(None, 1)
    return words[0] if words else ""

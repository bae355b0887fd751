"""A text as it came, made into the texts that readers know: cleaned, unwrapped, cut, told."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from roce_lint.loading.captures.blocks import is_header
from roce_lint.loading.captures.containers import may_hold, unwrap
from roce_lint.loading.captures.cutting import cut
from roce_lint.loading.captures.exports import ExportRefusedError, convert_export, may_be_exported
from roce_lint.loading.captures.hints import may_be_cut
from roce_lint.loading.captures.margins import (
    ENOUGH,
    HEADS,
    find_indent,
    find_name,
    find_numbers,
    find_quoting,
    find_stamp,
)
from roce_lint.loading.captures.names import LOOKED_AT, by_names, may_begin_with_names
from roce_lint.loading.captures.passage import Passage
from roce_lint.loading.captures.remote import may_run_elsewhere, on_hosts
from roce_lint.loading.captures.terminal import Wipe, is_marked, wipe_screen
from roce_lint.loading.captures.wrapping import NARROWEST, find_fold, join_rows, widest_of

DEPTH = 10
"""Documents inside documents that are opened."""

ROUNDS = 4
"""Programs that each wrote something before every line."""

PASSAGES = 100_000
"""Texts taken out of one file."""

SHORT = 4 << 10
"""Characters of an output that others are likely to equal."""

HEADING = "# command:"

BEGINNING = 80
"""Characters of a line that are looked at to tell a margin."""

NO_BREAK = "\N{NO-BREAK SPACE}"
BYTE_ORDER = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""The mark of a coding, which stays inside where files are put together."""

_AT_EDGE = re.compile(r"^[^\s!#\d]", re.MULTILINE)
"""A line that is no comment and has no blank or number before it."""

_MONTH = re.compile(r"[A-Z][a-z]{2} ")
"""How a stamp begins that names its day."""

Known = Callable[[str, str], bool]
"""Tells whether a document is one that a reader takes as it is; also given without its texts."""


@dataclass(slots=True)
class Capture:
    """The texts of a file, and what was taken out of it to get at them."""

    passages: list[Passage]
    told: list[str] = field(default_factory=list)
    refused: list[tuple[str, int]] = field(default_factory=list)  # what is not read, and its line


def read_capture(text: str, is_document: Known) -> Capture | None:
    """The texts of a capture; None where a text is to be read as it is.

    `is_document` tells JSON and YAML that a reader knows from those that only hold texts.
    """
    if not _may_be_capture(text):
        return None
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.rstrip("\r") for line in lines]
    capture = Capture([])
    whole = Passage(lines, range(1, len(lines) + 1))
    if not _is_frame(whole, is_document):
        _tell_folded(whole, capture)
        whole = _clean(whole, capture.told)
    _open(whole, capture, is_document, DEPTH)
    if len(capture.passages) == 1 and capture.passages[0].lines == lines:
        return None
    return capture


def _may_be_capture(text: str) -> bool:
    """A quick look at all that shows a capture. Hosts print the same, so that what was seen in a
    short output is remembered, without the heading that tells whose it is; one that a terminal
    may have broken belongs to it.
    """
    if len(text) > SHORT:
        return _look(text)
    end = text.find("\n")
    if text.startswith(HEADING) and 0 < end < NARROWEST and text[:end].isprintable():
        return _look_once(text[end + 1 :])
    return _look_once(text)


def _look(text: str) -> bool:
    ruled = "-" in text and "--" in text
    return bool(
        is_marked(text, ruled=ruled)
        or NO_BREAK in text
        or BYTE_ORDER in text
        or may_hold(text)
        or may_be_cut(text, ruled=ruled)
        or _has_margin(text)
        or may_run_elsewhere(text)
        or may_be_exported(text)
        or ((widest := widest_of(text)) and join_rows(text.split("\n"), widest, is_header)[1])
    )


_look_once = lru_cache(maxsize=2048)(_look)


def _is_frame(whole: Passage, is_document: Known) -> bool:
    """True for a document that holds what a terminal did inside its texts alone: to draw its lines
    would wipe out the indentation by which the texts are told from the document.
    """
    text = whole.text
    if not is_marked(text) or not may_hold(text):
        return False
    inside, rest = unwrap(whole, text)
    if not inside or not rest or is_marked(rest) or is_document(text, rest):
        return False
    # A fence that nothing closes has its end behind what a terminal did.
    if whole.numbers[-1] == inside[-1].numbers[-1] and ("```" in text or "~~~" in text):
        return False
    # The first line of a text has the least indentation, or what has less is no line of it.
    firsts = (next((x for x in each.lines if x and not x.isspace()), "") for each in inside)
    return not any(first.startswith(" ") for first in firsts)


def _tell_folded(whole: Passage, capture: Capture) -> None:
    """Tell of rows that were broken with what a terminal did still in them."""
    widest = widest_of(whole.text)
    row = find_fold(join_rows(whole.lines, widest, is_header)[0], widest) if widest else None
    if row is not None:
        message = (
            f"lines with control characters of a terminal were broken at {widest} characters,"
            " and where they go on is not known: save the text without breaking its lines"
        )
        capture.refused.append((message, whole.numbers[row]))


def _has_margin(text: str) -> bool:
    first = _first_line(text)
    if first[:1] == "[":
        return first[1:2] not in ("{", "[", '"', "]", "")  # JSON on one line
    if first[:1] in (" ", "\t"):
        return _AT_EDGE.search(text) is None
    if (":" in first or "|" in first) and may_begin_with_names(text, first):
        return True
    if text.count("\n> ", 0, LOOKED_AT) >= ENOUGH:
        return True
    return first[:1] == ">" or first[:1].isdigit() or _MONTH.match(first) is not None


def _first_line(text: str) -> str:
    """The beginning of the first line that is no comment and not empty."""
    at = 0
    while True:
        end = text.find("\n", at)
        first = text[at : end if 0 <= end < at + BEGINNING else at + BEGINNING]
        if first[:1] not in HEADS and first and not first.isspace():
            return first
        if end < 0:
            return ""
        at = end + 1


def _open(passage: Passage, capture: Capture, is_document: Known, depth: int) -> None:
    """Add the texts inside a passage, or the passage itself."""
    if len(capture.passages) >= PASSAGES:
        return
    if _take_export(passage, capture):
        return
    inside = _inside(passage, passage.text, is_document) if depth else []
    if inside:
        for each in inside:
            each.host = each.host or passage.host
            cleaned = _clean(each, capture.told)
            _open(cleaned, capture, is_document, depth - 1)
        _tell(capture.told, "what an automation tool or a page wrote around the text")
        return
    if depth and (named := by_names(passage)):
        for each in named:
            _open(_clean(each, capture.told), capture, is_document, depth - 1)
        _tell(capture.told, "the name of a host or file before every line")
        return
    if may_run_elsewhere(passage.text):
        pieces = on_hosts(passage)
        if len(pieces) > 1:
            capture.passages += pieces
            _tell(capture.told, "what a script runs on other hosts")
            return
    _take_pieces(passage, capture, is_document, depth)


def _take_pieces(passage: Passage, capture: Capture, is_document: Known, depth: int) -> None:
    """Add what is left of a passage that is cut at its prompts and headings."""
    pieces = cut(passage)
    if len(pieces) > 1 or (pieces and pieces[0] is not passage):
        _tell(capture.told, "prompts, and the commands behind them")
    for piece in pieces:
        if piece is passage:
            capture.passages.append(piece)
            continue
        piece.host = piece.host or passage.host
        if not depth or piece.command is None:
            capture.passages.append(piece)
        else:
            _take_output(piece, capture, is_document, depth)


def _take_output(piece: Passage, capture: Capture, is_document: Known, depth: int) -> None:
    """Add what a command printed, its command in the first line; a file that was shown may be a
    capture itself.
    """
    printed = piece.part(1, len(piece.lines))
    output = _clean(printed, capture.told)
    if _take_export(output, capture, piece.host):
        return
    inside = _inside(output, output.text, is_document)
    for each in inside:
        each.host = each.host or piece.host
        _open(_clean(each, capture.told), capture, is_document, depth - 1)
    if inside:
        return
    if output.lines != printed.lines:
        if list(cut(output)) != [output]:
            output.host = piece.host
            _take_pieces(output, capture, is_document, depth - 1)
            return
        lines, numbers = [piece.lines[0], *output.lines], [piece.numbers[0], *output.numbers]
        piece = replace(piece, lines=lines, numbers=numbers, margin=output.margin)
    capture.passages.append(piece)


def _take_export(passage: Passage, capture: Capture, host: str | None = None) -> bool:
    """Add a configuration in another form of its system; False where it is none."""
    try:
        found = convert_export(passage)
    except ExportRefusedError as error:
        capture.refused.append((str(error), error.line))
        return True
    if found is None:
        return False
    found.host = found.host or host
    capture.passages.append(found)
    return True


def _inside(passage: Passage, text: str, is_document: Known) -> list[Passage]:
    """The texts inside a document that is none by itself."""
    if not may_hold(text):
        return []
    inside, rest = unwrap(passage, text)
    return [] if not inside or is_document(text, rest) else inside


def _clean(passage: Passage, told: list[str]) -> Passage:
    """Without what a terminal, a pager, a log or a mail added; every line stays in its place.

    What one of them wrote may stand around what another did: it is looked for until none is left.
    """
    for _ in range(ROUNDS):
        before = passage.lines
        passage = _unbroken(passage, told)
        passage = _without_margins(passage, passage.text, told)
        if passage.lines == before:
            break
    return passage


def _unbroken(passage: Passage, told: list[str]) -> Passage:
    """With the lines put together that a terminal broke at its edge."""
    widest = widest_of(passage.text)
    if not widest:
        return passage
    lines, count = join_rows(passage.lines, widest, is_header)
    if not count:
        return passage
    if NO_BREAK in passage.text:
        # One may have begun a row, and stands now where no indentation is.
        lines = [
            line if line == before else line.replace(NO_BREAK, " ")
            for line, before in zip(lines, passage.lines, strict=True)
        ]
    broken = "line" if count == 1 else "lines"
    _tell(told, f"the breaks of {count} {broken} at column {widest}")
    return passage.with_lines(lines)


def _without_margins(passage: Passage, text: str, told: list[str]) -> Passage:
    """The margin goes first: what a terminal did stands behind it, and would wipe it out."""
    for find in (find_name, find_stamp, find_quoting, find_numbers, find_indent):
        found = find(passage.lines)
        if found is not None:
            lines, margin = found
            passage = passage.with_lines(lines, margin.width)
            if find is not find_indent:
                _tell(told, margin.what)
    if is_marked(text):
        wipe = Wipe()
        passage = passage.with_lines(wipe_screen(passage.lines, wipe))
        for said in wipe.remarks():
            _tell(told, said)
    if NO_BREAK in text:
        passage = passage.with_lines([_plain_indent(line) for line in passage.lines])
    if BYTE_ORDER in text:
        passage = passage.with_lines([line.lstrip(BYTE_ORDER) for line in passage.lines])
    return passage


def _plain_indent(line: str) -> str:
    text = line.lstrip(" \t\N{NO-BREAK SPACE}")
    return line[: len(line) - len(text)].replace(NO_BREAK, " ") + text


def _tell(told: list[str], what: str) -> None:
    if what not in told:
        told.append(what)

"""Converts a capture into texts that readers know: cleaned, unwrapped, cut, split by host."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from roce_lint.loading.captures.banners import is_header
from roce_lint.loading.captures.containers import may_hold, unwrap
from roce_lint.loading.captures.cutting import HEADER, SESSION, cut
from roce_lint.loading.captures.margins import (
    ENOUGH,
    HEADS,
    LOOKED_AT,
    by_names,
    find_indent,
    find_name,
    find_numbers,
    find_quoting,
    find_stamp,
    may_begin_with_names,
)
from roce_lint.loading.captures.prompts import may_be_cut
from roce_lint.loading.captures.segment import Segment
from roce_lint.loading.captures.session import ExportRefusedError, convert_export, may_be_exported
from roce_lint.loading.captures.terminal import Wipe, is_marked, wipe_screen
from roce_lint.loading.captures.wrapping import NARROWEST, find_fold, join_rows, widest_of
from roce_lint.text.shell import parse_script
from roce_lint.text.shell_nesting import InnerScript, inner_scripts
from roce_lint.text.shell_words import Command

# Scripts that set up other hosts: the commands for each host become a script of that host.

LONGEST = 256 << 10
"""Maximum characters of a script that is searched."""

LINES = 200_000
"""Maximum lines produced for all hosts together."""

_RUNS_ELSEWHERE = re.compile(r"(?:^|[\s;&|(/])(?:ssh|pdsh|clush|pssh|parallel-ssh)[ \t]")


def may_run_elsewhere(text: str) -> bool:
    """Whether a text is a script that contains a remote shell command; a cheap test."""
    return (
        text.startswith("#!") and len(text) <= LONGEST and _RUNS_ELSEWHERE.search(text) is not None
    )


def on_hosts(whole: Segment) -> list[Segment]:
    """A script without its remote commands, and the script of each remote host.

    Commands for hosts that are not named in the text remain in place.
    """
    found: dict[str, list[tuple[str, int]]] = {}
    kept: set[int] = set()
    gone: set[int] = set()
    made = 0
    for command, _, within in inner_scripts(parse_script(whole.lines).commands):
        lines = set(range(command.number, command.last + 1))
        if within is None or not within.hosts:
            kept |= lines
            continue
        inner = _lines(command, within)
        made += len(inner) * len(within.hosts)
        if made > LINES:
            return [whole]
        gone |= lines | {number for _, number in inner}
        for host in within.hosts:
            found.setdefault(host, []).extend(inner)
    if not found:
        return [whole]
    rest = ["" if n in gone - kept else line for n, line in enumerate(whole.lines, 1)]
    return [whole.with_lines(rest), *(_script(whole, host, inner) for host, inner in found.items())]


def _lines(command: Command, within: InnerScript) -> list[tuple[str, int]]:
    """The commands of a host, with their line numbers; optional ones inside a branch."""
    texts = within.text.rstrip("\n").split("\n")
    lines = [
        (text, within.number + index if within.by_line else command.number)
        for index, text in enumerate(texts)
    ]
    if command.conditional and lines:
        lines = [("if maybe; then", lines[0][1]), *lines, ("fi", lines[-1][1])]
    return lines


def _script(whole: Segment, host: str, inner: list[tuple[str, int]]) -> Segment:
    first = inner[0][1]
    lines = [f"{HEADER}{SESSION}  host: {host}", *(text for text, _ in inner)]
    numbers = [whole.numbers[number - 1] for number in (first, *(number for _, number in inner))]
    return Segment(lines, numbers, host, SESSION, -1)


# Texts of a capture.

DEPTH = 10
"""Nested documents that are opened."""

ROUNDS = 4
"""Programs that each wrote something before every line."""

SEGMENTS = 100_000
"""Texts extracted from one file."""

SHORT = 4 << 10
"""Characters of an output short enough to recur."""

HEADING = "# command:"

BEGINNING = 80
"""Characters of a line that are examined for a margin."""

NO_BREAK = "\N{NO-BREAK SPACE}"
BYTE_ORDER = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""The byte order mark, which stays inside concatenated files."""

_AT_EDGE = re.compile(r"^[^\s!#\d]", re.MULTILINE)
"""A line that is not a comment and has no blank or number before it."""

_MONTH = re.compile(r"[A-Z][a-z]{2} ")
"""Beginning of a time stamp with a month name."""

Known = Callable[[str, str], bool]
"""Whether a reader takes a document as it is; also given without its embedded texts."""


@dataclass(slots=True)
class Capture:
    """The texts of a file, and what was removed to extract them."""

    segments: list[Segment]
    removed: list[str] = field(default_factory=list)
    refused: list[tuple[str, int]] = field(default_factory=list)  # reasons and lines


def read_capture(text: str, is_document: Known) -> Capture | None:
    """The texts of a capture; None if a text is read as it is.

    `is_document` distinguishes JSON and YAML that a reader takes from containers of texts.
    """
    if not _may_be_capture(text):
        return None
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.rstrip("\r") for line in lines]
    capture = Capture([])
    whole = Segment(lines, range(1, len(lines) + 1))
    if not _is_frame(whole, is_document):
        _report_folded(whole, capture)
        whole = _clean(whole, capture.removed)
    _open(whole, capture, is_document, DEPTH)
    if len(capture.segments) == 1 and capture.segments[0].lines == lines:
        return None
    return capture


def _may_be_capture(text: str) -> bool:
    """A cheap test for anything that marks a capture.

    Hosts print the same, so results for short outputs are cached, without the heading that names
    the host; a heading that a terminal may have wrapped is part of the key.
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


def _is_frame(whole: Segment, is_document: Known) -> bool:
    """Whether terminal control sequences occur only inside the texts of a document.

    Applying them to the whole would erase the indentation that separates the texts from it.
    """
    text = whole.text
    if not is_marked(text) or not may_hold(text):
        return False
    inside, rest = unwrap(whole, text)
    if not inside or not rest or is_marked(rest) or is_document(text, rest):
        return False
    # An unclosed fence ends after any terminal control sequences.
    if whole.numbers[-1] == inside[-1].numbers[-1] and ("```" in text or "~~~" in text):
        return False
    # The first line of a text has the least indentation; a line with less is outside.
    firsts = (next((x for x in each.lines if x and not x.isspace()), "") for each in inside)
    return not any(first.startswith(" ") for first in firsts)


def _report_folded(whole: Segment, capture: Capture) -> None:
    """Report wrapped rows that still contain control characters."""
    widest = widest_of(whole.text)
    row = find_fold(join_rows(whole.lines, widest, is_header)[0], widest) if widest else None
    if row is not None:
        message = (
            f"lines with terminal control characters were wrapped at {widest} characters "
            "and cannot be rejoined: save the text without line wrapping"
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
    """The beginning of the first line that is not a comment and not empty."""
    at = 0
    while True:
        end = text.find("\n", at)
        first = text[at : end if 0 <= end < at + BEGINNING else at + BEGINNING]
        if first[:1] not in HEADS and first and not first.isspace():
            return first
        if end < 0:
            return ""
        at = end + 1


def _open(segment: Segment, capture: Capture, is_document: Known, depth: int) -> None:
    """Add the texts inside a segment, or the segment itself."""
    if len(capture.segments) >= SEGMENTS:
        return
    if _take_export(segment, capture):
        return
    inside = _inside(segment, segment.text, is_document) if depth else []
    if inside:
        for each in inside:
            each.host = each.host or segment.host
            cleaned = _clean(each, capture.removed)
            _open(cleaned, capture, is_document, depth - 1)
        _record(capture.removed, "the wrapper of an automation tool or page")
        return
    if depth and (named := by_names(segment)):
        for each in named:
            _open(_clean(each, capture.removed), capture, is_document, depth - 1)
        _record(capture.removed, "the host or file name before every line")
        return
    if may_run_elsewhere(segment.text):
        pieces = on_hosts(segment)
        if len(pieces) > 1:
            capture.segments += pieces
            _record(capture.removed, "commands that a script runs on other hosts")
            return
    _take_pieces(segment, capture, is_document, depth)


def _take_pieces(segment: Segment, capture: Capture, is_document: Known, depth: int) -> None:
    """Add the remainder of a segment cut at its prompts and headings."""
    pieces = cut(segment)
    if len(pieces) > 1 or (pieces and pieces[0] is not segment):
        _record(capture.removed, "prompts and typed commands")
    for piece in pieces:
        if piece is segment:
            capture.segments.append(piece)
            continue
        piece.host = piece.host or segment.host
        if not depth or piece.command is None:
            capture.segments.append(piece)
        else:
            _take_output(piece, capture, is_document, depth)


def _take_output(piece: Segment, capture: Capture, is_document: Known, depth: int) -> None:
    """Add the output of a command, after the command itself; it may be another capture."""
    printed = piece.part(1, len(piece.lines))
    output = _clean(printed, capture.removed)
    if _take_export(output, capture, piece.host):
        return
    inside = _inside(output, output.text, is_document)
    for each in inside:
        each.host = each.host or piece.host
        _open(_clean(each, capture.removed), capture, is_document, depth - 1)
    if inside:
        return
    if output.lines != printed.lines:
        if list(cut(output)) != [output]:
            output.host = piece.host
            _take_pieces(output, capture, is_document, depth - 1)
            return
        lines, numbers = [piece.lines[0], *output.lines], [piece.numbers[0], *output.numbers]
        piece = replace(piece, lines=lines, numbers=numbers, margin=output.margin)
    capture.segments.append(piece)


def _take_export(segment: Segment, capture: Capture, host: str | None = None) -> bool:
    """Add a configuration in another form of its system; False for other texts."""
    try:
        found = convert_export(segment)
    except ExportRefusedError as error:
        capture.refused.append((str(error), error.line))
        return True
    if found is None:
        return False
    found.host = found.host or host
    capture.segments.append(found)
    return True


def _inside(segment: Segment, text: str, is_document: Known) -> list[Segment]:
    """The texts inside a document that is not a configuration itself."""
    if not may_hold(text):
        return []
    inside, rest = unwrap(segment, text)
    return [] if not inside or is_document(text, rest) else inside


def _clean(segment: Segment, removed: list[str]) -> Segment:
    """Remove everything that a terminal, a pager, a log or a mail added; lines keep their numbers.

    One kind may enclose another: repeat until none is left.
    """
    for _ in range(ROUNDS):
        before = segment.lines
        segment = _unbroken(segment, removed)
        segment = _without_margins(segment, segment.text, removed)
        if segment.lines == before:
            break
    return segment


def _unbroken(segment: Segment, removed: list[str]) -> Segment:
    """Rejoin lines that a terminal wrapped at its edge."""
    widest = widest_of(segment.text)
    if not widest:
        return segment
    lines, count = join_rows(segment.lines, widest, is_header)
    if not count:
        return segment
    if NO_BREAK in segment.text:
        # Control sequences may have begun a row, in the place of the indentation.
        lines = [
            line if line == before else line.replace(NO_BREAK, " ")
            for line, before in zip(lines, segment.lines, strict=True)
        ]
    broken = "line" if count == 1 else "lines"
    _record(removed, f"the wrapping of {count} {broken} at column {widest}")
    return segment.with_lines(lines)


def _without_margins(segment: Segment, text: str, removed: list[str]) -> Segment:
    """Remove margins before terminal sequences, which would otherwise erase them."""
    for find in (find_name, find_stamp, find_quoting, find_numbers, find_indent):
        found = find(segment.lines)
        if found is not None:
            lines, margin = found
            segment = segment.with_lines(lines, margin.width)
            if find is not find_indent:
                _record(removed, margin.what)
    if is_marked(text):
        wipe = Wipe()
        segment = segment.with_lines(wipe_screen(segment.lines, wipe))
        for remark in wipe.remarks():
            _record(removed, remark)
    if NO_BREAK in text:
        segment = segment.with_lines([_plain_indent(line) for line in segment.lines])
    if BYTE_ORDER in text:
        segment = segment.with_lines([line.lstrip(BYTE_ORDER) for line in segment.lines])
    return segment


def _plain_indent(line: str) -> str:
    text = line.lstrip(" \t\N{NO-BREAK SPACE}")
    return line[: len(line) - len(text)].replace(NO_BREAK, " ") + text


def _record(removed: list[str], what: str) -> None:
    if what not in removed:
        removed.append(what)

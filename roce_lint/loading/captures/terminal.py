"""Removes terminal and pager artefacts, preserving line numbers.

A removed artefact leaves an empty or shorter line.
"""

from __future__ import annotations

import re

from roce_lint.text.numbers import whole_of

LINE_LIMIT = 1 << 16
"""Characters of a line with applied cursor movements; controls beyond are dropped."""

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)(?P<given>[0-?]{0,64})[ -/]{0,8}(?P<final>[@-~])"  # CSI
    r"|\x1b[\]PX^_][^\x07\x1b]{0,4096}+(?:\x07|\x1b\\)?"  # OSC, DCS and their like
    r"|\x1b[ -/]{0,8}[0-~]?|[\x9b\x07]"
)
_STEP = re.compile(r"\x1b\[[0-?]{0,64}[CDGK]|[\r\b]")

_WORD = (
    r"(?:<?-{2,5} ?\(?[Mm](?:ore|ORE)\)?(?: ?\(?\d{1,3} ?%\)?)? ?-{2,5}>?"
    r"(?:\(\d{1,3}%\)|, next page: [^\r\b\x1b]{0,60}| or \(q\)uit)?"
    r"|-{2,5}\(more(?: \d{1,3}%)?\)-{2,5}"
    r"|lines \d{1,9}-\d{1,9}(?:/\d{1,9})?(?: \(END\)| \d{1,3}%)?"
    r"|(?:Press|Type|Hit) (?:any key|<?(?:SPACE|space|ENTER|enter|CR)>?) (?:bar )?"
    r"(?:to continue|for more)[^\r\b\x1b]{0,60}"
    r"|\(END\))"
)
PAGER_HINTS = (
    "-More", "-more", "-MORE", "- More", "- more", "- MORE", "(more", "lines ", "(END)", "Press ",
    "Type <", "Hit ",
)  # fmt: skip
"""Every text with pager marks contains one of these."""

PAGE = 16 << 10
"""Maximum characters on a terminal page: an active pager marks the first page, a closed one the
last. An output in a session is surrounded by prompts."""

_ALONE = re.compile(rf"[ \t]*{_WORD}[ \t]*")
_REDRAWN = re.compile(rf"(?:^|(?<=[\r\b]))[ \t]{{0,8}}{_WORD}[ \t]*(?=[\r\b\x1b])")
_BEFORE = re.compile(rf"(?P<word>[ \t]?{_WORD}[ \t]?)(?P<blanks>[ \t]{{2,}})(?=[^ \t])")
_PROMPT_OF_LESS = re.compile(r"[ \t]*:[ \t]*")


class Wipe:
    """Counts of removed artefacts, for the remark."""

    def __init__(self) -> None:
        self.pager = 0
        self.control = 0

    def remarks(self) -> list[str]:
        """Descriptions of the removed artefacts, if any."""
        texts = []
        if self.pager:
            marks = "mark" if self.pager == 1 else "marks"
            texts.append(f"{self.pager} {marks} of a pager (turn paging off before saving)")
        if self.control:
            texts.append(f"terminal control characters on {self.control} lines")
        return texts


def is_marked(text: str, *, ruled: bool | None = None) -> bool:
    """Whether a terminal or a pager may have left artefacts; a cheap search for characters.

    `ruled`: whether two adjacent dashes occur anywhere, if known.
    """
    # One character is found fastest, and few texts contain those of a pager's word.
    if "\x1b" in text or "\b" in text or "\x07" in text or "\x9b" in text:
        return True
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return True
    if ("--" in text if ruled is None else ruled) and _is_ruled(text):
        return True
    tail = text[-PAGE:]
    if "(" in tail and "(END)" in tail:
        return True
    head = text[:PAGE]
    if "(" in head and "(END)" in head:
        return True
    return "\nlines " in head or " to continue" in head or " for more" in head


def _is_ruled(text: str) -> bool:
    """Whether a line with two adjacent dashes contains the word of a pager."""
    at = text.find("--")
    while at >= 0:
        begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end
        if text.find("ore", begin, end) >= 0 or text.find("ORE", begin, end) >= 0:
            return True
        at = text.find("--", end)
    return False


def is_pager_mark(line: str) -> bool:
    """Whether a line is a pager mark and nothing else."""
    return any(hint in line for hint in PAGER_HINTS) and _ALONE.fullmatch(line) is not None


def begins_with_pager_mark(line: str) -> bool:
    """Whether a line begins with a pager mark, or is one."""
    if not any(hint in line for hint in PAGER_HINTS):
        return False
    return _BEFORE.match(line) is not None or _ALONE.fullmatch(line) is not None


def wipe_screen(lines: list[str], wipe: Wipe) -> list[str]:
    """The lines as a screen without a pager would have shown them."""
    less = any(_shows_less(line) for line in lines)
    return [_line(line, wipe, less=less) for line in lines]


def _shows_less(line: str) -> bool:
    return "(END)" in line or ("\x1b" in line and _bare(line).strip() in (":", "(END)"))


def _line(line: str, wipe: Wipe, *, less: bool) -> str:
    line = line.rstrip("\r")
    plain = not any(char in line for char in "\x1b\b\r\x9b\x07")
    if plain:
        return _without_word(line, wipe, less=less)
    wipe.control += 1
    still = _SEQUENCE.sub(_cursor_sequence, line[:LINE_LIMIT])
    shown, marks = _REDRAWN.subn("", still)
    wipe.pager += marks
    shown = _draw(shown) + _bare(line[LINE_LIMIT:])
    return _without_word(shown, wipe, less=less)


def _without_word(line: str, wipe: Wipe, *, less: bool) -> str:
    """Remove a pager mark that fills the line, or begins it.

    If the captured text contains the blanks that erased the mark, further blanks are the
    indentation of the line. A mark in the middle of a line is ordinary text.
    """
    if not any(hint in line for hint in PAGER_HINTS):
        if less and _PROMPT_OF_LESS.fullmatch(line):
            wipe.pager += 1
            return ""
        return line
    if _ALONE.fullmatch(line):
        wipe.pager += 1
        return ""
    found = _BEFORE.match(line)
    if found is None:
        return line
    wipe.pager += 1
    return found["blanks"][len(found["word"].strip()) :] + line[found.end() :]


def _bare(line: str) -> str:
    """Remove control characters without applying them."""
    return _SEQUENCE.sub("", line).replace("\r", "").replace("\b", "")


def _cursor_sequence(sequence: re.Match[str]) -> str:
    """Keep sequences that move the cursor or clear; others, such as colours, print nothing."""
    return sequence[0] if sequence["final"] in tuple("CDGK") else ""


def _draw(line: str) -> str:
    """Screen contents after a line with carriage returns, backspaces and CSI sequences.

    Only horizontal movements and clearing are applied; no cell is created beyond the characters of
    the line, however far a sequence would move.
    """
    if not _STEP.search(line):
        return _bare(line)  # with the blank at which it may have been wrapped
    cells: list[str] = []
    at = start = 0
    for step in _STEP.finditer(line):
        at = _write(cells, at, _bare(line[start : step.start()]))
        start = step.end()
        at = _move(cells, at, step[0], len(line))
    _write(cells, at, _bare(line[start:]))
    return "".join(cells).rstrip()


def _write(cells: list[str], at: int, text: str) -> int:
    if at > len(cells):
        cells += " " * (at - len(cells))
    cells[at : at + len(text)] = text
    return at + len(text)


def _move(cells: list[str], at: int, step: str, limit: int) -> int:
    """Cursor position after a step; clears cells where the step does."""
    if step == "\r":
        return 0
    if step == "\b":
        return max(0, at - 1)
    given = step[2:-1]
    count = whole_of(given) if given.isdecimal() and len(given) < 7 else 1
    match step[-1]:
        case "C":
            return min(at + count, limit)
        case "D":
            return max(0, at - count)
        case "G":
            return min(count - 1, limit) if count else 0
    if given in ("", "0"):
        del cells[at:]
    elif given == "2":
        cells.clear()
    else:
        cells[: at + 1] = " " * min(at + 1, len(cells))
    return at

"""Commands typed in configuration mode, and other forms, converted to configuration text.

A prompt shows the mode, and the next prompt shows whether a command opened a block. So the commands
get the indentation with which the device itself would print them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from roce_lint.loading.captures.segment import Segment
from roce_lint.nos.declare import Export, ExportError
from roce_lint.nos.registry import all_nos

STEP = "   "
TOP = ("", "config", "conf", "configure", "config-t")
"""Modes in which commands are outside of blocks."""

LEAVES = {"exit": 1, "quit": 1, "up": 1, "end": 99, "return": 99, "top": 99, "abort": 99}
"""Words that leave blocks, with the number of blocks."""

CONFIGURES_NOTHING = ("commit", "write", "wr", "copy", "save", "show", "do", "display", "!", "?")
"""First words of commands that configure nothing."""

CONFIGURES = ("nv set ", "nv unset ", "net add ", "net del ")
"""Beginnings of commands that configure at a shell prompt."""

STATEMENTS = ("set ", "delete ", "deactivate ", "activate ", "insert ", "rename ", "protect ")


@dataclass(slots=True, frozen=True)
class TypedCommand:
    """A command, its line, and the modes before and after it (None: the top level)."""

    number: int
    mode: str
    words: str
    then: str | None


@dataclass(slots=True)
class _Block:
    mode: str
    word: str


def configuration(
    typed: Sequence[TypedCommand], is_header: Callable[[str], bool]
) -> list[tuple[str, int]]:
    """The configuration lines that the commands produce, each with its line number in the file.

    `is_header` recognises lines that open a block at the top level of some system.
    """
    at_top = {_word(one.words) for one in typed if one.mode in TOP}
    blocks: list[_Block] = []
    lines: list[tuple[str, int]] = []
    for one in typed:
        word = _word(one.words)
        if word in LEAVES:
            del blocks[max(0, len(blocks) - LEAVES[word]) :]
            continue
        if not word or word in CONFIGURES_NOTHING:
            continue
        _align(blocks, one.mode)
        opened = one.then is not None and one.then not in TOP and one.then != one.mode
        again = next((n for n, block in enumerate(blocks) if block.word == word), None)
        if opened and (word in at_top or is_header(one.words)) and _is_apart(blocks, again):
            blocks.clear()
        elif again is not None and (opened or _goes_on(blocks, again, one)):
            del blocks[again:]
            opened = True
        lines.append((STEP * len(blocks) + one.words, one.number))
        if opened and one.then is not None:
            blocks.append(_Block(one.then, word))
    return lines


def _is_apart(blocks: list[_Block], again: int | None) -> bool:
    """Whether a block is top-level, and not a sibling of the open block of its kind."""
    return again is None or again == 0 or not blocks


def _goes_on(blocks: list[_Block], again: int, one: TypedCommand) -> bool:
    """Whether the command closes its block and opens another of the same kind."""
    return blocks[again].mode == one.mode == one.then


def _align(blocks: list[_Block], mode: str) -> None:
    """Whether the command closes its block and opens another of the same kind."""
    if mode in TOP:
        blocks.clear()
        return
    while blocks and blocks[-1].mode != mode and any(b.mode == mode for b in blocks):
        blocks.pop()


def statement(words: str, path: str) -> str | None:
    """A statement typed below an `[edit PATH]`, with that path, as typed at the top."""
    for begin in STATEMENTS:
        if words.startswith(begin):
            return f"{begin}{path} {words[len(begin) :]}" if path else words
    return None


def _word(words: str) -> str:
    return words.split(None, 1)[0] if words else ""


# Configurations in other forms of their system, converted to the form that its reader takes.

HEAD = 64 << 10
"""Characters within which a form is recognisable."""


class ExportRefusedError(Exception):
    """A text of such a form that cannot be converted: reason, place, and what to save instead."""

    def __init__(self, message: str, line: int):
        super().__init__(message)
        self.line = line


@cache
def _exports() -> tuple[Export, ...]:
    return tuple(
        export for nos in all_nos().values() for source in nos.sources for export in source.exports
    )


def _form_of(text: str) -> Export | None:
    begin = text[:HEAD].lstrip("\ufeff \t\r\n")
    for export in _exports():
        if begin.startswith(export.begins) and export.hint in begin and export.regex.search(begin):
            return export
    return None


def may_be_exported(text: str) -> bool:
    """Whether a text is in such a form."""
    return text[:4096].lstrip("\ufeff \t\r\n")[:1] in ("{", "<") and _form_of(text) is not None


def is_in(text: str) -> bool:
    """Whether a document may contain such a form; a cheap search for its keyword."""
    return any(export.hint in text for export in _exports() if export.begins == "{")


def is_form(value: dict[str, Any]) -> bool:
    """Whether a part of a document is of such a form, by its beginning."""
    key, inside = next(iter(value.items()), ("", None))
    hint = f'"{key}"'
    if not isinstance(inside, dict | list) or all(e.hint != hint for e in _exports()):
        return False
    begin = json.dumps(value)[:HEAD]
    return any(export.hint == hint and export.regex.search(begin) for export in _exports())


def convert_export(whole: Segment) -> Segment | None:
    """Convert a text of such a form to lines with positions; None for another text.

    Raises:
        ExportRefusedError: it is of such a form and cannot be read.
    """
    text = whole.text
    export = _form_of(text)
    if export is None:
        return None
    try:
        lines = export.lines(text)
    except ExportError as error:
        line = whole.numbers[min(error.line, len(whole.numbers)) - 1]
        message = f"{export.what}, which cannot be read ({error}): {export.instead}"
        raise ExportRefusedError(message, line) from error
    last = len(whole.numbers)
    numbers = [whole.numbers[min(number, last) - 1] for _, number in lines]
    return replace(whole, lines=[line for line, _ in lines], numbers=numbers, margin=-1)

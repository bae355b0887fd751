"""What was typed in configuration mode, written as the configuration that it makes.

A prompt tells the mode, and the mode of the next prompt whether a command opened a block. So the
commands get the indentation that the device itself would print them with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

STEP = "   "
TOP = ("", "config", "conf", "configure", "config-t")
"""Modes in which a command stands in no block."""

LEAVES = {"exit": 1, "quit": 1, "up": 1, "end": 99, "return": 99, "top": 99, "abort": 99}
"""Words that leave blocks, and how many."""

SAYS_NOTHING = ("commit", "write", "wr", "copy", "save", "show", "do", "display", "!", "?")
"""First words of what is typed and configures nothing."""

CONFIGURES = ("nv set ", "nv unset ", "net add ", "net del ")
"""Beginnings of commands that configure at the prompt of a shell."""

STATEMENTS = ("set ", "delete ", "deactivate ", "activate ", "insert ", "rename ", "protect ")


@dataclass(slots=True, frozen=True)
class TypedCommand:
    """A command, where it stands, and the modes before and after it (None: the top level)."""

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
    """The lines of the configuration that the commands make, each with its number in the file.

    `is_header` tells lines that open a block at the top level of some system.
    """
    at_top = {_word(one.words) for one in typed if one.mode in TOP}
    blocks: list[_Block] = []
    lines: list[tuple[str, int]] = []
    for one in typed:
        word = _word(one.words)
        if word in LEAVES:
            del blocks[max(0, len(blocks) - LEAVES[word]) :]
            continue
        if not word or word in SAYS_NOTHING:
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
    """A block of a kind that stands open below another is that one's sibling, not at the top."""
    return again is None or again == 0 or not blocks


def _goes_on(blocks: list[_Block], again: int, one: TypedCommand) -> bool:
    """Whether the command closes the block it is typed in and opens another of the same kind."""
    return blocks[again].mode == one.mode == one.then


def _align(blocks: list[_Block], mode: str) -> None:
    """Leave the blocks that a prompt shows to be closed."""
    if mode in TOP:
        blocks.clear()
        return
    while blocks and blocks[-1].mode != mode and any(b.mode == mode for b in blocks):
        blocks.pop()


def statement(words: str, path: str) -> str | None:
    """A statement typed below an `[edit PATH]`, as it would be typed at the top."""
    for begin in STATEMENTS:
        if words.startswith(begin):
            return f"{begin}{path} {words[len(begin) :]}" if path else words
    return None


def _word(words: str) -> str:
    return words.split(None, 1)[0] if words else ""

"""The plain part of YAML, read line by line: block mappings and lists of one-line scalars.

Configurations are mostly written so, and this takes a fraction of the parser's time. A text with
one line of anything else (comments behind values, anchors, texts over several lines, flow
collections of more than plain words) is left to the parser as a whole, and so is every text with
a mistake in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from roce_lint.text.yaml_nodes import Node

LINES = 200_000
DEEPEST = 60
"""Longer and deeper texts are the parser's, which has limits of its own."""

KEPT = 1 << 16
"""Lines that are kept taken apart: most come again, in this file or in the next device's."""

_TEXT = re.compile(r"[\x20-\x7e\n]*")
_QUOTED = r"'[^']*'|\"[^\"\\]*\""
_PLAIN = r"[A-Za-z0-9_./](?:[^ :#]|:(?=[^ ])|(?<=[^ ])\#|[ ]+(?=[^ #]))*"
_WORD = r"[A-Za-z0-9_][\w.]*"
_FLOW = rf"\[{_WORD}(?:,[ ]+{_WORD})*\]|\{{{_WORD}:[ ]+{_WORD}(?:,[ ]+{_WORD}:[ ]+{_WORD})*\}}"
_LINE = re.compile(
    rf"""
    (?P<indent>[ ]*)
    (?P<dashes>(?:-[ ]+)*)
    (?:
        (?P<key>{_QUOTED}|[A-Za-z0-9_./](?:[\w./@+,-]|:(?=[^ ]))*) :
        (?:[ ]+(?P<value>{_QUOTED}|\{{\}}|\[\]|{_FLOW}|{_PLAIN}))?
        |
        (?P<item>{_QUOTED}|{_PLAIN})
    )
    [ ]*
    """,
    re.VERBOSE | re.ASCII,
)
_WORDS = re.compile(_WORD, re.ASCII)
_PASSED = re.compile(r"[ ]*(?:#.*)?")


class _Line(NamedTuple):
    """What stands on a line, all by column."""

    dashes: tuple[int, ...]
    column: int  # of the key or the item
    key: str | None
    end: int  # behind the colon
    value: str | None  # of the key, or the item; None where nothing stands there
    start: int  # of the value
    flow: Callable[[int], Any] | None  # what {}, [] or words in them make on a line at an offset


_KNOWN: dict[str, _Line | None] = {}


def _take_apart(text: str) -> _Line | None:
    found = _LINE.fullmatch(text)
    if found is None:
        return None
    column = found.end("dashes")
    indent = found.end("indent")
    dashes = tuple(n for n in range(indent, column) if text[n] == "-")
    part = "value" if found["key"] is not None else "item"
    value = found[part]
    flow = None
    if part == "value" and value and value[0] in "[{":
        flow = _flow(value, found.start(part))
        if flow is None:
            return None
    key = found["key"]
    return _Line(
        dashes,
        column,
        None if key is None else _unquote(key),
        found.end("key") + 1,
        None if value is None else _unquote(value),
        found.start(part),
        flow,
    )


def _flow(text: str, column: int) -> Callable[[int], Any] | None:
    """What makes the collection that stands in brackets at a column; None where keys repeat."""
    words = [(column + word.start(), word[0]) for word in _WORDS.finditer(text)]
    if text[0] == "[":
        return lambda offset: [Node(offset + at, word) for at, word in words]
    pairs = list(zip(words[::2], words[1::2], strict=True))
    if len({key for (_, key), _ in pairs}) < len(pairs):
        return None
    return lambda offset: {
        key: (offset + key_at, Node(offset + at, word)) for (key_at, key), (at, word) in pairs
    }


def _unquote(text: str) -> str:
    return text[1:-1] if text[0] in "'\"" else text


@dataclass(slots=True)
class _Open:
    """A collection that the next line may add to; `waiting` is a key without value so far."""

    column: int
    node: Node
    waiting: str | None = None
    waits_at: int = 0  # offset behind its colon
    key_at: int = 0


def compose(text: str) -> Node | None:
    """The root of a text of one document; None where the parser has to read it."""
    lines = text.split("\n")
    if len(lines) > LINES or not _TEXT.fullmatch(text):
        return None
    reader = _Reader()
    offset = 0
    for number, line in enumerate(lines):
        if line in _KNOWN:
            found = _KNOWN[line]
        else:
            found = _take_apart(line)
            if len(_KNOWN) < KEPT:
                _KNOWN[line] = found
        if found is not None:
            if not reader.take(found, offset):
                return None
        elif not (_PASSED.fullmatch(line) or (line == "---" and not number)):
            return None
        offset += len(line) + 1
    reader.close(-1)
    return reader.root


class _Reader:
    """Puts one line after the other into the tree."""

    __slots__ = ("open", "root")

    def __init__(self) -> None:
        self.open: list[_Open] = []
        self.root: Node | None = None

    def take(self, line: _Line, offset: int) -> bool:
        """Take in a line that begins at `offset`; False where it needs the parser."""
        fresh = False
        for column in line.dashes:
            if not self._enter(column, offset, [], fresh=fresh):
                return False
            fresh = True
        if line.key is None:
            if not line.dashes or line.value is None:
                return False
            return self._item(Node(offset + line.start, line.value))
        begins = fresh or not self._goes_on(line.column)
        if begins and not self._enter(line.column, offset, {}, fresh=fresh):
            return False
        around = self.open[-1]
        members = around.node.data
        if not isinstance(members, dict) or line.key in members:
            return False
        at = offset + line.column
        if line.value is None:
            around.waiting, around.waits_at, around.key_at = line.key, offset + line.end, at
            members[line.key] = at, Node(around.waits_at, None)
            return True
        data = line.value if line.flow is None else line.flow(offset)
        members[line.key] = at, Node(offset + line.start, data)
        return True

    def _goes_on(self, column: int) -> bool:
        """True where a mapping stands at a column, to which a key is added: most lines do that."""
        opened = self.open
        while opened and opened[-1].column > column:
            opened.pop()
        if not opened or opened[-1].column != column or type(opened[-1].node.data) is not dict:
            return False
        opened[-1].waiting = None
        return True

    def close(self, column: int) -> None:
        """Nothing comes any more to what is deeper than a column."""
        while self.open and self.open[-1].column > column:
            self.open.pop()

    def _enter(
        self,
        column: int,
        offset: int,
        data: dict[str, tuple[int, Node]] | list[Node],
        *,
        fresh: bool,
    ) -> bool:
        """Make the collection at a column the innermost one, new where it is not there yet.

        `fresh` tells that a dash on the same line has just begun what comes.
        """
        if not fresh:
            self.close(column)
        top = self.open[-1] if self.open else None
        if top is not None and not fresh and top.column == column:
            if isinstance(top.node.data, list) and isinstance(data, dict):
                self.open.pop()  # a list that stands no deeper than its key has ended
                top = self.open[-1] if self.open else None
            if top is not None and top.column == column and type(top.node.data) is type(data):
                top.waiting = None
                return True
        if len(self.open) >= DEEPEST or not self._may_hold(top, column, data, fresh=fresh):
            return False
        node = Node(offset + column, data)
        if top is None:
            self.root = node
        elif isinstance(top.node.data, list):
            top.node.data.append(node)
        elif isinstance(top.node.data, dict) and top.waiting is not None:
            top.node.data[top.waiting] = top.key_at, node
            top.waiting = None
        self.open.append(_Open(column, node))
        return True

    def _may_hold(
        self,
        top: _Open | None,
        column: int,
        data: dict[str, tuple[int, Node]] | list[Node],
        *,
        fresh: bool,
    ) -> bool:
        """Whether a new collection may begin here."""
        if top is None:
            return self.root is None
        if isinstance(top.node.data, list):
            return fresh
        deeper = column > top.column or (column == top.column and isinstance(data, list))
        return top.waiting is not None and deeper

    def _item(self, node: Node) -> bool:
        around = self.open[-1].node.data
        if not isinstance(around, list):
            return False
        around.append(node)
        return True

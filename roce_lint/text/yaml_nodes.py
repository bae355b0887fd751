"""YAML documents as nodes with offsets: from a parser's events within limits, or by a fast reader.

The composer of PyYAML recurses and guesses types; this one does neither, and counts the nodes of
aliases before they are expanded. It gets its events from `tree.py`, which imports the library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, TypeAlias

from roce_lint.text.places import DEPTH_LIMIT, Data, Keys, error_at, line_of

NODE_LIMIT = 1_000_000
"""Values a YAML file may hold once its aliases are expanded."""

Double: TypeAlias = tuple[int, str]
"""A repeated key of a mapping: offset and key."""

_MERGE_KEY = "<<"


@dataclass(slots=True)
class Node:
    """A YAML node; aliases refer to the same one. Mapping values carry their key's offset."""

    offset: int
    data: str | dict[str, tuple[int, Node]] | list[Node] | None
    size: int = 1  # nodes in it, with aliases written out
    height: int = 1


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet."""

    node: Node
    anchor: str | None
    key: tuple[int, str, bool] | None = None  # offset, text, whether it is a merge key
    merges: list[dict[str, tuple[int, Node]]] = field(default_factory=list)


class Composer:
    """Builds nodes from the parser's events, so that every limit applies before memory is used.

    PyYAML's own composer recurses and resolves types; this one does neither.
    """

    def __init__(self, name: str, text: str):
        self._name = name
        self._text = text
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._total = 0
        self._root: Node | None = None
        self._doubled: list[Double] = []
        self._takers: dict[str, Callable[[Any], None]] = {
            "ScalarEvent": self._scalar,
            "AliasEvent": self._alias,
            "SequenceStartEvent": self._start,
            "MappingStartEvent": self._start,
            "SequenceEndEvent": self._end,
            "MappingEndEvent": self._end,
        }

    def compose(self, events: Iterable[Any]) -> Iterator[tuple[Node, list[Double]]]:
        """Root and doubled keys of every document."""
        for event in events:
            take = self._takers.get(type(event).__name__)
            if take:
                take(event)
            elif type(event).__name__ == "DocumentEndEvent" and self._root:
                yield self._root, self._doubled
                self._anchors, self._root, self._doubled = {}, None, []

    def _scalar(self, event: Any) -> None:
        """A scalar: text as written, None if the value is missing."""
        offset = self._begin(event)
        plain = event.implicit[0]
        node = Node(offset, None if plain and not event.value else event.value)
        if event.anchor:
            self._anchors[event.anchor] = node
        self._add(node, merge=plain and event.value == _MERGE_KEY)

    def _alias(self, event: Any) -> None:
        offset = event.start_mark.index
        node = self._anchors.get(event.anchor)
        if node is None:
            self._refuse(offset, f"alias *{event.anchor} names no earlier node, or itself")
        if len(self._open) + node.height > DEPTH_LIMIT:
            self._refuse(offset, f"nests deeper than {DEPTH_LIMIT} levels")
        self._count(offset, node.size)
        self._add(node, offset=offset)

    def _start(self, event: Any) -> None:
        offset = self._begin(event)
        if self._open and self._open[-1].key is None and isinstance(self._open[-1].node.data, dict):
            hint = "a template must be rendered first" if "{{" in self._text else None
            self._refuse(offset, "a key must be a single word or text", hint)
        if len(self._open) >= DEPTH_LIMIT:
            self._refuse(offset, f"nests deeper than {DEPTH_LIMIT} levels")
        self._anchors.pop(event.anchor, None)
        mapping = type(event).__name__ == "MappingStartEvent"
        self._open.append(_Open(Node(offset, {} if mapping else [], self._total), event.anchor))

    def _end(self, _event: Any) -> None:
        ended = self._open.pop()
        node = ended.node
        node.size = self._total - node.size + 1  # held the count at its start
        if isinstance(node.data, dict):
            for merged in ended.merges:
                for key, member in merged.items():
                    node.data.setdefault(key, member)
        if ended.anchor:
            self._anchors[ended.anchor] = node
        self._add(node)

    def _add(self, node: Node, *, offset: int | None = None, merge: bool = False) -> None:
        """Add a finished node to its parent: document, list, key or value."""
        if not self._open:
            self._root = node
            return
        around = self._open[-1]
        around.node.height = max(around.node.height, node.height + 1)
        content = around.node.data
        if isinstance(content, list):
            content.append(node)
        elif isinstance(content, dict):
            self._member(around, content, node, node.offset if offset is None else offset, merge)

    def _member(
        self,
        around: _Open,
        members: dict[str, tuple[int, Node]],
        node: Node,
        offset: int,
        merge: bool,  # noqa: FBT001 - handed through from _add
    ) -> None:
        if around.key is None:
            if isinstance(node.data, dict | list):
                self._refuse(offset, "a key must be a single word or text")
            around.key = offset, node.data or "", merge
            return
        key_offset, key, merging = around.key
        around.key = None
        parts = node.data if isinstance(node.data, list) else [node]
        if merging and all(isinstance(part.data, dict) for part in parts):
            around.merges += [part.data for part in parts if isinstance(part.data, dict)]
            return
        if key in members:
            self._doubled.append((key_offset, key))
        members[key] = key_offset, node

    def _begin(self, event: Any) -> int:
        offset: int = event.start_mark.index
        if event.tag is not None:
            self._refuse(offset, f"tag {event.tag} is not accepted")
        self._count(offset, 1)
        return offset

    def _count(self, offset: int, size: int) -> None:
        self._total += size
        if self._total > NODE_LIMIT:
            self._refuse(offset, f"holds more than {NODE_LIMIT} values, with aliases expanded")

    def _refuse(self, offset: int, message: str, hint: str | None = None) -> NoReturn:
        raise error_at(self._name, line_of(self._text, offset), message, hint) from None


def plain(node: Node) -> Data:
    """Plain values; depth and size were bounded when the node was composed."""
    if isinstance(node.data, dict):
        return {key: plain(value) for key, (_, value) in node.data.items()}
    if isinstance(node.data, list):
        return [plain(item) for item in node.data]
    return node.data


def offset_of(root: Node, keys: Keys) -> int:
    """Offset of a path, or of its nearest ancestor: of a key in a mapping, of a value in a list."""
    node = root
    offset = node.offset
    for key in keys:
        if isinstance(node.data, dict) and key in node.data:
            offset, node = node.data[str(key)]
        elif isinstance(node.data, list) and isinstance(key, int) and 0 <= key < len(node.data):
            node = node.data[key]
            offset = node.offset
        else:
            break
    return offset


# Fast reader for plain YAML (block mappings and lists of one-line scalars), the usual form of
# configurations, in a fraction of the parser's time. A text with any other line (comments after
# values, anchors, texts over several lines, flow collections of more than plain words), or with a
# mistake, is left to the parser as a whole.

LINES = 200_000
DEEPEST = 60
"""Longer and deeper texts are left to the parser, which has its own limits."""

KEPT = 1 << 16
"""Lines that are cached: most recur, in this file or in the next device's."""

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
    dashes: tuple[int, ...]
    column: int  # of the key or the item
    key: str | None
    end: int  # after the colon
    value: str | None  # of the key, or the item; None if there is none
    start: int  # of the value
    flow: Callable[[int], Any] | None  # builds {}, [] or words in them on a line at an offset


_KNOWN: dict[str, _Line | None] = {}


def _take_apart(text: str) -> _Line | None:
    found = _LINE.fullmatch(text)
    if found is None:
        return None
    column = found.end("dashes")
    dashes = tuple(n for n in range(found.end("indent"), column) if text[n] == "-")
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
    """Builder of the flow collection at a column; None if keys repeat."""
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
class _OpenBlock:
    """A collection that the next line may add to; `waiting` is a key without value so far."""

    column: int
    node: Node
    waiting: str | None = None
    waits_at: int = 0  # offset after its colon
    key_at: int = 0


def compose(text: str) -> Node | None:
    """The root of a text of one document; None if the parser has to read it."""
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
    """Adds the lines one by one to the tree."""

    __slots__ = ("open", "root")

    def __init__(self) -> None:
        self.open: list[_OpenBlock] = []
        self.root: Node | None = None

    def take(self, line: _Line, offset: int) -> bool:
        """Add a line that begins at `offset`; False if it needs the parser."""
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
        """Whether a mapping at a column takes a key, as for most lines."""
        opened = self.open
        while opened and opened[-1].column > column:
            opened.pop()
        if not opened or opened[-1].column != column or type(opened[-1].node.data) is not dict:
            return False
        opened[-1].waiting = None
        return True

    def close(self, column: int) -> None:
        """Close the collections that are deeper than a column."""
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
        """Make the collection at a column the innermost one, new if it does not exist yet. `fresh`:
        a dash on the same line has just begun it.
        """
        if not fresh:
            self.close(column)
        top = self.open[-1] if self.open else None
        if top is not None and not fresh and top.column == column:
            if isinstance(top.node.data, list) and isinstance(data, dict):
                self.open.pop()  # a list that is not deeper than its key has ended
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
        self.open.append(_OpenBlock(column, node))
        return True

    def _may_hold(
        self,
        top: _OpenBlock | None,
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

"""YAML documents as nodes with offsets, built from a parser's events within limits.

The composer of PyYAML recurses and guesses types; this one does neither, and counts what aliases
would unfold to before it is unfolded. It gets its events from `tree.py`, the library's home.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

from roce_lint.text.places import DEPTH_LIMIT, Data, Keys, error_at, line_of

NODE_LIMIT = 1_000_000
"""Values a YAML file may hold once its aliases are written out."""

Double: TypeAlias = tuple[int, str]
"""A key that its mapping already has: offset and key."""

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
    """Builds nodes from the parser's events, so that every limit holds before memory is used.

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
        """A scalar: text as written, None where a value was left out."""
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
            self._refuse(offset, f"alias *{event.anchor} names nothing before it, or itself")
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
        """Put a finished node where it belongs: document, list, key or value."""
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
            self._refuse(offset, f"holds more than {NODE_LIMIT} values, aliases written out")

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

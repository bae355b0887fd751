"""Typed values out of a JSON or YAML tree, each with its position."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeVar

from roce_lint.model.device import NoteKind
from roce_lint.nos.reading import ABSENT, Input, Reading, Value

U = TypeVar("U")

ANY = "*"


class TreeReader:
    """A node of a tree. Reading a leaf marks its *shape* as understood.

    The shape of a path replaces keys reached by `items()` with "*": after one port's `mtu` was
    read, every port's `mtu` counts as understood, which is what the reader of a table does.
    """

    __slots__ = ("data", "entry", "keys", "reading", "shape")

    def __init__(
        self,
        reading: Reading,
        entry: Input,
        data: Any = None,
        keys: tuple[Hashable, ...] = (),
        shape: tuple[Hashable, ...] = (),
    ):
        self.reading = reading
        self.entry = entry
        self.data = entry.tree if data is None and not keys else data
        self.keys = keys or entry.root
        self.shape = shape

    @property
    def position(self) -> int:
        """Position of this node."""
        return self.reading.src.path(self.entry.file, self.keys)

    def __bool__(self) -> bool:
        return self.data is not None

    def __contains__(self, key: Hashable) -> bool:
        return isinstance(self.data, dict) and key in self.data

    def get(self, *keys: Hashable) -> TreeReader:
        """The node below; a node with no data where it does not exist."""
        data = self.data
        for key in keys:
            if isinstance(data, dict):
                data = data.get(key)
            elif isinstance(data, list) and isinstance(key, int) and key < len(data):
                data = data[key]
            else:
                data = None
        return TreeReader(self.reading, self.entry, data, self.keys + keys, self.shape + keys)

    def items(self) -> Iterator[tuple[Any, TreeReader]]:
        """All children of a mapping or list, in document order."""
        if isinstance(self.data, dict):
            pairs: Any = self.data.items()
        elif isinstance(self.data, list):
            pairs = enumerate(self.data)
        else:
            return
        shape = (*self.shape, ANY)
        for key, value in pairs:
            yield key, TreeReader(self.reading, self.entry, value, (*self.keys, key), shape)

    def take(self) -> Value[Any]:
        """This node's own data, whatever it is, as a value; everything below counts as read."""
        if self.data is None:
            return ABSENT
        self._mark(self.shape)
        return Value(self.data, self.position)

    def exists(self) -> None:
        """Mark an empty mapping or list as read: that it is there is all it says."""
        if self.data in ({}, []):
            self._mark(self.keys[len(self.entry.root) :])

    def text(self, key: Hashable) -> Value[str]:
        """A scalar field as text; numbers are turned into text, lists and mappings are noted."""
        if not isinstance(self.data, dict):
            return ABSENT
        found = self.data.get(key)
        if found is None:
            return ABSENT
        self._mark((*self.shape, key))
        position = self.reading.src.path(self.entry.file, (*self.keys, key))
        if isinstance(found, dict | list):
            kind = type(found).__name__
            self.reading.note(NoteKind.BAD_VALUE, f"{key}: {kind} where a value belongs", position)
            return Value(None, position)
        if isinstance(found, bool):
            return Value("true" if found else "false", position)
        return Value(str(found), position)

    def integer(self, key: Hashable) -> Value[int]:
        """A scalar field as a whole number; one that will not convert is noted and absent."""
        return self.convert(self.text(key), int, "a whole number")

    def decimal(self, key: Hashable) -> Value[float]:
        """A scalar field as a decimal number."""
        return self.convert(self.text(key), float, "a number")

    def boolean(self, key: Hashable) -> Value[bool]:
        """A field that says true or false, on or off, enable or disable, up or down."""
        return self.convert(self.text(key), lambda text: _WORDS[text.lower()], "on or off")

    def strings(self, key: Hashable, separator: str = ",") -> Value[tuple[str, ...]]:
        """A list field, or one string with separators, as a tuple of stripped strings."""
        if not isinstance(self.data, dict):
            return ABSENT
        found = self.data.get(key)
        if found is None:
            return ABSENT
        self._mark((*self.shape, key))
        position = self.reading.src.path(self.entry.file, (*self.keys, key))
        parts = found if isinstance(found, list) else str(found).split(separator)
        return Value(tuple(text for part in parts if (text := str(part).strip())), position)

    def convert(self, value: Value[str], change: Callable[[str], U], what: str) -> Value[U]:
        """Change a text; one that will not convert becomes a note, not a crash."""
        if value.value is None:
            return Value(None, value.position)
        try:
            return Value(change(value.value), value.position)
        except (ValueError, KeyError):
            message = f"{self.keys[-1] if self.keys else ''} {value.value!r} is not {what}"
            self.reading.note(NoteKind.BAD_VALUE, message.strip(), value.position)
            return Value(None, value.position)

    def _mark(self, shape: tuple[Hashable, ...]) -> None:
        node = self.entry.taken
        for key in shape:
            below = node.get(key)
            if below is None:
                below = node[key] = {}
            node = below
        node[LEAF] = True


LEAF = ("read here",)
"""Key in the trie of taken shapes that says so; no key or index of a tree is like it."""

_WORDS = {
    "true": True,
    "on": True,
    "yes": True,
    "enable": True,
    "enabled": True,
    "up": True,
    "1": True,
    "false": False,
    "off": False,
    "no": False,
    "disable": False,
    "disabled": False,
    "down": False,
    "0": False,
}


def leaves(
    data: Any, keys: tuple[Hashable, ...] = ()
) -> Iterator[tuple[tuple[Hashable, ...], Any]]:
    """Every leaf of a tree with its path, in document order; empty containers are leaves."""
    stack: list[tuple[tuple[Hashable, ...], Any]] = [(keys, data)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, dict) and node:
            stack += [((*path, key), child) for key, child in reversed(node.items())]
        elif isinstance(node, list) and node:
            stack += [((*path, i), child) for i, child in reversed(list(enumerate(node)))]
        else:
            yield path, node


def leaf_count(data: Any) -> int:
    """How many leaves a tree has."""
    count = 0
    stack = [data]
    while stack:
        node = stack.pop()
        if node and isinstance(node, dict):
            stack += node.values()
        elif node and isinstance(node, list):
            stack += node
        else:
            count += 1
    return count


def read_leaves(
    data: Any, taken: dict[Hashable, Any]
) -> Iterator[tuple[int, tuple[Hashable, ...] | None]]:
    """The leaves in document order, by what `taken` (a trie of shapes) says was read.

    What was read comes as a number of leaves and None, each other leaf as 1 and its path.
    """
    if LEAF in taken or not data or not isinstance(data, dict | list):
        yield (leaf_count(data), None) if LEAF in taken else (1, ())
        return
    read = 0  # leaves since the last one that was not
    path: list[Hashable] = []
    stack: list[tuple[Iterator[tuple[Hashable, Any]], list[dict[Hashable, Any]]]] = []
    stack.append((_below(data), [taken]))
    while stack:
        below, tries = stack[-1]
        for key, child in below:
            following = [t for trie in tries for k in (key, ANY) if (t := trie.get(k)) is not None]
            if any(LEAF in trie for trie in following):
                read += leaf_count(child) if isinstance(child, dict | list) else 1
            elif child and isinstance(child, dict | list):
                path.append(key)
                stack.append((_below(child), following))
                break
            else:
                if read:
                    yield read, None
                    read = 0
                yield 1, (*path, key)
        else:
            stack.pop()
            del path[-1:]
    if read:
        yield read, None


def _below(node: Any) -> Iterator[tuple[Hashable, Any]]:
    return iter(node.items()) if isinstance(node, dict) else iter(enumerate(node))

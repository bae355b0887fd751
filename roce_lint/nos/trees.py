"""Typed values of a JSON or YAML tree, each with its position."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeVar

from roce_lint.nos.reading import ABSENT, Input, Reading, Value
from roce_lint.text.numbers import parse_whole

U = TypeVar("U")

ANY = "*"


class TreeReader:
    """A node of a tree. Reading a leaf marks its *shape* as understood.

    The shape of a path replaces keys reached by `items()` with "*": after one port's `mtu` was
    read, every port's `mtu` counts as understood, as the reader of a table does. `marks` is the
    node of `entry.taken` for this shape, once known.
    """

    __slots__ = ("data", "entry", "keys", "marks", "reading", "shape")

    def __init__(
        self,
        reading: Reading,
        entry: Input,
        data: Any = None,
        keys: tuple[Hashable, ...] = (),
        shape: tuple[Hashable, ...] = (),
        marks: dict[Hashable, Any] | None = None,
    ):
        self.reading = reading
        self.entry = entry
        self.data = entry.tree if data is None and not keys else data
        self.keys = keys or entry.root
        self.shape = shape
        self.marks = marks

    @property
    def position(self) -> int:
        """Position of this node."""
        return self.reading.src.path(self.entry.file, self.keys)

    def __bool__(self) -> bool:
        return self.data is not None

    def __contains__(self, key: Hashable) -> bool:
        return isinstance(self.data, dict) and key in self.data

    def get(self, *keys: Hashable) -> TreeReader:
        """The node below; a node without data if it does not exist."""
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
        marks = self._marks().setdefault(ANY, {})
        for key, value in pairs:
            keys = (*self.keys, key)
            yield key, TreeReader(self.reading, self.entry, value, keys, shape, marks)

    def take(self) -> Value[Any]:
        """This node's data as a value; everything below counts as read."""
        if self.data is None:
            return ABSENT
        self._marks()[LEAF] = True
        return Value(self.data, self.position)

    def exists(self) -> None:
        """Mark an empty mapping or list as read: its presence is all it states."""
        if not self.data and isinstance(self.data, dict | list):
            self._marks_of(self.keys[len(self.entry.root) :])[LEAF] = True

    def text(self, key: Hashable) -> Value[str]:
        """A scalar field as text; numbers are turned into text, lists and mappings are noted."""
        if not isinstance(self.data, dict):
            return ABSENT
        found = self.data.get(key)
        if found is None:
            return ABSENT
        self._mark(key)
        position = self.reading.src.path(self.entry.file, (*self.keys, key))
        if type(found) is str:
            return Value(found, position)
        if isinstance(found, dict | list):
            kind = type(found).__name__
            self.reading.bad(f"{key}: {kind} where a value belongs", position)
            return Value(None, position)
        if isinstance(found, bool):
            return Value("true" if found else "false", position)
        return Value(str(found), position)

    def integer(self, key: Hashable) -> Value[int]:
        """A scalar field as a whole number; a failed conversion is noted and absent."""
        return self.convert(self.text(key), parse_whole, "a whole number")

    def strings(self, key: Hashable) -> Value[tuple[str, ...]]:
        """A list field, or one string with commas, as a tuple of stripped strings."""
        if not isinstance(self.data, dict):
            return ABSENT
        found = self.data.get(key)
        if found is None:
            return ABSENT
        self._mark(key)
        position = self.reading.src.path(self.entry.file, (*self.keys, key))
        parts = found if isinstance(found, list) else str(found).split(",")
        return Value(tuple(text for part in parts if (text := str(part).strip())), position)

    def convert(self, value: Value[str], change: Callable[[str], U], what: str) -> Value[U]:
        """Convert a text; a failed conversion becomes a note."""
        name = str(self.keys[-1]) if self.keys else ""
        return self.reading.convert(value, change, what, name)

    def _mark(self, key: Hashable) -> None:
        """Count a field of every node of this shape as read."""
        marks = self.marks if self.marks is not None else self._marks()
        below = marks.get(key)
        if below is None:
            marks[key] = {LEAF: True}
        else:
            below[LEAF] = True

    def _marks(self) -> dict[Hashable, Any]:
        if self.marks is None:
            self.marks = self._marks_of(self.shape)
        return self.marks

    def _marks_of(self, shape: tuple[Hashable, ...]) -> dict[Hashable, Any]:
        node = self.entry.taken
        for key in shape:
            below = node.get(key)
            if below is None:
                below = node[key] = {}
            node = below
        return node


LEAF = ("read here",)
"""Key that marks a taken leaf in the trie of shapes; no key or index of a tree equals it."""

ROWS = 1000
"""Sets of fields cached per table; rows mostly have one of a few."""

_CONTAINERS = frozenset({dict, list})


def leaves(data: Any) -> Iterator[tuple[tuple[Hashable, ...], Any]]:
    """Every leaf of a tree with its path, in document order; empty containers are leaves."""
    stack: list[tuple[tuple[Hashable, ...], Any]] = [((), data)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, dict) and node:
            stack += [((*path, key), child) for key, child in reversed(node.items())]
        elif isinstance(node, list) and node:
            stack += [((*path, i), child) for i, child in reversed(list(enumerate(node)))]
        else:
            yield path, node


_BRANCHING = (dict, list)


def leaf_count(data: Any) -> int:
    """Number of leaves of a tree."""
    if not data or not isinstance(data, dict | list):
        return 1
    count = 0
    stack = [data]
    while stack:
        node = stack.pop()
        children = node.values() if isinstance(node, dict) else node
        below = [child for child in children if child and isinstance(child, _BRANCHING)]
        count += len(node) - len(below)
        stack += below
    return count


class _Step:
    """A place of a tree in the trie of read shapes; places with one state share one step."""

    __slots__ = ("_complete", "_known", "_other", "_tries", "named", "read")

    def __init__(
        self,
        tries: list[dict[Hashable, Any]],
        known: dict[tuple[int, ...], _Step],
        *,
        read: bool = False,
    ) -> None:
        self.read = read
        self._tries = tries
        self._known = known
        self.named: dict[Hashable, _Step] = {}
        self._other: _Step | None = None  # for every key that no trie names
        self._complete: dict[tuple[Hashable, ...], bool] = {}

    def follow(self, key: Hashable) -> _Step:
        """The step below."""
        found = self.named.get(key)
        if found is not None:
            return found
        for trie in self._tries:
            if key in trie:
                found = self.named[key] = self._step((key, ANY))
                return found
        found = self._other
        if found is None:
            found = self._other = self._step((ANY,))
        return found

    def reads_all_of(self, row: dict[Hashable, Any]) -> bool:
        """True for a row with every field read and no nested fields."""
        names = tuple(row)
        read = self._complete.get(names)
        if read is None:
            read = all(self.follow(name).read for name in names)
            if len(self._complete) < ROWS:
                self._complete[names] = read
        return read and _CONTAINERS.isdisjoint(map(type, row.values()))

    def _step(self, keys: tuple[Hashable, ...]) -> _Step:
        tries = [t for trie in self._tries for k in keys if (t := trie.get(k)) is not None]
        if not tries:
            return _NOTHING
        for trie in tries:
            if LEAF in trie:
                return _READ
        same = tuple(map(id, tries))
        found = self._known.get(same)
        if found is None:
            found = self._known[same] = _Step(tries, self._known)
        return found


_READ = _Step([], {}, read=True)
_NOTHING = _Step([], {})


def read_leaves(
    data: Any, taken: dict[Hashable, Any]
) -> Iterator[tuple[int, tuple[Hashable, ...] | None]]:
    """Read and unread leaves in document order, by the trie of shapes `taken`.

    Read leaves come as their number and None, each unread leaf as 1 and its path.
    """
    if LEAF in taken or not data or not isinstance(data, dict | list):
        yield (leaf_count(data), None) if LEAF in taken else (1, ())
        return
    read = 0  # leaves since the last one that was not
    path: list[Hashable] = []
    stack: list[tuple[Iterator[tuple[Hashable, Any]], _Step]] = []
    stack.append((_below(data), _Step([taken], {})))
    while stack:
        below, step = stack[-1]
        named = step.named
        for key, child in below:
            following = named.get(key) or step.follow(key)
            if following.read:
                read += leaf_count(child) if isinstance(child, dict | list) else 1
            elif child and isinstance(child, dict | list):
                if type(child) is dict and following.reads_all_of(child):
                    read += len(child)
                    continue
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

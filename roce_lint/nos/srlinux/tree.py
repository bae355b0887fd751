"""One tree from the three forms of an SR Linux configuration, each value with its position."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from roce_lint.model.device import NoteKind
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Input, Reading, Value
from roce_lint.nos.refusals import Words
from roce_lint.nos.srlinux import REFUSALS
from roce_lint.nos.srlinux.schema import REST, SCHEMA, Container, Entry, IgnoredNode, Leaf
from roce_lint.nos.trees import ANY, LEAF
from roce_lint.text.source import LineState

U = TypeVar("U")

OPEN = frozenset({"interface", "qos"})
"""Top-level words below which an unknown word is noted."""

_TOKEN = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<mark>[\[\]{}])|(?P<word>[^\s\[\]{}"]+)')
_PROMPT = re.compile(r"(?:--\{|[A-Z]:\S*[#$]|Current mode|Last login)")

TRUTHS = {"true": True, "false": False}

DEEPEST = 60
"""Levels of braces; deeper ones are left out."""

Path = tuple[Hashable, ...]

Taken = tuple[str, int, Path]
"""A value: its text, its position, and the shape of its path if it is in JSON."""


@dataclass(slots=True)
class Node:
    """A container or an entry of a list."""

    reading: Reading
    begin: int = 0
    entry: Input | None = None  # of JSON: where shapes are marked as read
    below: dict[str, Node] = field(default_factory=dict)
    lists: dict[str, dict[tuple[str, ...], Node]] = field(default_factory=dict)
    leaves: dict[str, list[Taken]] = field(default_factory=dict)

    def child(self, *names: str) -> Node:
        """The container at a path; an empty one if absent."""
        node = self
        for name in names:
            node = node.below.get(name) or Node(self.reading)
        return node

    def entry_of(self, name: str, key: str) -> Node:
        """The entry of a list by its only key; an empty one if absent."""
        return self.lists.get(name, {}).get((key,)) or Node(self.reading)

    def entries(self, name: str) -> Iterator[tuple[str, Node]]:
        """Entries of a list by their first key, in file order."""
        for key, node in self.lists.get(name, {}).items():
            yield key[0], node

    def keyed_entries(self, name: str) -> Iterator[tuple[tuple[str, ...], Node]]:
        """Entries of a list by all of their keys."""
        yield from self.lists.get(name, {}).items()

    def all(self, name: str) -> list[Value[str]]:
        """All values of a word, all taken."""
        found = self.leaves.get(name, ())
        for taken in found:
            self.take(taken)
        return [Value(text, position) for text, position, _ in found]

    def text(self, name: str) -> Value[str]:
        """The last value of a word; earlier ones are shadowed."""
        found = self.leaves.get(name)
        if not found:
            return ABSENT
        for _, position, _ in found[:-1]:
            if position != found[-1][1]:
                self.reading.mark(position, LineState.SHADOWED)
        self.take(found[-1])
        return Value(found[-1][0], found[-1][1])

    def whole(self, name: str, high: int, low: int = 0) -> Value[int]:
        """Like `text`, as a whole number in bounds; others are noted and unknown."""
        return whole(self, self.text(name), high, name, low)

    def switch(self, name: str, words: Mapping[str, bool]) -> Value[bool]:
        """Like `text`, as a choice of words."""
        value = self.text(name)
        if value.value is not None and value.value not in words:
            self.reading.refuse(Words(name, tuple(words), REFUSALS), value.value, value.position)
            return Value(None, value.position)
        return value.map(words.__getitem__)

    def convert(self, name: str, change: Callable[[str], U], what: str) -> Value[U]:
        """Like `text`, converted; a failed conversion is noted and unknown."""
        return self.reading.convert(self.text(name), change, what, name)

    def container(self, name: str, begin: int) -> Node:
        """The container; created if missing."""
        node = self.below.get(name)
        if node is None:
            node = self.below[name] = Node(self.reading, begin, self.entry)
        return node

    def list_entry(self, name: str, keys: tuple[str, ...], begin: int) -> Node:
        """The entry of a list; created if missing."""
        entries = self.lists.setdefault(name, {})
        node = entries.get(keys)
        if node is None:
            node = entries[keys] = Node(self.reading, begin, self.entry)
        return node

    def take(self, taken: Taken) -> None:
        """Mark a value as understood."""
        _, position, shape = taken
        if self.entry is None:
            self.reading.take(position)
            return
        node = self.entry.taken
        for key in shape:
            node = node.setdefault(key, {})
        node[LEAF] = True


def read_json(root: Node, entry: Input) -> None:
    """Add a JSON document to the tree; names may have a module prefix with a colon."""
    root.entry = entry
    _json(root, entry, SCHEMA.words, entry.tree, entry.root, ())


@dataclass(slots=True)
class _Place:
    """Target of a line's words: a node, and the words allowed there; None for unclaimed words."""

    node: Node | None
    words: Mapping[str, Entry]
    known: bool  # below a word of ours, so that an unknown word is worth a remark
    beside: bool = False
    line: int = 0  # position of the line that opened it


class Lines:
    """Adds `set / ...` lines, or a text in braces, to the tree, line by line."""

    def __init__(self, root: Node, entry: Input) -> None:
        self.root = root
        self.reading = root.reading
        self.ref = self.reading.src.files[entry.file]
        self.lines = entry.lines
        self.stack: list[_Place] = []
        self.open_list: tuple[Node, str] | None = None  # of values, in brackets over lines

    def read(self) -> None:
        """Read all lines."""
        for number, line in enumerate(self.lines, 1):
            text = line.strip()
            if self.ref.states[number - 1]:
                continue
            if not text or text[0] == "#" or _PROMPT.match(text):
                self.ref.states[number - 1] = LineState.IGNORED
                continue
            self._line(text, self.ref.first + number, number - 1)
        if self.stack:
            message = f"the text ends inside {len(self.stack)} open braces: the rest is missing"
            self.reading.note(NoteKind.CUT, message, self.stack[-1].line)

    def _line(self, text: str, position: int, index: int) -> None:
        tokens = [
            found[0]
            if found["quoted"] is None
            else found["quoted"].replace('\\"', '"').replace("\\\\", "\\")
            for found in _TOKEN.finditer(text)
        ]
        if self.open_list is not None:
            node, name = self.open_list
            for token in tokens:
                if token == "]":  # noqa: S105 - a bracket
                    self.open_list = None
                    break
                node.leaves.setdefault(name, []).append((token, position, ()))
            self.ref.states[index] = LineState.CAPTURED if self.open_list else LineState.IGNORED
            return
        if tokens[:2] == ["set", "/"]:
            place = _Place(self.root, SCHEMA.words, known=False)
            tokens = tokens[2:]
        elif tokens == ["}"]:
            self._close(index)
            return
        else:
            place = self.stack[-1] if self.stack else _Place(self.root, SCHEMA.words, known=False)
        opens = tokens[-1:] == ["{"]
        place = self._walk(place, tokens[:-1] if opens else tokens, position, index)
        if opens:
            if len(self.stack) < DEEPEST:
                self.stack.append(replace(place, line=position))
            else:
                self.reading.bad("nested too deep; left out", position)

    def _close(self, index: int) -> None:
        if self.stack:
            place = self.stack.pop()
            ours = place.known or place.beside
            self.ref.states[index] = LineState.IGNORED if ours else LineState.UNCLAIMED
        else:
            self.reading.bad("a closing brace without an opening one", self.ref.first + index + 1)

    def _walk(self, place: _Place, tokens: list[str], position: int, index: int) -> _Place:
        """Follow the words of a line; the last of them determines the state of the line."""
        node, words, known = place.node, place.words, place.known
        state = LineState.UNDERSTOOD if known else LineState.UNCLAIMED
        at = 0
        if node is None:
            self.ref.states[index] = LineState.IGNORED if place.beside else LineState.UNCLAIMED
            return place
        while at < len(tokens):
            name = tokens[at]
            entry = words.get(name, words.get(REST))
            if entry is None or isinstance(entry, IgnoredNode):
                beside = entry is not None
                lost = LineState.UNRECOGNISED if known else LineState.UNCLAIMED
                self.ref.states[index] = LineState.IGNORED if beside else lost
                return _Place(None, {}, known=known and not beside, beside=beside)
            at += 1
            known = known or name in OPEN or node is not self.root
            state = LineState.UNDERSTOOD
            match entry:
                case Leaf():
                    at = self._leaf(node, name, tokens, at, position)
                    state = LineState.UNDERSTOOD if self.open_list else LineState.CAPTURED
                case Container(keys=()):
                    node, words = node.container(name, position), entry.words
                case Container():
                    keys, at = _keys(entry, tokens, at)
                    if keys is None:
                        state = LineState.UNRECOGNISED
                        break
                    node, words = node.list_entry(name, keys, position), entry.words
        self.ref.states[index] = state
        return _Place(node, words, known=known)

    def _leaf(self, node: Node, name: str, tokens: list[str], at: int, position: int) -> int:
        values = node.leaves.setdefault(name, [])
        if tokens[at : at + 1] != ["["]:
            if at < len(tokens):
                values.append((tokens[at], position, ()))
            return at + 1
        at += 1
        while at < len(tokens) and tokens[at] != "]":
            values.append((tokens[at], position, ()))
            at += 1
        if at >= len(tokens):
            self.open_list = node, name
        return at + 1


def _keys(entry: Container, tokens: list[str], at: int) -> tuple[tuple[str, ...] | None, int]:
    """Keys of a list entry: the first bare, the others after their names."""
    if at >= len(tokens):
        return None, at
    found = [tokens[at]]
    at += 1
    for name in entry.keys[1:]:
        if tokens[at : at + 1] != [name] or at + 1 >= len(tokens):
            return None, at
        found.append(tokens[at + 1])
        at += 2
    return tuple(found), at


def _json(
    node: Node, entry: Input, words: Mapping[str, Entry], data: Any, path: Path, shape: Path
) -> None:
    """Add the known parts of a JSON object to a node."""
    if not isinstance(data, dict):
        return
    for key, value in data.items():
        name = str(key).rpartition(":")[2]
        below = words.get(name, words.get(REST))
        here, form = (*path, key), (*shape, key)
        position = node.reading.src.path(entry.file, here) if below is not None else 0
        match below:
            case IgnoredNode():  # only its presence counts
                node.take(("", 0, form))
            case Leaf():
                values = value if isinstance(value, list) else [value]
                node.leaves.setdefault(name, []).extend(
                    (_word(each), position, form)
                    for each in values
                    if not isinstance(each, dict | list)
                )
            case Container(keys=()):
                _json(node.container(name, position), entry, below.words, value, here, form)
            case Container():
                for index, item in enumerate(value if isinstance(value, list) else ()):
                    _json_entry(node, entry, name, below, item, (*here, index), (*form, ANY))


def _json_entry(
    node: Node, entry: Input, name: str, listed: Container, item: Any, path: Path, shape: Path
) -> None:
    if not isinstance(item, dict):
        return
    plain = {str(key).rpartition(":")[2]: (key, value) for key, value in item.items()}
    if any(key not in plain for key in listed.keys):
        return
    keys = tuple(_word(plain[key][1]) for key in listed.keys)
    made = node.list_entry(name, keys, node.reading.src.path(entry.file, path))
    for key in listed.keys:
        made.take((keys[0], 0, (*shape, plain[key][0])))
    _json(made, entry, listed.words, item, path, shape)


def _word(value: object) -> str:
    """A scalar as the command line writes it: without the module of an identity."""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return text.partition(":")[2] if text.startswith("srl_nokia-") else text

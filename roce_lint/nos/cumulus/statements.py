"""Configuration of a switch as one tree of words with lines, from all its files.

`nv set qos roce mode lossy` and the YAML `qos: {roce: {mode: lossy}}` are the same path of words;
older files are translated into it. The last word of a path is a value or a member name, depending
on its reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import TypeVar

from roce_lint.nos.cumulus.naming import TooLong, names, numbers
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.refusals import Bounds
from roce_lint.text.numbers import whole_number
from roce_lint.text.source import LineState

U = TypeVar("U")

MOST = 50_000
"""Interfaces that all lists of a file may name together; a file of 128 ports names some 5,000."""

SHOWN = 64
"""Characters of a word that a remark quotes."""

EVERY_PORT = "allports"

GLOBAL = "default-global"
"""Profile of all ports without another."""

SWITCH = dict.fromkeys(("on", "enable", "enabled", "yes", "true", "up"), True)
SWITCH |= dict.fromkeys(("off", "disable", "disabled", "no", "false", "down"), False)
"""Values of switches; releases differ in their spelling."""


class Node:
    """A word of the tree, the words below it, and the lines that lead to it.

    `stated` is the position of the last statement that ends here, or 0; `line` is the position of
    the word's own line, else of the first statement through it.
    """

    __slots__ = ("below", "line", "stated")

    def __init__(self, line: int = 0) -> None:
        self.below: dict[str, Node] = {}
        self.line = line
        self.stated = 0


@dataclass(slots=True)
class Statements:
    """Statement tree of one device, and the other data of its files."""

    reading: Reading
    root: Node = field(default_factory=Node)
    release: str | None = None
    release_at: int = 0
    knows_qos: bool = False  # a file was read in which QoS would be stated
    ports: dict[str, tuple[Node, ...]] = field(default_factory=dict)

    def put(self, words: Iterable[str], position: int, begins: Iterable[int] | None = None) -> None:
        """Add one statement. `begins` are the positions of its words, if on separate lines."""
        node = self.root
        lines = repeat(position) if begins is None else begins
        for word, begin in zip(words, lines, strict=False):
            following = node.below.get(word)
            if following is None:
                following = node.below[word] = Node(begin)
            node = following
        if node.stated and node.stated != position:
            self.reading.mark(node.stated, LineState.IGNORED)  # repeated
        node.stated = position

    def drop(self, words: list[str], position: int) -> None:
        """Remove a statement and all below it (`nv unset`)."""
        above, word = self.root, ""
        node: Node | None = self.root
        for word in words:
            above = node if node is not None else above
            node = node.below.get(word) if node is not None else None
        if node is None or not words:
            return
        del above.below[word]
        self.reading.take(position)
        waiting = [node]
        while waiting:
            gone = waiting.pop()
            if gone.stated:
                self.reading.mark(gone.stated, LineState.SHADOWED)
            waiting += gone.below.values()

    @property
    def top(self) -> View:
        """The tree of all words."""
        return View(self.reading, (self.root,))

    def spread(self) -> None:
        """Resolve the keys of `interface` to ports; a port may be in many."""
        found: dict[str, list[Node]] = {}
        interface = self.root.below.get("interface", Node())
        given = 0
        for text, node in interface.below.items():
            try:
                listed = names(text)
            except TooLong:
                self.reading.bad("the list of interfaces is too long to be one", node.line)
                continue
            given += len(listed)
            if given > MOST:
                message = f"the lists name more than {MOST} interfaces; not read from here on"
                self.reading.bad(message, node.line)
                break
            for name in listed:
                found.setdefault(name, []).append(node)
        shared: dict[tuple[int, ...], tuple[Node, ...]] = {}
        for name, nodes in found.items():
            key = tuple(map(id, nodes))
            self.ports[name] = shared.setdefault(key, tuple(nodes))


class View:
    """One place of the tree, possibly addressed by several lists. Reading marks its lines."""

    __slots__ = ("nodes", "reading")

    def __init__(self, reading: Reading, nodes: tuple[Node, ...]) -> None:
        self.reading = reading
        self.nodes = nodes

    def __bool__(self) -> bool:
        return bool(self.nodes)

    @property
    def begin(self) -> int:
        """Position of the first line that leads here."""
        return min((node.line for node in self.nodes), default=0)

    def get(self, *words: str) -> View:
        """The place below; empty if no line leads there."""
        return View(self.reading, self._below(words))

    def _below(self, words: tuple[str, ...]) -> tuple[Node, ...]:
        nodes = self.nodes
        for word in words:
            if len(nodes) == 1:
                node = nodes[0].below.get(word)
                nodes = () if node is None else (node,)
            else:
                nodes = tuple(n for node in nodes if (n := node.below.get(word)) is not None)
            if not nodes:
                break
        return nodes

    def next_words(self) -> set[str]:
        """The words that follow this place."""
        return {word for node in self.nodes for word in node.below}

    def take(self) -> Value[bool]:
        """True and its line where a statement ends here (`nv set qos roce`)."""
        stated = max((node.stated for node in self.nodes), default=0)
        if not stated:
            return ABSENT
        for node in self.nodes:
            if node.stated:
                self.reading.take(node.stated)
        return Value(True, stated)

    def word(self, *words: str) -> Value[str]:
        """The value in force below `words`: the last one stated; earlier ones are shadowed."""
        nodes = self._below(words)
        if not nodes:
            return ABSENT
        found = [
            (below.stated or below.line, text)
            for node in nodes
            for text, below in node.below.items()
        ]
        if not found:
            return ABSENT
        found.sort()
        position, text = found.pop()
        for earlier, other in found:
            state = LineState.UNDERSTOOD if other == text else LineState.SHADOWED
            self.reading.mark(earlier, state)
        self.reading.take(position)
        return Value(text, position)

    def members(self, *words: str) -> list[tuple[str, View]]:
        """The names below `words`, each with its own place, in line order."""
        found: dict[str, list[Node]] = {}
        for node in self._below(words):
            for text, below in node.below.items():
                found.setdefault(text, []).append(below)
        return [(text, View(self.reading, tuple(nodes))) for text, nodes in found.items()]

    def names_below(self, *words: str) -> dict[str, int]:
        """Names listed below `words` (`bond member swp1-2`), ranges expanded, with their lines."""
        found: dict[str, int] = {}
        for text, view in self.members(*words):
            position = view.take().position or view.begin
            try:
                spread = names(text)
            except TooLong:
                self.complain("the list is too long to be one", position)
                continue
            for name in spread:
                found.setdefault(name, position)
        return found

    def views_by_number(self, word: str, highest: int) -> dict[int, View]:
        """Place below each number under `word` (`traffic-class 4,5,7 ecn enable`)."""
        found: dict[int, list[Node]] = {}
        for node in self.get(word).nodes:
            for text, below in node.below.items():
                try:
                    listed = numbers(text, highest)
                except ValueError:
                    limit = self.reading.limits.get(word)
                    if limit is not None and re.fullmatch(r"[\d,-]{1,64}", text):
                        self.reading.refuse(limit, text, below.line)
                    else:
                        message = f"{word} {text[:SHOWN]!r} is no list of numbers up to {highest}"
                        self.complain(message, below.line)
                    continue
                for number in listed:
                    found.setdefault(number, []).append(below)
        return {number: View(self.reading, tuple(nodes)) for number, nodes in found.items()}

    def integers(self, word: str, highest: int) -> dict[int, int]:
        """A list of numbers that is a value (`switch-priority 3,5`), and its line."""
        return {
            number: view.take().position or view.begin
            for number, view in self.views_by_number(word, highest).items()
        }

    def convert(self, value: Value[str], change: Callable[[str], U], what: str) -> Value[U]:
        """Convert a word; a failed conversion becomes a note."""
        if value.value is None:
            return Value(None, value.position)
        try:
            return Value(change(value.value), value.position)
        except (ValueError, KeyError):
            self.complain(f"{value.value[:SHOWN]!r} is not {what}", value.position)
            return Value(None, value.position)

    def integer(self, *words: str, low: int = 0, high: int = 1 << 32) -> Value[int]:
        """A whole number between two bounds, both inclusive."""
        found = self.word(*words)
        if found.value is None:
            return ABSENT
        what = " ".join(words)
        limit = self.reading.limits.get(what)
        number = whole_number(found.value)
        if number is not None and (
            number in limit if isinstance(limit, Bounds) else low <= number <= high
        ):
            return Value(number, found.position)
        if isinstance(limit, Bounds):
            self.reading.refuse(limit, found.value, found.position)
        else:
            message = f"{found.value[:SHOWN]!r} is not a number from {low} to {high} ({what})"
            self.complain(message, found.position)
        return Value(None, found.position)

    def switch(self, *words: str) -> Value[bool]:
        """A value that is on or off, in any of the spellings."""
        what = f"on or off ({' '.join(words)})"
        return self.convert(self.word(*words), lambda text: SWITCH[text.lower()], what)

    def enabled(self) -> Value[bool]:
        """`enable on`, `state enabled`, or mere presence of the place; the last one counts."""
        if not self.nodes:
            return ABSENT
        one, other = self.switch("enable"), self.switch("state")
        later = one if one.position > other.position else other
        return later if later.position else self.take()

    def choice(self, table: dict[str, U], *words: str) -> Value[U]:
        """One of the words of `table`."""
        what = f"one of {', '.join(table)}"
        return self.convert(self.word(*words), table.__getitem__, what)

    def complain(self, message: str, position: int) -> None:
        """Note a bad value once, for any number of ports that use it."""
        notes = self.reading.notes
        if not any(note.at.get("") == position and note.message == message for note in notes):
            self.reading.bad(message, position)

    def all_below(self) -> Iterator[Node]:
        """Every node below, for parts that are read as a whole."""
        waiting = list(self.nodes)
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.below.values()

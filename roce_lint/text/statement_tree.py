"""The tree of configuration words, each with its line and children, and its builder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

ANY = "*"
"""Matches every word in a tree of wanted words."""

Wanted = Mapping[str, "Wanted"]
"""Words that are stored, by parent; an empty mapping stores everything below."""

EVERYTHING: Wanted = {}

KEPT = frozenset({"apply-groups", "apply-groups-except"})
"""Words that are stored anywhere above a wanted word."""

DEEPEST = 100
"""Maximum words of a path; deeper nesting is left out."""


Listed = tuple[tuple[str, int], ...]
"""Members of a list in their order, each with the position of its line."""


class Word:
    """One word of the configuration and the words that may follow it, in file order.

    `line` is the position of its first line; for the last word of a statement, of its last
    occurrence. `rank` is 0 for direct statements and grows with the distance of inheritance: the
    value with the lowest rank wins.
    """

    __slots__ = ("below", "line", "listed", "rank", "used")

    def __init__(self, line: int, rank: int = 0) -> None:
        self.below: dict[str, Word] = {}
        self.line = line
        self.rank = rank
        self.used = False  # something was inherited from here
        self.listed: Listed = ()  # members and lines, if a list names something twice

    def get(self, *words: str) -> Word | None:
        """The word at the end of a path, or None."""
        node: Word | None = self
        for word in words:
            if node is None:
                return None
            node = node.below.get(word)
        return node

    def lines(self) -> Iterator[int]:
        """Positions of the statements below (of this word itself, if it has none)."""
        stack = [self]
        while stack:
            node = stack.pop()
            if node.below:
                stack.extend(node.below.values())
            else:
                yield node.line


@dataclass(slots=True)
class Statements:
    """Contents of a text: the tree, and the lines that are not statements in force."""

    root: Word
    notes: list[tuple[str, int]] = field(default_factory=list)  # oddities and their lines
    refused: list[tuple[str, int]] = field(default_factory=list)  # statements the device ignores
    blocks: list[tuple[int, int]] = field(default_factory=list)  # first and last line, inner first
    beside: list[int] = field(default_factory=list)  # blank lines, comments, console output
    applied: list[int] = field(default_factory=list)  # lines that change others: deactivate
    undone: list[int] = field(default_factory=list)  # lines that later ones repeat or delete
    inactive: list[int] = field(default_factory=list)  # lines that are not in force
    unclear: list[int] = field(default_factory=list)  # lines that are not a statement
    joined: list[tuple[int, int]] = field(default_factory=list)  # a line and its continuation
    torn: bool = False  # braces do not match: statements are missing or misplaced
    cut: Word | None = None  # the innermost block still open at the end of the text
    unclosed: list[int] = field(default_factory=list)  # lines of notes on open constructs


class Tree:
    """Builder of the tree."""

    def __init__(self, found: Statements, wanted: Wanted) -> None:
        self.found = found
        self.wanted = wanted
        self.dropped: list[tuple[Word, str]] = []  # statements that are not in force

    def note(self, message: str, line: int) -> None:
        """Record an oddity."""
        self.found.notes.append((message, line))

    def add(
        self, node: Word, wanted: Wanted, words: Iterable[str], line: int
    ) -> tuple[Word, Wanted] | None:
        """The word at the end of a path, created if missing; None if it is not wanted."""
        for word in words:
            if wanted:
                inside = wanted.get(word)
                if inside is None:
                    inside = wanted.get(ANY)
                    if inside is None:
                        if word not in KEPT:
                            return None
                        inside = EVERYTHING
                wanted = inside
            below = node.below
            child = below.get(word)
            if child is None:
                child = below[word] = Word(line)
            node = child
        return node, wanted

    def end(self, node: Word, line: int) -> None:
        """End a statement at this word."""
        if node.line != line and not node.below:
            self.found.undone.append(node.line)
            node.line = line

    def delete(self, parent: Word, word: str) -> None:
        """Remove a word and everything below it."""
        gone = parent.below.pop(word, None)
        if gone is not None:
            self.found.undone.extend(gone.lines())

    def finish(self) -> None:
        """Remove statements that are not in force."""
        for parent, word in self.dropped:
            gone = parent.below.pop(word, None)
            if gone is not None:
                self.found.inactive.extend(gone.lines())
                if not parent.below:
                    self.found.inactive.append(parent.line)

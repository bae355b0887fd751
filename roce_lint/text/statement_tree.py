"""Words of a configuration, each with its line and what follows it, and how they are put there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

ANY = "*"
"""Stands for every word in a tree of wanted words."""

Wanted = Mapping[str, "Wanted"]
"""Words that are kept, by what stands above them; an empty mapping keeps everything below."""

EVERYTHING: Wanted = {}

KEPT = frozenset({"apply-groups", "apply-groups-except"})
"""Words that are kept wherever they stand above something that is wanted."""

DEEPEST = 100
"""Words of a path; what is nested deeper is left out."""


Listed = tuple[tuple[str, int], ...]
"""Members of a list in their order, each with the position of its line."""


class Word:
    """One word of the configuration and the words that may follow it, in file order.

    `line` is the position of the line that begins it, for a word that ends a statement of the
    last line that says so. `rank` is 0 for what is written here, and grows with the distance of
    what is inherited: of several values of one thing the one with the lowest rank holds.
    """

    __slots__ = ("below", "line", "listed", "rank", "used")

    def __init__(self, line: int, rank: int = 0) -> None:
        self.below: dict[str, Word] = {}
        self.line = line
        self.rank = rank
        self.used = False  # something was inherited from here
        self.listed: Listed = ()  # what follows and where, if a list names something twice

    def get(self, *words: str) -> Word | None:
        """The word at the end of a path, or None."""
        node: Word | None = self
        for word in words:
            if node is None:
                return None
            node = node.below.get(word)
        return node

    def lines(self) -> Iterator[int]:
        """Positions of the statements below (of this word itself, where nothing is)."""
        stack = [self]
        while stack:
            node = stack.pop()
            if node.below:
                stack.extend(node.below.values())
            else:
                yield node.line


@dataclass(slots=True)
class Statements:
    """What a text says: the tree, and what became of lines that are no statement in force."""

    root: Word
    notes: list[tuple[str, int]] = field(default_factory=list)  # what is odd, and where
    refused: list[tuple[str, int]] = field(default_factory=list)  # statements the device ignores
    blocks: list[tuple[int, int]] = field(default_factory=list)  # first and last line, inner first
    beside: list[int] = field(default_factory=list)  # blank lines, comments, what a console prints
    applied: list[int] = field(default_factory=list)  # lines that change others: deactivate
    undone: list[int] = field(default_factory=list)  # lines that later ones repeat or delete
    inactive: list[int] = field(default_factory=list)  # lines that are not in force
    unclear: list[int] = field(default_factory=list)  # lines that are no statement
    joined: list[tuple[int, int]] = field(default_factory=list)  # a line and one that goes on
    torn: bool = False  # braces do not match: statements are missing, or stand in a wrong place
    cut: Word | None = None  # the innermost block that the text ends inside
    unclosed: list[int] = field(default_factory=list)  # lines of `notes` about what never ends


class Tree:
    """Puts statements into the tree."""

    def __init__(self, found: Statements, wanted: Wanted) -> None:
        self.found = found
        self.wanted = wanted
        self.dropped: list[tuple[Word, str]] = []  # what is not in force

    def note(self, message: str, line: int) -> None:
        """Remember what is odd."""
        self.found.notes.append((message, line))

    def add(
        self, node: Word, wanted: Wanted, words: Iterable[str], line: int
    ) -> tuple[Word, Wanted] | None:
        """The word at the end of a path, made where it is missing; None where it is not wanted."""
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
        """A statement ends with this word."""
        if node.line != line and not node.below:
            self.found.undone.append(node.line)
            node.line = line

    def delete(self, parent: Word, word: str) -> None:
        """Remove a word and what is below it."""
        gone = parent.below.pop(word, None)
        if gone is not None:
            self.found.undone.extend(gone.lines())

    def finish(self) -> None:
        """Take out what is not in force."""
        for parent, word in self.dropped:
            gone = parent.below.pop(word, None)
            if gone is not None:
                self.found.inactive.extend(gone.lines())
                if not parent.below:
                    self.found.inactive.append(parent.line)

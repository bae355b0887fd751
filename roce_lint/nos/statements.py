"""Typed values of a statement tree, each with its line, and the state of every line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeVar

from roce_lint.nos.declare import Source
from roce_lint.nos.reading import ABSENT, Input, Reading, Value
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import LineState, SourceMap
from roce_lint.text.statements import KEPT, Word

U = TypeVar("U")

GROUPS = "groups"
"""Word above statements that apply only by inheritance."""

PATH_LIMIT = 200
"""Characters of a path that a pattern is tried on."""


class Branch:
    """A place in the tree: the words below a path. Reading a value takes its line.

    `get` returns a branch without a word if the path does not exist.
    """

    __slots__ = ("reading", "word")

    def __init__(self, reading: Reading, word: Word | None) -> None:
        self.reading = reading
        self.word = word

    def __bool__(self) -> bool:
        return self.word is not None

    def __contains__(self, name: str) -> bool:
        return self.word is not None and name in self.word.below

    @property
    def begin(self) -> int:
        """Position of its first line; 0 if it does not exist."""
        return 0 if self.word is None else self.word.line

    def get(self, *names: str) -> Branch:
        """The branch below a path."""
        return Branch(self.reading, None if self.word is None else self.word.get(*names))

    def pairs(self) -> Iterator[tuple[str, Branch]]:
        """The words that follow, in file order, each with its branch."""
        if self.word is not None:
            for name, word in self.word.below.items():
                if name not in KEPT:
                    yield name, Branch(self.reading, word)

    def names(self) -> list[str]:
        """The words that follow."""
        return [] if self.word is None else [name for name in self.word.below if name not in KEPT]

    def find(self, name: str) -> Branch:
        """The branch below `name` at any depth: one line may hold several settings."""
        stack = [self.word] if self.word is not None else []
        while stack:
            word = stack.pop()
            found = word.below.get(name)
            if found is not None:
                return Branch(self.reading, found)
            stack += reversed(word.below.values())
        return Branch(self.reading, None)

    def take(self) -> None:
        """Mark its line as understood if it is a statement: a block depends on its content."""
        if self.word is not None and not self.word.below:
            self.reading.take(self.word.line)

    def take_all(self) -> None:
        """Mark every line below as understood."""
        if self.word is not None:
            for line in self.word.lines():
                self.reading.take(line)

    def flag(self, name: str) -> Value[bool]:
        """True if a word follows."""
        word = None if self.word is None else self.word.below.get(name)
        if word is None:
            return ABSENT
        self.reading.take(word.line)
        return Value(value=True, position=word.line)

    def text(self, name: str) -> Value[str]:
        """The word after `name`: the nearest, and of these the last written."""
        word = None if self.word is None else self.word.below.get(name)
        return ABSENT if word is None else _choose_word(self.reading, word)

    def value(self) -> Value[str]:
        """The word that follows, if any, chosen as by `text`."""
        return ABSENT if self.word is None else _choose_word(self.reading, self.word)

    def words(self, name: str) -> list[Value[str]]:
        """All words after `name`, of a list or of several statements, in file order."""
        branch = self.get(name)
        found = {}
        for text, below in branch.pairs():
            below.take()
            found[text] = Value(text, below.begin)
        listed = branch.word.listed if branch.word is not None else ()
        again = [Value(text, line) for text, line in listed if text in found]
        for member in again:
            self.reading.take(member.position)
        return again or list(found.values())

    def integer(self, name: str) -> Value[int]:
        """Like `text`, as a whole number; a value that will not convert is noted and absent."""
        return self.convert(name, whole, "a whole number")

    def convert(self, name: str, change: Callable[[str], U], what: str) -> Value[U]:
        """Like `text`, converted; a failed conversion becomes a note."""
        return self.reading.convert(self.text(name), change, what, name)


def _choose_word(reading: Reading, word: Word) -> Value[str]:
    """The word in force among those that follow."""
    below = word.below
    if len(below) == 1:
        ((name, found),) = below.items()
    else:
        ranked = [(w.rank, -w.line, n) for n, w in below.items() if n not in KEPT]
        if not ranked:
            return ABSENT
        _, _, name = min(ranked)
        found = below[name]
        for other in below.values():
            if other is not found:
                overrule(reading, other)
    reading.take(found.line)
    return Value(name, found.line)


def whole(text: str) -> int:
    """A whole number of digits only, and not too many of them."""
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise ValueError(text)
    return whole_of(text)


def overrule(reading: Reading, word: Word) -> None:
    """Mark lines of an overruled value: inherited ones are ignored, repeated ones are noted."""
    state = LineState.IGNORED if word.rank else LineState.SHADOWED
    for line in word.lines():
        if state_of(reading.src, line) is not LineState.UNDERSTOOD:
            reading.mark(line, state)


def state_of(src: SourceMap, position: int) -> LineState:
    """The state of a line."""
    ref = src.files[src.file_of(position)]
    return LineState(ref.states[position - ref.first - 1])


def settle_statements(reading: Reading, entry: Input) -> None:
    """Set the state of every line of a configuration after all values are taken."""
    found = entry.statements
    if found is None:
        return
    ref = reading.src.files[entry.file]
    first, states = ref.first, ref.states
    for positions, state in (
        (found.beside, LineState.IGNORED),
        (found.inactive, LineState.IGNORED),
        (found.applied, LineState.UNDERSTOOD),
        (found.undone, LineState.SHADOWED),
        (found.unclear, LineState.UNRECOGNISED),
    ):
        for position in positions:
            if not states[position - first - 1]:
                states[position - first - 1] = state
    openings = {begin for begin, _ in found.blocks}
    _settle_unread(found.root, entry.source, first, states, openings)
    for begin, end in found.joined:
        states[end - first - 1] = states[begin - first - 1]
    for begin, end in found.blocks:
        own = states[begin - first - 1] or _of_block(states[begin - first : end - first - 1])
        states[begin - first - 1] = own
        if end - first - 1 < len(states):
            states[end - first - 1] = own


def _of_block(inside: bytearray) -> int:
    """A block is understood if anything in it is."""
    if LineState.UNDERSTOOD in inside:
        return LineState.UNDERSTOOD
    known = any(state in inside for state in (LineState.IGNORED, LineState.UNRECOGNISED))
    return LineState.IGNORED if known or LineState.SHADOWED in inside else LineState.UNCLAIMED


def _settle_unread(
    root: Word, source: Source, first: int, states: bytearray, openings: set[int]
) -> None:
    """Set the states of statements that were not taken."""
    claimed, ignored = patterns_of(source)
    stack: list[tuple[Word, str, bool]] = [(root, "", False)]
    while stack:
        word, path, inherited = stack.pop()
        for name, below in word.below.items():
            if below.rank or name in KEPT:
                continue  # written in a group; the lines that apply groups are taken by that
            here = f"{path} {name}" if path else name
            if below.below:
                if path == GROUPS:
                    stack.append((below, "", True))
                else:
                    stack.append((below, here, inherited))
                continue
            line = below.line - first - 1
            if not 0 <= line < len(states) or states[line]:
                continue  # of another file, which has its own; or read
            if (inherited and not below.used) or below.line in openings:
                states[line] = LineState.IGNORED  # not inherited, or empty
            elif ignored.match(here[:PATH_LIMIT]):
                states[line] = LineState.IGNORED
            elif claimed.match(here):
                states[line] = LineState.UNRECOGNISED


@cache
def patterns_of(source: Source) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of claimed and of ignored statements."""
    claims = "|".join(f"(?:{section.header})" for section in source.sections) or r"(?!)"
    ignores = "|".join(f"(?:{item.pattern})" for item in source.ignored) or r"(?!)"
    return re.compile(claims), re.compile(ignores)

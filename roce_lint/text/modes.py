"""Restores lost indentation below the lines that open a mode, as a device does.

Devices are modal: regardless of leading blanks, a line is tried in the open mode, in the enclosing
modes, and finally in the outermost one, where it closes the open mode. Most texts are indented, and
then indentation decides. Modes decide only about lines that are not deeper than the line that
opened a mode, and about lines that only the mode knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from roce_lint.text.grammar import PATTERNS, Group
from roce_lint.text.sections import JOINED_WIDTH, KEPT, KEPT_WIDTH, Layout, Sections, Stanza

_ANYTHING = f"({PATTERNS['REST']})"
"""A rule without fixed words, which takes any line."""


@dataclass(frozen=True, eq=False)
class Modes:
    """Modes of a system; one object per source.

    `inner` are the groups of its templates below a first line, and `begin` gives the template of a
    line at depth 0 that a section claims. `is_outer` finds further lines of the outer mode, which
    no section claims, and `passes` returns whether lines below an irrelevant line are irrelevant
    too (None: not known). `matters` finds lines that must not be lost below such a line. The word
    `leave` ends the open mode, `end` ends all.
    """

    layout: Layout
    inner: tuple[Group, ...]
    begin: Callable[[str], Group | None]
    is_outer: Callable[[str], object]
    passes: Callable[[str], bool | None]
    matters: Callable[[str], object]
    leave: str = "exit"
    end: str = "end"
    _known: dict[str, int] = field(default_factory=dict)

    @cached_property
    def free(self) -> frozenset[int]:
        """Rules that take any line, as those of access lists do: their match proves nothing."""
        rules = (rule for group in self.inner for rule in group.rules)
        return frozenset(id(rule) for rule in rules if rule.pattern == _ANYTHING)

    def takes(self, mode: Group, text: str) -> bool:
        """Whether a mode has a rule for a line."""
        met, _, _, rule = mode.hits[text]
        return met and rule not in self.free

    def opened(self, text: str) -> Group | None:
        """The mode that a line of the outer mode opens, where its template has the line."""
        root = self.begin(text)
        return root.hits[text][1] if root is not None else None

    def is_displaced(self, text: str, *, nested: bool = False) -> bool:
        """Whether an unmatched line belongs to another mode; `nested`: inside of a mode."""
        known = self._known.get(text)
        if known is None:
            word = text.split(None, 1)[0]
            groups = (group for group in self.inner if word in group.by_word or group.any_word)
            depths = [group.depth for group in groups if self.takes(group, text)]
            known = 1 + max(depths, default=0 if _mode(self.opened(text)) is not None else -1)
            if len(self._known) < KEPT and len(text) <= KEPT_WIDTH:
                self._known[text] = known
        return known > nested


@dataclass(slots=True)
class _Open:
    """A line that may have children, and its indentation.

    `mode` is the mode it opens, if that is read; `holds` is True for a mode with irrelevant lines
    only. `left` is True once a deeper line, or the leaving word, ends the mode.
    """

    indent: int
    mode: Group | None = None
    holds: bool = False
    left: bool = False

    @property
    def is_mode(self) -> bool:
        """Whether lines that are not indented may belong to it."""
        return self.mode is not None or self.holds


_LINES, _STANZAS = 1, 2
"""Kind of the preceding line: blank or a comment, or a separator of stanzas."""


def restore(split: Sections, lines: list[str], modes: Modes) -> Sections | None:
    """The stanzas of `split` with each line below its mode; None if nothing changes."""
    layout = modes.layout
    rows = [layout.rows[line] for line in lines]
    parted = bytearray(len(rows))
    for number in split.ignored:
        ends = layout.is_separator is not None and layout.is_separator(rows[number - 1][1])
        parted[number - 1] = _STANZAS if ends else _LINES
    made = Sections(unterminated=split.unterminated)
    level = all(max(stanza.depths, default=0) <= 1 for stanza in split.stanzas)
    run = _Restoring(modes, made, level)
    last = 0
    for number, (indent, text, _, _) in enumerate(rows, 1):
        if not parted[number - 1]:
            between = max(parted[last : number - 1], default=0)
            run.place(text, number, indent, between, goes_on=number in split.joined)
            last = number
    before, after = ([(s.number, *s.depths) for s in each.stanzas] for each in (split, made))
    if after == before and made.joined == split.joined:
        return None
    made.ignored = sorted([*split.ignored, *made.ignored])
    return made


@dataclass(slots=True)
class _Restoring:
    modes: Modes
    result: Sections
    level: bool  # whether no line is indented except those below the first of a stanza
    stack: list[_Open] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)  # of the last stanza
    numbers: list[int] = field(default_factory=list)
    claimed: bool = False  # whether a section reads the last stanza
    last: int = 0  # number of the last line

    def place(self, text: str, number: int, indent: int, parted: int, *, goes_on: bool) -> None:
        """Add a line below its owner; `goes_on`: its indentation makes it a continuation."""
        stack, modes = self.stack, self.modes
        if text == modes.end:
            stack.clear()
        elif stack and text == modes.leave:
            for entry in islice((e for e in reversed(stack) if e.is_mode and not e.left), 1):
                entry.left = True
            self.result.ignored.append(number)
            return
        joins = self._joins(text, number, goes_on=goes_on)
        self.last = number
        if joins:
            return
        at = self._owner(text, indent, parted)
        del stack[at + 1 :]
        if at < 0:
            self.claimed = modes.begin(text) is not None
            self.depths, self.numbers = [], []
            self.result.stanzas.append(Stanza(text, number, self.depths, [], self.numbers))
            stack.append(_Open(indent, _mode(modes.opened(text))))
            return
        above = stack[at]
        self.depths.append(at + 1)
        self.numbers.append(number)
        self.result.stanzas[-1].texts.append(text)
        met, child, *_ = above.mode.hits[text] if above.mode is not None else (False, None)
        # A line that is not deeper proves that the mode is still open, if the mode has such a line.
        above.left = indent > above.indent or (above.left and not met)
        passed = None if met else modes.passes(text)
        mode, holds = _mode(child), passed is True
        if mode is None and not holds:
            # If the line opens nothing, a deeper line below it belongs to the same mode.
            opens_none, level = modes.layout.opens_none, indent <= above.indent
            if (opens_none and opens_none(text)) or (level and (met or passed is False)):
                return
        stack.append(_Open(indent, mode, holds))

    def _owner(self, text: str, indent: int, parted: int) -> int:
        """The index of the open line that a line belongs to; -1 if there is none."""
        stack, modes = self.stack, self.modes
        floor = len(stack) - 1  # default: the innermost line that is indented less
        while floor >= 0 and stack[floor].indent >= indent:
            floor -= 1
        root = modes.begin(text)
        outer = root is not None and root.hits[text][0]
        if floor < 0 and parted and (outer or modes.is_outer(text)):
            return -1
        late = inner = -1  # a mode that has ended and has the line; one that may hold any line
        for at in range(len(stack) - 1, max(floor, 0) - 1, -1):
            entry = stack[at]
            ended = at != floor and (entry.left or entry.indent > indent)
            if entry.mode is not None and modes.takes(entry.mode, text):
                if not ended:
                    return at
                late = max(late, at)
            if entry.is_mode and not ended:
                inner = max(inner, at)
        if floor >= 0:
            return self._indented(text, floor, late, inner, outer=outer)
        return self._level(text, parted, late, inner, root)

    def _indented(self, text: str, floor: int, late: int, inner: int, *, outer: bool) -> int:
        """The owner by indentation of a line below `floor` that no open mode has."""
        above = self.stack[floor]
        if self.claimed and self.modes.passes(text) is None:
            opens = _mode(self.modes.opened(text)) is not None
            if opens if above.is_mode else outer and floor == 0:
                return -1  # only the first line of a text lost its indentation
        for at in range(floor - 1, -1, -1) if late < 0 and above.mode is not None else ():
            mode = self.stack[at].mode
            if mode is not None and self.modes.takes(mode, text):
                return at
        return late if late >= 0 else self._holder(text, inner, floor)

    def _level(self, text: str, parted: int, late: int, inner: int, root: Group | None) -> int:
        """The owner of an unindented line that no open mode has."""
        passed = self.modes.passes(text)
        outer = root is not None and root.hits[text][0]
        if outer or (self.modes.is_outer(text) and not (passed and inner >= 0)):
            return -1
        if late >= 0:
            return late
        if parted == _STANZAS or (passed is None and (parted or root is not None)):
            return -1
        if passed is None:
            return self._holder(text, inner, -1)
        around = (at for at, entry in enumerate(self.stack) if entry.is_mode)
        return inner if parted else max(around, default=-1)

    def _holder(self, text: str, inner: int, floor: int) -> int:
        """The innermost mode up to `inner` that may hold an unknown line, else `floor`.

        An irrelevant mode holds such a line only in a text without deeper lines.
        """
        quiet = self.level and not self.modes.matters(text)
        for at in range(inner, floor, -1):
            entry = self.stack[at]
            if not entry.left and (entry.mode is not None or (entry.holds and quiet)):
                return at
        return floor

    def _joins(self, text: str, number: int, *, goes_on: bool) -> bool:
        """Whether an unknown line continues the line directly above it, and is joined.

        A continuation is deeper than its line, unless the indentation was lost.
        """
        modes, layout = self.modes, self.modes.layout
        if layout.is_continued is None or self.last != number - 1 or not self.result.stanzas:
            return False
        stanza = self.result.stanzas[-1]
        above = stanza.texts[-1] if stanza.texts else stanza.header
        joined = f"{above} {text}"
        if len(above) > JOINED_WIDTH or not layout.is_continued(above):
            return False
        modal = [entry.mode for entry in self.stack if entry.mode is not None]
        if any(modes.takes(mode, text) for mode in modal):
            return False
        if not goes_on:
            word = text.split(None, 1)[0]
            if not modal or not stanza.texts or any(word in mode.by_word for mode in modal):
                return False
            known = modes.begin(text) or modes.is_outer(text) or modes.passes(text) is not None
            if known or not modes.takes(modal[-1], joined):
                return False
        if stanza.texts:
            stanza.texts[-1] = joined
        else:
            stanza.header = joined
        self.result.joined[number] = stanza.numbers[-1] if stanza.texts else stanza.number
        return True


def _mode(group: Group | None) -> Group | None:
    """A group that has lines below its first."""
    return group if group is not None and group.rules else None

"""Lines whose indentation is lost, put back below the line that opens their mode, as a device does.

Devices are modal: whatever the blanks before it, a line is tried in the open mode, in the modes
around it, and at last in the outer one, where it closes what is open. Texts are mostly indented,
and indentation then decides; modes are asked only about lines that stand no deeper than the line
that opened a mode, and about what that one alone knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from roce_lint.text.grammar import PATTERNS, Group
from roce_lint.text.sections import JOINED_WIDTH, KEPT, KEPT_WIDTH, Layout, Sections, Stanza

_ANYTHING = f"({PATTERNS['REST']})"
"""What a rule without fixed words is, which takes any line."""


@dataclass(frozen=True, eq=False)
class Modes:
    """What the modes of a system take; one for each source.

    `inner` are the groups of its templates below a first line, and `begin` gives the template of a
    line at depth 0, where a section claims it. `is_outer` finds further lines of the outer mode,
    which no section claims, and `passes` states of a line that is known not to matter whether
    those below it do not matter either (None: it is not known). `matters` finds lines that must not
    be lost below such a line. The word `leave` ends the open mode, `end` ends all.
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
        """Rules that take any line, as those of access lists do: that they do proves nothing."""
        rules = (rule for group in self.inner for rule in group.rules)
        return frozenset(id(rule) for rule in rules if rule.pattern == _ANYTHING)

    def takes(self, mode: Group, text: str) -> bool:
        """Whether a mode knows a line."""
        met, _, _, rule = mode.hits[text]
        return met and rule not in self.free

    def opened(self, text: str) -> Group | None:
        """The mode that a line of the outer mode opens, where its template knows the line."""
        root = self.begin(text)
        return root.hits[text][1] if root is not None else None

    def is_displaced(self, text: str, *, nested: bool = False) -> bool:
        """Whether a line that nothing took is one of another mode; `nested`: inside of a mode."""
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
    """A line below which others may stand, and how far it is indented.

    `mode` is what it opens, if that is read, and `holds` is True of a mode whose lines are known
    not to matter, whatever they are. `left` is True once a deeper line says where the mode ends,
    or the word for it does.
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
"""What stands before a line: something blank or a comment, or what parts stanzas."""


def restore(split: Sections, lines: list[str], modes: Modes) -> Sections | None:
    """The stanzas of `split`, each line below the one whose mode takes it; None if they are so."""
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
    """The stanzas so far, and the lines that are open, each below the one before it."""

    modes: Modes
    result: Sections
    level: bool  # whether no line is indented but for those below the first of a stanza
    stack: list[_Open] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)  # of the last stanza
    numbers: list[int] = field(default_factory=list)
    claimed: bool = False  # whether a section reads the last stanza
    last: int = 0  # number of the last line

    def place(self, text: str, number: int, indent: int, parted: int, *, goes_on: bool) -> None:
        """Put a line below its owner; by its indentation it `goes_on` with the one above."""
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
        # A line that is no deeper shows that the mode was not left, if it is known there.
        above.left = indent > above.indent or (above.left and not met)
        passed = None if met else modes.passes(text)
        mode, holds = _mode(child), passed is True
        if mode is None and not holds:
            # Where the line opens nothing, a deeper one below is one of the same mode.
            opens_none, level = modes.layout.opens_none, indent <= above.indent
            if (opens_none and opens_none(text)) or (level and (met or passed is False)):
                return
        stack.append(_Open(indent, mode, holds))

    def _owner(self, text: str, indent: int, parted: int) -> int:
        """The index of the open line that a line belongs to; -1 where that is none."""
        stack, modes = self.stack, self.modes
        floor = len(stack) - 1  # to be: the innermost line that stands further left
        while floor >= 0 and stack[floor].indent >= indent:
            floor -= 1
        root = modes.begin(text)
        outer = root is not None and root.hits[text][0]
        if floor < 0 and parted and (outer or modes.is_outer(text)):
            return -1
        late = inner = -1  # a mode that has ended and knows the line; one that may hold any line
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
        """The owner of a line below `floor` by its indentation, which no open mode knows."""
        above = self.stack[floor]
        if self.claimed and self.modes.passes(text) is None:
            opens = _mode(self.modes.opened(text)) is not None
            if opens if above.is_mode else outer and floor == 0:
                return -1  # the first line of a text lost its indentation, and no other one
        for at in range(floor - 1, -1, -1) if late < 0 and above.mode is not None else ():
            mode = self.stack[at].mode
            if mode is not None and self.modes.takes(mode, text):
                return at
        return late if late >= 0 else self._holder(text, inner, floor)

    def _level(self, text: str, parted: int, late: int, inner: int, root: Group | None) -> int:
        """The owner of a line that is not indented, and that no open mode knows."""
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
        """The innermost mode up to `inner` that may hold a line that nothing knows, else `floor`.

        What is known not to matter holds such a line only in a text without deeper lines.
        """
        quiet = self.level and not self.modes.matters(text)
        for at in range(inner, floor, -1):
            entry = self.stack[at]
            if not entry.left and (entry.mode is not None or (entry.holds and quiet)):
                return at
        return floor

    def _joins(self, text: str, number: int, *, goes_on: bool) -> bool:
        """Whether a line that no mode knows goes on with the line directly above it, and is joined.

        A line that goes on is deeper than what it continues, unless that was lost.
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

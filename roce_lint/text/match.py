"""Our strict runner for config templates: a subset of TTP in which every line is accounted for.

A template shows the lines of a stanza as the device prints them, with variables where values
stand, and groups around what may come more than once:

    <group name="interface*">
    interface {{ name }}
       mtu {{ mtu | re("INT") }}
       {{ shutdown | re("shutdown") }}
    <group name="priority*">
       priority-flow-control priority {{ priority }} {{ action }}
    </group>
    </group>

The first line of a group starts a record; the others stand one step deeper and belong to it.
Fixed words are met exactly, a run of blanks meets any run of blanks, a variable meets one word
unless `re(...)` gives it a named pattern or the very words to capture (a flag). The whole line
has to match, below its own parent and at its own depth; the first template line that does, wins.
What TTP does otherwise is told in `extract`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from roce_lint.errors import ExtractError
from roce_lint.text.records import Record
from roce_lint.text.sections import Line, Stanza
from roce_lint.text.source import LineState

PATTERNS: Mapping[str, str] = {
    "WORD": r"\S+",  # what a variable without re(...) meets
    "REST": r"\S(?:.*\S)?",  # everything up to the end of the line
    "INT": r"[0-9]+",
    "NUMBER": r"[0-9]+(?:\.[0-9]+)?",
    "RANGES": r"[0-9]+(?:[-,\s]+[0-9]+)*",  # 3 | 24-31 | 8,10-12 | 24 25 26
    "ON_OFF": r"on|off",
}
"""Patterns every template may name; a NOS adds its own."""

RESERVED = re.compile(
    r"chain|columns|default|equal|ignore|joinmatches|notequal|re|set|sformat"
    r"|contains(_re)?|exclude(_re)?|(not)?(starts|ends)with_re"
)
"""Words that TTP takes for commands where a variable's name is expected."""

MEMO_LINES = 4096
"""Distinct lines a group remembers; configs repeat a few hundred, descriptions aside."""

MEMO_WIDTH = 120
"""Longest line a group remembers, so that the memory is bounded too."""

_GROUP = re.compile(r'<group name="([a-z][a-z0-9_]*)\*">')
_VARIABLE = re.compile(r"\{\{(.*?)\}\}")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_FILTER = re.compile(r"""re\((["'])(.*)\1\)""")
_NAMED = re.compile(r"[A-Z][A-Z0-9_]*")
_WORDS = re.compile(r"[A-Za-z0-9-]+(?: [A-Za-z0-9-]+)*")

_GAP = "\0"

_CAPTURED = LineState.CAPTURED
_MISSED = LineState.UNRECOGNISED

_Hit = tuple["_Group | None", tuple[tuple[str, str], ...]]
"""What a line gives: the group it starts, if any, and its captures."""


@dataclass(slots=True)
class _Rule:
    """One template line; its pattern is compiled when a line first has to be tried by it."""

    pattern: str
    names: tuple[str, ...]
    word: str | None  # the line's first word, where that is fixed
    starts: _Group | None = None
    fullmatch: Callable[[str], re.Match[str] | None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.fullmatch = self._first

    def _first(self, text: str) -> re.Match[str] | None:
        self.fullmatch = re.compile(self.pattern).fullmatch
        return self.fullmatch(text)


@dataclass(slots=True)
class _Group:
    """A group: the lines that may stand directly below its start line."""

    name: str
    depth: int  # of its start line; the template itself is the group at -1
    rules: list[_Rule] = field(default_factory=list)
    start: _Rule | None = None
    by_word: dict[str, list[_Rule]] = field(default_factory=dict)
    any_word: list[_Rule] = field(default_factory=list)
    memo: dict[str, _Hit | None] = field(default_factory=dict)

    def index(self) -> None:
        """Sort the rules by first word, each list in template order."""
        self.any_word = [rule for rule in self.rules if rule.word is None]
        for word in {rule.word for rule in self.rules if rule.word is not None}:
            self.by_word[word] = [rule for rule in self.rules if rule.word in (word, None)]

    def match(self, text: str) -> _Hit | None:
        """What the first rule that matches a line makes of it."""
        for rule in self.by_word.get(text.split(None, 1)[0], self.any_word):
            found = rule.fullmatch(text)
            if found:
                return rule.starts, tuple(zip(rule.names, found.groups(), strict=True))
        return None

    def match_new(self, text: str) -> _Hit | None:
        """Match a line that is not remembered, and remember it."""
        hit = self.match(text)
        if len(text) <= MEMO_WIDTH:
            if len(self.memo) >= MEMO_LINES:
                self.memo.clear()
            self.memo[text] = hit
        return hit


class Template:
    """A compiled template. Pickled by its text: compiling again is cheap."""

    def __init__(self, text: str, name: str, patterns: Mapping[str, str]) -> None:
        self._source = (text, name, dict(patterns))
        parser = _Parser(name, {**PATTERNS, **patterns})
        self._root = parser.parse(text)
        self.step = parser.step or 1
        """Columns by which the template indents each depth."""

    @classmethod
    def parse(cls, text: str, name: str, patterns: Mapping[str, str]) -> Template:
        """Compile the template in file `name`; `patterns` adds to PATTERNS.

        Raises:
            ExtractError: something outside the subset, with the template's file and line.
        """
        return cls(text, name, patterns)

    def __reduce__(self) -> tuple[Any, ...]:
        return Template.parse, self._source

    def variables(self) -> dict[str, set[str]]:
        """The variables of each group, by group name."""
        found: dict[str, set[str]] = {}
        for group in _walk(self._root):
            names = found.setdefault(group.name, set())
            for rule in (group.start, *group.rules):
                if rule and (rule.starts is None or rule is group.start):
                    names.update(rule.names)
        return found

    def run(
        self,
        stanzas: Iterable[Stanza],
        first: int,
        states: bytearray,
        missed: list[list[Line]] | None = None,
    ) -> list[Record]:
        """Match the stanzas that are this template's to read; line n has position `first + n`.

        Lines that match become CAPTURED, all others of these stanzas UNRECOGNISED, unless
        somebody gave them a state before. To `missed` is added each line that does not match,
        with the lines below it.
        """
        records = []
        missed = [] if missed is None else missed
        for stanza in stanzas:
            group, captures = self._root.match(stanza.header) or (None, ())
            if group is None:
                lines = [(0, stanza.header, stanza.number), *stanza.body]
                for _, _, number in lines:
                    if not states[number - 1]:
                        states[number - 1] = _MISSED
                missed.append(lines)
                continue
            states[stanza.number - 1] = LineState.CAPTURED
            position = first + stanza.number
            record = Record(group.name, position, {n: [(v, position)] for n, v in captures}, {})
            records.append(record)
            _fill(record, group, stanza.body, first, states, missed)
        return records


def _fill(
    record: Record,
    group: _Group,
    body: list[Line],
    first: int,
    states: bytearray,
    missed: list[list[Line]],
) -> None:
    """Hang the lines below a start line into its record."""
    # The record and group open at each depth; None below a line that starts no group. A line is
    # at most one deeper than the line before it, so an entry is always of the line's own parent.
    scope: tuple[Record, _Group] | None = (record, group)
    scopes = [scope]
    current = 1
    opened: tuple[Record, _Group] | None = None  # by the line before
    lost: list[Line] | None = None  # a line that does not match, while what is below it follows
    values, memo = record.values, group.memo
    for line in body:
        depth, text, number = line
        if depth != current:
            scopes[current:] = [opened]
            current = depth
            scope = scopes[depth - 1]
            if scope is not None:
                record, group = scope
                values, memo = record.values, group.memo
        opened = hit = None
        if scope is not None:
            hit = memo[text] if text in memo else group.match_new(text)
        if hit is None:
            if not states[number - 1]:
                states[number - 1] = _MISSED
            if scope is not None or lost is None:
                missed.append(lost := [])
            lost.append(line)
            continue
        lost = None
        states[number - 1] = _CAPTURED
        position = first + number
        child, captures = hit
        if child is not None:
            start = Record(child.name, position, {n: [(v, position)] for n, v in captures}, {})
            record.children.setdefault(child.name, []).append(start)
            opened = start, child
            continue
        for name, value in captures:
            if name in values:
                values[name].append((value, position))
            else:
                values[name] = [(value, position)]


def _walk(group: _Group) -> Iterator[_Group]:
    """All groups below one, outer before inner."""
    for rule in group.rules:
        if rule.starts is not None:
            yield rule.starts
            yield from _walk(rule.starts)


class _Parser:
    """Reads a template, line by line."""

    def __init__(self, name: str, patterns: Mapping[str, str]) -> None:
        self.name = name
        self.number = 0
        self.patterns = patterns
        self.step = 0  # columns per depth, known from the first indented line

    def parse(self, text: str) -> _Group:
        """The template as the group around its groups."""
        root = _Group("", -1)
        groups = [root]
        for self.number, raw in enumerate(text.split("\n"), 1):
            line = raw.strip()
            opened = _GROUP.fullmatch(line)
            if not line or line.startswith("##"):
                continue
            if opened:
                if len(groups) > 1 and groups[-1].start is None:
                    raise self._error("the first line of a group is its start line, not a group")
                groups.append(_Group(opened[1], len(groups) - 1))
            elif line == "</group>" and len(groups) > 1:
                closed = groups.pop()
                if closed.start is None:
                    raise self._error(f"group {closed.name} has no line")
                closed.index()
            elif "<" in line or "&" in line:
                raise self._error(f'only <group name="x*"> and </group> are known here: {line}')
            elif len(groups) == 1:
                raise self._error("this line is in no group")
            else:
                self._add(groups[-2], groups[-1], raw.rstrip())
        if len(groups) > 1:
            raise self._error(f"group {groups[-1].name} is not closed")
        root.index()
        return root

    def _add(self, parent: _Group, group: _Group, line: str) -> None:
        rule = self._rule(line.strip())
        if group.start is None:
            self._check_indent(line, group.depth, f"the start line of group {group.name}")
            rule.starts = group
            group.start = rule
            parent.rules.append(rule)
        else:
            self._check_indent(line, group.depth + 1, f"a line below the start of {group.name}")
            group.rules.append(rule)

    def _check_indent(self, line: str, depth: int, role: str) -> None:
        indent = len(line) - len(line.lstrip(" "))
        self.step = self.step or (indent if depth == 1 else 0)
        if line[indent] == "\t" or indent != depth * self.step or (depth and not indent):
            wanted = depth * self.step or ("more" if depth else 0)
            raise self._error(f"indented by {indent} blanks; {role} by {wanted}")

    def _rule(self, line: str) -> _Rule:
        names: list[str] = []
        regex = ""
        known = ""  # the line with _GAP for what only the device's line can tell
        end = 0
        for variable in _VARIABLE.finditer(line):
            name, pattern, words = self._variable(variable[1])
            if name in names:
                raise self._error(f"variable {name} comes twice in the line")
            names.append(name)
            before = line[end : variable.start()]
            regex += f"{self._fixed(before)}({pattern})"
            known += before + words
            end = variable.end()
        if not names:
            raise self._error(f"no variable in the line: {line}")
        regex += self._fixed(line[end:])
        word = (known + line[end:]).split(None, 1)[0]
        return _Rule(regex, tuple(names), None if _GAP in word else word)

    def _fixed(self, text: str) -> str:
        if "{{" in text or "}}" in text:
            raise self._error("a {{ }} is not closed")
        return r"\s+".join(map(re.escape, re.split(r"\s+", text)))

    def _variable(self, inner: str) -> tuple[str, str, str]:
        """Name and regex of a variable, and the words it captures where these are fixed."""
        name, bar, given = (part.strip() for part in inner.partition("|"))
        if not _NAME.fullmatch(name) or RESERVED.fullmatch(name):
            raise self._error(f"{name!r} cannot name a variable")
        if not bar:
            return name, self.patterns["WORD"], _GAP
        argument = _FILTER.fullmatch(given)
        if argument is None or "|" in given:
            raise self._error(
                f'{name}: re("...") is the one filter known here, once, and without "|" inside'
            )
        words = argument[2]
        if words in self.patterns:
            return name, self._pattern(words), _GAP
        if _NAMED.fullmatch(words):
            raise self._error(f"no pattern is named {words}; known: {', '.join(self.patterns)}")
        if not _WORDS.fullmatch(words):
            raise self._error(f"{words!r} is neither a pattern's name nor plain words")
        return name, self._fixed(words), words

    def _pattern(self, name: str) -> str:
        """The regex that a name stands for."""
        pattern = self.patterns[name]
        try:
            groups = re.compile(pattern).groups
        except re.error as error:
            raise self._error(f"pattern {name} is no regex: {error}") from error
        if groups:
            raise self._error(f"pattern {name} must not capture; write (?:...)")
        return pattern

    def _error(self, message: str) -> ExtractError:
        return ExtractError(message, location=f"{self.name}:{self.number}")

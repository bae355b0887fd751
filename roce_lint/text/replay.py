"""Replays the matches of a template's lines over a text, and builds records with positions.

The regexes are TTP's: each begins with a line end and the exact indent of its template line. Their
matches are assigned to records here, in TTP's order of preference but with stricter blocks: a group
whose lines are all deeper than its start line ends at the first line that is not. A group with a
line at the indent of its start line is flat: it extends to the next start.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from roce_lint.text.match import Record


@dataclass(slots=True)
class Field:
    """A variable of a template line: its group in the regex and the functions on its text."""

    index: int  # 0: the whole match, for set(...)
    name: str
    functions: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]


@dataclass(slots=True)
class Rule:
    """One template line, compiled by TTP."""

    regex: re.Pattern[str]
    group: Group
    rank: int  # rank among several lines in TTP: _start_, start, other, _line_
    order: int
    starts: bool
    ends: bool
    fields: list[Field]

    @property
    def indent(self) -> int:
        """Leading blanks of the template line; the regex begins with a line end and these."""
        blanks = re.match(r"\\n([ \t]*)", self.regex.pattern)
        return len(blanks[1]) if blanks else 0

    def values(self, match: re.Match[str]) -> list[tuple[str, str]] | None:
        """The captures, or None if a function rejects the line."""
        found = []
        for each in self.fields:
            value = match[each.index]
            for function, args, kwargs in each.functions:
                value, verdict = function(value, *args, **kwargs)
                if verdict is False:
                    return None
            found.append((each.name, str(value)))
        return found


@dataclass(slots=True)
class Group:
    """A group of template lines."""

    name: str
    parent: Group | None
    depth: int
    rules: list[Rule] = field(default_factory=list)
    children: list[Group] = field(default_factory=list)
    flat: bool = False

    def settle(self) -> None:
        """Determine from the template whether the group's lines are below its start lines."""
        start = max(rule.indent for rule in self.rules if rule.starts)
        inner = [rule for rule in self.rules if not (rule.starts or rule.ends)]
        inner += [rule for child in self.children for rule in child.rules if rule.starts]
        self.flat = any(rule.indent <= start for rule in inner)


Candidate = tuple[Rule, re.Match[str]]


class Text:
    """The lines as TTP's regexes need them: each with a line end before and after.

    They are searched one by one, not as a whole: a variable such as `[^,]+` would match past line
    ends, and take the time of all lines for each.
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = [line.rstrip("\r") for line in lines]
        self._framed = [f"\n{line}\n" for line in self.lines]

    def search(self, group: Group) -> dict[int, list[Candidate]]:
        """All matches of a group and the groups in it, by row."""
        found: dict[int, list[Candidate]] = {}
        self._search(group, found)
        return found

    def _search(self, group: Group, found: dict[int, list[Candidate]]) -> None:
        started = False
        for rule in group.rules:  # the start lines come first
            if not (started or rule.starts):
                return
            for row, match in enumerate(map(rule.regex.match, self._framed)):
                if match:
                    started = True
                    found.setdefault(row, []).append((rule, match))
        if started:
            for child in group.children:
                self._search(child, found)

    def end_of_block(self, row: int) -> int:
        """The first row below `row` that is not indented deeper."""
        indent = _indent(self.lines[row])
        for below in range(row + 1, len(self.lines)):
            line = self.lines[below]
            if line.strip() and _indent(line) <= indent:
                return below
        return len(self.lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@dataclass(slots=True)
class _Open:
    """A record that later lines may still add to."""

    group: Group
    record: Record
    stop: int  # first row after the record


class Replay:
    """Builds the records of one top-level group from its matches, row by row."""

    def __init__(self, text: Text, first: int) -> None:
        self.records: list[Record] = []
        self._text = text
        self._first = first
        self._open: list[_Open] = []  # by depth

    def take(self, row: int, candidates: list[Candidate]) -> Rule | None:
        """Assign the line to the template line that TTP would prefer, of those allowed."""
        if len(candidates) > 1:
            candidates = sorted(candidates, key=self._preference)
        rejected = None
        for rule, match in candidates:
            if not self._allows(rule, row):
                continue
            values = rule.values(match)
            if values is not None:
                self._apply(rule, row, values)
                return rule
            if rule.starts and rejected is None:
                rejected = rule.group.depth
        if rejected is not None:  # the lines below belong to an unwanted record
            del self._open[rejected:]
        return None

    def _preference(self, candidate: Candidate) -> tuple[int, bool, int, int]:
        rule = candidate[0]
        current = bool(self._open) and rule.group is self._open[-1].group
        return rule.rank, not current, -rule.group.depth, rule.order

    def _allows(self, rule: Rule, row: int) -> bool:
        """Whether the record of the line is open and its block continues."""
        owner = rule.group.parent if rule.starts else rule.group
        if owner is None:
            return True
        if owner.depth >= len(self._open):
            return False
        scope = self._open[owner.depth]
        return scope.group is owner and (rule.ends or row < scope.stop)

    def _apply(self, rule: Rule, row: int, values: list[tuple[str, str]]) -> None:
        depth = rule.group.depth
        position = self._first + row + 1
        if rule.ends:
            del self._open[depth:]
            return
        if rule.starts:
            del self._open[depth:]
            record = Record(rule.group.name, position)
            stop = len(self._text.lines) if rule.group.flat else self._text.end_of_block(row)
            if self._open:
                above = self._open[-1]
                above.record.children.setdefault(record.group, []).append(record)
                stop = min(stop, above.stop)
            else:
                self.records.append(record)
            self._open.append(_Open(rule.group, record, stop))
        else:
            del self._open[depth + 1 :]
            record = self._open[depth].record
        for name, value in values:
            record.values.setdefault(name, []).append((value, position))

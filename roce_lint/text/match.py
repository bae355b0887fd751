"""Strict runner for configuration templates: a subset of TTP in which every line counts.

A template shows the lines of a stanza as the device prints them, with variables in place of values,
and groups around lines that may repeat:

    <group name="interface*">
    interface {{ name }}
       mtu {{ mtu | re("INT") }}
       {{ shutdown | re("shutdown") }}
    <group name="priority*">
       priority-flow-control priority {{ priority }} {{ action }}
    </group>
    </group>

The first line of a group starts a record; the others are one level deeper and belong to it. Fixed
words match exactly, a run of blanks matches any run of blanks, a variable matches one word unless
`re(...)` gives it a named pattern or the exact words to capture (a flag). The whole line has to
match, below its own parent and at its own depth; the first matching template line wins. Differences
from TTP are described in `extract`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from roce_lint.text.grammar import PATTERNS, Captures, Group, Hit, Parser
from roce_lint.text.sections import Line, Stanza
from roce_lint.text.source import LineState

# Records of captured strings with positions.


@dataclass(slots=True)
class Record:
    """One match of a template group: a stanza, a table row, or a single line.

    `values` keeps every capture of a name in file order, so that the reader can handle a value that
    is set twice as the device does.
    """

    group: str
    position: int  # of the line that starts the group
    values: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    children: dict[str, list[Record]] = field(default_factory=dict)


def merge(records: list[Record]) -> Record:
    """Merge stanzas with the same name; the first gives the position."""
    first, *rest = records
    if not rest:
        return first
    merged = Record(
        first.group,
        first.position,
        {name: list(found) for name, found in first.values.items()},
        {name: list(found) for name, found in first.children.items()},
    )
    for record in rest:
        for name, found in record.values.items():
            merged.values.setdefault(name, []).extend(found)
        for name, children in record.children.items():
            merged.children.setdefault(name, []).extend(children)
    return merged


# Compiled templates.

_CAPTURED = LineState.CAPTURED
_MISSED = LineState.UNRECOGNISED

PassOver = Callable[[list[list[Line]], bytearray], None]
"""Assigns states to lines that no rule matched, each with the lines below it."""


_NOTHING: Hit = False, None, (), None


class Template:
    """The compiled template of file `name`; `patterns` adds to PATTERNS. Pickled by its text:
    compiling again is cheap.

    Raises:
        ExtractError: something outside the subset, with the template's file and line.
    """

    def __init__(self, text: str, name: str, patterns: Mapping[str, str]) -> None:
        self._source = (text, name, dict(patterns))
        parser = Parser(name, {**PATTERNS, **patterns})
        self.root = parser.parse(text)
        """The group around the top-level groups."""
        self.step = parser.step or 1
        """Columns by which the template indents each depth."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Template, self._source

    @property
    def groups(self) -> tuple[Group, ...]:
        """All groups of the template, outer before inner."""
        return tuple(_walk(self.root))

    def run(
        self,
        stanzas: Iterable[Stanza],
        first: int,
        states: bytearray,
        pass_over: PassOver | None = None,
    ) -> list[Record]:
        """Match the stanzas of this template; line n has position `first + n`.

        Lines that match become CAPTURED, all others of these stanzas UNRECOGNISED, unless they
        already have a state; `pass_over` may assign another. As results are cached by stanza, it
        must be a pure function of the lines.
        """
        records = []
        for stanza in stanzas:
            _, group, captures, _ = self.root.hits[stanza.header]
            if group is None:
                missed = [[(0, stanza.header, stanza.number), *stanza.body]]
                for _, _, number in missed[0]:
                    if not states[number - 1]:
                        states[number - 1] = _MISSED
                if pass_over is not None:
                    pass_over(missed, states)
                continue
            states[stanza.number - 1] = _CAPTURED
            position = first + stanza.number
            record = Record(group.name, position, {n: [(v, position)] for n, v in captures}, {})
            records.append(record)
            if not stanza.flat:
                _fill(record, group, stanza, first, states, pass_over)
            elif stanza.texts:
                _fill_flat(record, group, stanza, first, states, pass_over)
        return records


def _fill_flat(
    record: Record,
    group: Group,
    stanza: Stanza,
    first: int,
    states: bytearray,
    pass_over: PassOver | None,
) -> None:
    """Add the lines of a flat stanza to its record.

    The result is that of an earlier stanza whose lines matched the same rules.
    """
    hits = list(map(group.hits.__getitem__, stanza.texts))
    key = tuple([hit[3] for hit in hits])
    begin = stanza.number
    end = begin + len(hits)
    plan = group.plans.get(key)
    if plan is None or states.count(0, begin, end) < len(hits):
        untouched = states.count(0, begin, end) == len(hits)
        _fill(record, group, stanza, first, states, pass_over)
        if untouched:
            captured = tuple(number for number, hit in enumerate(hits) if hit[0])
            group.keep(key, (bytes(states[begin:end]), captured))
        return
    states[begin:end], captured = plan
    begin += first + 1
    values = record.values
    for number in captured:
        _, child, captures, _ = hits[number]
        position = begin + number
        if child is None:
            _add(values, captures, position)
        else:
            _start(record, child, captures, position)


def _fill(
    record: Record,
    group: Group,
    stanza: Stanza,
    first: int,
    states: bytearray,
    pass_over: PassOver | None,
) -> None:
    """Add the lines below a start line to its record."""
    # The record and group open at each depth; None below a line that starts no group. A line is at
    # most one deeper than the line before it, so each entry belongs to the line's own parent.
    scope: tuple[Record, Group] | None = (record, group)
    scopes = [scope]
    current = 1
    opened: tuple[Record, Group] | None = None  # by the previous line
    missed: list[list[Line]] = []
    lost: list[Line] | None = None  # the first of consecutive lines that do not match
    values, hits = record.values, group.hits
    for line in stanza.body:
        depth, text, number = line
        if depth != current:
            scopes[current:] = [opened]
            current = depth
            scope = scopes[depth - 1]
            if scope is not None:
                record, group = scope
                values, hits = record.values, group.hits
        opened = None
        met, child, captures, _ = hits[text] if scope is not None else _NOTHING
        if not met:
            if not states[number - 1]:
                states[number - 1] = _MISSED
            if scope is not None or lost is None:
                missed.append(lost := [])
            lost.append(line)
            continue
        lost = None
        states[number - 1] = _CAPTURED
        position = first + number
        if child is None:
            _add(values, captures, position)
        else:
            opened = _start(record, child, captures, position), child
    if missed and pass_over is not None:
        pass_over(missed, states)


def _start(record: Record, group: Group, captures: Captures, position: int) -> Record:
    made = Record(group.name, position, {name: [(text, position)] for name, text in captures}, {})
    record.children.setdefault(group.name, []).append(made)
    return made


def _add(values: dict[str, list[tuple[str, int]]], captures: Captures, position: int) -> None:
    for name, value in captures:
        if name in values:
            values[name].append((value, position))
        else:
            values[name] = [(value, position)]


def _walk(group: Group) -> Iterator[Group]:
    """All groups below one, outer before inner."""
    for rule in group.rules:
        if rule.starts is not None:
            yield rule.starts
            yield from _walk(rule.starts)

"""Differences between two fabric states, real or hypothetical: text, JSON and Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import Any

from roce_lint.engine.finding import WEAKENED, Finding
from roce_lint.model.path import short
from roce_lint.model.values import UNSET, spell_value
from roce_lint.pipeline import Report
from roce_lint.pipeline.changes import AppliedChange
from roce_lint.pipeline.comparison import Comparison, Side, StateDifference
from roce_lint.pipeline.diff_causes import Entry, Stand, Value
from roce_lint.pipeline.whatif import WhatIf
from roce_lint.report.blocks import ALL, SHOWN, Blocks, remark_on
from roce_lint.report.layout import EMPTY, Line, Piece, Style, line, plain
from roce_lint.report.markdown import cell, code
from roce_lint.report.places import Places
from roce_lint.report.selection import Options
from roce_lint.report.wording import crowd, escape_json, excerpt, one_line, weakening_data
from roce_lint.text.names import compress, natural
from roce_lint.text.numbers import count
from roce_lint.text.source import Location, Origin

SCHEMA = "roce-lint/diff/1"


def as_lines(found: Comparison, options: Options) -> Iterator[Line]:
    """The differences as text: by device and cause, with the lines of both sides."""
    shown = _EntryLines(found, options)
    for number, entry in enumerate(shown.sort()):
        if number:
            yield EMPTY
        yield from shown.entry(entry)
    yield from _findings(found, options, empty=bool(found.entries))


class _EntryLines:
    """Entries as lines of text."""

    def __init__(self, found: Comparison, options: Options):
        self._found = found
        self._limit = ALL if options.verbose else SHOWN
        self._column = (options.width - 2 * SET_IN) // 2 if options.color else 0
        self._roles = {
            name: device.role.value if device.role is not None else None
            for side in (found.b, found.a)
            for name, device in side.fabric.devices.items()
        }

    def sort(self) -> list[Entry]:
        """The entries by device and line."""
        return sorted(self._found.entries, key=_place)

    def entry(self, entry: Entry) -> Iterator[Line]:
        """One entry: device and ports, changed values, and the lines of both sides."""
        yield self._head(entry)
        values = [*entry.values, *entry.follows][: self._limit + 1]
        for value in values[: self._limit]:
            follows = value not in entry.values
            yield line(*_change(value, follows=follows, wording=entry.wording), indent=4)
        hidden = len(entry.values) + len(entry.follows) - self._limit
        if hidden > 0:
            yield line((f"and {count(hidden, 'more value')} of the same cause", "dim"), indent=4)
        for stand in entry.stands[: self._limit]:
            yield from self._lines(stand)
        hidden = len(entry.stands) - self._limit
        if hidden > 0:
            yield line((f"and the same on {count(hidden, 'more device')}", "dim"), indent=4)

    def _head(self, entry: Entry) -> Line:
        devices = entry.devices
        if len(devices) == 1:
            ports = compress(one_line(name) for name in entry.stands[0].subjects if name)
            return line((one_line(f"{devices[0]} {ports}").rstrip(), "strong"))
        who = compress(map(one_line, devices), self._limit + 3)
        number = sum(1 for stand in entry.stands for name in stand.subjects if name)
        on = f" ({count(number, 'port')})" if number > len(devices) else ""
        return line((f"{crowd(devices, self._roles)}: {who}{on}", "strong"))

    def _lines(self, stand: Stand) -> Iterator[Line]:
        """Lines of both sides, with corresponding lines next to each other."""
        sides = [
            [_Cell(mark, f"{side.name(place.file)}:{place.line}", place)
             for place in _telling_places(places) if place.file]
            for mark, side, places in (("-", self._found.a, stand.a), ("+", self._found.b, stand.b))
        ]  # fmt: skip
        for one, other in zip_longest(*(cells[: self._limit] for cells in sides)):
            if one is not None and other is not None:
                width = max(len(one.head), len(other.head))
                if not self._column or width <= self._column:  # only terminals limit the width
                    yield from _side_by_side(one, other, self._column or max(COLUMN, width))
                    continue
            yield from (own.as_line() for own in (one, other) if own is not None)
        hidden = max(map(len, sides)) - self._limit
        if hidden > 0:
            yield line((f"and {count(hidden, 'more line')}", "dim"), indent=SET_IN)


SET_IN = 4
"""Columns before the lines of a value, and between those of both sides."""

COLUMN = 60
"""Columns at which a configuration line is folded if both sides are next to each other, unless
the names of their files are longer."""


@dataclass(slots=True, frozen=True)
class _Cell:
    """A line of one side, given by `mark`."""

    mark: str
    where: str
    place: Location

    @property
    def head(self) -> str:
        return f"{self.mark} {one_line(self.where)}"

    @property
    def note(self) -> str:
        note = remark_on(self.place)
        return f"({note})" if note else ""

    def as_line(self) -> Line:
        """Everything on one line."""
        return line(
            (f"{self.head}    ", "place"),
            (excerpt(self.place), "code"),
            (f"  {self.note}" if self.note else "", "dim"),
            indent=SET_IN,
            hang=SET_IN,
        )

    def rows(self, width: int) -> list[Piece]:
        """The place, and below it the line folded at a width, never cut."""
        below: list[Piece] = [(self.head, "place")]
        for text, style in ((excerpt(self.place), CODE), (self.note, DIM)):
            below += [
                (f"  {part}", style) for part in wrap(text, width - 2, break_on_hyphens=False)
            ]
        return below


CODE: Style = "code"
DIM: Style = "dim"


def _side_by_side(one: _Cell, other: _Cell, width: int) -> Iterator[Line]:
    """Two lines next to each other, each below its place."""
    left, right = one.rows(width), other.rows(width)
    widest = max(len(text) for text, _ in left)
    for mine, theirs in zip_longest(left, right, fillvalue=("", CODE)):
        gap = " " * (widest - len(mine[0]) + SET_IN)
        yield line(mine, gap, theirs, indent=SET_IN)


def _place(entry: Entry) -> tuple[Any, ...]:
    stand = entry.stands[0]
    first = (*_telling_places(stand.a), *_telling_places(stand.b))[:1]
    line_of = (first[0].file, first[0].line) if first else ("", 0)
    return (natural(stand.device), stand.device, *line_of, str(entry.values))


def _telling_places(places: tuple[Location, ...]) -> list[Location]:
    """Places of a side, each line once; stated values exclude placeholders of absent ones."""
    by_line: dict[tuple[str, int, str], Location] = {}
    for place in sorted(places, key=lambda p: p.origin is not Origin.STATED):
        by_line.setdefault((place.file, place.line, place.path), place)
    stated = [place for place in by_line.values() if place.origin is Origin.STATED]
    return stated or list(by_line.values())


def _change(value: Value, *, follows: bool, wording: bool) -> list[Any]:
    if value.a in ("there", "not there") and value.b in ("there", "not there"):
        what = value.field or "the device"
        return [f"{one_line(what)}: ", ("gone" if value.a == "there" else "new", "strong")]
    remark = " (follows)" if follows else ""
    if wording:
        return [f"{one_line(value.field)}: {one_line(value.a)}, stated on one side only"]
    text = f"{one_line(value.field)}: {one_line(value.a)} -> {one_line(value.b)}"
    return [text, (remark, "dim")]


def _findings(found: Comparison, options: Options, *, empty: bool) -> Iterator[Line]:
    changes = found.findings
    if changes is None:
        return
    for title, side, findings in (
        ("new findings", found.b, changes.new),
        ("resolved findings", found.a, changes.gone),
    ):
        if empty:
            yield EMPTY
        empty = True
        yield line((f"{title}: {len(findings)}", "strong"))
        if side.report is not None:
            yield from _blocks(findings, side.report, options)


def _blocks(findings: list[Finding], report: Report, options: Options) -> Iterator[Line]:
    roles = {device.name: device.role for device in report.devices}
    shown = Blocks(Places(report.base, options.cwd), roles, verbose=options.verbose)
    for finding in findings:
        yield EMPTY
        yield from shown.whole(finding)


def as_data(found: Comparison) -> dict[str, Any]:
    """The differences as JSON data."""
    shown = _EntryLines(found, Options(cwd="."))
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "a": found.a.path,
        "b": found.b.path,
        "devices_compared": found.both,
        "incomplete": found.incomplete,
        "entries": [_entry(entry, found) for entry in shown.sort()],
        "diagnostics": [
            {"side": name, "file": side.name(item.file), "line": item.line, "kind": item.kind,
             "message": item.message, "incomplete": item.incomplete}
            for name, side in (("a", found.a), ("b", found.b))
            for item in side.diagnostics
        ],
    }  # fmt: skip
    if found.findings is not None:
        from roce_lint.report.json import finding_data  # noqa: PLC0415  (pydantic)

        data["findings"] = {
            "new": [finding_data(finding) for finding in found.findings.new],
            "gone": [finding_data(finding) for finding in found.findings.gone],
        }
    return data


def _entry(entry: Entry, found: Comparison) -> dict[str, Any]:
    stands = [
        {
            "device": stand.device,
            "subjects": list(stand.subjects),
            "paths": [str(path) for path in stand.paths],
            "a": [_line(place, found.a) for place in _telling_places(stand.a) if place.file],
            "b": [_line(place, found.b) for place in _telling_places(stand.b) if place.file],
        }
        for stand in entry.stands
    ]
    return {
        "device": entry.stands[0].device,
        "devices": entry.devices,
        "subjects": stands[0]["subjects"],
        "paths": [path for stand in stands for path in stand["paths"]],
        "values": [_value(value) for value in entry.values],
        "follows": [_value(value) for value in entry.follows],
        "wording": entry.wording,
        "a": [place for stand in stands for place in stand["a"]],
        "b": [place for stand in stands for place in stand["b"]],
        "occurrences": stands,
    }


def _value(value: Value) -> dict[str, str | None]:
    a, b = (None if text == UNSET else text for text in (value.a, value.b))
    return {"field": value.field, "a": a, "b": b}


def _line(place: Location, side: Side) -> dict[str, Any]:
    return {
        "file": side.name(place.file),
        "line": place.line,
        "text": place.text,
        "origin": place.origin.value,
        "note": place.note,
        "path": place.path,
    }


def render(found: Comparison, form: str, options: Options) -> str:
    """The differences in a format for machines or for a comment."""
    if form == "json":
        return escape_json(json.dumps(as_data(found), indent=2, ensure_ascii=False)) + "\n"
    if form == "markdown":
        return _markdown(found, options)
    return plain(as_lines(found, options))


def _markdown(found: Comparison, options: Options) -> str:
    shown = _EntryLines(found, options)
    rows = ["| where | what | before | after |", "| --- | --- | --- | --- |"]
    for entry in shown.sort():
        stand = entry.stands[0]
        places = [
            _first(
                f"{code(side.name(p.file))}:{p.line} {code(excerpt(p))}"
                for p in _telling_places(places)
                if p.file
            )
            for side, places in ((found.a, stand.a), (found.b, stand.b))
        ]
        where = compress(map(one_line, entry.devices))
        if len(entry.devices) == 1:
            ports = compress(one_line(name) for name in stand.subjects if name)
            where = f"{where} {ports}".strip()
        what = _first(
            cell("".join(p if isinstance(p, str) else p[0] for p in _change(
                value, follows=False, wording=entry.wording)))
            for value in entry.values
        )  # fmt: skip
        rows.append(f"| {cell(where)} | {what} | {places[0]} | {places[1]} |")
    head = f"**{count(len(found.entries), 'difference')}** on {count(found.both, 'device')}\n\n"
    text = head + "\n".join(rows) + "\n" if found.entries else ""
    if found.findings is not None:
        rest = plain(_findings(found, options, empty=False))
        text += f"\n<details><summary>findings</summary>\n\n```\n{rest}```\n\n</details>\n"
    milder = [
        f"- {code(side.name(item.file))} {cell(f'{WEAKENED}: {item.message}')}\n"
        for side in (found.a, found.b)
        for item in side.diagnostics
        if item.kind == WEAKENED
    ]
    return text + "".join(["\n", *milder] if milder else [])


def _first(parts: Iterable[str]) -> str:
    """The first parts of a cell, and how many more there are."""
    known = list(parts)
    more = [f"and {len(known) - SHOWN} more"] if len(known) > SHOWN else []
    return "<br>".join([*known[:SHOWN], *more])


# Hypothetical changes.

WHATIF_SCHEMA = "roce-lint/whatif/1"


def whatif_lines(found: WhatIf, turned: StateDifference, options: Options) -> Iterator[Line]:
    """The changes, then resolved, new and remaining findings."""
    yield line(("what if", "strong"))
    for text, where, before in _by_request(found.made):
        yield line(f"{one_line(text)}  ", (f"({where}; before: {before})", "dim"), indent=4)
    for device, port in found.cut:
        yield line(f"cut {one_line(short(device, port))}", indent=4)
    for title, findings, report in (
        ("would be resolved", turned.gone, found.before),
        ("would be new", turned.new, found.after),
        ("would remain", turned.stays, found.after),
    ):
        yield EMPTY
        yield line((f"{title}: {count(len(findings), 'finding')}", "strong"))
        yield from _blocks(findings, report, options)


def _by_request(made: list[AppliedChange]) -> Iterator[tuple[str, str, str]]:
    """Each change with its devices and previous values."""
    groups: dict[str, list[AppliedChange]] = {}
    for each in made:
        groups.setdefault(each.request.text, []).append(each)
    for text, group in groups.items():
        devices = dict.fromkeys(each.setting.path.device for each in group)
        before = dict.fromkeys(
            spell_value(each.before, each.setting.path.steps[-1].field) for each in group
        )
        where = compress(map(one_line, devices))
        ports = len({(e.setting.path.device, str(e.setting.path.steps[0])) for e in group})
        if ports > len(devices):
            where += f", {count(ports, 'place')}"
        yield text, where, ", ".join(map(one_line, before))


def whatif_data(found: WhatIf, turned: StateDifference) -> dict[str, Any]:
    """The evaluation as JSON data."""
    from roce_lint.report.json import finding_data  # noqa: PLC0415  (pydantic)

    return {
        "schema": WHATIF_SCHEMA,
        "changes": [
            {
                "path": str(each.setting.path),
                "old": _text(each.before, each),
                "new": _text(each.setting.value, each),
                "from": each.request.origin,
                "text": each.request.text,
            }
            for each in found.made
        ],
        "cut": [short(device, port) for device, port in found.cut],
        "gone": [finding_data(finding) for finding in turned.gone],
        "new": [finding_data(finding) for finding in turned.new],
        "stays": [finding_data(finding) for finding in turned.stays],
        "weakened_by": weakening_data(found.after.diagnostics),
    }


def _text(value: Any, each: AppliedChange) -> str | None:
    return None if value is None else spell_value(value, each.setting.path.steps[-1].field)


def render_whatif(found: WhatIf, turned: StateDifference) -> str:
    """JSON text."""
    return escape_json(json.dumps(whatif_data(found, turned), indent=2, ensure_ascii=False)) + "\n"

"""A traced class as a table: one row per hop, the place of every cell, the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roce_lint.engine.finding import Severity
from roce_lint.pipeline.trace.question import PathGroup, Question, Stage
from roce_lint.report import port_table
from roce_lint.report.blocks import at
from roce_lint.report.layout import EMPTY, Line, Style, line
from roce_lint.report.places import Places, place_of
from roce_lint.report.port_table import cells_data, footnotes, table, with_notes
from roce_lint.report.wording import one_line, spell_finding
from roce_lint.text.names import compress
from roce_lint.text.numbers import count
from roce_lint.text.source import Location

WIDTH = 80
"""Width of the narrowest terminal that the first lines fit."""

MARGIN = 12
"""Minimum width of the ports."""

_TITLES = {
    "dscp": "in",
    "tc": "tc",
    "pg": "pg",
    "sent": "PFC sent",
    "obeyed": "honoured",
    "queue": "queue",
    "share": "share",
    "ecn": "ECN marking",
    "dscp_out": "out",
    "mtu": "MTU",
}


def as_lines(one: Question, places: Places) -> Iterator[Line]:
    """The query, a table for every path group, and the verdict."""
    what = one.traffic.name if one.traffic is not None else f"DSCP {one.dscp} (no RoCE class)"
    yield line((one_line(f"{one.source} to {one.target}: {what}"), "strong"))
    total = sum(way.paths for way in one.ways)
    yield from in_short(one, total)
    if one.mode:
        yield EMPTY
        yield line(one_line(one.mode))
    for way in one.ways:
        yield EMPTY
        yield line(_headline(way, total), indent=0)
        yield from _table(way, places)
    yield EMPTY
    yield from _verdict(one, total)
    yield EMPTY


def in_short(one: Question, total: int) -> Iterator[Line]:
    """The verdict and one line per hop of the first broken path group, else of the first, in 80
    columns; the tables below have all details.
    """
    for verdict in _verdict(one, total):
        text = verdict.text.partition(", ")[0]
        yield line((cut(text, WIDTH - 4), verdict.pieces[0][1]), indent=4)
    way = next((way for way in one.ways if way.broken), one.ways[0]) if one.ways else None
    for number, stage in enumerate(way.stages if way is not None else (), 1):
        result, style = _result(stage)
        room = WIDTH - 4 - len(f"{number}  ") - len(result) - 2
        ports = cut(stage.ports, max(room, MARGIN))
        yield line(f"{number}  {ports}  ", (cut(result, WIDTH // 2), style), indent=4)


def _result(stage: Stage) -> tuple[str, Style]:
    if stage.fails:
        return f"broken: {compress(stage.faults)}", "error"
    if stage.missing:
        return "unknown", "warning"
    warned = dict.fromkeys(f.rule for f in stage.findings if f.severity is Severity.WARNING)
    return (f"holds, {', '.join(warned)}", "warning") if warned else ("holds", "good")


def cut(text: str, room: int) -> str:
    """Shorten text to a number of columns by cutting its middle."""
    shown = one_line(text)
    if len(shown) <= room:
        return shown
    half = (room - 1) // 2
    return f"{shown[: room - 1 - half]}\N{HORIZONTAL ELLIPSIS}{shown[-half:]}"


def _headline(way: PathGroup, total: int) -> str:
    if total == 1:
        return "One path:"
    if way.paths == total:
        return f"All {total} equal-cost paths are identical; one of them:"
    of_them = "; one of them" if way.paths > 1 else ""
    return f"{way.paths} of {total} equal-cost paths{of_them}:"


def _table(way: PathGroup, places: Places) -> Iterator[Line]:
    notes: dict[Location, int] = {}
    texts = [
        [
            str(number),
            one_line(stage.ports),
            *(with_notes(stage.cells[name], notes) for name in _TITLES),
        ]
        for number, stage in enumerate(way.stages, 1)
    ]
    yield from table(["hop", "ports", *_TITLES.values()], texts)
    yield from footnotes(notes, places)
    for number, stage in enumerate(way.stages, 1):
        for lack in stage.missing:
            yield line((f"hop {number}: missing: {one_line(lack)}", "dim"))
        for finding in stage.findings:
            place = place_of(finding)
            where = f"{at(place, places)}: " if place is not None else ""
            severity: Any = finding.severity.label
            yield line(
                f"hop {number}: {where}",
                (severity, severity),
                f" {finding.rule} {spell_finding(finding)}",
                hang=4,
            )
        reported = {rule for finding in stage.findings for rule in (finding.rule, *finding.also)}
        for each in stage.broken:
            if not reported.intersection(each.rules) and not (each.follows and not each.rules):
                yield port_table.stage_line(each, places, f"hop {number}: ")


def _verdict(one: Question, total: int) -> Iterator[Line]:
    broken = [way for way in one.ways if way.broken]
    if broken:
        number, stage = next((n, s) for n, s in enumerate(broken[0].stages, 1) if s.fails)
        rules = compress(stage.faults)
        on = "" if total == 1 else f" on {sum(way.paths for way in broken)} of {total} paths"
        yield line(
            ("broken", "error"), f"{on}: first at hop {number}, {one_line(stage.ports)} ({rules})"
        )
    elif any(stage.missing for way in one.ways for stage in way.stages):
        yield line(("unknown", "warning"), ": input is missing, no fault found")
    elif one.traffic is None:
        yield line(
            ("not judged", "strong"),
            f": DSCP {one.dscp} belongs to no class; no other fault on "
            f"{count(total, 'path')}{_besides(one.ways)}",
        )
    else:
        where = f" on {count(total, 'path')}{_besides(one.ways)}"
        yield line(("holds", "strong"), f" if {one.doubt}" if one.doubt else "", where)


def _besides(ways: list[PathGroup]) -> str:
    """Warnings of all path groups with their hops."""
    warned: dict[str, tuple[int, str]] = {}
    for way in ways:
        for number, stage in enumerate(way.stages, 1):
            for finding in stage.findings:
                warned.setdefault(finding.fingerprint, (number, finding.rule))
    if not warned:
        return ""
    at_hops = ", ".join(dict.fromkeys(f"{rule} at hop {n}" for n, rule in sorted(warned.values())))
    return f", {count(len(warned), 'warning')} on the path: {at_hops}"


def as_data(one: Question) -> dict[str, Any]:
    """The answer as plain data."""
    return {
        "from": {"device": one.source.device, "nic": one.source.nic},
        "to": {"device": one.target.device, "nic": one.target.nic},
        "class": one.traffic.name if one.traffic is not None else None,
        "dscp": one.dscp,
        "broken": one.broken,
        "if": one.doubt or None,
        "paths": sum(way.paths for way in one.ways),
        "ways": [
            {
                "paths": way.paths,
                "broken": way.broken,
                "hops": [
                    {
                        "ports": one_line(stage.ports),
                        **cells_data(stage.cells),
                        "missing": stage.missing,
                        "findings": [
                            {"rule": f.rule, "severity": f.severity.label, "message": f.message}
                            for f in stage.findings
                        ],
                        "broken": [port_table.stage_data(each) for each in stage.broken],
                    }
                    for stage in way.stages
                ],
            }
            for way in one.ways
        ],
    }

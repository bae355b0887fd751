"""What one port does with every code point: a row a range, every cell with the line behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from roce_lint.analysis.treatment import Egress, Ingress, Treatment, treatment
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import MarkingMode, Scheduler, SchedulerKind, ShareKind
from roce_lint.model.units import DSCPS, Threshold, ranges
from roce_lint.report.blocks import at, remark_on
from roce_lint.report.layout import EMPTY, Line, Piece, line
from roce_lint.report.places import Places
from roce_lint.report.wording import excerpt, one_line
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location, Where

COLUMNS = ("tc", "pg", "lossless", "sent", "obeyed", "queue", "share", "ecn", "rewrite")

TITLES = {
    "sent": "pause sent",
    "obeyed": "pause obeyed",
    "ecn": "ECN marking",
}

UNKNOWN = "?"
NONE = "-"

_YES = {True: "yes", False: "no", None: UNKNOWN}

_SHARES = {
    ShareKind.LINK: "{}%",
    ShareKind.REMAINING: "{}% of rest",
    ShareKind.WEIGHT: "weight {}",
}


@dataclass(slots=True)
class Cell:
    """A value as shown, and the places that decide it."""

    text: str
    places: list[Location] = field(default_factory=list)


@dataclass(slots=True)
class Row:
    """Code points that are treated alike."""

    dscps: list[int]
    cells: dict[str, Cell]
    missing: list[str]

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two code points alike: every value shown, whichever lines state it."""
        return (*(cell.text for cell in self.cells.values()), *self.missing)


def table(device: Device, port: Interface, excerpts: Excerpts) -> list[Row]:
    """The rows of a port; neighbouring code points that are treated alike share one."""
    rows: list[Row] = []
    for dscp in DSCPS:
        row = row_of(treatment(device, port, dscp), dscp, excerpts)
        if rows and rows[-1].key == row.key:
            rows[-1].dscps.append(dscp)
            for name, cell in row.cells.items():
                known = rows[-1].cells[name].places
                known += [place for place in cell.places if place not in known]
        else:
            rows.append(row)
    return rows


def row_of(treated: Treatment, dscp: int, excerpts: Excerpts) -> Row:
    """What is done to one code point."""
    into, out = treated.ingress, treated.egress
    answers = {
        "tc": (_number(into.tc) + ("" if into.certain else "*"), into.tc_where),
        "pg": (_number(into.pg), (into.pg_where,)),
        "lossless": (_YES[into.lossless], (into.lossless_where,)),
        "sent": (_sent(into), (into.priority_where,)),
        "obeyed": (_obeyed(out), (out.honour_where,)),
        "queue": (_number(out.queue), (out.queue_where,)),
        "share": (_share(out.scheduler), (_scheduled(out.scheduler),)),
        "ecn": (_marking(out), (out.marks_where,)),
        "rewrite": (
            NONE if treated.rewrite is None else str(treated.rewrite),
            (treated.rewrite_where,),
        ),
    }
    cells = {
        name: Cell(text, _located(places, excerpts)) for name, (text, places) in answers.items()
    }
    missing = [lack for lack in dict.fromkeys((into.missing, out.missing)) if lack]
    return Row([dscp], cells, missing)


def _located(places: Iterable[Where | None], excerpts: Excerpts) -> list[Location]:
    found = [excerpts.locate(place, "evidence") for place in places if place and place.position]
    return list(dict.fromkeys(found))


def _number(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)


def _sent(into: Ingress) -> str:
    if into.lossless is None:
        return UNKNOWN
    return str(into.priority) if into.lossless else NONE


def _obeyed(out: Egress) -> str:
    if out.stopped_by is None:
        return UNKNOWN
    return ranges(out.stopped_by) or NONE


def _share(scheduler: Scheduler | None) -> str:
    if scheduler is None or scheduler.kind is None:
        return UNKNOWN
    if scheduler.kind is SchedulerKind.STRICT:
        return "strict"
    if scheduler.share is None or scheduler.share_of is None:
        return "weighted"
    return _SHARES[scheduler.share_of].format(f"{scheduler.share:g}")


def _scheduled(scheduler: Scheduler | None) -> Where | None:
    if scheduler is None:
        return None
    return scheduler.where("share" if scheduler.share is not None else "kind")


def _marking(out: Egress) -> str:
    marking = out.marking
    if not out.marks:
        return _YES[out.marks]
    if marking is None or marking.mode is MarkingMode.PLATFORM:
        return "by the platform"
    levels = _levels(marking.kmin, marking.kmax)
    if marking.pmax_percent is None:
        return levels
    return f"{levels}, {marking.pmax_percent:g}%"


def _levels(kmin: Threshold | None, kmax: Threshold | None) -> str:
    if kmin is not None and kmax is not None and kmin.unit is kmax.unit:
        return f"{str(kmin).split()[0]}-{kmax}"
    return " to ".join(UNKNOWN if level is None else str(level) for level in (kmin, kmax))


def as_lines(rows: list[Row], places: Places) -> Iterator[Line]:
    """The table, its footnotes and what is missing."""
    notes: dict[Location, int] = {}
    texts = [
        [ranges(row.dscps), *(noted(row.cells[name], notes) for name in COLUMNS)] for row in rows
    ]
    titles = ["dscp", *(TITLES.get(name, name) for name in COLUMNS)]
    widths = [max(len(row[n]) for row in [titles, *texts]) for n in range(len(titles))]
    yield line((joined(titles, widths), "strong"))
    for row in texts:
        yield line(joined(row, widths))
    yield EMPTY
    yield from footnotes(notes, places)
    if any(row.cells["tc"].text.endswith("*") for row in rows):
        yield line("* an access list, VLAN or protocol match may decide otherwise")
    for lack in dict.fromkeys(lack for row in rows for lack in row.missing):
        on = ranges([dscp for row in rows if lack in row.missing for dscp in row.dscps])
        yield line(f"{UNKNOWN} for DSCP {on}: not known is {one_line(lack)}")


def noted(cell: Cell, notes: dict[Location, int]) -> str:
    """The value with the numbers of the places that decide it."""
    if not cell.places or cell.text == NONE:
        return cell.text
    numbers = [notes.setdefault(place, len(notes) + 1) for place in cell.places]
    return f"{cell.text} [{ranges(numbers)}]"


def joined(texts: list[str], widths: list[int]) -> str:
    """The cells of one line of a table."""
    return "  ".join(text.ljust(width) for text, width in zip(texts, widths, strict=True)).rstrip()


def footnotes(notes: dict[Location, int], places: Places) -> Iterator[Line]:
    """The place behind every number in a table."""
    where = {place: at(place, places) for place in notes}
    width = max((len(text) for text in where.values()), default=0)
    for place, number in notes.items():
        remark = remark_on(place)
        pieces: list[Piece] = [
            (f"{f'[{number}]':>5} ", "dim"),
            (f"{where[place]:<{width}}    ", "place"),
            (excerpt(place), "code"),
        ]
        if remark:
            pieces.append((f"  ({remark})", "dim"))
        yield line(*pieces, hang=4)


def as_data(rows: list[Row]) -> list[dict[str, Any]]:
    """The rows as plain data."""
    return [
        {
            "dscp": ranges(row.dscps),
            **{
                name: {"value": cell.text, "places": [place_data(place) for place in cell.places]}
                for name, cell in row.cells.items()
            },
            "missing": row.missing,
        }
        for row in rows
    ]


def place_data(place: Location) -> dict[str, Any]:
    """A place as plain data, in the terms of the JSON report."""
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "text": place.text,
        "origin": place.origin.value,
        "note": place.note,
        "path": place.path,
    }

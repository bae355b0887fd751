"""Table of the treatment of every DSCP on a port, with deciding lines; and broken stages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from roce_lint.model.units import ranges
from roce_lint.pipeline.diagnosis import BrokenStage
from roce_lint.pipeline.treatment import NONE, UNKNOWN, Cell, Row
from roce_lint.report.blocks import at, remark_on
from roce_lint.report.layout import EMPTY, Line, Piece, line
from roce_lint.report.places import Places, place_data
from roce_lint.report.wording import excerpt, one_line
from roce_lint.text.source import Location

COLUMNS = ("tc", "pg", "lossless", "sent", "obeyed", "queue", "share", "ecn", "rewrite")

TITLES = {"sent": "PFC sent", "obeyed": "PFC honoured", "ecn": "ECN marking"}


def as_lines(rows: list[Row], places: Places) -> Iterator[Line]:
    """The table, its footnotes and missing inputs."""
    notes: dict[Location, int] = {}
    texts = [
        [ranges(row.dscps), *(with_notes(row.cells[name], notes) for name in COLUMNS)]
        for row in rows
    ]
    yield from table(["dscp", *(TITLES.get(name, name) for name in COLUMNS)], texts)
    yield EMPTY
    yield from footnotes(notes, places)
    if any(row.cells["tc"].text.endswith("*") for row in rows):
        yield line("* an access list, VLAN or protocol match may override this")
    for lack in dict.fromkeys(lack for row in rows for lack in row.missing):
        on = ranges([dscp for row in rows if lack in row.missing for dscp in row.dscps])
        yield line(f"{UNKNOWN} for DSCP {on}: missing: {one_line(lack)}")


def with_notes(cell: Cell, notes: dict[Location, int]) -> str:
    """The value with the footnote numbers of its deciding places."""
    if not cell.places or cell.text == NONE:
        return cell.text
    numbers = [notes.setdefault(place, len(notes) + 1) for place in cell.places]
    return f"{cell.text} [{ranges(numbers)}]"


def table(titles: list[str], texts: list[list[str]]) -> Iterator[Line]:
    """A table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(titles, *texts, strict=True)]
    for row in (titles, *texts):
        text = "  ".join(map(str.ljust, row, widths)).rstrip()
        yield line((text, "strong" if row is titles else ""))


def footnotes(notes: dict[Location, int], places: Places) -> Iterator[Line]:
    """The place for every footnote number in a table."""
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
        {"dscp": ranges(row.dscps), **cells_data(row.cells), "missing": row.missing} for row in rows
    ]


def cells_data(cells: Mapping[str, Cell]) -> dict[str, Any]:
    """The cells of a row as plain data."""
    return {
        name: {"value": cell.text, "places": [place_data(place) for place in cell.places]}
        for name, cell in cells.items()
    }


# Broken stages of a class.


def stage_line(shown: BrokenStage, places: Places, head: str = "") -> Line:
    """One broken stage: place, fault, and the rules that report it."""
    where = f"{at(shown.places[0], places)}: " if shown.places else ""
    gap = "" if shown.says.startswith(":") else " "
    says = one_line(f"{shown.port}{gap}{shown.says}")
    return line(
        f"{head}{where}",
        (shown.stage, "dim" if shown.follows else "warning"),
        f": {says} ({_by(shown)})",
        hang=4,
    )


def _by(shown: BrokenStage) -> str:
    rules = ", ".join(shown.rules)
    if shown.accepted:
        return f"{rules}, accepted"
    if shown.rules:
        return rules
    return "consequence" if shown.follows else "no selected rule reports it"


def stage_data(shown: BrokenStage) -> dict[str, Any]:
    """One broken stage as plain data."""
    return {
        "class": shown.traffic,
        "port": shown.port,
        "stage": shown.stage,
        "message": shown.says.lstrip(": "),
        "places": [place_data(place) for place in shown.places],
        "rules": list(shown.rules),
        "accepted": shown.accepted,
        "follows": shown.follows,
    }

"""What one port does with every code point: a row a range, every cell with the line behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from roce_lint.analysis.treatment import treatment
from roce_lint.errors import UsageError
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.units import DSCPS, ranges
from roce_lint.report.blocks import at, remark_on
from roce_lint.report.layout import EMPTY, Line, Piece, line
from roce_lint.report.places import Places, place_data
from roce_lint.report.treatment import NONE, UNKNOWN, Cell, Row, row_of
from roce_lint.report.wording import excerpt, one_line
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location
from roce_lint.text.spelling import did_you_mean

COLUMNS = ("tc", "pg", "lossless", "sent", "obeyed", "queue", "share", "ecn", "rewrite")

TITLES = {
    "sent": "pause sent",
    "obeyed": "pause obeyed",
    "ecn": "ECN marking",
}


def find(devices: Sequence[Device], wanted: str) -> tuple[Device, Interface]:
    """The port by its name or another spelling of it.

    Raises:
        UsageError: no device has it, or several do.
    """
    found = [
        (device, port)
        for device in devices
        for port in device.interfaces.values()
        if wanted.lower() in _names(device, port)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(device.hostname for device, _ in found[:8])
        raise UsageError(f"{names} have a port {wanted}", hint="choose one with --device")
    known = [port.name for device in devices for port in device.interfaces.values()]
    raise UsageError(f"there is no port {wanted}", hint=did_you_mean(wanted, known))


def _names(device: Device, port: Interface) -> Iterator[str]:
    """How a port is called, in small letters: by its device, its peers, and as an RDMA device."""
    yield port.name.lower()
    yield from (alias.lower() for alias in port.aliases)
    yield from (nic.name.lower() for nic in device.nics.values() if nic.port == port.name)


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


def as_lines(rows: list[Row], places: Places) -> Iterator[Line]:
    """The table, its footnotes and what is missing."""
    notes: dict[Location, int] = {}
    texts = [
        [ranges(row.dscps), *(with_notes(row.cells[name], notes) for name in COLUMNS)]
        for row in rows
    ]
    titles = ["dscp", *(TITLES.get(name, name) for name in COLUMNS)]
    widths = [max(len(row[n]) for row in [titles, *texts]) for n in range(len(titles))]
    yield line((join_cells(titles, widths), "strong"))
    for row in texts:
        yield line(join_cells(row, widths))
    yield EMPTY
    yield from footnotes(notes, places)
    if any(row.cells["tc"].text.endswith("*") for row in rows):
        yield line("* an access list, VLAN or protocol match may decide otherwise")
    for lack in dict.fromkeys(lack for row in rows for lack in row.missing):
        on = ranges([dscp for row in rows if lack in row.missing for dscp in row.dscps])
        yield line(f"{UNKNOWN} for DSCP {on}: unknown: {one_line(lack)}")


def with_notes(cell: Cell, notes: dict[Location, int]) -> str:
    """The value with the numbers of the places that decide it."""
    if not cell.places or cell.text == NONE:
        return cell.text
    numbers = [notes.setdefault(place, len(notes) + 1) for place in cell.places]
    return f"{cell.text} [{ranges(numbers)}]"


def join_cells(texts: list[str], widths: list[int]) -> str:
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

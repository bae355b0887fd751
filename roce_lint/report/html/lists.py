"""The plain lists of the page: classes, what could not be judged, devices, remarks on files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roce_lint.report import summary
from roce_lint.report.blocks import at, remark_on
from roce_lint.report.html.severity import PageFindings
from roce_lint.report.names import natural
from roce_lint.report.places import Places, known_places
from roce_lint.report.wording import excerpt, one_line
from roce_lint.text.numbers import count
from roce_lint.text.source import Location

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

DEVICES = 1500
"""Devices listed one by one; those with findings come first."""

LINES = 3
"""Lines shown that say a class exists."""


@dataclass(slots=True, frozen=True)
class PlaceView:
    """A place as the page shows it."""

    at: str
    text: str
    remark: str
    role: str


def place_view(place: Location, places: Places) -> PlaceView:
    """A place with the text of its line."""
    return PlaceView(at(place, places), excerpt(place), remark_on(place), place.role)


def classes(report: Report, places: Places) -> list[dict[str, Any]]:
    """The classes that were judged, who says that they exist, and the design."""
    return [
        {
            "name": one_line(traffic.name),
            "flow": traffic.flow,
            "basis": summary.basis(traffic),
            "modes": [one_line(mode) for mode in traffic.modes],
            "lines": [
                place_view(place, places) for place in known_places(traffic.locations)[:LINES]
            ],
            "more": max(len(known_places(traffic.locations)) - LINES, 0),
        }
        for traffic in report.classes
    ]


def gaps(report: Report) -> list[dict[str, Any]]:
    """What could not be judged, by the input that would settle it."""
    return [
        {"breadth": gap.breadth, "missing": gap.name, "rules": sorted(gap.rules)}
        for gap in summary.gaps(report)
    ]


def devices(report: Report, standing: PageFindings) -> dict[str, Any]:
    """The devices, those with findings first, and how many are not listed."""
    rows: list[dict[str, Any]] = []
    for device in report.devices:
        counts = standing.count(standing.on_device.get(device.name, ()))
        rows.append(
            {
                "name": one_line(device.name),
                "role": device.role or "",
                "nos": device.nos,
                "files": len(device.files),
                "file": one_line(device.files[0]) if device.files else "",
                "unrecognised": device.lines.get("unrecognised", 0),
                "counts": counts,
                "findings": sorted(set(standing.on_device.get(device.name, ()))),
            }
        )
    rows.sort(key=lambda r: (-r["counts"]["error"], -r["counts"]["warning"], natural(r["name"])))
    return {"rows": rows[:DEVICES], "left_out": max(len(rows) - DEVICES, 0)}


def files(report: Report, places: Places) -> list[dict[str, str]]:
    """Remarks about files; what makes the answer incomplete comes first."""
    remarks = [
        {
            "kind": one_line(item.kind),
            "text": summary.diagnostic(item, places).text,
            "tone": "error" if item.incomplete else "info",
        }
        for item in sorted(report.diagnostics, key=lambda item: not item.incomplete)
    ]
    if report.unrecognised_lines:
        lines = count(report.unrecognised_lines, "line was", "lines were")
        text = f"{lines} not recognised (roce-lint show lists them)"
        remarks.append({"kind": "unrecognised", "text": text, "tone": "info"})
    if report.skipped:
        text = summary.skipped_files(report, places, whole=True)
        remarks.append({"kind": "skipped", "text": text, "tone": "info"})
    return remarks

"""Tiers of switches whose routes do not come down and go up again, and the lines that see to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from roce_lint.analysis.result import Analysis
from roce_lint.analysis.valleys import loop_free_tiers
from roce_lint.report.blocks import list_places
from roce_lint.report.layout import Line, line
from roce_lint.report.names import compress
from roce_lint.report.places import Places, place_data
from roce_lint.report.wording import one_line
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location

LINES = 3
"""Lines that are shown of one tier: templates write one for every switch."""


@dataclass(slots=True)
class Tier:
    """The switches, and the lines; of lines that read alike the first."""

    switches: list[str]
    places: list[Location]


def known_tiers(analysis: Analysis, excerpts: Excerpts) -> list[Tier]:
    """The tiers of a fabric of which it is known."""
    found = []
    for tier in loop_free_tiers(analysis.fabric, analysis):
        places: dict[str, Location] = {}
        for where in dict.fromkeys(tier.where):
            place = excerpts.locate(where, "evidence")
            places.setdefault(place.text.strip(), place)
        found.append(Tier(tier.switches, list(places.values())))
    return found


def as_lines(tiers: list[Tier], places: Places) -> Iterator[Line]:
    """The tiers for people."""
    for tier in tiers:
        names = one_line(compress(tier.switches, 8))
        yield line(f"Valley-free routes between {names}:")
        yield from list_places(tier.places[:LINES], places, indent=4)


def as_data(tiers: list[Tier]) -> list[dict[str, Any]]:
    """The same as plain data."""
    return [
        {"switches": tier.switches, "places": [place_data(place) for place in tier.places]}
        for tier in tiers
    ]

"""Broken stages of a class on a port, as lines and as plain data."""

from __future__ import annotations

from typing import Any

from roce_lint.pipeline.diagnosis import BrokenStage
from roce_lint.report.blocks import at
from roce_lint.report.layout import Line, line
from roce_lint.report.places import Places, place_data
from roce_lint.report.wording import one_line


def as_line(shown: BrokenStage, places: Places, head: str = "") -> Line:
    """One broken stage: where, what, and the rules that tell it."""
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
    return "it follows" if shown.follows else "no rule that was asked tells"


def as_data(shown: BrokenStage) -> dict[str, Any]:
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

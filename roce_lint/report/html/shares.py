"""The share of the fabric that was checked and is broken, and the order of repair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roce_lint.engine.finding import Finding
    from roce_lint.engine.verdict import Verdict


@dataclass(slots=True, frozen=True)
class Coverage:
    """The pairs of a fabric in words and as a bar of so many percent of each state."""

    said: str
    judged: str
    bar: list[tuple[str, float, float]]  # state, begin, width


def coverage(found: Verdict) -> Coverage | None:
    """None where there is no pair."""
    if not found.pairs:
        return None
    works = max(found.judged - found.broken, 0)
    parts = (("broken", found.broken), ("unknown", found.pairs - found.judged), ("holds", works))
    bar, begin = [], 0.0
    for state, number in parts:
        width = 100 * number / found.pairs
        if number:
            bar.append((state, round(begin, 3), round(width, 3)))
        begin += width
    ends = "edge-port" if found.assumed else "NIC"
    said = f"{percent(found.judged, found.pairs)} of {found.pairs:,} {ends} pairs checked"
    broken = percent(found.broken, found.pairs)
    judged = f"{broken} broken" if found.broken else "no fault in what was checked"
    return Coverage(said, judged, bar)


def percent(part: int, whole: int) -> str:
    """`31 %`; a few are not none, and nearly all are not all."""
    share = 100 * part / whole
    if 0 < share < 1:
        return "under 1 %"
    return "over 99 %" if 99 < share < 100 else f"{share:.0f} %"


def order(found: Verdict, cause: Callable[[Finding], dict[str, str]]) -> list[dict[str, Any]]:
    """The causes in the order of repair, each with the pairs that are repaired by then."""
    return [
        {
            "cause": cause(step.findings[0]),
            "pairs": step.pairs,
            "share": round(100 * step.pairs / found.broken, 3),
            "said": f"{percent(step.pairs, found.broken)} of the broken pairs repaired",
        }
        for step in found.order
    ]

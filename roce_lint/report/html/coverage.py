"""Share of checked and broken pairs, and the order of repair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from roce_lint.engine.finding import Answer, Finding, Verdict
from roce_lint.text.numbers import count


@dataclass(slots=True, frozen=True)
class Coverage:
    """Pairs of a fabric in words, and as a bar with the percentage of each state."""

    text: str
    result: str
    bar: list[tuple[str, float, float]]  # state, begin, width


def coverage(found: Verdict) -> Coverage | None:
    """Coverage of a verdict; None if there are no pairs."""
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
    text = f"Checked: {percent(found.judged, found.pairs)} of {found.pairs:,} {ends} pairs"
    broken = percent(found.broken, found.pairs)
    result = f"{broken} broken" if found.broken else "no fault in what was checked"
    return Coverage(text, result, bar)


def headline(found: Verdict) -> str:
    """The verdict as a sentence for people."""
    pairs = f"{found.pairs:,} {'edge-port' if found.assumed else 'NIC'} pairs"
    if found.answer is Answer.READY:
        return f"Ready for training: no fault found between {pairs}"
    if found.answer is Answer.NOT_PROVED:
        return "Not proved ready for training: inputs are missing"
    if found.broken:
        return f"Not ready for training: RoCE is broken between {found.broken:,} of {pairs}"
    return f"Not ready for training: {count(found.others, 'error')}, impact unknown"


def percent(part: int, whole: int) -> str:
    """`31 %`; a few pairs are not 0 %, nearly all are not 100 %."""
    share = 100 * part / whole
    if 0 < share < 1:
        return "under 1 %"
    return "over 99 %" if 99 < share < 100 else f"{share:.0f} %"


def order(found: Verdict, cause: Callable[[Finding], dict[str, str]]) -> list[dict[str, Any]]:
    """Causes in the order of repair, each with the cumulative number of repaired pairs."""
    return [
        {
            "cause": cause(step.findings[0]),
            "share": round(100 * step.pairs / found.broken, 3),
            "text": f"after {count(number, 'fix', 'fixes')}: {step.pairs:,} broken pairs repaired "
            f"({percent(step.pairs, found.broken)})",
        }
        for number, step in enumerate(found.order, 1)
    ]

"""How much of the fabric works: a bar for the pairs, and the order in which to mend the causes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roce_lint.text.numbers import count

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
    said = f"RoCE works for {percent(works, found.pairs)} of {found.pairs:,} {ends} pairs"
    judged = f"{percent(found.judged, found.pairs)} of the pairs were judged"
    return Coverage(said, judged, bar)


def percent(part: int, whole: int) -> str:
    """`31 %`; a few are not none, and nearly all are not all."""
    share = 100 * part / whole
    if 0 < share < 1:
        return "under 1 %"
    return "over 99 %" if 99 < share < 100 else f"{share:.0f} %"


def order(found: Verdict, cause: Callable[[Finding], dict[str, str]]) -> list[dict[str, Any]]:
    """What to mend: for one cause, two and so on, those that repair most pairs together.

    A step names what it adds; where the best set is no longer the last one and more, it is whole.
    """
    steps: list[dict[str, Any]] = []
    before: set[str] = set()
    for repair in found.repairs:
        prints = {finding.fingerprint for finding in repair.findings}
        grows = before <= prints
        added = [f for f in repair.findings if not grows or f.fingerprint not in before]
        steps.append(
            {
                "causes": [cause(finding) for finding in added],
                "instead": not grows,
                "pairs": repair.pairs,
                "exact": repair.exact,
                "share": round(100 * repair.pairs / found.broken, 3) if found.broken else 0,
                "said": f"{count(len(repair.findings), 'cause')} mended: "
                f"{percent(repair.pairs, found.broken)} of the broken pairs work"
                if found.broken
                else "",
            }
        )
        before = prints
    return steps

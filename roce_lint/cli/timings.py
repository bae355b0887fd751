"""`--timings`: where the time of a run went."""

from __future__ import annotations

from roce_lint.phases import OTHER, Clock, Duration, peaks

SHOWN = 5
"""Rules that are named: those that took longest."""

MB = 1e6


def describe_timings(clock: Clock) -> str:
    """The phases in their order with their seconds, the rules that took longest, and the memory."""
    phases = clock.phases()
    rest = phases.pop(OTHER, Duration())
    rows = [f"{'timings':<28}{'seconds':>9}{'processor':>11}"]
    for name, spent in phases.items():
        rows.append(_row(name, spent))
        rows += [_row(f"  {part}", own) for part, own in list(clock.parts(name).items())[:SHOWN]]
    rows += [_row("the rest", rest), _row("all", sum(phases.values(), rest))]
    most = peaks()
    if most is not None:
        worker = f", {most[1] / MB:.0f} MB in a worker" if most[1] else ""
        rows.append(f"memory: at most {most[0] / MB:.0f} MB{worker}")
    return "".join(f"{row}\n" for row in rows)


def _row(name: str, spent: Duration) -> str:
    return f"  {name:<26}{spent.seconds:>9.2f}{spent.processor:>11.2f}"

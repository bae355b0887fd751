"""Shares of the link that add up to more than there is."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.port_parts import FULL
from roce_lint.engine.api import BoundObject, Given, NoParams, Outcome, Problem, object_check
from roce_lint.model.qos import EgressPolicy, QueueKind, Scheduler, ShareKind

ROUNDING = 0.5
"""Percent by which shares may exceed a hundred because they were rounded."""


@object_check("classes.shares_above_hundred", over="egress")
def shares_above_hundred_percent(
    bound: BoundObject[EgressPolicy], given: Given[NoParams]
) -> Iterator[Outcome]:
    """Shares of one kind add up to more than a hundred percent."""
    analysis, device = given.analysis, bound.device.hostname
    judged = tuple(name for name in bound.ports if analysis.port(device, name) is not None)
    if not judged:
        return
    for kind in (ShareKind.LINK, ShareKind.REMAINING):
        shares = [
            (queue.scheduler.at["share"], queue.scheduler.share, queue.scheduler)
            for queue in bound.object.queues.values()
            if queue.kind is QueueKind.UNICAST
            and queue.scheduler is not None
            and queue.scheduler.share_of is kind
            and queue.scheduler.share
            and queue.scheduler.stated("share")
        ]
        shares.sort(key=lambda entry: entry[0])
        total = sum(share for _, share, _ in shares)
        if total <= FULL + ROUNDING:
            continue
        cause = _first_above(shares)
        others = [s.where("share") for _, _, s in shares if s is not cause]
        yield Problem(
            f"{device}: the shares of {bound.name} add up to {total:g} {kind.value}",
            "the device refuses the last of them, or gives every queue less than it was promised",
            [cause.where("share"), *others],
            device,
            judged,
            value=f"{total:g} {kind.value}",
        )


def _first_above(shares: list[tuple[int, float, Scheduler]]) -> Scheduler:
    """The share with which the sum, in the order of the lines, exceeds a hundred."""
    total = 0.0
    for _, share, scheduler in shares:
        total += share
        if total > FULL + ROUNDING:
            return scheduler
    return shares[-1][2]

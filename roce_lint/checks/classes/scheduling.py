"""Scheduling of the queues of RoCE and its CNPs: shares, strict priority, shapers, policers."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.diagnosis import Diagnosis, Fault
from roce_lint.analysis.diagnosis.bandwidth import ALL
from roce_lint.analysis.diagnosis.notifications import STARVES
from roce_lint.analysis.diagnosis.policing import NOTHING
from roce_lint.analysis.port_parts import FULL
from roce_lint.checks.classes.senders import at_odd_senders
from roce_lint.engine import api
from roce_lint.engine.api import BoundObject, Fabric, Given, Outcome, Problem, Stage
from roce_lint.model.qos import EgressPolicy, QueueKind, Scheduler, ShareKind


@api.stage_check("classes.no_share", Stage.SCHEDULER)
def roce_queue_without_share(diagnosis: Diagnosis, broken: Fault) -> str:
    """The queue of a RoCE class has no bandwidth share, or no scheduler."""
    if broken.kind.endswith(ALL):
        winner = broken.kind.removesuffix(f" {ALL}")
        return f"RoCE is starved while {winner} is busy, which can take the whole link"
    if broken.kind:
        return "RoCE gets only what the other queues leave"
    return "the platform default decides the share of RoCE while the other queues are busy"


@api.stage_check("classes.strict_data", Stage.STRICT)
def strict_roce_queue_without_limit(diagnosis: Diagnosis, broken: Fault) -> str:
    """The queue of RoCE data has strict priority without a limit."""
    return "unmarked traffic is starved while RoCE fills the link"


@api.stage_check("classes.shaped", Stage.SHAPED)
def shaper_on_roce_class(diagnosis: Diagnosis, broken: Fault) -> str:
    """A shaper limits the queue of a protected RoCE class, or the port, below line rate."""
    return "the queue fills although the link has room, and the upstream port is paused"


@api.stage_check("classes.policed", Stage.POLICED)
def policer_on_roce_class(diagnosis: Diagnosis, broken: Fault) -> str:
    """A policer drops packets of a protected RoCE class."""
    if broken.kind == NOTHING:
        return "no RDMA packet gets through"
    return "RDMA packets above the rate are dropped, regardless of PFC and ECN"


# Sums of shares.

ROUNDING = 0.5
"""Percent by which rounded shares may exceed a hundred."""


@api.object_check("classes.shares_above_hundred", over="egress")
def shares_above_hundred_percent(
    bound: BoundObject[EgressPolicy], given: Given
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
            f"{device}: bandwidth shares of {bound.name} add up to {total:g} {kind.value}",
            "the device rejects the last of them, or scales all queues down",
            [cause.where("share"), *others],
            subjects=judged,
            value=f"{total:g} {kind.value}",
        )


def _first_above(shares: list[tuple[int, float, Scheduler]]) -> Scheduler:
    """Share at which the sum, in the order of the lines, exceeds a hundred."""
    total = 0.0
    for _, share, scheduler in shares:
        total += share
        if total > FULL + ROUNDING:
            return scheduler
    return shares[-1][2]


# Congestion notification packets (CNPs).


@api.fabric_check("classes.cnp_behind_bulk")
def cnp_in_bulk_queue(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """CNPs share the queue of unmarked traffic, or use one without a share."""
    for traffic in given.analysis.cnp_classes:
        yield from at_odd_senders(given, traffic, Stage.QUEUE, _wait)


def _wait(broken: Fault) -> str:
    if broken.kind == STARVES:
        return "CNPs wait until all other queues are empty"
    return "CNPs wait behind bulk traffic and are dropped with it"


@api.fabric_check("classes.cnp_not_strict")
def cnp_queue_not_strict(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """CNPs have a separate queue that is not strict priority."""
    harm = "CNPs wait for their turn while other queues are busy"
    for traffic in given.analysis.cnp_classes:
        yield from at_odd_senders(given, traffic, Stage.SCHEDULER, harm)

"""What else decides the bandwidth of RoCE: CNP's queue, strict queues, sums of shares, shapers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from roce_lint.analysis.deciding import (
    is_marked,
    mapped_in_vain,
    queue_in_vain,
    without_queues,
)
from roce_lint.analysis.distinct import over_kinds
from roce_lint.analysis.port_parts import (
    FULL,
    at_port,
    bound_at,
    capped,
    is_rival,
    named_codes,
    policy_of,
)
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.checks.classes.senders import at_odd_senders
from roce_lint.engine.api import (
    Bound,
    Diagnosis,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Stage,
    Unknown,
    Where,
    class_port_check,
    fabric_check,
    object_check,
)
from roce_lint.model.qos import EgressPolicy, QueueKind, Scheduler, SchedulerKind, ShareKind
from roce_lint.model.units import spell_rate

ROUNDING = 0.5
"""Percent by which shares may exceed a hundred because they were rounded."""


@fabric_check("classes.cnp_behind_bulk")
def cnp_in_bulk_queue(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Congestion notification packets wait behind unmarked traffic, or in a queue without share."""
    analysis = given.analysis
    for traffic in analysis.cnp_classes:
        found = [o for _, o in over_kinds(analysis, partial(_waits, analysis, traffic))]
        yield from at_odd_senders(fabric, analysis, traffic, found)


def _waits(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Iterator[Outcome]:
    treated = analysis.treat(port, traffic.dscps[0])
    into, out = treated.ingress, treated.egress
    if out.queue is None or port.device.is_host:
        return
    bulk = analysis.treat(port, 0)
    if bulk.ingress.certain and out.queue in analysis.bulk_queues(port):
        whose = "unmarked traffic" if bulk.egress.queue == out.queue else "most code points"
        yield Problem(
            f"{port} puts {traffic.name} into queue {out.queue}, that of {whose}",
            "the packets that should end congestion wait behind any bulk transfer, "
            "and are dropped with it",
            [
                *mapped_in_vain(analysis, port, traffic.dscps[0]),
                *into.tc_where,
                *([out.queue_where] if out.queue_where else []),
                *named_codes(port, traffic.dscps[0]),
            ],
            *at_port(port),
            value=f"{traffic.dscps[0]}:{out.queue}",
            traffic=traffic.name,
            stage=Stage.QUEUE,
        )
    elif _starves(port, out.queue, out.scheduler) and out.scheduler is not None:
        yield Problem(
            f"{port} gives queue {out.queue}, which {traffic.name} uses, no share of the link",
            "the packets that should end congestion wait until all other queues are empty",
            [out.scheduler.where("share"), *into.tc_where[:1]],
            *at_port(port),
            value=f"queue {out.queue}: 0",
            traffic=traffic.name,
            stage=Stage.QUEUE,
        )


def _starves(port: JudgedPort, number: int, scheduler: Scheduler | None) -> bool:
    """True for a queue without share beside one that has a share or is strict."""
    policy = policy_of(port)
    if scheduler is None or policy is None or scheduler.kind is not SchedulerKind.WEIGHTED:
        return False
    rivals = [q.scheduler for q in policy.queues.values() if is_rival(q, number) and q.scheduler]
    return scheduler.share == 0 and any(
        rival.share or rival.kind is SchedulerKind.STRICT for rival in rivals
    )


@class_port_check("classes.strict_data")
def strict_roce_queue_without_limit(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """The queue of RoCE data is served before others without limit."""
    analysis, out = given.analysis, diagnosis.out
    mine = out.scheduler
    if port.device.is_host or mine is None or mine.kind is not SchedulerKind.STRICT or capped(mine):
        return
    bulk = analysis.treat(port, 0).egress
    if bulk.queue in (None, out.queue) or not diagnosis.in_place:
        return
    if _served_before(bulk.scheduler, mine) or analysis.out_of_step(traffic, port):
        return
    by_default = "" if mine.stated("kind") else " by default"
    yield Problem(
        f"{port} serves queue {out.queue}, which {traffic.name} uses, strictly before "
        f"queue {bulk.queue}{by_default}, and does not limit it",
        "as long as RoCE fills the link, unmarked traffic does not get through at all",
        [
            *(without_queues(port) if by_default else []),
            mine.where("kind"),
            *([out.queue_where] if out.queue_where else []),
            *bound_at(port, out.queue),
            *diagnosis.through(),
        ],
        value=f"queue {out.queue}{by_default}",
        traffic=traffic.name,
        about=next(iter(queue_in_vain(analysis, traffic, port, is_marked)), None),
        stage=Stage.SCHEDULER,
    )


def _served_before(other: Scheduler | None, mine: Scheduler) -> bool:
    """True where the other queue is strict too, and its turn comes first."""
    if other is None or other.kind is not SchedulerKind.STRICT:
        return False
    if other.strict_level is None or mine.strict_level is None:
        return False
    return other.strict_level < mine.strict_level


@object_check("classes.shares_above_hundred", over="egress")
def shares_above_hundred_percent(
    bound: Bound[EgressPolicy], given: Given[NoParams]
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


@class_port_check("classes.shaped")
def shaper_on_roce_class(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A shaper holds the queue of a protected RoCE class, or the whole port, below line rate."""
    out, policy = diagnosis.out, policy_of(port)
    protected = diagnosis.needed or given.analysis.mode(traffic, port).marking
    if not protected or not diagnosis.in_place:
        return
    what = f"queue {out.queue}, which {traffic.name} uses,"
    for shaper, name in ((out.scheduler, what), (policy, f"all its traffic, {traffic.name} too,")):
        if shaper is None or (shaper.shape_bps is None and shaper.shape_percent is None):
            continue
        percent, bps, speed = shaper.shape_percent, shaper.shape_bps, port.interface.speed_gbps
        place = shaper.where("shape_percent" if percent is not None else "shape_bps")
        if percent is None and speed is None:
            yield Unknown("the speed of the port", [place], *at_port(port))
            continue
        rate = percent / FULL if percent is not None else (bps or 0) / ((speed or 0) * 1e9)
        if rate >= 1:
            continue
        spelt = f"{percent:g} % of the link" if percent is not None else spell_rate(bps)
        speeds: list[Where] = [port.interface.where("speed_gbps")] if percent is None else []
        yield Problem(
            f"{port} shapes {name} to {spelt}",
            "the rest of the link stays empty, the queue grows, and the port before it is paused",
            [place, *speeds, *diagnosis.through()],
            *at_port(port),
            value=spelt,
            traffic=traffic.name,
            stage=Stage.SCHEDULER,
        )

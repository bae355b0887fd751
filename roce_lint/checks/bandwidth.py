"""What else decides the bandwidth of RoCE: CNP's queue, strict queues, sums of shares, shapers."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.checks.blame import is_marked, mapped_in_vain, queue_in_vain
from roce_lint.checks.classes import at_odd_senders
from roce_lint.checks.consequence import out_of_step, queued_by_mistake, without_queues
from roce_lint.checks.scheduling import (
    at_port,
    bound_at,
    capped,
    is_rival,
    named_codes,
    policy_of,
    spell_rate,
)
from roce_lint.engine.api import (
    Bound,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Unknown,
    Where,
    fabric_check,
    object_check,
)
from roce_lint.model.qos import EgressPolicy, QueueKind, Scheduler, SchedulerKind, ShareKind

FULL = 100.0
ROUNDING = 0.5
"""Percent by which shares may exceed a hundred because they were rounded."""


@fabric_check("classes.cnp_behind_bulk")
def cnp_behind_bulk(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Congestion notification packets wait behind unmarked traffic, or in a queue without share."""
    analysis = given.analysis
    for traffic in analysis.cnp_classes:
        found = [o for port in analysis.switch_ports() for o in _waits(analysis, traffic, port)]
        yield from at_odd_senders(fabric, analysis, traffic, found)


def _waits(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Iterator[Outcome]:
    treated = analysis.treat(port, traffic.dscps[0])
    into, out = treated.ingress, treated.egress
    if out.queue is None or into.lossless or out.queue in _data_queues(analysis, port):
        return  # with the data, or paused: a graver rule of its own
    bulk = analysis.treat(port, 0)
    if bulk.ingress.certain and bulk.egress.queue == out.queue:
        yield Problem(
            f"{port} puts {traffic.name} into queue {out.queue}, that of unmarked traffic",
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
        )
    elif _starves(port, out.queue, out.scheduler) and out.scheduler is not None:
        yield Problem(
            f"{port} gives queue {out.queue}, which {traffic.name} uses, no share of the link",
            "the packets that should end congestion wait until all other queues are empty",
            [out.scheduler.where("share"), *into.tc_where[:1]],
            *at_port(port),
            value=f"queue {out.queue}: 0",
            traffic=traffic.name,
        )


def _data_queues(analysis: Analysis, port: JudgedPort) -> set[int | None]:
    return {
        analysis.treat(port, dscp).egress.queue
        for traffic in analysis.data_classes
        for dscp in traffic.dscps
    }


def _starves(port: JudgedPort, number: int, scheduler: Scheduler | None) -> bool:
    """True for a queue without share beside one that has a share or is strict."""
    policy = policy_of(port)
    if scheduler is None or policy is None or scheduler.kind is not SchedulerKind.WEIGHTED:
        return False
    rivals = [q.scheduler for q in policy.queues.values() if is_rival(q, number) and q.scheduler]
    return scheduler.share == 0 and any(
        rival.share or rival.kind is SchedulerKind.STRICT for rival in rivals
    )


@fabric_check("classes.strict_data", by_port=True)
def strict_data(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """The queue of RoCE data is served before others without limit."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        for port in analysis.switch_ports():
            out = analysis.treat(port, traffic.dscps[0]).egress
            mine = out.scheduler
            if mine is None or mine.kind is not SchedulerKind.STRICT or capped(mine):
                continue
            bulk = analysis.treat(port, 0).egress
            if bulk.queue in (None, out.queue) or queued_by_mistake(analysis, traffic, port):
                continue
            if _served_before(bulk.scheduler, mine) or out_of_step(analysis, traffic, port):
                continue
            by_default = "" if mine.stated("kind") else " by default"
            queues = without_queues(port) if by_default else []
            yield Problem(
                f"{port} serves queue {out.queue}, which {traffic.name} uses, strictly before "
                f"queue {bulk.queue}{by_default}, and does not limit it",
                "as long as RoCE fills the link, unmarked traffic does not get through at all",
                [
                    *queues,
                    mine.where("kind"),
                    *([out.queue_where] if out.queue_where else []),
                    *bound_at(port, out.queue),
                ],
                *at_port(port),
                value=f"queue {out.queue}{by_default}",
                traffic=traffic.name,
                about=next(iter(queue_in_vain(analysis, traffic, port, is_marked)), None),
            )


def _served_before(other: Scheduler | None, mine: Scheduler) -> bool:
    """True where the other queue is strict too, and its turn comes first."""
    if other is None or other.kind is not SchedulerKind.STRICT:
        return False
    if other.strict_level is None or mine.strict_level is None:
        return False
    return other.strict_level < mine.strict_level


@object_check("classes.shares_above_hundred", over="egress")
def shares_above_hundred(bound: Bound[EgressPolicy], given: Given[NoParams]) -> Iterator[Outcome]:
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


@fabric_check("classes.shaped", by_port=True)
def shaped(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A shaper holds the queue of a protected RoCE class, or the whole port, below line rate."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        for port in analysis.ports:
            paused = analysis.needs_pause(traffic, port)
            protected = paused or analysis.mode(traffic, port).marking
            if protected and not queued_by_mistake(analysis, traffic, port):
                yield from _shaped(analysis, traffic, port)


def _shaped(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Iterator[Outcome]:
    out, policy = analysis.treat(port, traffic.dscps[0]).egress, policy_of(port)
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
            [place, *speeds],
            *at_port(port),
            value=spelt,
            traffic=traffic.name,
        )

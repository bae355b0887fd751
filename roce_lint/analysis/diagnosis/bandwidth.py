"""Scheduling of the queue of a class: its share, queues before others, shapers."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.deciding_lines import (
    exchanged_queues,
    queue_in_vain,
    without_queues,
)
from roce_lint.analysis.diagnosis.subject import Diagnosis, Fault, Lack
from roce_lint.analysis.port_parts import (
    FULL,
    is_guaranteed,
    is_rival,
    is_shaped,
    is_stated,
    needs,
    scheduler_lines,
)
from roce_lint.analysis.stages import Stage
from roce_lint.analysis.treatment import is_marked
from roce_lint.model.qos import Queue, Scheduler, SchedulerKind, ShareKind
from roce_lint.model.units import spell_rate
from roce_lint.text.source import Where

ALL = "takes all"
"""Kind of a queue without share beside one that may take all bandwidth."""


def share(d: Diagnosis) -> Iterator[Fault | Lack]:
    """The queue has no share of the link, or is not scheduled at all."""
    out, policy, host = d.out, d.policy, d.port.device.is_host
    if not d.in_place:
        return
    if out.queue is None or policy is None:
        if out.missing and not host:
            place = out.queue_where or d.port.interface.where()
            yield Lack(Stage.SCHEDULER, out.missing, (place,))
        return
    queue = policy.queue(out.queue)
    scheduler = queue.scheduler if queue is not None else None
    rivals = [other for other in policy.queues.values() if is_rival(other, out.queue)]
    if scheduler is None or scheduler.kind is None:
        if policy.complete and not host:
            place = queue.where("scheduler") if queue is not None else policy.where("queues")
            yield from _schedule_gap(d, rivals, place)
    elif is_guaranteed(scheduler):
        return
    elif scheduler.kind is SchedulerKind.WEIGHTED and scheduler.share is None:
        yield from _share_gap(d, rivals, scheduler)
    elif scheduler.kind is SchedulerKind.WEIGHTED and scheduler.share == 0:
        yield from _zero(d, rivals, scheduler)


def _schedule_gap(d: Diagnosis, rivals: list[Queue], place: Where) -> Iterator[Fault]:
    """The port schedules other queues but not this one; `place` is where the line is missing."""
    rival = next(filter(is_stated, rivals), None)
    if rival is None:
        return
    yield Fault(
        Stage.SCHEDULER,
        (
            *queue_in_vain(d.analysis, d.traffic, d.port, _is_served),
            *without_queues(d.port),
            place,
            _place(rival),
            *d.queue_places(),
        ),
        f"schedules queue {rival.number} but not queue {d.out.queue}, which carries "
        f"{d.traffic.name}",
        f"queue {d.out.queue}: none",
        demanded=False,
        lacks=(place,),
        about=_idle_mark(d),
        changes=exchanged_queues(d.analysis, d.traffic, d.port, _is_served),
    )


def _share_gap(d: Diagnosis, rivals: list[Queue], scheduler: Scheduler) -> Iterator[Fault | Lack]:
    """The queue is weighted, and only other queues have a share."""
    rival = next(filter(_has_share, rivals), None)
    if rival is None:
        return
    if not scheduler.where("kind").confirmed:
        missing = "the platform's default share of a queue"
        yield Lack(Stage.SCHEDULER, missing, (scheduler.where("kind"),))
    elif not d.port.device.is_host:
        yield Fault(
            Stage.SCHEDULER,
            (scheduler.where("share"), _place(rival), *d.queue_places()),
            f"gives queue {rival.number} a share of the link but none to queue {d.out.queue}, "
            f"which carries {d.traffic.name}",
            f"queue {d.out.queue}: none",
            demanded=False,
        )


def _zero(d: Diagnosis, rivals: list[Queue], scheduler: Scheduler) -> Iterator[Fault]:
    """The queue has a share of zero while another one may be full."""
    winner, everything = _takes_its_part(scheduler, rivals)
    if winner is None:
        return
    stated = scheduler.stated("share")
    yield Fault(
        Stage.SCHEDULER,
        (
            *(() if stated else without_queues(d.port)),
            scheduler.where("share"),
            *d.queue_places(),
            _place(winner),
        ),
        f"gives no share of the link to queue {d.out.queue}, which carries {d.traffic.name}",
        f"queue {d.out.queue}: 0",
        demanded=everything and stated,
        compares=True,
        about=_idle_mark(d),
        changes=exchanged_queues(d.analysis, d.traffic, d.port, _is_served),
        kind=f"queue {winner.number} {ALL}" if everything else "rest",
    )


def strict(d: Diagnosis) -> Iterator[Fault]:
    """The queue has strict priority over others without a limit."""
    analysis, out, mine = d.analysis, d.out, d.out.scheduler
    if d.port.device.is_host or mine is None or mine.kind is not SchedulerKind.STRICT:
        return
    bulk = analysis.treat(d.port, 0).egress
    if is_shaped(mine) or bulk.queue in (None, out.queue) or not d.in_place:
        return
    if _is_served_before(bulk.scheduler, mine) or analysis.out_of_step(d.traffic, d.port):
        return
    by_default = "" if mine.stated("kind") else " by default"
    yield Fault(
        Stage.STRICT,
        (
            *(without_queues(d.port) if by_default else ()),
            mine.where("kind"),
            *out.served_by.where[:1],
            *scheduler_lines(d.port, out.queue),
            *d.through(),
        ),
        f"gives queue {out.queue}, which carries {d.traffic.name}, strict priority over "
        f"queue {bulk.queue}{by_default}, without a limit",
        f"queue {out.queue}{by_default}",
        about=_idle_mark(d),
    )


def shaper(d: Diagnosis) -> Iterator[Fault | Lack]:
    """A shaper limits the queue of a protected class, or the whole port, below line rate."""
    out = d.out
    if not d.protected or not d.in_place:
        return
    what = f"queue {out.queue}, which carries {d.traffic.name},"
    everything = f"all its traffic, including {d.traffic.name},"
    shapers = (out.scheduler, what, f"queues[{out.queue}].scheduler"), (d.policy, everything, "")
    for shaper, name, part in shapers:
        if shaper is None or (shaper.shape_bps is None and shaper.shape_percent is None):
            continue
        percent, bps, speed = shaper.shape_percent, shaper.shape_bps, d.port.interface.speed_gbps
        place = shaper.where("shape_percent" if percent is not None else "shape_bps")
        if percent is None and speed is None:
            yield Lack(Stage.SHAPED, "the speed of the port", (place,))
            continue
        rate = percent / FULL if percent is not None else (bps or 0) / ((speed or 0) * 1e9)
        if rate >= 1:
            continue
        spelt = f"{percent:g} % of the link" if percent is not None else spell_rate(bps)
        speeds = (d.port.interface.where("speed_gbps"),) if percent is None else ()
        path = ".".join(step for step in ("qos.egress", part) if step)
        yield Fault(
            Stage.SHAPED,
            (place, *speeds, *d.through()),
            f"shapes {name} to {spelt}",
            spelt,
            changes=needs(d.port, {f"{path}.shape_bps": None, f"{path}.shape_percent": None}),
        )


def _idle_mark(d: Diagnosis) -> Where | None:
    return next(iter(queue_in_vain(d.analysis, d.traffic, d.port, is_marked)), None)


def _is_served_before(other: Scheduler | None, mine: Scheduler) -> bool:
    """True where the other queue is strict too, and comes first."""
    if other is None or other.kind is not SchedulerKind.STRICT:
        return False
    level, own = other.strict_level, mine.strict_level
    return level is not None and own is not None and level < own


def _is_served(queue: Queue) -> bool:
    """True where a line makes a queue strict, or gives it a share above zero."""
    scheduler = queue.scheduler
    return is_stated(queue) and scheduler is not None and scheduler.share != 0


def _has_share(queue: Queue) -> bool:
    """True for a weighted queue with a stated share."""
    mine = queue.scheduler
    weighted = mine is not None and mine.kind is SchedulerKind.WEIGHTED
    return weighted and mine is not None and bool(mine.share) and mine.stated("share")


def _place(queue: Queue) -> Where:
    scheduler = queue.scheduler
    if scheduler is None:
        return queue.where()
    return scheduler.where("share" if scheduler.share is not None else "kind")


def _takes_its_part(zero: Scheduler, rivals: list[Queue]) -> tuple[Queue | None, bool]:
    """A queue that takes the bandwidth a queue without share needs; whether others take all of it.

    Shares below 100 percent in sum leave some bandwidth unassigned.
    """
    turns = [(queue.scheduler, queue) for queue in rivals if queue.scheduler is not None]
    strict = [
        queue
        for turn, queue in turns
        if turn.kind is SchedulerKind.STRICT and turn.stated("kind") and not is_shaped(turn)
    ]
    shares = [
        (turn.share, queue)
        for turn, queue in turns
        if turn.share_of is zero.share_of and turn.share
    ]
    if shares:
        total = sum(share for share, _ in shares)
        largest = max(shares, key=lambda pair: pair[0])[1]
        weights = zero.share_of is ShareKind.WEIGHT
        return largest, weights or total >= FULL or bool(strict)
    return (strict[0], True) if strict else (None, False)

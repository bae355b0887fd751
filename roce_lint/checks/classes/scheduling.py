"""Bandwidth of a RoCE class: the share of its queue against others, and policers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roce_lint.analysis.deciding import is_marked, queue_in_vain, without_queues
from roce_lint.analysis.port_parts import FULL, at_port, capped, is_rival, is_stated, policy_of
from roce_lint.analysis.result import JudgedPort, RoceClass
from roce_lint.engine.api import (
    Diagnosis,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Stage,
    Unknown,
    Where,
    class_port_check,
)
from roce_lint.model.qos import (
    Match,
    MatchKind,
    Queue,
    Scheduler,
    SchedulerKind,
    ShareKind,
)
from roce_lint.model.units import spell_rate


@class_port_check("classes.no_share")
def roce_queue_without_share(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """The queue of a RoCE class is scheduled with no share of the link, or not at all."""
    out = diagnosis.out
    if not diagnosis.in_place:
        return
    policy = policy_of(port)
    if out.queue is None or policy is None:
        place = out.queue_where or port.interface.where()
        if out.missing and not port.device.is_host:
            yield Unknown(out.missing, [place], *at_port(port))
        return
    queue = policy.queue(out.queue)
    scheduler = queue.scheduler if queue is not None else None
    rivals = [other for other in policy.queues.values() if is_rival(other, out.queue)]
    if scheduler is None or scheduler.kind is None:
        if policy.complete and not port.device.is_host:
            place = queue.where("scheduler") if queue is not None else policy.where()
            yield from _unscheduled(diagnosis, rivals, place)
    elif scheduler.kind is SchedulerKind.WEIGHTED and scheduler.share is None:
        yield from _share_unstated(diagnosis, rivals, scheduler)
    elif scheduler.kind is SchedulerKind.WEIGHTED and scheduler.share == 0:
        yield from _share_zero(diagnosis, rivals, scheduler)


def _unscheduled(diagnosis: Diagnosis, rivals: list[Queue], place: Where) -> Iterator[Outcome]:
    """The port schedules other queues and says nothing of this one; `place` is where it would."""
    analysis, traffic, port = diagnosis.analysis, diagnosis.traffic, diagnosis.port
    out = diagnosis.out
    rival = next(filter(is_stated, rivals), None)
    if rival is None:
        return
    yield Problem(
        f"{port} schedules queue {rival.number}, and not queue {out.queue}, "
        f"which {traffic.name} uses",
        "the platform decides what is left for RoCE when the other queues are full",
        [
            *queue_in_vain(analysis, traffic, port, _is_served),
            *without_queues(port),
            place,
            _place(rival),
            *_queue_place(diagnosis),
        ],
        *at_port(port),
        value=f"queue {out.queue}: none",
        traffic=traffic.name,
        severity=Severity.WARNING,
        about=next(iter(queue_in_vain(analysis, traffic, port, is_marked)), None),
        stage=Stage.SCHEDULER,
    )


def _share_unstated(
    diagnosis: Diagnosis, rivals: list[Queue], scheduler: Scheduler
) -> Iterator[Outcome]:
    """The queue takes turns by share, and only other queues are given one."""
    traffic, port, out = diagnosis.traffic, diagnosis.port, diagnosis.out
    rival = next(filter(_has_share, rivals), None)
    if rival is None:
        return
    if not scheduler.where("kind").confirmed:
        missing = "the share that the platform gives a queue without a line of its own"
        yield Unknown(missing, [scheduler.where("kind")], *at_port(port))
    elif not port.device.is_host:
        yield Problem(
            f"{port} gives queue {rival.number} a share of the link, and none to queue "
            f"{out.queue}, which {traffic.name} uses",
            "the platform decides what is left for RoCE when the other queues are full",
            [scheduler.where("share"), _place(rival), *_queue_place(diagnosis)],
            *at_port(port),
            value=f"queue {out.queue}: none",
            traffic=traffic.name,
            severity=Severity.WARNING,
            stage=Stage.SCHEDULER,
        )


def _share_zero(
    diagnosis: Diagnosis, rivals: list[Queue], scheduler: Scheduler
) -> Iterator[Outcome]:
    """The queue has no share of the link while another one may be full."""
    analysis, traffic, port = diagnosis.analysis, diagnosis.traffic, diagnosis.port
    out = diagnosis.out
    winner, everything = _takes_its_part(scheduler, rivals)
    if winner is None:
        return
    grave = everything and scheduler.stated("share")
    yield Problem(
        f"{port} gives queue {out.queue}, which {traffic.name} uses, no share of the link",
        f"queue {winner.number} may take everything: RoCE stands still while it is full"
        if everything
        else "RoCE gets only what the other queues leave",
        [
            *([] if scheduler.stated("share") else without_queues(port)),
            scheduler.where("share"),
            *_queue_place(diagnosis),
            _place(winner),
        ],
        *at_port(port),
        value=f"queue {out.queue}: 0",
        traffic=traffic.name,
        severity=None if grave else Severity.WARNING,
        about=next(iter(queue_in_vain(analysis, traffic, port, is_marked)), None),
        compares=True,
        stage=Stage.SCHEDULER,
    )


def _queue_place(diagnosis: Diagnosis) -> list[Where]:
    """Evidence; asked for only where there is something to report."""
    place = diagnosis.out.queue_where
    return [*([place] if place is not None else []), *diagnosis.through()]


@class_port_check("classes.policed")
def policer_on_roce_class(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A policer drops packets of a protected RoCE class."""
    protected = diagnosis.needed or given.analysis.mode(traffic, port).marking
    if port.device.is_host or not protected:
        return  # a class that the design neither pauses nor marks may be dropped
    for find in (_policing, _policing_out):
        met = (find(port, dscp) for dscp in traffic.dscps)
        found = [each for each in met if each is not None]
        surely = next((each for each in found if each.sure), None)
        if surely is not None:
            yield _policed(port, traffic, surely)
        elif found:
            places = [found[0].match.where("police_bps"), *found[0].bound]
            yield Unknown(UNSURE, places, *at_port(port))


UNSURE = "which packets a filter polices or drops: more than their code point decides"


@dataclass(slots=True, frozen=True)
class Met:
    """A policer that drops packets of a code point; not `sure` where it may not see them."""

    match: Match
    dscp: int
    what: str
    bound: list[Where]
    sure: bool = True
    leaving: bool = False


def _policed(port: JudgedPort, traffic: RoceClass, found: Met) -> Problem:
    rate = found.match.police_bps
    does = "drops" if rate == 0 else "polices"
    to = f" to {spell_rate(rate)}" if rate else ""
    way = " as it leaves" if found.leaving else ""
    return Problem(
        f"{port} {does} {found.what}{way}{to} and with it DSCP {found.dscp} of {traffic.name}",
        "no RDMA packet gets through"
        if rate == 0
        else "RDMA packets above the rate are dropped, whatever PFC and ECN do",
        [found.match.where("police_bps"), *found.bound],
        *at_port(port),
        value=spell_rate(rate),
        traffic=traffic.name,
        acts="leaving" if found.leaving else None,
        compares=True,
    )


def _drops(match: Match) -> bool:
    """True for an entry whose policer drops what exceeds its rate."""
    return match.stated("police_bps") and match.police_drops is not False


def _policing(port: JudgedPort, dscp: int) -> Met | None:
    """The policer that a code point meets at a port: of its classifier, or of a filter."""
    match = _taking(port, dscp)
    if match is not None and _drops(match):
        return Met(match, dscp, f"class {match.class_name}", _bound(port))
    return _filtered(port, dscp, "policing")


def _policing_out(port: JudgedPort, dscp: int) -> Met | None:
    """The policer that a code point meets as it leaves."""
    return _filtered(port, dscp, "policing_out")


def _filtered(port: JudgedPort, dscp: int, field: str) -> Met | None:
    """The first policer of the port's filters that surely drops a code point; else one that may."""
    qos = port.interface.qos
    perhaps: Met | None = None
    left = True  # no entry before may have taken the packet past the policers
    bound = port.device.qos.policing.get(getattr(qos, field) or "") if qos is not None else None
    if qos is None or bound is None:
        return None
    for match in bound.matches:
        if (match.kind is MatchKind.DSCP or match.values) and dscp not in match.values:
            continue
        certain = match.kind is not MatchKind.ACL
        if _drops(match):
            places, leaving = [qos.where(field)], field == "policing_out"
            found = Met(match, dscp, match.text, places, sure=certain and left, leaving=leaving)
            if found.sure:
                return found
            perhaps = perhaps or found
        if not certain and match.police_bps != 0:
            left = False  # it may have passed on the packet
        if certain:
            break
    return perhaps


def _bound(port: JudgedPort) -> list[Where]:
    qos = port.interface.qos
    return [qos.where("classifier")] if qos is not None and qos.stated("classifier") else []


def _taking(port: JudgedPort, dscp: int) -> Match | None:
    """The entry of the port's ordered classifier that takes a code point for certain."""
    qos = port.interface.qos
    classifier = port.device.qos.classifiers.get(qos.classifier or "") if qos else None
    for match in classifier.matches if classifier is not None else ():
        if match.kind is MatchKind.ANY or (match.kind is MatchKind.DSCP and dscp in match.values):
            return match
        if match.kind not in (MatchKind.DSCP, MatchKind.PCP, MatchKind.NOTHING):
            return None  # an access list or a VLAN may take the packet first
    return None


def _is_served(queue: Queue) -> bool:
    """True where a line gives a queue a turn before others, or a share that is not zero."""
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
    """A queue that takes what a queue without share would need; whether others take it all.

    Shares below 100 percent in sum leave something that nobody is promised.
    """
    strict = [
        queue
        for queue in rivals
        if queue.scheduler is not None
        and queue.scheduler.kind is SchedulerKind.STRICT
        and queue.scheduler.stated("kind")
        and not capped(queue.scheduler)
    ]
    shares = [
        (queue.scheduler.share, queue)
        for queue in rivals
        if queue.scheduler is not None
        and queue.scheduler.share_of is zero.share_of
        and queue.scheduler.share
    ]
    if shares:
        total = sum(share for share, _ in shares)
        largest = max(shares, key=lambda pair: pair[0])[1]
        weights = zero.share_of is ShareKind.WEIGHT
        return largest, weights or total >= FULL or bool(strict)
    return (strict[0], True) if strict else (None, False)

"""Delays of CNPs: PFC, data, bulk traffic, scheduling."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.cabling import nics_at
from roce_lint.analysis.deciding_lines import idle_map_line, idle_pause_lines, queue_in_vain
from roce_lint.analysis.diagnosis.subject import Diagnosis, Fault, Lack
from roce_lint.analysis.ingress_egress import Ingress
from roce_lint.analysis.port_parts import (
    code_point_lines,
    is_guaranteed,
    is_rival,
    is_stated,
    line_of,
    needs,
    needs_pfc,
    scheduler_lines,
)
from roce_lint.analysis.sharing import Share, find_companion
from roce_lint.analysis.stages import Stage
from roce_lint.model.change import Change
from roce_lint.model.nic import Nic
from roce_lint.model.qos import Scheduler, SchedulerKind
from roce_lint.text.source import Origin, Where

WITH_DATA, PAUSED, SENT = "with data", "paused", "sent with data"
"""Kinds of faults of the CNP class: in a switch, or in the sending NIC."""

STARVES = "starves"
"""Kind of a CNP queue without a share."""


def separate(d: Diagnosis) -> Iterator[Fault | Lack]:
    """The CNPs are in a no-drop class, or in the class or queue of data."""
    into, out, analysis = d.into, d.out, d.analysis
    if d.port.device.is_host:
        yield from _sent_with_data(d)
        return
    if into.tc is None:
        missing = into.missing or "the traffic class of the DSCP"
        yield Lack(Stage.CODE_POINT, missing, into.tc_where[:1])
        return
    shared = find_companion(analysis, d.port, d.dscp)
    if shared is None and not into.lossless:
        if out.queue is None and out.missing:
            place = out.queue_where or d.port.interface.where()
            yield Lack(Stage.CODE_POINT, out.missing, (place,))
        return
    with_data = shared is not None and shared.share is not Share.GROUP
    words = f"{into.class_label}, which is lossless" if shared is None else shared.spell("data")
    yield Fault(
        Stage.CODE_POINT,
        tuple(_pause_first(d) if shared is None else shared.where),
        f"maps {d.traffic.name} to {words}",
        f"{d.dscp}:{into.tc}",
        rests_on=into.protected.doubts if shared is None else shared.doubts,
        about=None if shared is not None else _in_vain(d),
        acts="leaving" if shared is not None and shared.share is Share.QUEUE else None,
        changes=_unpaused(d) if shared is None else (),
        kind=WITH_DATA if with_data else PAUSED,
    )


def _unpaused(d: Diagnosis) -> tuple[Change, ...]:
    """No PFC for the priority of CNPs, if its line is the wrong one."""
    into, paused = d.into, d.pfc.generate if d.pfc is not None else None
    if paused is None or into.priority is None or into.tc != d.dscp >> 3:
        return ()
    return needs_pfc(d.port, paused - {into.priority})


def _sent_with_data(d: Diagnosis) -> Iterator[Fault]:
    """A NIC sends CNPs with the priority of data. If the switch at the other end maps the DSCP to
    data as well, that is the same fault.
    """
    data = {
        into.tc: (traffic.name, into.tc_where)
        for traffic in d.analysis.data_classes
        if not d.analysis.misplaced(traffic, d.port)
        and not d.analysis.out_of_step(traffic, d.port)  # otherwise its sender is wrong
        for dscp in traffic.dscps
        if (into := d.analysis.treat(d.port, dscp).ingress).tc is not None
    }
    for nic in nics_at(d.analysis, d.port):
        dscp, off = nic.cnp_dscp, nic.np_priorities == frozenset() == nic.np_open
        if dscp is None or dscp not in d.traffic.dscps or off:
            continue
        mine = d.analysis.treat(d.port, dscp).ingress
        if mine.tc is not None and mine.tc in data:
            yield _behind(d, nic, dscp, mine, data[mine.tc])


def _behind(
    d: Diagnosis, nic: Nic, dscp: int, mine: Ingress, data: tuple[str, tuple[Where, ...]]
) -> Fault:
    stated = [nic.where("cnp_dscp")] if nic.stated("cnp_dscp") else []
    mapped, peer = mine.tc_where[:1], d.port.peer
    # A changed map entry for this DSCP is the cause, not the DSCP.
    moved = mine.tc != dscp >> 3 and any(w.origin is Origin.STATED for w in mapped)
    return Fault(
        Stage.CODE_POINT,
        (*(mapped if moved else stated), *(stated if moved else mapped), *data[1][:1]),
        f"sends CNPs with DSCP {dscp} in priority {mine.tc}, which carries {data[0]}",
        f"{dscp}:{mine.tc}",
        about=stated[0] if moved and stated else None,
        acts="leaving",
        kind=SENT,
        beyond=(peer.device.hostname, peer.interface.name) if peer is not None else None,
    )


def _in_vain(d: Diagnosis) -> Where | None:
    """The line that makes a class without data no-drop instead of the class of the data."""
    found = (idle_pause_lines(d.analysis, t, d.port) for t in d.analysis.data_classes)
    return next((place for places in found for place in places), None)


def _pause_first(d: Diagnosis) -> list[Where]:
    """Lines that put CNPs into a separate no-drop class. If the class has the number of the DSCP's
    class selector, that is intended, and the PFC line is wrong.
    """
    into = d.into
    if d.pfc is None or into.priority is None:
        return list(into.tc_where)
    place = line_of(d.pfc, into.priority)
    if place.origin is not Origin.STATED or place.position <= 0:
        return list(into.tc_where)
    return [place, *into.tc_where] if into.tc == d.dscp >> 3 else [*into.tc_where, place]


def queue(d: Diagnosis) -> Iterator[Fault]:
    """The CNPs wait behind unmarked traffic, or in a queue without share."""
    into, out = d.into, d.out
    if out.queue is None or d.port.device.is_host:
        return
    bulk = d.analysis.treat(d.port, 0)
    if bulk.ingress.certain and out.queue in d.analysis.bulk_queues(d.port):
        whose = "unmarked traffic" if bulk.egress.queue == out.queue else "most DSCPs"
        yield Fault(
            Stage.QUEUE,
            (
                *idle_map_line(d.analysis, d.port, d.dscp),
                *into.tc_where,
                *out.served_by.where[:1],
                *code_point_lines(d.port, d.dscp),
            ),
            f"maps {d.traffic.name} to queue {out.queue}, which carries {whose}",
            f"{d.dscp}:{out.queue}",
        )
    elif out.scheduler is not None and _starves(d, out.queue):
        yield Fault(
            Stage.QUEUE,
            (out.scheduler.where("share"), *into.tc_where[:1]),
            f"gives no share of the link to queue {out.queue}, which carries {d.traffic.name}",
            f"queue {out.queue}: 0",
            kind=STARVES,
        )


def _starves(d: Diagnosis, number: int) -> bool:
    """True for a queue without share beside one that has a share or is strict."""
    mine = d.out.scheduler
    if mine is None or mine.kind is not SchedulerKind.WEIGHTED or is_guaranteed(mine):
        return False
    return mine.share == 0 and any(
        rival.share or rival.kind is SchedulerKind.STRICT for rival in _rivals(d, number)
    )


def _rivals(d: Diagnosis, number: int) -> list[Scheduler]:
    """Scheduling of the other unicast queues."""
    queues = d.policy.queues.values() if d.policy is not None else ()
    return [queue.scheduler for queue in queues if is_rival(queue, number) and queue.scheduler]


def turn(d: Diagnosis) -> Iterator[Fault]:
    """The CNPs have a separate queue that is not strict."""
    into, out = d.into, d.out
    if out.queue is None or d.policy is None or d.port.device.is_host or not _is_own(d):
        return
    waits = _waits(d, out.queue)
    if waits is None:
        return
    fault, place = waits
    yield Fault(
        Stage.SCHEDULER,
        (
            place,
            *into.tc_where,
            *out.served_by.where[:1],
            *scheduler_lines(d.port, out.queue),
            *code_point_lines(d.port, d.dscp),
        ),
        fault,
        f"queue {out.queue}",
        changes=_strict(d, out.queue),
    )


def _strict(d: Diagnosis, number: int) -> tuple[Change, ...]:
    """The queue strict, if it is scheduled by a share now and no other queue is strict."""
    others = _rivals(d, number)
    if d.out.scheduler is None or any(o.kind is SchedulerKind.STRICT for o in others):
        return ()
    values = {"kind": SchedulerKind.STRICT, "share": None, "share_of": None}
    path = f"qos.egress.queues[{number}].scheduler"
    return needs(d.port, {f"{path}.{field}": value for field, value in values.items()})


def _is_own(d: Diagnosis) -> bool:
    """Whether the queue certainly holds neither data nor unmarked traffic."""
    if d.out.queue in d.analysis.bulk_queues(d.port):
        return False
    others = {dscp for each in d.analysis.data_classes for dscp in each.dscps} | {0}
    beside = [d.analysis.treat(d.port, dscp) for dscp in others]
    return all(t.ingress.certain and t.egress.queue != d.out.queue for t in beside)


def _waits(d: Diagnosis, number: int) -> tuple[str, Where] | None:
    """Scheduling of a queue that is not strict, and its line; None if strict or unknown."""
    mine, policy = d.out.scheduler, d.policy
    if mine is not None and mine.kind is not None:
        if mine.kind is SchedulerKind.STRICT:
            return None
        share = f" (share {mine.share:g})" if mine.share is not None else ""
        fault = f"serves queue {number}, which carries {d.traffic.name}, by share{share}"
        return f"{fault}, without strict priority", mine.where("kind")
    if policy is None or not policy.complete:
        return None
    stated = [q for q in policy.queues.values() if is_rival(q, number) and is_stated(q)]
    if not stated:
        return None
    fault = f"schedules queue {stated[0].number} but not queue {number}, "
    own = policy.queue(number)
    place = own.where("scheduler") if own is not None else policy.where()
    in_vain = queue_in_vain(d.analysis, d.traffic, d.port, is_stated)
    return f"{fault}which carries {d.traffic.name}", next(iter(in_vain), place)

"""How congestion notification packets (CNP) are served where they have a queue of their own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from roce_lint.analysis.deciding import queue_in_vain
from roce_lint.analysis.distinct import over_kinds
from roce_lint.analysis.port_parts import (
    at_port,
    bound_at,
    is_rival,
    is_stated,
    named_codes,
    policy_of,
)
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.checks.classes.senders import at_odd_senders
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, Stage, fabric_check
from roce_lint.model.qos import SchedulerKind


@fabric_check("classes.cnp_not_strict")
def cnp_queue_not_strict(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Congestion notification packets have a queue of their own, and it is served by share."""
    analysis = given.analysis
    for traffic in analysis.cnp_classes:
        found = [o for _, o in over_kinds(analysis, partial(_in_turn, analysis, traffic))]
        yield from at_odd_senders(fabric, analysis, traffic, found)


def _in_turn(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Iterator[Outcome]:
    treated = analysis.treat(port, traffic.dscps[0])
    into, out, mine = treated.ingress, treated.egress, treated.egress.scheduler
    policy = policy_of(port)
    if out.queue is None or policy is None or port.device.is_host:
        return
    others = {d for each in analysis.data_classes for d in each.dscps} | {0}
    shared = [analysis.treat(port, dscp) for dscp in others]
    if out.queue in analysis.bulk_queues(port):
        return
    if any(not t.ingress.certain or t.egress.queue == out.queue for t in shared):
        return  # they have no queue of their own
    if mine is not None and mine.kind is not None:
        if mine.kind is SchedulerKind.STRICT:
            return
        share = f" (share {mine.share:g})" if mine.share is not None else ""
        fault = f"serves queue {out.queue}, which {traffic.name} uses, by share{share}"
        fault, place = f"{fault} and not strictly", mine.where("kind")
    else:
        stated = [q for q in policy.queues.values() if is_rival(q, out.queue) and is_stated(q)]
        if not policy.complete or not stated:
            return
        queue = policy.queue(out.queue)
        fault = f"schedules queue {stated[0].number}, and not queue {out.queue}, "
        fault += f"which {traffic.name} uses"
        place = queue.where("scheduler") if queue is not None else policy.where()
        place = next(iter(queue_in_vain(analysis, traffic, port, is_stated)), place)
    yield Problem(
        f"{port} {fault}",
        "the packets that should end congestion wait for their turn while other queues are full",
        [
            place,
            *into.tc_where,
            *([out.queue_where] if out.queue_where is not None else []),
            *bound_at(port, out.queue),
            *named_codes(port, traffic.dscps[0]),
        ],
        *at_port(port),
        value=f"queue {out.queue}",
        traffic=traffic.name,
        stage=Stage.SCHEDULER,
    )

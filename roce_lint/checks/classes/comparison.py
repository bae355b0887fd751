"""DSCP handling compared with other switches of the network and with neighbours' advertisements."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.deciding_lines import line_naming_too_much
from roce_lint.analysis.port_parts import advertising_neighbours, line_of_code_point, policy_of
from roce_lint.analysis.protection import CONTROL, names
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.switch_outliers import CodeTreatment, SwitchOutlier, switch_outliers
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Severity, at_port, fabric_check
from roce_lint.model.units import ranges
from roce_lint.text.source import Origin, Where


@fabric_check("classes.treated_otherwise")
def dscp_handling_differs(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """One switch handles a DSCP differently from most switches of its network."""
    for dscps, odd in switch_outliers(given.analysis):
        yield _problem(given.analysis, dscps, odd)


def _problem(analysis: Analysis, dscps: list[int], odd: SwitchOutlier) -> Problem:
    treated = analysis.treat(odd.port, dscps[0])
    into, out = treated.ingress, treated.egress
    example, its = odd.example
    theirs = analysis.treat(its, dscps[0])
    served = set(odd.what) <= {"turn", "marked"}
    places: list[Where] = []
    if served and out.scheduler is not None and "turn" in odd.what:
        places.append(out.scheduler.where("kind"))
    elif served and out.marks_where is not None:
        places.append(out.marks_where)
    elif out.queue_where is not None and _has_queue_of_data(analysis, odd, dscps[0]):
        places.append(out.queue_where)
    for other in odd.instead[:1]:
        line = line_of_code_point(odd.port, other)
        places += [line or analysis.treat(odd.port, other).ingress.tc_where[0]]
    places += line_naming_too_much(odd.port, dscps[0], dscps)
    places += [*into.tc_where[:2], *theirs.ingress.tc_where[:1]]
    ports = analysis.ports_of(odd.switch.device)
    pair = odd.agreeing == 1
    others = "the other switch of its pair" if pair else f"{odd.agreeing} of {odd.all} switches"
    policy = policy_of(odd.port)
    queue = policy.queue(out.queue) if policy is not None and out.queue is not None else None
    part, lacks = (policy, "queues") if queue is None else (queue, "scheduler")
    return Problem(
        f"{odd.switch.device.hostname} handles DSCP {ranges(dscps)} differently from "
        f"{others}: {_spell(odd.mine, odd.what)}, but on {example.device.hostname} "
        f"{_spell(odd.usual, odd.what)}"
        + (f"; it configures DSCP {ranges(odd.instead)} instead" if odd.instead else ""),
        _consequence(odd, dscps),
        [place for place in places if place.origin is not Origin.ABSENT or place.position],
        odd.switch.device.hostname,
        tuple(port.interface.name for port in ports if port.network == odd.port.network),
        value=f"{ranges(dscps)}:{into.tc}:{'/'.join(odd.what)}",
        severity=None if pair or _is_grave(odd, dscps) else Severity.INFO,
        idle=into.tc_where[:1],
        lacks=(part.where(lacks),) if served and part is not None else (),
    )


def _has_queue_of_data(analysis: Analysis, odd: SwitchOutlier, dscp: int) -> bool:
    """Whether the DSCP has a separate class that uses the queue of RoCE."""
    mine, port = analysis.treat(odd.port, dscp), odd.port
    data = {analysis.treat(port, d).ingress.tc_name for t in analysis.data_classes for d in t.dscps}
    place = mine.egress.queue_where
    if place is None or place.origin is not Origin.STATED:
        return False
    return odd.mine.with_data and mine.ingress.tc_name not in data


def _is_grave(odd: SwitchOutlier, dscps: list[int]) -> bool:
    """Whether the DSCP enters or leaves a lossless or strict class, or the queue of RoCE data; or,
    among peers, belongs to routing protocols, which every switch sends. Not where only the default
    map of a platform has it: it may not be in use.
    """
    named = any(names(odd.example[0].device, dscp) for dscp in dscps)
    entered = (odd.mine.lossless, odd.mine.with_data) > (odd.usual.lossless, odd.usual.with_data)
    if {"lossless", "with data"} & set(odd.what):
        return named or entered
    if odd.alike and any(dscp in CONTROL for dscp in dscps) and "marked" not in odd.what[:1]:
        return True
    return named and "turn" in odd.what and "strictly" in (odd.mine.turn, odd.usual.turn)


def _spell(done: CodeTreatment, what: tuple[str, ...]) -> str:
    words = []
    if "lossless" in what:
        words.append("lossless" if done.lossless else "lossy")
    if "with data" in what:
        words.append("in the RoCE queue" if done.with_data else "not in the RoCE queue")
    if "bulk" in what:
        words.append("in a bulk queue" if done.bulk else "not in a bulk queue")
    if "marked" in what:
        words.append({True: "ECN on", False: "ECN off", None: "ECN unknown"}[done.marked])
    if "turn" in what:
        words.append(f"served {done.turn}")
    return ", ".join(words)


def _consequence(odd: SwitchOutlier, dscps: list[int]) -> str:
    if odd.mine.lossless and not odd.usual.lossless:
        return "on this switch alone it can cause PFC on RoCE links and be stopped by PFC"
    if odd.usual.lossless and not odd.mine.lossless:
        return "it is dropped under congestion on this switch only"
    if odd.mine.with_data and not odd.usual.with_data:
        return "it competes with RoCE for one queue on this switch only"
    if any(dscp in CONTROL for dscp in dscps):
        return "routing protocols get different service on this switch"
    return "the same packet gets different service on this switch"


BULK = 0
"""Priority of unmarked traffic."""


@fabric_check("classes.advertised_with_bulk")
def neighbour_mixes_roce_with_bulk(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A neighbour advertises one traffic class for the RoCE priority and priority 0."""
    analysis = given.analysis
    for port, neighbor in advertising_neighbours(analysis):
        classes, paused = neighbor.priority_to_tc, neighbor.pfc_priorities or frozenset()
        if classes is None or BULK in paused or len(set(classes.entries.values())) == 1:
            continue  # one class for all is what a device without ETS sends
        for traffic in analysis.data_classes:
            into = analysis.treat(port, traffic.dscps[0]).ingress
            mine = classes.get(into.priority) if into.priority in paused else None
            if mine is None or classes.get(BULK) != mine:
                continue
            yield Problem(
                f"{port}: its neighbour {neighbor.device} advertises TC {mine} both for priority "
                f"{into.priority} ({traffic.name}) and for priority {BULK}",
                f"{traffic.name} shares a queue with unmarked traffic there: PFC stops both, and "
                "bulk traffic delays RoCE",
                [classes.where(into.priority), into.tc_where[0]],
                *at_port(port),
                value=f"{into.priority}: {mine}",
                traffic=traffic.name,
            )

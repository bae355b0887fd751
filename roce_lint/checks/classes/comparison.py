"""What the boxes of a network do with a code point that some line names, box against box."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.boxes import Done, Odd, odd_boxes
from roce_lint.analysis.cause_lines import line_naming_too_much
from roce_lint.analysis.port_parts import line_of_code_point
from roce_lint.analysis.protection import names
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.treatment import egress_of
from roce_lint.engine.api import (
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Where,
    fabric_check,
)
from roce_lint.model.units import ranges
from roce_lint.text.source import Origin

ROUTING = (48, 56)
"""Class selectors 6 and 7: what the switches' own routing protocols send (RFC 4594, section 3)."""


@fabric_check("classes.treated_otherwise")
def code_point_treated_otherwise(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """One switch does something else with a code point than most switches of its network."""
    for dscps, odd in odd_boxes(given.analysis):
        yield _problem(given.analysis, dscps, odd)


def _problem(analysis: Analysis, dscps: list[int], odd: Odd) -> Problem:
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
    ports = analysis.ports_of(odd.box.device)
    pair = odd.agreeing == 1
    others = "the other switch of its pair" if pair else f"{odd.agreeing} of {odd.all} switches"
    policy = egress_of(odd.port.device, qos) if (qos := odd.port.interface.qos) else None
    queue = policy.queue(out.queue) if policy is not None and out.queue is not None else None
    part, lacks = (policy, "queues") if queue is None else (queue, "scheduler")
    return Problem(
        f"{odd.box.device.hostname} treats DSCP {ranges(dscps)} differently from "
        f"{others}: {_spell(odd.mine, odd.what)}, and "
        f"on {example.device.hostname} {_spell(odd.usual, odd.what)}"
        + (f"; it names DSCP {ranges(odd.instead)} in their place" if odd.instead else ""),
        _consequence(odd, dscps),
        [place for place in places if place.origin is not Origin.ABSENT or place.position],
        odd.box.device.hostname,
        tuple(port.interface.name for port in ports if port.network == odd.port.network),
        value=f"{ranges(dscps)}:{into.tc}:{'/'.join(odd.what)}",
        severity=None if pair or _is_grave(odd, dscps) else Severity.INFO,
        idle=into.tc_where[:1],
        lacks=(part.where(lacks),) if served and part is not None else (),
    )


def _has_queue_of_data(analysis: Analysis, odd: Odd, dscp: int) -> bool:
    """True where the code point has a class of its own, and that class has the queue of RoCE."""
    mine, port = analysis.treat(odd.port, dscp), odd.port
    data = {analysis.treat(port, d).ingress.tc_name for t in analysis.data_classes for d in t.dscps}
    place = mine.egress.queue_where
    if place is None or place.origin is not Origin.STATED:
        return False
    return odd.mine.with_data and mine.ingress.tc_name not in data


def _is_grave(odd: Odd, dscps: list[int]) -> bool:
    """What enters or leaves a lossless or strict class, or shares the queue of the data; and among
    switches that are alike what routing protocols send, which no switch is without. Not what most
    switches have in a class by their platform's map alone: nobody may send it.
    """
    named = any(names(odd.example[0].device, dscp) for dscp in dscps)
    entered = (odd.mine.lossless, odd.mine.with_data) > (odd.usual.lossless, odd.usual.with_data)
    if {"lossless", "with data"} & set(odd.what):
        return named or entered
    if odd.alike and any(dscp in ROUTING for dscp in dscps) and "marked" not in odd.what[:1]:
        return True
    return named and "turn" in odd.what and "strictly" in (odd.mine.turn, odd.usual.turn)


def _spell(done: Done, what: tuple[str, ...]) -> str:
    words = []
    if "lossless" in what:
        words.append("lossless" if done.lossless else "lossy")
    if "with data" in what:
        words.append("in the queue of RoCE" if done.with_data else "not in the queue of RoCE")
    if "bulk" in what:
        words.append("in a bulk queue" if done.bulk else "not in a bulk queue")
    if "marked" in what:
        words.append({True: "marked", False: "not marked", None: "marking not known"}[done.marked])
    if "turn" in what:
        words.append(f"served {done.turn}")
    return ", ".join(words)


def _consequence(odd: Odd, dscps: list[int]) -> str:
    if odd.mine.lossless and not odd.usual.lossless:
        return "it pauses RoCE's links, and is held back by pause here alone"
    if odd.usual.lossless and not odd.mine.lossless:
        return "it is dropped here under congestion, and nowhere else"
    if odd.mine.with_data and not odd.usual.with_data:
        return "it takes RoCE's share of the link, and waits behind RoCE here alone"
    if any(dscp in ROUTING for dscp in dscps):
        return "sessions of routing protocols get another service on this switch than elsewhere"
    return "the same packet gets another service on this switch than elsewhere"

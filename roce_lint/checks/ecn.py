"""ECN marking of the queue that RoCE data uses, and its thresholds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from roce_lint.analysis.result import Analysis, JudgedPort, PfcDesign, RoceClass
from roce_lint.checks.blame import is_marked, queue_in_vain
from roce_lint.checks.consequence import queued_by_mistake, without_queues
from roce_lint.engine.api import (
    Bound,
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Unknown,
    Where,
    fabric_check,
    object_check,
)
from roce_lint.model.buffer import BufferPool
from roce_lint.model.qos import EgressPolicy, Marking, MarkingMode, Queue
from roce_lint.text.source import Origin

PROTECTED = (PfcDesign.EVERYWHERE, PfcDesign.HOST_EDGE)


@fabric_check("ecn.data_queue_not_marked", by_port=True, alone=True)
def data_queue_not_marked(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """The queue that a RoCE class uses on a port of its path does not mark."""
    analysis = given.analysis
    for traffic, port in _rightly_classed(analysis, marked=False):
        treated = analysis.treat(port, traffic.dscps[0])
        into, out = treated.ingress, treated.egress
        mode = analysis.mode(traffic, port)
        if out.marking is not None and out.marking.wred_drop:
            continue  # dropping instead of marking is a rule of its own
        if out.marks is None:
            if mode.marking:
                place = out.marks_where or out.queue_where or port.interface.where()
                yield Unknown(out.missing or "the marking of the queue", [place], *_at(port))
            continue
        others = sorted(queue.number for queue in _marked_queues(port, out.queue))
        if not mode.marking and _unmarked_on_purpose(analysis, traffic, port, others):
            continue
        beside = f"; marked is queue {', '.join(map(str, others))}" if others else ""
        yield Problem(
            f"{port} does not mark queue {out.queue}, which {traffic.name} uses{beside}",
            "senders are not told to slow down here: congestion ends in pause or loss",
            [
                *queue_in_vain(analysis, traffic, port, is_marked),
                *without_queues(port),
                *(w for w in (out.marks_where, out.queue_where) if w is not None),
                *(queue.where() for queue in _marked_queues(port, out.queue)),
                *(w for w in into.tc_where[:1] if w.origin is Origin.STATED),
            ],
            *_at(port),
            value=f"queue {out.queue}",
            traffic=traffic.name,
            severity=None if mode.marking else Severity.WARNING,
        )


@fabric_check("ecn.drops_instead_of_marking", by_port=True, alone=True)
def drops_instead_of_marking(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """WRED on the queue of a RoCE class drops packets and marks none."""
    analysis = given.analysis
    for traffic, port in _rightly_classed(analysis):
        out = analysis.treat(port, traffic.dscps[0]).egress
        mode = analysis.mode(traffic, port)
        if mode.marking is not True and mode.pfc not in PROTECTED:
            continue  # neither lossless nor marked by design: dropping is what is wanted
        if out.marks is False and out.marking is not None and out.marking.wred_drop:
            yield Problem(
                f"{port} drops early (WRED) in queue {out.queue}, which {traffic.name} uses, "
                "and does not mark",
                "RDMA packets are dropped as soon as the queue grows",
                [
                    *queue_in_vain(analysis, traffic, port, is_marked),
                    out.marking.where("wred_drop"),
                    out.marking.where("ecn"),
                    *([out.queue_where] if out.queue_where else []),
                ],
                *_at(port),
                value=f"queue {out.queue}",
                traffic=traffic.name,
            )


def _rightly_classed(
    analysis: Analysis, *, marked: bool = True
) -> Iterator[tuple[RoceClass, JudgedPort]]:
    """Classes and the switch ports that know their traffic class.

    Left out are ports where a fault is reported that gives the class another queue than it was
    meant to have: what that one does is then of no interest. Without `marked`, so are those on
    which the queue of the class marks.
    """
    for traffic in analysis.data_classes:
        for port in analysis.switch_ports():
            treated = analysis.treat(port, traffic.dscps[0])
            if treated.ingress.tc is None or (treated.egress.marks and not marked):
                continue
            if not queued_by_mistake(analysis, traffic, port):
                yield traffic, port


def _unmarked_on_purpose(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort, marked: list[int]
) -> bool:
    """True in a design without marking, and for a class that is none of the design's."""
    mode = analysis.mode(traffic, port)
    if mode.stated or mode.pfc not in PROTECTED or _marks_another(analysis, port):
        return True
    lossless = analysis.treat(port, traffic.dscps[0]).ingress.lossless
    if analysis.guessed(traffic, port) and not lossless:
        return True
    return not _meant_for_roce(analysis, port, marked)


def _marks_another(analysis: Analysis, port: JudgedPort) -> bool:
    """True where the design marks another data class of the network."""
    return any(analysis.mode(traffic, port).marking for traffic in analysis.data_classes)


def _meant_for_roce(analysis: Analysis, port: JudgedPort, marked: list[int]) -> bool:
    """True where a queue marks that neither RoCE nor unmarked traffic uses: then for whom?"""
    dscps = {0, *(dscp for traffic in analysis.data_classes for dscp in traffic.dscps)}
    used = {analysis.treat(port, dscp).egress.queue for dscp in dscps}
    return any(queue not in used for queue in marked)


def _marked_queues(port: JudgedPort, beside: int | None) -> list[Queue]:
    qos = port.interface.qos
    policy = port.device.qos.egress.get(qos.egress or "") if qos is not None else None
    if policy is None:
        return []
    return [q for q in policy.queues.values() if q.number != beside and is_marked(q)]


def _at(port: JudgedPort) -> tuple[str, tuple[str, ...]]:
    return port.device.hostname, (port.interface.name,)


@object_check("ecn.thresholds_invalid", over="egress")
def thresholds_invalid(bound: Bound[EgressPolicy], given: Given[NoParams]) -> Iterator[Outcome]:
    """Marking that cannot work: Kmin above Kmax, Kmax below two packets, probability 0."""
    if not bound.ports:
        return
    for queue in bound.object.queues.values():
        marking = queue.marking
        if marking is None or not marking.ecn or marking.mode is not MarkingMode.STATIC:
            continue
        if marking.kmin is None or marking.kmax is None:
            yield from _half(bound, queue, marking)
            continue
        if marking.kmin.unit is marking.kmax.unit:
            yield from _impossible(bound, given.analysis, queue, marking)


def _impossible(
    bound: Bound[EgressPolicy], analysis: Analysis, queue: Queue, marking: Marking
) -> Iterator[Outcome]:
    """What is wrong with two thresholds that are stated in the same unit."""
    kmin, kmax = marking.kmin, marking.kmax
    if kmin is None or kmax is None:
        return
    which = f"{bound.device.hostname} queue {queue.number}"
    if marking.pmax_percent == 0:
        yield Problem(
            f"{which}: packets are marked with a probability of 0 %",
            "between the thresholds nothing is marked: no sender slows down",
            [marking.where("pmax_percent")],
            value="0 %",
            severity=Severity.WARNING,
        )
    if kmin.value > kmax.value:
        yield Problem(
            f"{which}: marking begins at {kmin}, above the maximum threshold of {kmax}",
            "the device refuses the pair, or marks every packet from an undefined depth on",
            [marking.where("kmin"), marking.where("kmax")],
            value=f"{kmin}>{kmax}",
        )
    elif (pool := _too_small_pool(bound.device, queue, marking)) is not None:
        yield Problem(
            f"{which}: marking begins at {kmin}, "
            f"and its buffer pool {pool.name} has {pool.size_bytes} bytes",
            "the buffer is full before the first packet is marked: it pauses or drops instead",
            [marking.where("kmin"), pool.where("size_bytes")],
            value=f"{kmin} of {pool.size_bytes}",
        )
    elif (
        (need := _largest(analysis, bound)) is not None
        and kmax.bytes is not None
        and kmax.bytes < 2 * need
    ):
        yield Problem(
            f"{which}: every packet is marked from {kmax} on, "
            f"less than two packets of {need} bytes",
            "senders are slowed down with an almost empty queue: the link is never filled",
            [marking.where("kmax")],
            value=str(kmax),
        )


def _half(bound: Bound[EgressPolicy], queue: Queue, marking: Marking) -> Iterator[Outcome]:
    """One of the two thresholds is stated and the other is not, or neither is."""
    device = bound.device
    neither = marking.kmin is None and marking.kmax is None
    if neither and marking.enabled is None and marking.stated("ecn"):
        missing = "from which depth on a queue marks that has no thresholds of its own"
        yield Unknown(missing, [marking.where("ecn")], device.hostname, bound.ports)
    has, lacks = ("kmin", "kmax") if marking.kmax is None else ("kmax", "kmin")
    if marking.stated(has) and marking.at.get(lacks, 0) == 0:  # else the system has but one
        words = {"kmin": "minimum", "kmax": "maximum"}
        yield Problem(
            f"{device.hostname} queue {queue.number}: marking has a {words[has]} threshold and no "
            f"{words[lacks]} threshold",
            "the device refuses the pair, or takes the whole buffer for what is missing: "
            "it marks hardly anything",
            [marking.where(lacks), marking.where(has)],
            value=f"no {words[lacks]}",
            severity=Severity.WARNING,
        )


def _too_small_pool(device: Device, queue: Queue, marking: Marking) -> BufferPool | None:
    """The pool that the queue takes its buffer from, where Kmin is more than all of it."""
    profile = queue.buffer
    pool = device.pools.get(profile.pool or "") if profile is not None else None
    depth = marking.kmin.bytes if marking.kmin is not None else None
    if pool is None or not pool.size_bytes or depth is None:
        return None
    return pool if depth > pool.size_bytes else None


def _largest(analysis: Analysis, bound: Bound[EgressPolicy]) -> int | None:
    for name in bound.ports:
        port = analysis.port(bound.device.hostname, name)
        need = analysis.required.get(port.network) if port is not None else None
        if need is not None:
            return need.bytes
    return None


class DifferParams(BaseModel):
    """Parameters of `ecn.thresholds_differ`."""

    model_config = ConfigDict(extra="forbid")

    share: float = 0.6
    """Share of equal ports that makes a value the usual one."""


@dataclass(slots=True)
class _Marked:
    port: JudgedPort
    marking: Marking
    values: tuple[str, ...]


@fabric_check("ecn.thresholds_differ", params=DifferParams, by_port=True)
def thresholds_differ(fabric: Fabric, given: Given[DifferParams]) -> Iterator[Outcome]:
    """Ports that are alike mark the same class with different thresholds."""
    for traffic in given.analysis.data_classes:
        groups: dict[tuple[object, ...], list[_Marked]] = defaultdict(list)
        spelt: dict[int, tuple[str, ...]] = {}  # ports share their marking
        for port in given.analysis.switch_ports():
            marking = given.analysis.treat(port, traffic.dscps[0]).egress.marking
            if marking is None or not marking.ecn or marking.mode is not MarkingMode.STATIC:
                continue
            if marking.kmin is None and marking.kmax is None:
                continue  # it marks, and where it begins and ends is not known
            if _never_works(marking):
                continue  # a fault of its own, whatever ports like it do
            values = spelt.get(id(marking))
            if values is None:
                values = (str(marking.kmin), str(marking.kmax), str(marking.pmax_percent))
                spelt[id(marking)] = values
            groups[_alike(port)].append(_Marked(port, marking, values))
        everywhere = Counter(member.values for each in groups.values() for member in each)
        for members in groups.values():
            yield from _odd_ones(members, traffic, given.params.share, everywhere)


def _never_works(marking: Marking) -> bool:
    """True where it marks nothing, or begins to mark above the level from which it marks all."""
    low, high = marking.kmin, marking.kmax
    if marking.pmax_percent == 0:
        return True
    return low is not None and high is not None and low.unit is high.unit and low.value > high.value


def _alike(port: JudgedPort) -> tuple[object, ...]:
    device = port.device
    return (
        device.nos,
        device.asic or device.model,
        device.role,
        port.faces_host,
        port.interface.speed_gbps,
    )


def _odd_ones(
    members: list[_Marked],
    traffic: RoceClass,
    share: float,
    everywhere: Counter[tuple[str, ...]],
) -> Iterator[Outcome]:
    devices = {member.port.device.hostname for member in members}
    counts = Counter(
        {
            values: len({m.port.device.hostname for m in members if m.values == values})
            for values in {m.values for m in members}
        }
    )
    (usual, count), *_ = counts.most_common(1)
    if len(counts) == 1:
        return
    if len(devices) == 2 and len(counts) == 2:
        # One of two has to be named first: what ports of other kinds have too, if that tells.
        usual = max((m.values for m in members), key=lambda values: everywhere[values])
    elif count < 2 or count < share * len(devices):
        return
    example = next(m for m in members if m.values == usual)
    for member in members:
        if member.values == usual:
            continue
        field = next(
            f
            for f, mine, theirs in zip(
                ("kmin", "kmax", "pmax_percent"), member.values, usual, strict=True
            )
            if mine != theirs
        )
        yield Problem(
            f"{member.port} marks {traffic.name} with {_spell(member.values)}, "
            f"ports like it with {_spell(usual)}",
            "flows through this port are slowed down earlier or later than all others",
            [_place(member.marking, field), example.marking.where(field)],
            *_at(member.port),
            value="/".join(member.values),
            traffic=traffic.name,
        )


def _place(marking: Marking, field: str) -> Where:
    return marking.where(field)


def _spell(values: tuple[str, ...]) -> str:
    kmin, kmax, pmax = ("not known" if value == "None" else value for value in values)
    return f"{kmin} to {kmax}" + (f" at {pmax.removesuffix('.0')} %" if pmax != "not known" else "")

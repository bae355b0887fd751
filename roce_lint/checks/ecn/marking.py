"""ECN marking of the queue that RoCE data uses, and its thresholds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from roce_lint.analysis.makes import Makes
from roce_lint.analysis.port_parts import at_port
from roce_lint.analysis.result import Analysis
from roce_lint.engine.api import (
    BoundObject,
    Device,
    Diagnosis,
    Fabric,
    Fault,
    Given,
    JudgedPort,
    NoParams,
    Outcome,
    Problem,
    RoceClass,
    Severity,
    Stage,
    Unknown,
    Where,
    fabric_check,
    object_check,
    stage_check,
)
from roce_lint.model.buffer import BufferPool
from roce_lint.model.qos import EgressPolicy, Marking, MarkingMode, Queue
from roce_lint.model.units import spell_size


@stage_check("ecn.data_queue_not_marked", Stage.MARKING)
def data_queue_not_marked(diagnosis: Diagnosis, broken: Fault) -> str:
    """The queue that a RoCE class uses on a port of its path does not mark."""
    return "no ECN signal from this queue: congestion goes straight to PFC or drops"


@stage_check("ecn.drops_instead_of_marking", Stage.DROPPING)
def wred_dropping_roce(diagnosis: Diagnosis, broken: Fault) -> str:
    """WRED on the queue of a RoCE class drops packets and marks none."""
    return "RDMA packets are dropped as soon as the queue grows"


@object_check("ecn.thresholds_invalid", over="egress")
def invalid_ecn_thresholds(
    bound: BoundObject[EgressPolicy], given: Given[NoParams]
) -> Iterator[Outcome]:
    """Marking that cannot work: Kmin above Kmax, Kmax below two packets, probability 0."""
    if not bound.ports:
        return
    for queue in bound.object.queues.values():
        marking = queue.marking
        if marking is None or not marking.ecn or marking.mode is not MarkingMode.STATIC:
            continue
        if not marking.in_force and marking.pmax_percent != 0:
            continue  # it is off, whatever its thresholds are
        if marking.kmin is None or marking.kmax is None:
            yield from _half(bound, queue, marking)
            continue
        if marking.kmin.unit is marking.kmax.unit:
            yield from _impossible(bound, given.analysis, queue, marking)


def _impossible(
    bound: BoundObject[EgressPolicy], analysis: Analysis, queue: Queue, marking: Marking
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
    elif kmin.value > kmax.value:
        yield Problem(
            f"{which}: ECN minimum threshold ({kmin.text}) is above the maximum ({kmax.text})",
            "the switch rejects the pair, or marking is undefined",
            [marking.where("kmin"), marking.where("kmax")],
            value=f"{kmin}>{kmax}",
        )
    elif (pool := _too_small_pool(bound.device, queue, marking)) is not None:
        yield Problem(
            f"{which}: ECN minimum threshold is {kmin.text}, "
            f"and its buffer pool {pool.name} has {spell_size(pool.size_bytes or 0)}",
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
            f"{which}: every packet is marked from {kmax.text} on, "
            f"less than two packets of {spell_size(need)}",
            "senders are slowed down with an almost empty queue: the link is never filled",
            [marking.where("kmax")],
            value=str(kmax),
        )


def _half(bound: BoundObject[EgressPolicy], queue: Queue, marking: Marking) -> Iterator[Outcome]:
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


def _largest(analysis: Analysis, bound: BoundObject[EgressPolicy]) -> int | None:
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
class _MarkedQueues:
    port: JudgedPort
    marking: Marking
    values: tuple[str, ...]
    alike: list[JudgedPort] = field(default_factory=list)


@fabric_check("ecn.thresholds_differ", params=DifferParams)
def ecn_thresholds_differing_among_equals(
    fabric: Fabric, given: Given[DifferParams]
) -> Iterator[Outcome]:
    """Ports that are alike mark the same class with different thresholds."""
    for traffic in given.analysis.data_classes:
        groups: dict[tuple[object, ...], list[_MarkedQueues]] = defaultdict(list)
        everywhere: Counter[tuple[str, ...]] = Counter()
        for ports in given.analysis.equals.values():
            kind = _marked_queues(given.analysis, traffic, ports[0])
            if kind is not None:
                kind.alike = ports
                everywhere[kind.values] += len(ports)
                groups[_likeness(kind.port, given.analysis.makes)].append(kind)
        for members in groups.values():
            yield from _odd_ones(given.analysis, members, traffic, given.params.share, everywhere)


def _marked_queues(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort
) -> _MarkedQueues | None:
    """The thresholds of the class on a switch port; None where it has none that are fixed."""
    marking = None if port.device.is_host else analysis.treat(port, traffic.dscps[0]).egress.marking
    if marking is None or not marking.ecn or marking.mode is not MarkingMode.STATIC:
        return None
    if marking.kmin is None and marking.kmax is None:
        return None  # it marks, and where it begins and ends is not known
    values = (str(marking.kmin), str(marking.kmax), str(marking.pmax_percent))
    return _MarkedQueues(port, marking, values)


def _likeness(port: JudgedPort, makes: Makes) -> tuple[object, ...]:
    """What makes ports alike."""
    device = port.device
    return (
        device.nos,
        makes.of(device),
        device.role,
        port.faces_host,
        port.interface.speed_gbps,
    )


def _odd_ones(
    analysis: Analysis,
    members: list[_MarkedQueues],
    traffic: RoceClass,
    share: float,
    everywhere: Counter[tuple[str, ...]],
) -> Iterator[Outcome]:
    usual = _usual([m for m in members if _broken_line(m.marking) is None], share, everywhere)
    if usual is None:
        return
    example = next(m for m in members if m.values == usual)
    odd = [port for kind in members if kind.values != usual for port in kind.alike]
    every = (_marked_queues(analysis, traffic, port) for port in sorted(odd, key=analysis.position))
    for member in filter(None, every):
        names = zip(("kmin", "kmax", "pmax_percent"), member.values, usual, strict=True)
        name = next(name for name, mine, theirs in names if mine != theirs)
        yield Problem(
            f"{member.port} marks {traffic.name} with {_spell(member.marking)}, "
            f"ports like it with {_spell(example.marking)}",
            "flows through this port are slowed down earlier or later than all others",
            [member.marking.where(name), example.marking.where(name)],
            *at_port(member.port),
            value="/".join(member.values),
            traffic=traffic.name,
            about=_broken_line(member.marking),
            stage=Stage.DEPTHS,
        )


def _broken_line(marking: Marking) -> Where | None:
    """What keeps marking from working at all: to differ in that is to be broken."""
    low, high = marking.kmin, marking.kmax
    if marking.pmax_percent == 0:
        return marking.where("pmax_percent")
    swapped = low is not None and high is not None and low.unit is high.unit
    if swapped and low is not None and high is not None and low.value > high.value:
        return marking.where("kmin")
    return None


def _usual(
    members: list[_MarkedQueues], share: float, everywhere: Counter[tuple[str, ...]]
) -> tuple[str, ...] | None:
    """The values that most of the devices mark with; None where none are usual."""
    devices = {member.port.device.hostname for member in members}
    counts = Counter(
        {
            values: len({m.port.device.hostname for m in members if m.values == values})
            for values in {m.values for m in members}
        }
    )
    if not counts:
        return None
    (usual, count), *_ = counts.most_common(1)
    if len(devices) == 2 and len(counts) == 2:
        # One of two has to be named first: what ports of other kinds have too, if that tells.
        return max((m.values for m in members), key=lambda values: everywhere[values])
    return None if count < 2 or count < share * len(devices) else usual


def _spell(marking: Marking) -> str:
    kmin, kmax = (
        "not known" if depth is None else depth.text for depth in (marking.kmin, marking.kmax)
    )
    pmax = marking.pmax_percent
    return f"{kmin} to {kmax}" + ("" if pmax is None else f" at {pmax:g} %")

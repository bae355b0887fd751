"""ECN marking of the queue that RoCE data uses, its thresholds, and marks lost in an overlay."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import BaseModel

from roce_lint.analysis.diagnosis import Diagnosis, Fault
from roce_lint.analysis.equal_switches import model_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.stages import Stage
from roce_lint.engine import api
from roce_lint.engine.api import BoundObject, Fabric, Given, Outcome, Problem, Unknown, Where
from roce_lint.engine.finding import Severity
from roce_lint.model.buffer import BufferPool
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.qos import EgressPolicy, Marking, MarkingMode, Queue
from roce_lint.model.units import spell_size


@api.stage_check("ecn.data_queue_not_marked", Stage.MARKING)
def roce_queue_without_ecn(diagnosis: Diagnosis, broken: Fault) -> str:
    """The queue of a RoCE class on a port of its path does not mark ECN."""
    return "no ECN signal from this queue: congestion goes straight to PFC or drops"


@api.stage_check("ecn.drops_instead_of_marking", Stage.DROPPING)
def wred_dropping_roce(diagnosis: Diagnosis, broken: Fault) -> str:
    """WRED on the queue of a RoCE class drops packets instead of marking them."""
    return "RDMA packets are dropped as soon as the queue grows"


@api.object_check("ecn.thresholds_invalid", over="egress")
def invalid_ecn_thresholds(bound: BoundObject[EgressPolicy], given: Given) -> Iterator[Outcome]:
    """Invalid thresholds: Kmin above Kmax, Kmax below two packets, probability 0."""
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
    """Faults of two thresholds in the same unit."""
    kmin, kmax = marking.kmin, marking.kmax
    if kmin is None or kmax is None:
        return
    which = f"{bound.device.hostname} queue {queue.number}"
    if marking.pmax_percent == 0:
        yield Problem(
            f"{which}: ECN marking probability is 0 %",
            "nothing is marked between the thresholds: no sender backs off",
            [marking.where("pmax_percent")],
            value="0 %",
            severity=Severity.WARNING,
        )
    elif kmin.value > kmax.value:
        yield Problem(
            f"{which}: ECN minimum threshold ({kmin.text}) is above the maximum ({kmax.text})",
            "the switch rejects the pair, or ECN marking is undefined",
            [marking.where("kmin"), marking.where("kmax")],
            value=f"{kmin}>{kmax}",
        )
    elif (pool := _too_small_pool(bound.device, queue, marking)) is not None:
        yield Problem(
            f"{which}: ECN minimum threshold ({kmin.text}) is above its buffer pool {pool.name} "
            f"({spell_size(pool.size_bytes or 0)})",
            "the buffer is full before the first packet is marked: PFC or drops instead of ECN",
            [marking.where("kmin"), pool.where("size_bytes")],
            value=f"{kmin} of {pool.size_bytes}",
        )
    elif (
        (need := _largest(analysis, bound)) is not None
        and kmax.bytes is not None
        and kmax.bytes < 2 * need
    ):
        yield Problem(
            f"{which}: ECN maximum threshold ({kmax.text}) is below two packets of "
            f"{spell_size(need)}",
            "every packet is marked on an almost empty queue: senders never fill the link",
            [marking.where("kmax")],
            value=str(kmax),
        )


def _half(bound: BoundObject[EgressPolicy], queue: Queue, marking: Marking) -> Iterator[Outcome]:
    """Queues with only one of the two thresholds, or with neither."""
    device = bound.device
    neither = marking.kmin is None and marking.kmax is None
    if neither and marking.enabled is None and marking.stated("ecn"):
        missing = "the default ECN thresholds (the queue sets none)"
        yield Unknown(missing, [marking.where("ecn")], device.hostname, bound.ports)
    has, lacks = ("kmin", "kmax") if marking.kmax is None else ("kmax", "kmin")
    if marking.stated(has) and marking.at.get(lacks, 0) == 0:  # else the system has only one
        words = {"kmin": "minimum", "kmax": "maximum"}
        yield Problem(
            f"{device.hostname} queue {queue.number}: ECN has a {words[has]} threshold but no "
            f"{words[lacks]}",
            "the device rejects it, or uses the whole buffer instead: hardly any packet is marked",
            [marking.where(lacks), marking.where(has)],
            value=f"no {words[lacks]}",
            severity=Severity.WARNING,
        )


def _too_small_pool(device: Device, queue: Queue, marking: Marking) -> BufferPool | None:
    """Buffer pool of the queue, where Kmin is above its size."""
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


class DifferParams(BaseModel, extra="forbid"):
    """Parameters of `ecn.thresholds_differ`."""

    share: float = 0.6
    """Share of peer ports that makes a value the usual one."""


@dataclass(slots=True)
class _MarkedQueues:
    port: JudgedPort
    marking: Marking
    values: tuple[object, ...]
    peers: list[JudgedPort] = field(default_factory=list)


@api.fabric_check("ecn.thresholds_differ", params=DifferParams)
def ecn_thresholds_differ_from_peers(
    fabric: Fabric, given: Given[DifferParams]
) -> Iterator[Outcome]:
    """Peer ports mark the same class with different ECN thresholds."""
    for traffic in given.analysis.data_classes:
        groups: dict[tuple[object, ...], list[_MarkedQueues]] = defaultdict(list)
        everywhere: Counter[tuple[object, ...]] = Counter()
        for ports in given.analysis.equals.values():
            kind = _marked_queues(given.analysis, traffic, ports[0])
            if kind is not None:
                kind.peers = ports
                everywhere[kind.values] += len(ports)
                port, device = kind.port, kind.port.device
                model, speed = model_of(device), port.interface.speed_gbps
                groups[device.nos, model, device.role, port.faces_host, speed].append(kind)
        for members in groups.values():
            yield from _odd_ones(given.analysis, members, traffic, given.params.share, everywhere)


def _marked_queues(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort
) -> _MarkedQueues | None:
    """Thresholds of the class on a switch port; None where none are fixed."""
    marking = None if port.device.is_host else analysis.treat(port, traffic.dscps[0]).egress.marking
    if marking is None or not marking.ecn or marking.mode is not MarkingMode.STATIC:
        return None
    if marking.kmin is None and marking.kmax is None:
        return None  # it marks, at unknown thresholds
    values = (str(marking.kmin), str(marking.kmax), marking.pmax_percent)
    return _MarkedQueues(port, marking, values)


def _odd_ones(
    analysis: Analysis,
    members: list[_MarkedQueues],
    traffic: RoceClass,
    share: float,
    everywhere: Counter[tuple[object, ...]],
) -> Iterator[Outcome]:
    usual = _usual([m for m in members if _broken_line(m.marking) is None], share, everywhere)
    if usual is None:
        return
    example = next(m for m in members if m.values == usual)
    odd = [port for kind in members if kind.values != usual for port in kind.peers]
    every = (_marked_queues(analysis, traffic, port) for port in sorted(odd, key=analysis.position))
    for member in filter(None, every):
        names = zip(("kmin", "kmax", "pmax_percent"), member.values, usual, strict=True)
        name = next(name for name, mine, theirs in names if mine != theirs)
        yield Problem(
            f"{member.port} marks {traffic.name} from {_spell(member.marking)}, "
            f"its peers from {_spell(example.marking)}",
            "flows through this port back off earlier or later than the rest",
            [member.marking.where(name), example.marking.where(name)],
            *api.at_port(member.port),
            value="/".join(map(str, member.values)),
            traffic=traffic.name,
            about=_broken_line(member.marking),
            stage=Stage.DEPTHS,
        )


def _broken_line(marking: Marking) -> Where | None:
    """Line that makes ECN marking invalid: a fault rather than a difference."""
    low, high = marking.kmin, marking.kmax
    if marking.pmax_percent == 0:
        return marking.where("pmax_percent")
    swapped = low is not None and high is not None and low.unit is high.unit
    if swapped and low is not None and high is not None and low.value > high.value:
        return marking.where("kmin")
    return None


def _usual(
    members: list[_MarkedQueues], share: float, everywhere: Counter[tuple[object, ...]]
) -> tuple[object, ...] | None:
    """Values of most devices; None where there are none."""
    devices = {member.port.device.hostname for member in members}
    counts = Counter(
        {
            values: len({m.port.device.hostname for m in members if m.values == values})
            for values in dict.fromkeys(m.values for m in members)
        }
    )
    if not counts:
        return None
    (usual, count), *_ = counts.most_common(1)
    if len(devices) == 2 and len(counts) == 2:
        # The value that ports of other kinds have, if any, comes first.
        return max((m.values for m in members), key=lambda values: everywhere[values])
    return None if count < 2 or count < share * len(devices) else usual


def _spell(marking: Marking) -> str:
    kmin, kmax = (
        "unknown" if depth is None else depth.text for depth in (marking.kmin, marking.kmax)
    )
    pmax = marking.pmax_percent
    return f"{kmin} to {kmax}" + ("" if pmax is None else f" at {pmax:g} %")


# Marks lost in an overlay.


@api.device_check("ecn.lost_in_overlay")
def ecn_lost_in_overlay(device: Device, given: Given) -> Iterator[Outcome]:
    """A tunnel end does not copy ECN bits between inner and outer header."""
    analysis, ports = given.analysis, given.analysis.ports_of(device)
    if not any(analysis.mode(t, port).marking for t in analysis.data_classes for port in ports):
        return
    for port in device.interfaces.values():
        tunnel = port.tunnel
        if tunnel is not None and tunnel.ecn_copied is False and port.enabled is not False:
            yield Problem(
                f"{device.hostname} {port.name} does not copy ECN between the inner and outer "
                "headers",
                "ECN marks of the fabric are lost at the end of the tunnel: senders never back off",
                [tunnel.where("ecn_copied")],
                subjects=(port.name,),
                changes=(Change.on_port(device, port.name, "tunnel.ecn_copied", True),),
            )

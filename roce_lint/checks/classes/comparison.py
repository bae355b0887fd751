"""What the boxes of a network do with a code point that some line names, box against box."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from roce_lint.analysis.protection import named_apart, names
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import Treatment
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
from roce_lint.model.device import Device
from roce_lint.model.qos import SchedulerKind
from roce_lint.model.units import ranges
from roce_lint.text.source import Origin

ROUTING = (48, 56)
"""Class selectors 6 and 7: what the switches' own routing protocols send (RFC 4594, section 3)."""

AGREEING = 2
"""Boxes that must do the same before another one is odd."""


@dataclass(slots=True, frozen=True)
class _Done:
    """What a port does with a code point, in words that mean the same on every box."""

    lossless: bool
    with_data: bool  # in the queue of RoCE data
    bulk: bool  # in the queue of unmarked traffic
    marked: bool | None
    turn: str  # how its queue is served

    def fields(self, *, alike: bool) -> dict[str, Hashable]:
        """What is compared: between boxes of one system and place all of it, else what does not
        depend on either.
        """
        told: dict[str, Hashable] = {"lossless": self.lossless, "with data": self.with_data}
        if alike:
            told |= {"bulk": self.bulk, "marked": self.marked, "turn": self.turn}
        return told


@dataclass(slots=True)
class _Box:
    """What one switch does with the code points that lines of its network name."""

    device: Device
    place: Hashable  # system and role, else the switches around it: the same are compared in all
    named: frozenset[int]
    done: dict[int, tuple[_Done, JudgedPort]]


@fabric_check("classes.treated_otherwise")
def code_point_treated_otherwise(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """One switch does something else with a code point than most switches of its network."""
    analysis = given.analysis
    networks: dict[int, list[JudgedPort]] = defaultdict(list)
    for port, _ in analysis.kinds:
        if not port.device.is_host and not port.device.partial:  # a template is no box
            networks[port.network].append(port)
    for network in sorted(networks):
        if len({port.device.hostname for port in networks[network]}) > AGREEING:
            yield from _odd(analysis, networks[network])


def _odd(analysis: Analysis, ports: list[JudgedPort]) -> Iterator[Problem]:
    taken = {dscp for traffic in analysis.classes for dscp in traffic.dscps} | {0}
    taken |= _outer(ports)
    wanted = sorted({dscp for port in ports for dscp in named_apart(port)} - taken)
    by_device: dict[str, list[JudgedPort]] = defaultdict(list)
    for port in ports:
        by_device[port.device.hostname].append(port)
    boxes = [_box(analysis, each, wanted) for each in by_device.values()]
    found: dict[Hashable, list[tuple[int, _Odd]]] = defaultdict(list)
    for dscp in wanted:
        here = [box for box in boxes if dscp in box.done]
        for odd in _odd_boxes(here, dscp):
            if _is_in_the_place_of_data(analysis, odd.port, dscp):
                continue  # the code point was mistaken for that of RoCE, which is told of RoCE
            tc = analysis.treat(odd.port, dscp).ingress.tc
            found[odd.box.device.hostname, tc, odd.what].append((dscp, odd))
    for told in found.values():
        yield _problem(analysis, [dscp for dscp, _ in told], told[0][1])


def _outer(ports: list[JudgedPort]) -> set[int]:
    """Code points that a tunnel gives: its ends treat them by maps of their own (RFC 2983)."""
    devices = {port.device.hostname: port.device for port in ports}
    ends = (end for device in devices.values() for end in device.interfaces.values())
    tunnels = [end.tunnel for end in ends if end.tunnel is not None]
    detours = [tunnel.detour for tunnel in tunnels if tunnel.detour is not None]
    fixed = {tunnel.dscp for tunnel in tunnels if tunnel.dscp is not None}
    return fixed | {dscp for each in detours for dscp in each.tc_to_dscp.entries.values()}


def _is_in_the_place_of_data(analysis: Analysis, port: JudgedPort, dscp: int) -> bool:
    """True where the code point is paused as RoCE should be, and one of RoCE's own is not."""
    into = analysis.treat(port, dscp).ingress
    return bool(into.lossless) and any(
        analysis.mode(traffic, port).priority == into.priority
        and any(analysis.treat(port, d).ingress.lossless is False for d in traffic.dscps)
        for traffic in analysis.data_classes
        if analysis.needs_pause(traffic, port)
    )


def _box(analysis: Analysis, ports: list[JudgedPort], wanted: list[int]) -> _Box:
    device = ports[0].device
    done: dict[int, tuple[_Done, JudgedPort]] = {}
    for dscp in wanted:
        votes: Counter[_Done] = Counter()
        example: dict[_Done, JudgedPort] = {}
        for port in ports:
            each = _done(analysis, port, dscp)
            if each is None:
                break
            votes[each] += len(analysis.equals.get(port.key, (port,)))
            example.setdefault(each, port)
        else:
            usual = max(votes, key=lambda each: votes[each])
            done[dscp] = usual, example[usual]
    peers = frozenset(
        port.peer.device.hostname
        for port in analysis.ports_of(device)
        if port.peer is not None and not port.peer.device.is_host
    )
    named = frozenset(dscp for port in ports for dscp in named_apart(port))
    return _Box(device, (device.nos, device.role or peers), named, done)


def _done(analysis: Analysis, port: JudgedPort, dscp: int) -> _Done | None:
    """None where it is not known, or the port does not treat RoCE itself as it should: then what
    becomes of others beside it is a consequence.
    """
    treated = analysis.treat(port, dscp)
    into, out = treated.ingress, treated.egress
    data = [analysis.treat(port, d) for t in analysis.data_classes for d in t.dscps]
    right = [each for each in data if each.ingress.lossless or each.egress.marks]
    if not right or into.tc is None or not into.certain or into.lossless is None:
        return None
    queues = {each.egress.queue for each in right}
    return _Done(
        into.lossless,
        out.queue is not None and out.queue in queues,
        out.queue in analysis.bulk_queues(port),
        out.marks,
        _turn(treated),
    )


def _turn(treated: Treatment) -> str:
    scheduler = treated.egress.scheduler
    if scheduler is None or scheduler.kind is None:
        return "with no turn of its own"
    if scheduler.kind is SchedulerKind.STRICT:
        return "strictly"
    return "without a share" if scheduler.share == 0 else "by share"


@dataclass(slots=True, frozen=True)
class _Odd:
    box: _Box
    port: JudgedPort
    mine: _Done
    usual: _Done
    what: tuple[str, ...]  # fields that differ
    example: tuple[_Box, JudgedPort]
    agreeing: int
    all: int


def _odd_boxes(boxes: list[_Box], dscp: int) -> Iterator[_Odd]:
    """Boxes that differ in what means the same everywhere from most of those that name the code
    point, or from most of their system; in the rest, from most of those like them.
    """
    systems: dict[Hashable, list[_Box]] = defaultdict(list)
    places: dict[Hashable, list[_Box]] = defaultdict(list)
    for box in boxes:
        systems[box.device.nos].append(box)
        places[box.place].append(box)
    told: set[str] = set()
    groups = [([box for box in boxes if dscp in box.named], False)]
    groups += [(group, False) for group in systems.values()]
    groups += [(group, True) for group in places.values()]
    for group, alike in groups:
        votes = Counter(tuple(b.done[dscp][0].fields(alike=alike).items()) for b in group)
        if len(votes) < AGREEING:
            continue
        usual, count = votes.most_common(1)[0]
        if count < AGREEING or 2 * count <= len(group):
            continue
        agreeing = [b for b in group if tuple(b.done[dscp][0].fields(alike=alike).items()) == usual]
        example = min(agreeing, key=lambda b: (not names(b.device, dscp), b.device.hostname))
        for box in group:
            mine, port = box.done[dscp]
            other, its = example.done[dscp]
            values = dict(usual)
            what = tuple(k for k, v in mine.fields(alike=alike).items() if values[k] != v)
            if what and box.device.hostname not in told:
                told.add(box.device.hostname)
                yield _Odd(box, port, mine, other, what, (example, its), count, len(group))


def _problem(analysis: Analysis, dscps: list[int], odd: _Odd) -> Problem:
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
    places += [*into.tc_where[:2], *theirs.ingress.tc_where[:1]]
    ports = analysis.ports_of(odd.box.device)
    return Problem(
        f"{odd.box.device.hostname} treats DSCP {ranges(dscps)} otherwise than "
        f"{odd.agreeing} of {odd.all} switches: {_spell(odd.mine, odd.what)}; "
        f"{example.device.hostname}: {_spell(odd.usual, odd.what)}",
        _consequence(odd, dscps),
        [place for place in places if place.origin is not Origin.ABSENT or place.position],
        odd.box.device.hostname,
        tuple(port.interface.name for port in ports if port.network == odd.port.network),
        value=f"{ranges(dscps)}:{into.tc}:{'/'.join(odd.what)}",
        severity=None if _is_grave(odd, dscps) else Severity.INFO,
    )


def _has_queue_of_data(analysis: Analysis, odd: _Odd, dscp: int) -> bool:
    """True where the code point has a class of its own, and that class has the queue of RoCE."""
    mine, port = analysis.treat(odd.port, dscp), odd.port
    data = [analysis.treat(port, d).ingress.tc for t in analysis.data_classes for d in t.dscps]
    place = mine.egress.queue_where
    if place is None or place.origin is not Origin.STATED:
        return False
    return odd.mine.with_data and mine.ingress.tc not in data


def _is_grave(odd: _Odd, dscps: list[int]) -> bool:
    """What enters or leaves a lossless or strict class, or shares the queue of the data; and what
    routing protocols send, which no switch is without. Not what most switches have in a class by
    their platform's map alone: nobody may send it.
    """
    named = any(names(odd.example[0].device, dscp) for dscp in dscps)
    entered = (odd.mine.lossless, odd.mine.with_data) > (odd.usual.lossless, odd.usual.with_data)
    if {"lossless", "with data"} & set(odd.what):
        return named or entered
    if any(dscp in ROUTING for dscp in dscps) and "marked" not in odd.what[:1]:
        return True
    return named and "turn" in odd.what and "strictly" in (odd.mine.turn, odd.usual.turn)


def _spell(done: _Done, what: tuple[str, ...]) -> str:
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


def _consequence(odd: _Odd, dscps: list[int]) -> str:
    if odd.mine.lossless and not odd.usual.lossless:
        return "it pauses RoCE's links, and is held back by pause here alone"
    if odd.usual.lossless and not odd.mine.lossless:
        return "it is dropped here under congestion, and nowhere else"
    if odd.mine.with_data and not odd.usual.with_data:
        return "it takes RoCE's share of the link, and waits behind RoCE here alone"
    if any(dscp in ROUTING for dscp in dscps):
        return "sessions of routing protocols get another service on this switch than elsewhere"
    return "the same packet gets another service on this switch than elsewhere"

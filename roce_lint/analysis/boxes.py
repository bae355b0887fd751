"""What the switches of a network do with a code point that some line names, beside each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from roce_lint.analysis.protection import codes_named_alone, names
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import Treatment
from roce_lint.model.device import Device
from roce_lint.model.qos import SchedulerKind

AGREEING = 2
"""Boxes that must do the same before another one is odd."""


@dataclass(slots=True, frozen=True)
class Done:
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
class Box:
    """What one switch does with the code points that lines of its network name."""

    device: Device
    place: Hashable  # system and role, else the switches around it: the same are compared in all
    named: frozenset[int]
    done: dict[int, tuple[Done, JudgedPort]]


def odd_boxes(analysis: Analysis) -> Iterator[tuple[list[int], Odd]]:
    """Switches that do something else with a code point than most of their network; all that one
    does alike to code points of one class are told together.
    """
    networks: dict[int, list[JudgedPort]] = defaultdict(list)
    for port, _ in analysis.kinds:
        if not port.device.is_host and not port.device.partial:  # a template is no box
            networks[port.network].append(port)
    for network in sorted(networks):
        if len({port.device.hostname for port in networks[network]}) > AGREEING:
            yield from _odd(analysis, networks[network])


def _odd(analysis: Analysis, ports: list[JudgedPort]) -> Iterator[tuple[list[int], Odd]]:
    taken = {dscp for traffic in analysis.classes for dscp in traffic.dscps} | {0}
    taken |= _outer(ports)
    wanted = sorted({dscp for port in ports for dscp in codes_named_alone(analysis, port)} - taken)
    by_device: dict[str, list[JudgedPort]] = defaultdict(list)
    for port in ports:
        by_device[port.device.hostname].append(port)
    boxes = [_box(analysis, each, wanted) for each in by_device.values()]
    found: dict[Hashable, list[tuple[int, Odd]]] = defaultdict(list)
    for dscp in wanted:
        here = [box for box in boxes if dscp in box.done]
        for odd in _odd_boxes(here, dscp):
            if _is_in_the_place_of_data(analysis, odd.port, dscp):
                continue  # the code point was mistaken for that of RoCE, which is told of RoCE
            tc = analysis.treat(odd.port, dscp).ingress.tc
            found[odd.box.device.hostname, tc, odd.what].append((dscp, odd))
    groups = [([dscp for dscp, _ in told], told[0][1]) for told in found.values()]
    exchanged = [_instead(each, groups, boxes) for each in groups]
    wrong = {_key(other) for others in exchanged for other in others}
    for one, others in zip(groups, exchanged, strict=True):
        if _key(one) not in wrong:
            instead = tuple(dscp for dscps, _ in others for dscp in dscps)
            yield one[0], replace(one[1], instead=instead)


def _key(one: tuple[list[int], Odd]) -> tuple[str, int]:
    return one[1].box.device.hostname, one[0][0]


def _instead(
    one: tuple[list[int], Odd], groups: list[tuple[list[int], Odd]], boxes: list[Box]
) -> list[tuple[list[int], Odd]]:
    """Code points that this switch alone names and serves as most serve those of `one`, while it
    serves those as most serve the former: a line that names the wrong one is one fault.
    """
    dscps, odd = one
    named = {dscp for box in boxes if box.device is not odd.box.device for dscp in box.named}
    if not named.intersection(dscps):
        return []
    return [
        (others, other)
        for others, other in groups
        if other.box.device is odd.box.device
        and not named.intersection(others)
        and (other.what, other.mine, other.usual) == (odd.what, odd.usual, odd.mine)
    ]


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


def _box(analysis: Analysis, ports: list[JudgedPort], wanted: list[int]) -> Box:
    device = ports[0].device
    done: dict[int, tuple[Done, JudgedPort]] = {}
    for dscp in wanted:
        votes: Counter[Done] = Counter()
        example: dict[Done, JudgedPort] = {}
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
    named = frozenset(dscp for port in ports for dscp in codes_named_alone(analysis, port))
    return Box(device, (device.nos, device.role or peers), named, done)


def _done(analysis: Analysis, port: JudgedPort, dscp: int) -> Done | None:
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
    return Done(
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
class Odd:
    """A switch that differs, one of its ports, and what most do."""

    box: Box
    port: JudgedPort
    mine: Done
    usual: Done
    what: tuple[str, ...]  # fields that differ
    example: tuple[Box, JudgedPort]
    agreeing: int
    all: int
    instead: tuple[int, ...] = ()  # code points that only it names, and serves like the others'


def _odd_boxes(boxes: list[Box], dscp: int) -> Iterator[Odd]:
    """Boxes that differ in what means the same everywhere from most of those that name the code
    point, or from most of their system; in the rest, from most of those like them.
    """
    systems: dict[Hashable, list[Box]] = defaultdict(list)
    places: dict[Hashable, list[Box]] = defaultdict(list)
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
                yield Odd(box, port, mine, other, what, (example, its), count, len(group))

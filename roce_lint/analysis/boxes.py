"""What the switches of a network do with a code point that some line names, beside each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace

from roce_lint.analysis.equal_switches import AGREEING, pairs_of_switches, place_of, usual
from roce_lint.analysis.protection import codes_named_alone, is_listed, names
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import Treatment
from roce_lint.model.device import Device
from roce_lint.model.qos import SchedulerKind

DECISIVE = ("lossless", "with data")
"""Properties that decide a class, from which its marking and scheduling follow."""


@dataclass(slots=True, frozen=True)
class Done:
    """What a port does with a code point, in words that mean the same on every box."""

    lossless: bool
    with_data: bool  # in the queue of RoCE data
    bulk: bool  # in the queue of unmarked traffic
    marked: bool | None
    turn: str  # how its queue is served

    def fields(self, *, alike: bool) -> dict[str, Hashable]:
        """Known properties to compare: how a queue is served only between switches of one
        system and place.
        """
        known = {"lossless": self.lossless, "with data": self.with_data, "bulk": self.bulk}
        marked = {} if self.marked is None else {"marked": self.marked}
        return known | marked | ({"turn": self.turn} if alike else {})


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
    pairs = pairs_of_switches(analysis)
    networks: dict[int, list[JudgedPort]] = defaultdict(list)
    for port, _ in analysis.kinds:
        if not port.device.is_host and not port.device.partial:  # a template is no box
            networks[port.network].append(port)
    groups = [networks[network] for network in sorted(networks)]
    names_of = [{port.device.hostname for port in ports} for ports in groups]
    for pair in pairs:
        if not any(here.issuperset(pair) for here in names_of):  # of two planes, or without a spine
            groups.append([p for ports in groups for p in ports if p.device.hostname in pair])
    for ports in groups:
        here = sorted({port.device.hostname for port in ports})
        if len(here) > AGREEING or tuple(here) in pairs:
            yield from _odd(analysis, ports, pairs)


def _odd(
    analysis: Analysis, ports: list[JudgedPort], pairs: list[tuple[str, ...]]
) -> Iterator[tuple[list[int], Odd]]:
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
        for odd in _odd_boxes(here, dscp, pairs):
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
            most = max(votes, key=lambda each: votes[each])
            done[dscp] = most, example[most]
    named = frozenset(dscp for port in ports for dscp in codes_named_alone(analysis, port))
    named |= {d for d in {*wanted} - named if any(is_listed(port, d) for port in ports)}
    return Box(device, place_of(analysis, device), named, done)


def _done(analysis: Analysis, port: JudgedPort, dscp: int) -> Done | None:
    """None where it is not known, or the port does not treat RoCE itself as it should: then what
    becomes of others beside it is a consequence.
    """
    treated = analysis.treat(port, dscp)
    into, out = treated.ingress, treated.egress
    data = [analysis.treat(port, d) for t in analysis.data_classes for d in t.dscps]
    right = [each for each in data if each.ingress.lossless or each.egress.marks]
    if not right or not into.certain or None in (into.tc, into.lossless, out.queue):
        return None
    queues = {each.egress.queue for each in right}
    return Done(
        bool(into.lossless),
        out.queue in queues,
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
    alike: bool  # they are of its own system and place
    instead: tuple[int, ...] = ()  # code points that only it names, and serves like the others'


def _odd_boxes(boxes: list[Box], dscp: int, pairs: list[tuple[str, ...]]) -> Iterator[Odd]:
    """Boxes that differ from most of those that name the code point, from most of their system,
    from most like them, which serve its queue alike too, or alone of their system from most; and of
    a pair where neither does, one.
    """
    systems: dict[Hashable, list[Box]] = defaultdict(list)
    places: dict[Hashable, list[Box]] = defaultdict(list)
    for box in boxes:
        systems[box.device.nos].append(box)
        places[box.place].append(box)
    groups = [([box for box in boxes if dscp in box.named], False)]
    groups += [(group, False) for group in systems.values()]
    groups += [(group, True) for group in places.values()]
    groups += [(boxes, False)]
    found: dict[str, Odd] = {}
    for group, alike in groups:
        for odd in _odd_of(group, dscp, alike=alike):
            name = odd.box.device.hostname
            if group is boxes and (name in found or not _is_alone(odd, systems, dscp)):
                continue
            if name not in found or set(odd.what) >= set(found[name].what):
                found[name] = odd
    yield from found.values()
    by_name = {box.device.hostname: box for box in boxes}
    for pair in pairs:
        two = [by_name[name] for name in pair if name in by_name and name not in found]
        kinds, naming = {box.device.nos for box in two}, [box for box in two if dscp in box.named]
        if len(two) == AGREEING and len(naming) >= len(kinds):
            (mine, port), (other, its) = (box.done[dscp] for box in two)
            theirs = other.fields(alike=len(kinds) == 1)
            what = tuple(k for k, v in mine.fields(alike=True).items() if theirs.get(k, v) != v)
            what = tuple(k for k in what if k in DECISIVE) or what
            if what:
                yield Odd(two[0], port, mine, other, what, (two[1], its), 1, 2, alike=True)


def _is_alone(odd: Odd, systems: Mapping[Hashable, list[Box]], dscp: int) -> bool:
    """Whether no other switch of its system does so, and one does as most of the network: then it
    is not the platform that makes the difference. What is lossless on one switch alone is seen
    where RoCE is compared.
    """
    if not set(DECISIVE).isdisjoint(odd.what):
        return False
    others = [b.done[dscp][0] for b in systems[odd.box.device.nos] if b is not odd.box]
    wanted = odd.usual.fields(alike=False)
    return bool(others) and all(
        done.fields(alike=False).get(name) == wanted[name] for done in others for name in odd.what
    )


def _odd_of(group: list[Box], dscp: int, *, alike: bool) -> Iterator[Odd]:
    fields = [(box, box.done[dscp][0].fields(alike=alike)) for box in group]
    most = {
        name: found
        for name in dict.fromkeys(name for _, values in fields for name in values)
        if (found := usual(values[name] for _, values in fields if name in values)) is not None
    }
    for box, values in fields:
        what = tuple(k for k, v in values.items() if k in most and most[k][0] != v)
        what = tuple(k for k in what if k in DECISIVE) or what
        like = [b for b, its in fields if all(its.get(name) == most[name][0] for name in what)]
        if what and like:
            example = min(like, key=lambda b: (not names(b.device, dscp), b.device.hostname))
            (other, its), (mine, port) = example.done[dscp], box.done[dscp]
            yield Odd(box, port, mine, other, what, (example, its), *most[what[0]][1:], alike)

"""Whether packets can go down and up again: the one thing that lets pauses run in a circle.

A packet that came down to a switch goes up again where the switch above takes routes that came
down from its own tier. BGP refuses them where the tier has one AS; else a policy must.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from roce_lint.analysis.paths import Crossing, Node, Paths, paths_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.sessions import Sessions, Taken
from roce_lint.engine.api import (
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Unknown,
    Where,
    fabric_check,
)
from roce_lint.model.device import Device

CIRCLE = 4
"""Switches below two of the tier above that a circle takes: two packets turn at two of them, on
the way to two others whose own links are down."""


@dataclass(slots=True)
class _Turn:
    """A switch below two others at which packets can turn, from either of them to the other."""

    low: str
    first: Crossing  # up, to one of the two
    second: Crossing


@fabric_check("valleys.not_prevented")
def routes_leading_down_and_up(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Nothing keeps packets of a lossless class from going down and up again."""
    analysis = given.analysis
    paths = paths_of(analysis)
    pairs = _by_pair(paths)
    if not pairs:
        return
    sessions = Sessions(fabric, paths)
    told: set[tuple[int, int]] = set()
    for (one, other), turns in pairs.items():
        a, b = fabric.devices[one], fabric.devices[other]
        tier = (turns[0].first.out.network, paths.nodes[one].tier)
        if tier in told or len(turns) < CIRCLE:
            continue
        if all(device.asn is None and device.routing is None for device in (a, b)):
            if _routed(turns) and _paused(analysis, turns[0], turns[1]) is not None:
                told.add(tier)
                yield _unknown(a, turns[0])
            continue
        taken = [(turn, _taken(sessions, turn, a, b)) for turn in turns]
        open_at = [turn for turn, answer in taken if answer.value]
        witness = _circle(analysis, open_at)
        if witness is not None and _lead_on(sessions, witness, turns):
            told.add(tier)
            yield _problem(sessions, witness, a, b)
            continue
        doubted = [each for each in taken if each[1].value is None and each[1].where is not None]
        possible = _circle(analysis, [*open_at, *(turn for turn, _ in doubted)])
        if possible is not None and _lead_on(sessions, possible, turns):
            told.add(tier)
            yield _doubt(*doubted[0])


@dataclass(slots=True)
class Kept:
    """Switches of one tier that take no route back that came down from one of them; a line for
    every way in which that is prevented.
    """

    switches: list[str]
    where: list[Where]


def kept_apart(fabric: Fabric, analysis: Analysis) -> list[Kept]:
    """The tiers of which every two neighbours refuse each other's routes at every switch below."""
    paths = paths_of(analysis)
    sessions = Sessions(fabric, paths)
    tiers: dict[tuple[int, int], Kept | None] = {}
    for (one, other), turns in _by_pair(paths).items():
        a, b = fabric.devices[one], fabric.devices[other]
        tier = (turns[0].first.out.network, paths.nodes[one].tier)
        lows = [turn.first.out.device for turn in turns]
        taken = [sessions.takes(*ends) for low in lows for ends in ((a, low, b), (b, low, a))]
        kept = tiers.setdefault(tier, Kept([], []))
        if kept is None or any(answer.value is not False for answer in taken):
            tiers[tier] = None
            continue
        kept.switches += [name for name in (one, other) if name not in kept.switches]
        kept.where += [answer.where for answer in taken if answer.where is not None]
    return [kept for _, kept in sorted(tiers.items()) if kept is not None]


def _by_pair(paths: Paths) -> dict[tuple[str, str], list[_Turn]]:
    """By two switches of one tier: the switches below both. Neighbours in the order of names are
    looked at, so that the work grows with links: where a tier has two AS numbers or two ways to
    take routes, two neighbours have.
    """
    found: dict[tuple[str, str], list[_Turn]] = defaultdict(list)
    for node in paths.nodes.values():
        for one, other in pairwise(_above(paths, node)):
            if one.into.device.hostname != other.into.device.hostname:
                pair = (one.into.device.hostname, other.into.device.hostname)
                found[pair].append(_Turn(node.name, one, other))
    return found


def _above(paths: Paths, node: Node) -> list[Crossing]:
    """One link to every switch above, those of one tier beside each other."""
    links = {crossing.into.device.hostname: crossing for crossing in reversed(node.up)}
    return [links[name] for name in sorted(links, key=lambda name: (paths.nodes[name].tier, name))]


def _taken(sessions: Sessions, turn: _Turn, a: Device, b: Device) -> Taken:
    """Whether each of two switches takes the routes of the other from the one below them."""
    low = turn.first.out.device
    one, other = sessions.takes(a, low, b), sessions.takes(b, low, a)
    if one.value and other.value:
        return one
    refused = next((taken for taken in (one, other) if taken.value is False), None)
    if refused is not None:
        return refused
    return one if one.value is None and (other.value or one.where is not None) else other


def _lead_on(sessions: Sessions, circle: _Circle, turns: list[_Turn]) -> bool:
    """Whether both switches know ways to two others at least, by the switch above beyond: with one
    AS for all they refuse each other's routes.
    """
    ends = (circle.one, circle.other)
    for turn, beyond in zip(ends, (circle.one.second, circle.other.first), strict=True):
        low = turn.first.out.device
        session = sessions.of(low, beyond.into.device)
        own = session is not None and bool(session.stated.own_as_allowed)
        others = [t.first.out.device for t in turns if t not in ends]
        if sum(own or device.asn != low.asn for device in others) < len(ends):
            return False
    return True


def _routed(turns: list[_Turn]) -> bool:
    return all(
        end.interface.routed
        for turn in turns
        for crossing in (turn.first, turn.second)
        for end in (crossing.out, crossing.into)
    )


@dataclass(slots=True)
class _Circle:
    """Four links on each of which a pause can wait for the next."""

    traffic: RoceClass
    one: _Turn
    other: _Turn
    ports: list[tuple[JudgedPort, int]]  # where packets arrive, and the priority paused with


def _circle(analysis: Analysis, turns: list[_Turn]) -> _Circle | None:
    """Two switches at which packets can turn, joined by links that pause a class of data."""
    usable = [turn for turn in turns if _paused(analysis, turn, turn) is not None]
    if len(usable) < 2:
        return None
    one, other = usable[:2]
    found = _paused(analysis, one, other)
    return None if found is None else _Circle(found[0], one, other, found[1])


def _paused(
    analysis: Analysis, one: _Turn, other: _Turn
) -> tuple[RoceClass, list[tuple[JudgedPort, int]]] | None:
    """A class that is paused all the way round, with the ports and their priorities."""
    ports = [one.first.out, one.second.into, other.second.out, other.first.into]
    for traffic in analysis.data_classes:
        into = [analysis.treat(port, traffic.dscps[0]).ingress for port in ports]
        if all(i.lossless and i.priority is not None for i in into):
            return traffic, [(p, i.priority or 0) for p, i in zip(ports, into, strict=True)]
    return None


def _problem(sessions: Sessions, circle: _Circle, a: Device, b: Device) -> Problem:
    low = circle.one.first.out.device
    same = a.asn == b.asn
    why = (
        f"{a.hostname} takes routes that hold its own AS {a.asn}"
        if same
        else f"{a.hostname} is AS {a.asn} and {b.hostname} is AS {b.asn}, and no policy is between"
    )
    walk = " > ".join(f"{port} (priority {priority})" for port, priority in circle.ports)
    return Problem(
        f"{a.hostname} takes from {low.hostname} the routes of {b.hostname}: {why}",
        f"when links fail packets go down and up again, and pauses of {circle.traffic.name} can "
        f"wait for each other in a circle, for ever: {walk} > {circle.ports[0][0]}",
        list(_places(sessions, a, b, low, same=same)),
        a.hostname,
        (circle.one.first.into.interface.name,),
        value="own AS allowed" if same else "AS of its own",
        traffic=circle.traffic.name,
    )


def _places(
    sessions: Sessions, a: Device, b: Device, low: Device, *, same: bool
) -> Iterator[Where]:
    """The deciding line, and what is configured of the sessions between the three."""
    own = sessions.of(a, low)
    if same and own is not None:
        yield own.stated.where("own_as_allowed")
    yield a.where("asn")
    yield b.where("asn")
    for session in (own, sessions.of(low, a), sessions.of(low, b)):
        if session is not None:
            yield session.stated.where("asn" if session.stated.stated("asn") else "")


def _unknown(device: Device, turn: _Turn) -> Unknown:
    missing = "which routes the switches take from each other (their BGP configuration tells)"
    port = turn.first.into.interface
    return Unknown(missing, [port.where()], device.hostname, (port.name,))


def _doubt(turn: _Turn, taken: Taken) -> Unknown:
    """The first policy of which it is not known what it does with a route from above."""
    missing = (
        "whether routes from above can go up again (what route policies let through, or how often "
        "an own AS is allowed, is not all understood)"
    )
    port = turn.first.into
    where = taken.where if taken.where is not None else port.interface.where()
    return Unknown(missing, [where], port.device.hostname, (port.interface.name,))

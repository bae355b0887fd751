"""Whether packets can go down and up again: the one thing that lets pauses run in a circle.

A packet that came down to a switch goes up again where the switch above takes routes that came
down from its own tier. BGP refuses them where the tier has one AS; else a policy must.
"""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.paths import paths_of
from roce_lint.analysis.sessions import RouteAcceptance, Sessions
from roce_lint.analysis.valleys import (
    Circle,
    Turn,
    are_all_routed,
    circle_at,
    lead_on,
    pause_cycle,
    route_acceptance,
    turns_by_pair,
)
from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Unknown,
    Where,
    fabric_check,
)

CIRCLE = 4
"""Switches below two of the tier above that a circle takes: two packets turn at two of them, on
the way to two others whose own links are down."""


@fabric_check("valleys.not_prevented")
def routes_leading_down_and_up(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Nothing keeps packets of a lossless class from going down and up again."""
    analysis = given.analysis
    paths = paths_of(analysis)
    pairs = turns_by_pair(paths)
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
            if are_all_routed(turns) and pause_cycle(analysis, turns[0], turns[1]) is not None:
                told.add(tier)
                yield _unknown(a, turns[0])
            continue
        taken = [(turn, route_acceptance(sessions, turn, a, b)) for turn in turns]
        open_at = [turn for turn, answer in taken if answer.value]
        witness = circle_at(analysis, open_at)
        if witness is not None and lead_on(sessions, witness, turns):
            told.add(tier)
            yield _problem(sessions, witness, a, b)
            continue
        doubted = [each for each in taken if each[1].value is None and each[1].where is not None]
        possible = circle_at(analysis, [*open_at, *(turn for turn, _ in doubted)])
        if possible is not None and lead_on(sessions, possible, turns):
            told.add(tier)
            yield _doubt(*doubted[0])


def _problem(sessions: Sessions, circle: Circle, a: Device, b: Device) -> Problem:
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


def _unknown(device: Device, turn: Turn) -> Unknown:
    missing = "which routes the switches take from each other (their BGP configuration tells)"
    port = turn.first.into.interface
    return Unknown(missing, [port.where()], device.hostname, (port.name,))


def _doubt(turn: Turn, taken: RouteAcceptance) -> Unknown:
    """The first policy of which it is not known what it does with a route from above."""
    missing = (
        "whether routes from above can go up again (what route policies let through, or how often "
        "an own AS is allowed, is not all understood)"
    )
    port = turn.first.into
    where = taken.where if taken.where is not None else port.interface.where()
    return Unknown(missing, [where], port.device.hostname, (port.interface.name,))

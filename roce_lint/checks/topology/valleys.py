"""Up-down-up routes, which allow cyclic buffer dependencies and so PFC deadlocks; and missing BGP
routes.

A packet that came down to a switch goes up again if the upper switch accepts routes of its own
tier. BGP rejects them where the tier has one AS; otherwise a policy has to.
"""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.paths import paths_of
from roce_lint.analysis.routes import RouteFault, route_faults
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
from roce_lint.engine.api import Given, Outcome, Problem, Unknown, Where, at_port, fabric_check
from roce_lint.engine.conclusion import some
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric

CIRCLE = 4
"""Lower switches that a cycle takes: packets turn at two of them on the way to two others whose
links are down."""


@fabric_check("valleys.not_prevented")
def up_down_up_routes(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A tier whose BGP does not prevent up-down-up routes of a lossless class."""
    analysis = given.analysis
    paths = paths_of(analysis)
    pairs = turns_by_pair(paths)
    if not pairs:
        return
    sessions = Sessions(fabric, paths)
    reported: set[tuple[int, int]] = set()
    for (one, other), turns in pairs.items():
        a, b = fabric.devices[one], fabric.devices[other]
        tier = (turns[0].first.out.network, paths.nodes[one].tier)
        if tier in reported or len(turns) < CIRCLE:
            continue
        if all(device.asn is None and device.routing is None for device in (a, b)):
            if are_all_routed(turns) and pause_cycle(analysis, turns[0], turns[1]) is not None:
                reported.add(tier)
                yield _unknown(a, turns[0])
            continue
        taken = [(turn, route_acceptance(sessions, turn, a, b)) for turn in turns]
        open_at = [turn for turn, answer in taken if answer.value]
        witness = circle_at(analysis, open_at)
        if witness is not None and lead_on(sessions, witness, turns):
            reported.add(tier)
            yield _valley_problem(sessions, witness, a, b)
            continue
        doubted = [each for each in taken if each[1].value is None and each[1].where is not None]
        possible = circle_at(analysis, [*open_at, *(turn for turn, _ in doubted)])
        if possible is not None and lead_on(sessions, possible, turns):
            reported.add(tier)
            yield _doubt(*doubted[0])


def _valley_problem(sessions: Sessions, circle: Circle, a: Device, b: Device) -> Problem:
    low = circle.one.first.out.device
    same = a.asn == b.asn
    why = (
        f"{a.hostname} accepts routes with its own AS {a.asn}"
        if same
        else f"{a.hostname} is AS {a.asn}, {b.hostname} is AS {b.asn}, and no policy filters them"
    )
    walk = " > ".join(f"{port} (priority {priority})" for port, priority in circle.ports)
    return Problem(
        f"{a.hostname} accepts from {low.hostname} the routes of {b.hostname}: {why}",
        "after link failures packets go down and up again, and PFC of "
        f"{circle.traffic.name} can deadlock in a cycle: {walk} > {circle.ports[0][0]}",
        list(_places(sessions, a, b, low, same=same)),
        a.hostname,
        (circle.one.first.into.interface.name,),
        value="own AS allowed" if same else "AS of its own",
        traffic=circle.traffic.name,
    )


def _places(
    sessions: Sessions, a: Device, b: Device, low: Device, *, same: bool
) -> Iterator[Where]:
    """Deciding line and the sessions between the three switches."""
    own = sessions.of(a, low)
    if same and own is not None:
        yield own.stated.where("own_as_allowed")
    yield a.where("asn")
    yield b.where("asn")
    for session in (own, sessions.of(low, a), sessions.of(low, b)):
        if session is not None:
            yield session.stated.where("asn" if session.stated.stated("asn") else "")


def _unknown(device: Device, turn: Turn) -> Unknown:
    missing = "the routes that the switches exchange (provide their BGP configuration)"
    port = turn.first.into.interface
    return Unknown(missing, [port.where()], device.hostname, (port.name,))


def _doubt(turn: Turn, taken: RouteAcceptance) -> Unknown:
    """Unknown outcome at the first policy that is not fully understood."""
    missing = (
        "route filtering between the tiers (a route policy, or the number of allowed own ASes, is "
        "not fully understood)"
    )
    port = turn.first.into
    where = taken.where if taken.where is not None else port.interface.where()
    return Unknown(missing, [where], *at_port(port))


# Missing routes: sessions that stay down, and networks that are not announced.


@fabric_check("routes.session_contradicted")
def bgp_session_mismatch(_fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A BGP session whose peer has another AS number, or no such session."""
    for each in route_faults(given.analysis):
        if each.stated is None or each.other is None:
            continue
        far, peer = each.other, each.stated.peer
        text = f"has a BGP session with {far.hostname} ({peer}), which has none in return"
        if each.by_number:
            text = f"expects AS {each.stated.asn} at {peer}, but {far.hostname} is AS {far.asn}"
        value = str(far.asn) if each.by_number else "no session"
        harm = "the session stays down: no routes are exchanged over this link, and "
        yield _route_problem(each, text, harm + "traffic takes other links or none", value)


@fabric_check("routes.hosts_without_route")
def hosts_without_route(_fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Host networks that are not announced in BGP, or rejected for their AS number, and switches
    that do not route.
    """
    for each in route_faults(given.analysis):
        text, value = f"does not announce its host networks {some(each.networks)} in BGP", "silent"
        if each.other is not None:
            far, value = each.other, "same AS"
            text = f"and {far.hostname} both use AS {far.asn} and reject routes that contain it"
        harm = "packets from hosts on other leaves have no route and are dropped"
        if each.family:
            text, value = f"does not route {each.family} between its ports", each.family
            harm = "packets between hosts are dropped"
        if each.stated is None:
            yield _route_problem(each, text, harm, value)


def _route_problem(fault: RouteFault, text: str, harm: str, value: str) -> Problem:
    name = fault.device.hostname
    ports = tuple(port for device, port in fault.ports if device == name)
    return Problem(f"{name} {text}", harm, [*fault.where], name, ports, value=value)

"""BGP sessions between switches, their route policies, and routes that come down one session and
go up another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import IPv4Network, IPv6Network, ip_network
from itertools import islice
from typing import NamedTuple, TypeVar

from roce_lint.analysis.paths import Paths
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.routing import (
    BgpSession,
    ListEntry,
    MatchOn,
    PolicyTerm,
    RouteMatch,
    RoutePolicy,
)
from roce_lint.text.numbers import parse_whole
from roce_lint.text.source import Where

# Route policies. A route carries its AS path, its known communities, and prefixes of its origin
# switch. A condition on anything else may or may not match.

T = TypeVar("T")

Network = IPv4Network | IPv6Network

Policies = Mapping[str, RoutePolicy]
"""Policies of a switch by name."""

BGP = "bgp"
"""Source protocol of all followed routes."""

DEEPEST = 8
"""Maximum depth of nested policies."""

PATTERN = 200
"""Maximum length of a pattern that is evaluated."""

REPEATS = 4
"""Maximum number of repetitions in a pattern: paths are short, but the run times multiply."""

ANY_NUMBERS = "( [0-9]+)*"
"""The one repeated group that is evaluated: blanks and digits match in one way only."""


@dataclass(slots=True, frozen=True)
class Route:
    """A route in transit; `path` is None if changed, `exact` if the communities are complete."""

    path: tuple[int, ...] | None
    prefixes: tuple[Network, ...] = ()  # of its origin; empty: unknown
    communities: frozenset[str] = frozenset()
    exact: bool = False

    def sent_by(self, device: Device, *, communities: bool | None) -> Route:
        """The route as a neighbour receives it from a switch."""
        path = None if self.path is None or device.asn is None else (device.asn, *self.path)
        if communities or device.asn is None:
            return replace(self, path=path)
        return replace(self, path=path, communities=frozenset(), exact=False)


@dataclass(slots=True, frozen=True)
class Answer:
    """Acceptance of a route, the route afterwards, and the deciding line."""

    passes: bool | None
    route: Route
    where: Where | None = None


def through(policies: Iterable[RoutePolicy | None], route: Route, defined: Policies) -> Answer:
    """The route after several policies, all of which must accept it; `defined` are the policies
    that they may call.

    A certain rejection outweighs an unknown result before it.
    """
    doubt: Where | None = None
    unsure = False
    for policy in policies:
        if policy is None:
            unsure = True
            continue
        answer = _one(policy, route, defined, 0)
        if answer.passes is False:
            return answer
        if answer.passes is None:
            doubt, unsure = doubt or answer.where, True
        route = answer.route
    return Answer(None if unsure else True, route, doubt)


def _one(policy: RoutePolicy, route: Route, defined: Policies, depth: int) -> Answer:
    doubt: Where | None = None
    possible: set[bool | None] = set()
    for term in policy.terms:
        answers = [_holds(match, route, defined, depth) for match in term.matches]
        if False in answers:
            continue
        if None in answers:
            possible.add(term.permit)
            doubt = doubt or term.where()
            if term.changes_path:
                route = replace(route, path=None)
            if term.adds or term.replaces or term.removes:
                kept = frozenset() if term.replaces or term.removes else route.communities
                route = replace(route, communities=kept, exact=False)
            continue
        route = _change(route, term)
        if term.permit is not None:
            return _settle(term.permit, possible, route, doubt, term.where())
    return _settle(policy.otherwise, possible, route, doubt, policy.where())


def _settle(
    end: bool | None,  # noqa: FBT001  (an answer, not a switch)
    possible: set[bool | None],
    route: Route,
    doubt: Where | None,
    at: Where,
) -> Answer:
    """Result when a term decides, given that earlier terms may have decided."""
    if end is None:
        return Answer(None, route, doubt or at)
    if possible - {None, end}:
        return Answer(None, route, doubt)
    return Answer(end, route, at)


def _change(route: Route, term: PolicyTerm) -> Route:
    if term.changes_path:
        route = replace(route, path=None)
    if term.removes:
        return replace(route, communities=frozenset(term.adds), exact=False)
    if term.replaces:
        return replace(route, communities=frozenset(term.adds), exact=True)
    return replace(route, communities=route.communities | frozenset(term.adds))


def _holds(match: RouteMatch, route: Route, defined: Policies, depth: int) -> bool | None:
    """Whether a list accepts the route: by its first matching entry, else not."""
    if match.on is MatchOn.OTHER:
        return None
    possible: set[bool] = set()
    for entry in match.entries:
        hit = _hit(match.on, entry, route, defined, depth)
        if hit is None:
            possible.add(entry.permit)
        elif hit:
            return entry.permit if possible <= {entry.permit} else None
    return None if True in possible else False


def _hit(on: MatchOn, entry: ListEntry, route: Route, defined: Policies, depth: int) -> bool | None:
    if on is MatchOn.PROTOCOL:
        return entry.what == BGP
    if on is MatchOn.AS_PATH:
        return None if route.path is None else _fits(entry.what, route.path)
    if on is MatchOn.COMMUNITY:
        if route.communities.issuperset(entry.what.split()):
            return True
        return False if route.exact else None
    if on is MatchOn.PREFIX:
        return _covers(entry.what, route.prefixes)
    policy = defined.get(entry.what)
    if policy is None or depth >= DEEPEST:
        return None
    return _one(policy, route, defined, depth + 1).passes


def _fits(pattern: str, path: tuple[int, ...]) -> bool | None:
    """Whether a pattern matches an AS path; None if it is too unusual to evaluate, or if systems
    differ: some match its numbers as whole numbers, some as digits.
    """
    plain = pattern.replace(ANY_NUMBERS, "")
    if len(pattern) > PATTERN or len(re.findall(r"[*+{]", plain)) > REPEATS:
        return None
    if re.search(r"\)[*+{?]|\\[^.^$]|\(\?", plain):
        return None
    text = " ".join(map(str, path))
    answers = set()
    for digits in (r"\g<0>", r"(?<![0-9])\g<0>(?![0-9])"):
        outside = re.sub(r"(?<![\[\-0-9])[0-9]+(?![\]\-0-9])", digits, pattern)
        try:
            answers.add(re.search(outside.replace("_", r"(?:^|[ ,{}()]|$)"), text) is not None)
        except re.error:
            return None
    return answers.pop() if len(answers) == 1 else None


def _covers(what: str, prefixes: tuple[Network, ...]) -> bool | None:
    """Whether a list entry covers all of some prefixes; None for some of them, or if unknown."""
    words = what.split()
    try:
        network = ip_network(words[0], strict=False)
        low, high = parse_whole(words[1]), parse_whole(words[2])
    except (ValueError, IndexError):
        return None
    if network.prefixlen == low == 0 and high == network.max_prefixlen:
        return True  # all prefixes
    own = [p for p in prefixes if p.version == network.version]
    inside = {low <= p.prefixlen <= high and is_within(p, network) for p in own}
    return inside.pop() if len(inside) == 1 else None


def is_within(one: Network, other: Network) -> bool:
    """Whether a network is part of another one of its version."""
    return one.prefixlen >= other.prefixlen and one.network_address in other


TRIED = 4
"""Number of switches whose routes are followed through policies: one tier has one treatment."""

INTERNAL_KINDS = (InterfaceKind.MANAGEMENT, InterfaceKind.INTERNAL)


@dataclass(slots=True, frozen=True)
class Session:
    """A session between two switches as configured on `device`."""

    device: Device
    peer: Device
    stated: BgpSession


@dataclass(slots=True, frozen=True)
class RouteAcceptance:
    """Acceptance of a returning route, with the line that prevents it or leaves it unknown."""

    value: bool | None
    where: Where | None = None


UNKNOWN = RouteAcceptance(None)


class Sessions:
    """All sessions between switches of a fabric, by device and peer."""

    def __init__(self, fabric: Fabric, paths: Paths) -> None:
        self._paths = paths
        self._devices = fabric.devices
        self._prefixes: dict[str, tuple[Network, ...]] = {}
        owners = {
            address.partition("/")[0]: device
            for device in fabric.devices.values()
            if not device.is_host
            for port in device.interfaces.values()
            if port.kind is not InterfaceKind.LOOPBACK  # endpoints of overlay sessions
            for address in port.addresses
        }
        self._known: dict[tuple[str, str], Session] = {}
        for device in fabric.devices.values():
            for session in device.routing.sessions.values() if device.routing else ():
                peer = owners.get(session.peer)
                if peer is None:
                    end = fabric.peer(device.hostname, session.peer)
                    peer = end.device if end is not None else None
                if peer is not None:
                    key = (device.hostname, peer.hostname)
                    self._known.setdefault(key, Session(device, peer, session))

    def of(self, device: Device, peer: Device) -> Session | None:
        """Session of a switch with another; None if unknown."""
        return self._known.get((device.hostname, peer.hostname))

    def takes(self, above: Device, below: Device, beyond: Device) -> RouteAcceptance:
        """Whether a switch accepts from the one below it a route that came from `beyond`, another
        switch of the tier above. Unknown if the configurations are incomplete.
        """
        own, back, up = self.of(above, below), self.of(below, above), self.of(below, beyond)
        if own is None or back is None or up is None or None in (above.asn, beyond.asn, below.asn):
            return UNKNOWN
        if below.asn in (above.asn, beyond.asn):
            return UNKNOWN  # internal sessions have other rules of propagation
        if above.asn == beyond.asn:
            if own.stated.own_as_allowed == 0 or back.stated.to_own_as is False:
                return RouteAcceptance(False, above.where("asn"))
            if own.stated.own_as_allowed is None:
                return RouteAcceptance(None, own.stated.where())
        down = self.of(beyond, below)
        steps = [_Step(up, True), _Step(back, False), _Step(own, True)]
        if down is not None:
            steps.insert(0, _Step(down, False))
        if all(step.filtered is False for step in steps):
            return RouteAcceptance(True)
        # Its possible routes are those of switches with NICs that are below it too.
        origins = self._below(beyond.hostname, {below.hostname, beyond.hostname})
        routes = list(islice(origins, TRIED)) or [Route(None)]
        if down is None:
            routes = [route.sent_by(beyond, communities=None) for route in routes]
        return _combine([_follow(route, steps) for route in routes])

    def _below(self, name: str, passed: set[str], path: tuple[Device, ...] = ()) -> Iterator[Route]:
        for crossing in self._paths.nodes[name].down:
            low = crossing.into.device
            if low.hostname in passed:
                continue
            passed.add(low.hostname)
            way = (*path, low)  # the nearest first, as an AS path is written
            if self._paths.nodes[low.hostname].down:
                yield from self._below(low.hostname, passed, way)
                continue
            known = tuple(device.asn for device in way if device.asn is not None)
            yield Route(known if len(known) == len(way) else None, self._own(low))

    def _own(self, device: Device) -> tuple[Network, ...]:
        """Prefixes attached to a switch; if unknown, its own addresses."""
        known = self._prefixes.get(device.hostname)
        if known is None:
            node = self._paths.nodes[device.hostname]
            cables = {c.out.interface.name for c in (*node.up, *node.along, *node.down)}
            found: dict[bool, list[Network]] = {True: [], False: []}
            for port in device.interfaces.values():
                if port.name not in cables and port.kind not in INTERNAL_KINDS:
                    networks = (each.network for each in port.parsed_addresses)
                    found[port.kind is InterfaceKind.LOOPBACK] += networks
            known = self._prefixes[device.hostname] = tuple(found[False] or found[True])
        return known


def parsed(make: Callable[[str], T], texts: Iterable[str]) -> Iterator[T]:
    """Results of a parser over texts, without the texts it rejects."""
    for text in texts:
        with suppress(ValueError):
            yield make(text)


class _Step(NamedTuple):
    """One end of a session that a route passes, on its way in or out."""

    session: Session
    inwards: bool

    @property
    def filtered(self) -> bool | None:
        """Whether a policy filters the routes there; None if unknown."""
        stated = self.session.stated
        return stated.filtered_in if self.inwards else stated.filtered_out

    def pass_on(self, route: Route) -> Answer:
        """The route after the policies of this end."""
        if self.filtered is False:
            return Answer(True, route)
        stated, routing = self.session.stated, self.session.device.routing
        field = "filtered_in" if self.inwards else "filtered_out"
        by = stated.policies_in if self.inwards else stated.policies_out
        place = stated.where(field if stated.stated(field) else "")
        if not self.filtered or not by or routing is None:
            return Answer(None, route, place)
        known = routing.policies
        answer = through([known.get(name) for name in by], route, known)
        return answer if answer.where is not None else replace(answer, where=place)


def _follow(route: Route, steps: list[_Step]) -> RouteAcceptance:
    """Follow a route through the ends of several sessions."""
    doubt: Where | None = None
    unsure = False
    for step in steps:
        answer = step.pass_on(route)
        if answer.passes is False:
            return RouteAcceptance(False, answer.where)
        if answer.passes is None:
            doubt, unsure = doubt or answer.where, True
        route = answer.route
        if not step.inwards:
            session = step.session
            route = route.sent_by(session.device, communities=session.stated.sends_communities)
    return RouteAcceptance(None, doubt) if unsure else RouteAcceptance(True)


def _combine(answers: list[RouteAcceptance]) -> RouteAcceptance:
    """Common result of all followed routes."""
    values = {answer.value for answer in answers}
    if len(values) == 1:
        return answers[0]
    return RouteAcceptance(None, next(a.where for a in answers if a.value is not True))

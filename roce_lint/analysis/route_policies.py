"""What becomes of one route in the policies it meets: let through, refused, or not known.

A route is followed with the AS path it would have, the communities it is known to have, and
prefixes of the switch it comes from. A condition about anything else may hold or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from ipaddress import IPv4Network, IPv6Network, ip_network

from roce_lint.model.policy import ListEntry, MatchOn, PolicyTerm, RouteMatch, RoutePolicy
from roce_lint.text.numbers import parse_whole
from roce_lint.text.source import Where

Network = IPv4Network | IPv6Network

Policies = Mapping[str, RoutePolicy]
"""What a switch defines, by the names that sessions and other policies have for it."""

BGP = "bgp"
"""The protocol that a switch has the route from: it is passed on by BGP all the way."""

DEEPEST = 8
"""Policies within policies that are followed."""

PATTERN = 200
"""Characters of a pattern that is tried."""

REPEATS = 4
"""Repetitions in it: a path is short, but the time they take is multiplied."""

ANY_NUMBERS = "( [0-9]+)*"
"""The one repeated group that is tried: blanks and digits cannot be told apart in two ways."""


@dataclass(slots=True, frozen=True)
class Route:
    """A route on its way; `path` is None where a policy changed it, `exact` says that it has no
    other communities than these.
    """

    path: tuple[int, ...] | None
    prefixes: tuple[Network, ...] = ()  # of where it comes from; empty: not known
    communities: frozenset[str] = frozenset()
    exact: bool = False

    def pass_on(self, asn: int, *, communities: bool | None) -> Route:
        """The route as a neighbour gets it from a switch of this number."""
        path = None if self.path is None else (asn, *self.path)
        if communities:
            return replace(self, path=path)
        return replace(self, path=path, communities=frozenset(), exact=False)


@dataclass(slots=True, frozen=True)
class Answer:
    """Whether a route is let through, as it is then, and the line that says so."""

    passes: bool | None
    route: Route
    where: Where | None = None


def through(policies: Iterable[RoutePolicy | None], route: Route, defined: Policies) -> Answer:
    """The route behind some policies, all of which must let it through; `defined` are those that
    they may ask in turn.

    One that refuses it for certain counts before one of which that is not known.
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
        holds = _all_hold(term.matches, route, defined, depth)
        if holds is False:
            continue
        if holds is None:
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
    """What is known when a term decides, if others before it may have done so."""
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


def _all_hold(
    matches: Iterable[RouteMatch], route: Route, defined: Policies, depth: int
) -> bool | None:
    answers = [_holds(match, route, defined, depth) for match in matches]
    return False if False in answers else None if None in answers else True


def _holds(match: RouteMatch, route: Route, defined: Policies, depth: int) -> bool | None:
    """Whether a list lets the route through: by its first entry that matches, else not."""
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
    """Whether a pattern fits an AS path; None where it is too odd to be tried, or where systems
    differ: some take the numbers in it for whole numbers, some for digits.
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
    """Whether all of some prefixes are in an entry of a list; None: some are, or none is known."""
    words = what.split()
    try:
        network = ip_network(words[0], strict=False)
        low, high = parse_whole(words[1]), parse_whole(words[2])
    except (ValueError, IndexError):
        return None
    if network.prefixlen == low == 0 and high == network.max_prefixlen:
        return True  # all there are
    own = [p for p in prefixes if p.version == network.version]
    inside = {low <= p.prefixlen <= high and _is_within(p, network) for p in own}
    return inside.pop() if len(inside) == 1 else None


def _is_within(one: Network, other: Network) -> bool:
    if isinstance(one, IPv4Network) and isinstance(other, IPv4Network):
        return one.subnet_of(other)
    if isinstance(one, IPv6Network) and isinstance(other, IPv6Network):
        return one.subnet_of(other)
    return False

"""What a switch does with routes that it takes or passes on, apart from any vendor's words."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from roce_lint.model.sourced import Sourced


class MatchOn(enum.Enum):
    """What of a route a condition looks at."""

    AS_PATH = "AS path"
    COMMUNITY = "community"
    PREFIX = "prefix"
    PROTOCOL = "protocol"  # where the switch has the route from
    POLICY = "policy"  # another policy, that has to let the route through
    OTHER = "other"  # something that is not followed: whether it holds is not known


@dataclass(slots=True, frozen=True)
class ListEntry:
    """An entry of the list that a condition names: of these the first that matches decides.

    `what` is, by kind: a regular expression over numbers with a blank between (`_` stands for a
    blank or either end); communities of which the route must have all; `10.0.0.0/8 24 32`, a
    network with the shortest and longest prefix; the word `bgp` or another; the name of a policy.
    """

    permit: bool
    what: str


@dataclass(slots=True, frozen=True)
class RouteMatch:
    """One condition: whether the list lets the route through."""

    on: MatchOn
    entries: tuple[ListEntry, ...] = ()


@dataclass(slots=True, kw_only=True)
class PolicyTerm(Sourced):
    """A step of a policy: if all that it matches holds, it decides, and changes the route.

    `permit` is None where the next term is asked all the same.
    """

    permit: bool | None = None
    matches: tuple[RouteMatch, ...] = ()
    adds: tuple[str, ...] = ()  # communities
    replaces: bool | None = None  # those it adds are all that the route has then
    removes: bool | None = None  # communities are taken away, it is not followed which
    changes_path: bool | None = None  # numbers are put before the AS path, or others in their place


@dataclass(slots=True, kw_only=True)
class RoutePolicy(Sourced):
    """The terms of a policy in the order in which they are asked."""

    terms: tuple[PolicyTerm, ...] = ()
    otherwise: bool | None = False  # what becomes of a route that no term decides about

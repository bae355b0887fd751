"""Path selection for packets: BGP sessions, load balancing and route policies."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from roce_lint.model.sourced import Sourced

# Route policies for received and advertised routes, vendor-neutral.


class MatchOn(enum.Enum):
    """Property of a route that a condition tests."""

    AS_PATH = "AS path"
    COMMUNITY = "community"
    PREFIX = "prefix"
    PROTOCOL = "protocol"  # source of the route on this switch
    POLICY = "policy"  # another policy that must permit the route
    OTHER = "other"  # a condition that is not evaluated: its result is unknown


@dataclass(slots=True, frozen=True)
class ListEntry:
    """An entry of the list that a condition names; the first match decides.

    `what` is, by kind: a regular expression over numbers separated by blanks (`_` matches a blank
    or either end); communities that the route must all have; `10.0.0.0/8 24 32`, a network with the
    shortest and longest prefix; the word `bgp` or another; the name of a policy.
    """

    permit: bool
    what: str


@dataclass(slots=True, frozen=True)
class RouteMatch:
    """One condition: a list that permits the route or not."""

    on: MatchOn
    entries: tuple[ListEntry, ...] = ()


@dataclass(slots=True, kw_only=True)
class PolicyTerm(Sourced):
    """A term of a policy: if all its matches hold, it decides about the route and changes it.

    `permit` is None if evaluation continues with the next term.
    """

    permit: bool | None = None
    matches: tuple[RouteMatch, ...] = ()
    adds: tuple[str, ...] = ()  # communities
    replaces: bool | None = None  # those it adds replace all communities of the route
    removes: bool | None = None  # communities are removed; which ones is not evaluated
    changes_path: bool | None = None  # numbers are prepended to the AS path, or replaced


@dataclass(slots=True, kw_only=True)
class RoutePolicy(Sourced):
    """The terms of a policy in order of evaluation."""

    terms: tuple[PolicyTerm, ...] = ()
    otherwise: bool | None = False  # result for a route that no term decides about


class Spread(enum.Enum):
    """Unit of load balancing over equal-cost paths."""

    FLOW = "flow"  # a hash of the headers: all packets of a flow take one path
    FLOWLET = "flowlet"  # a flow may change paths when it pauses
    PACKET = "packet"  # packets are spread one by one and arrive in any order


@dataclass(slots=True, kw_only=True)
class BgpSession(Sourced):
    """One BGP session as configured, with the settings of its peer group.

    `peer` is the address of the peer, or the port of a session without addresses.
    """

    peer: str
    asn: int | None = None  # of the peer, where it is stated as a number
    own_as_allowed: int | None = None
    """Permitted occurrences of the own AS in the path of an accepted route; 0: none."""
    to_own_as: bool | None = None  # it is sent routes that already have its AS in their path
    filtered_in: bool | None = None  # a policy decides which routes are accepted
    filtered_out: bool | None = None  # a policy decides which routes are advertised
    policies_in: tuple[str, ...] = ()
    """Names of the policies of `Routing` that a route must pass, all of them. None if there is a
    filter with unknown effect."""
    policies_out: tuple[str, ...] = ()
    sends_communities: bool | None = None


@dataclass(slots=True, kw_only=True)
class Routing(Sourced):
    """BGP of a switch, with the sessions of all VRFs, told apart by their keys."""

    max_paths: int | None = None  # equal-cost paths of external routes used at once
    spreads: bool | None = None  # all equal-cost next hops are installed in the forwarding table
    complete: bool | None = None  # `sessions` is complete
    announced: tuple[str, ...] | None = None
    """Networks that lines originate into BGP, `0.0.0.0/0` and `::/0` for a default route."""
    redistributes: bool | None = None  # routes from other sources are also advertised
    connected: bool | None = None  # among them those of its own interfaces
    router_id: str | None = None  # as stated; devices without one choose an address themselves
    only_bgp: bool | None = None  # it has neither static routes nor another routing protocol
    sessions: dict[str, BgpSession] = field(default_factory=dict)
    policies: dict[str, RoutePolicy] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Balancing(Sourced):
    """Load balancing of a switch over equal-cost paths."""

    spread: Spread | None = None
    seed: int | None = None  # stated seed of the hash
    l4_ports: bool | None = None  # UDP ports are part of the hash
    adaptive: bool | None = None  # the device-wide switch: without it that of a port has no effect

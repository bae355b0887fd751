"""What decides the way of a packet where there are several: BGP sessions, and load balancing."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from roce_lint.model.policy import RoutePolicy
from roce_lint.model.sourced import Sourced


class Spread(enum.Enum):
    """What stays together when traffic is spread over equal-cost paths."""

    FLOW = "flow"  # a hash of the headers: all packets of a flow take one path
    FLOWLET = "flowlet"  # a flow may move to another path where it pauses
    PACKET = "packet"  # every packet goes its own way, and they arrive in any order


@dataclass(slots=True, kw_only=True)
class BgpSession(Sourced):
    """One session of BGP as it is configured, with what its peer group says.

    `peer` is the address of the peer, or the port of a session that has no addresses.
    """

    peer: str
    asn: int | None = None  # of the peer, where it is stated as a number
    own_as_allowed: int | None = None
    """How often the own AS may stand in the path of a route that is taken; 0: never."""
    to_own_as: bool | None = None  # it is sent routes whose path holds its own AS already
    filtered_in: bool | None = None  # a policy decides which routes are taken
    filtered_out: bool | None = None  # a policy decides which routes are passed on
    policies_in: tuple[str, ...] = ()
    """By name, the policies of `Routing` that a route must pass, all of them. None where there is
    a filter: what it does is not known."""
    policies_out: tuple[str, ...] = ()
    sends_communities: bool | None = None


@dataclass(slots=True, kw_only=True)
class Routing(Sourced):
    """BGP of a switch. The sessions of all VRFs are here; their keys tell them apart."""

    max_paths: int | None = None  # equal-cost paths of external routes that are used at once
    spreads: bool | None = None  # all equal-cost next hops are put into the forwarding table
    complete: bool | None = None  # `sessions` are all that there can be
    announced: tuple[str, ...] | None = None
    """Networks that lines name for BGP, `0.0.0.0/0` and `::/0` for a default route."""
    redistributes: bool | None = None  # routes that it has by other means are announced too
    only_bgp: bool | None = None  # it has neither static routes nor another routing protocol
    sessions: dict[str, BgpSession] = field(default_factory=dict)
    policies: dict[str, RoutePolicy] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Balancing(Sourced):
    """How a switch spreads traffic over equal-cost paths."""

    spread: Spread | None = None
    seed: int | None = None  # stated seed of the hash
    l4_ports: bool | None = None  # UDP ports take part in the hash
    adaptive: bool | None = None  # the switch of the device: without it that of a port does nothing

"""BGP as most systems configure it, with peer groups; interior routing protocols of a port."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.interface import ISIS, OSPF
from roce_lint.model.routing import BgpSession, RoutePolicy, Routing
from roce_lint.nos.policies import Policies
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import LineState

HIGHEST_ASN = (1 << 32) - 1

MOST_PATHS = 1024
"""Equal-cost paths; a larger number is a typing error."""

_OTHERS = re.compile(
    r"^(?:router (?:ospf|ospfv3|isis|eigrp|rip)\b|ip(?:v6)? route (?!vrf ))", re.MULTILINE
)

_WORDS = ("router ospf", "router isis", "router eigrp", "router rip", "ip route ", "ipv6 route ")
"""A file without any of these words has no such line; searching for them is faster."""

ANYTHING = ["0.0.0.0/0", "::/0"]
"""Networks that cover every address: a default route, or an unknown network."""

OWN_AS_ONCE = 1
"""Occurrences of the own AS that the bare keyword allows, which is also the minimum."""


def as_number(text: str) -> int | None:
    """The number of an autonomous system, plain or as two halves with a dot (RFC 5396)."""
    high, dot, low = text.rpartition(".")
    if not all(part.isascii() and part.isdigit() and len(part) < 11 for part in (low, high or "0")):
        return None
    number = (whole_of(high) << 16) + whole_of(low) if dot else whole_of(low)
    return number if 0 < number <= HIGHEST_ASN else None


@dataclass(slots=True)
class Peer:
    """Statements about one neighbour or one group."""

    begin: int
    group: str = ""
    asn: Value[int] = ABSENT
    own_as: Value[int] = ABSENT
    own_as_unclear: bool = False  # a line sets it to an unknown value
    to_own_as: Value[bool] = ABSENT
    filtered_in: Value[bool] = ABSENT
    filtered_out: Value[bool] = ABSENT
    policies_in: dict[str, str] = field(default_factory=dict)  # by kind of policy, its name
    policies_out: dict[str, str] = field(default_factory=dict)
    communities: Value[bool] = ABSENT  # are sent
    shut: bool = False  # the session is configured, and kept down
    unknown: bool = False  # something else sets the sent AS, such as a local AS
    default_route: bool = False  # it is sent one
    multipath: Value[bool] = ABSENT  # its routes share load with equal ones, of other AS too

    def over(self, group: Peer | None) -> Peer:
        """This neighbour with the settings inherited from its group."""
        if group is None:
            return self
        own_as = self.own_as or self.own_as_unclear
        return Peer(
            self.begin,
            self.group,
            self.asn.or_else(group.asn),
            self.own_as if own_as else group.own_as,
            self.own_as_unclear if own_as else group.own_as_unclear,
            self.to_own_as.or_else(group.to_own_as),
            self.filtered_in.or_else(group.filtered_in),
            self.filtered_out.or_else(group.filtered_out),
            {**group.policies_in, **self.policies_in},
            {**group.policies_out, **self.policies_out},
            self.communities.or_else(group.communities),
            self.shut or group.shut,
            self.unknown or group.unknown,
            self.default_route or group.default_route,
            self.multipath.or_else(group.multipath),
        )


@dataclass(slots=True)
class Peers:
    """Neighbours and groups of one device, by VRF and name."""

    own_as_default: Value[int]
    to_own_as_default: Value[bool] = ABSENT
    communities_default: Value[bool] = ABSENT
    peers: dict[tuple[str, str], Peer] = field(default_factory=dict)
    groups: dict[str, Peer] = field(default_factory=dict)
    max_paths: Value[int] = ABSENT
    spreads: Value[bool] = ABSENT
    announced: list[str] = field(default_factory=list)
    redistributes: Value[bool] = ABSENT
    dynamic: bool = False  # it takes sessions from peers that no line names
    only_bgp: bool = False  # neither static routes nor another routing protocol are configured

    def announce(self, lines: Iterable[Value[str]]) -> None:
        """Record lines that announce networks (`network 10.0.0.0/8`, `redistribute ospf`, a default
        route) or accept sessions from any peer (`bgp listen`).
        """
        for line in lines:
            words = (line.value or "").split()
            if words[0] == "redistribute":
                self.redistributes = Value(True, line.position)
            elif words[0] == "bgp":
                self.dynamic = True
            else:
                self.announced += [word for word in words if "/" in word] or ANYTHING

    def look_beside(self, reading: Reading, source: str) -> None:
        """Record whether a line begins a static route or another routing protocol."""
        texts = (entry.text.text for entry in reading[source])
        self.only_bgp = not any(
            any(word in text for word in _WORDS) and _OTHERS.search(text) for text in texts
        )

    def peer(self, vrf: str, name: str, begin: int) -> Peer:
        """The neighbour; created at its first mention."""
        return self.peers.setdefault((vrf, name), Peer(begin))

    def group(self, name: str, begin: int) -> Peer:
        """The group; created at its first mention."""
        return self.groups.setdefault(name, Peer(begin))

    def routing(
        self, reading: Reading, begin: int, *, whole: bool, policies: Policies | None = None
    ) -> Routing:
        """Sessions with their inherited settings, and the policies they name.

        A partial configuration may lack lines that allow or filter, so only its statements are
        known. A session with a local AS override is left out: the AS that its peers see is unknown.
        """
        sessions = {}
        known_policies: dict[str, RoutePolicy] = {}
        complete = whole and not self.dynamic
        for (vrf, name), own in self.peers.items():
            full = own.over(self.groups.get(own.group))
            lost = own.group and own.group not in self.groups
            if full.default_route:
                self.announced += ANYTHING
            if full.unknown or full.shut:
                complete &= not full.unknown
                continue
            known = whole and not lost
            refuses = known and not full.own_as_unclear
            absent: Value[bool] = Value(False) if known else ABSENT
            key = f"{vrf} {name}" if vrf else name
            names_in, names_out = _policy_names(full.policies_in), _policy_names(full.policies_out)
            if policies is not None:
                known_policies |= policies.of((*names_in, *names_out))
            sessions[key] = reading.build(
                BgpSession,
                full.begin,
                peer=name,
                asn=full.asn,
                own_as_allowed=full.own_as.or_else(self.own_as_default if refuses else ABSENT),
                to_own_as=full.to_own_as.or_else(self.to_own_as_default if known else ABSENT),
                filtered_in=full.filtered_in.or_else(absent),
                filtered_out=full.filtered_out.or_else(absent),
                policies_in=names_in,
                policies_out=names_out,
                sends_communities=full.communities.or_else(
                    self.communities_default if known else ABSENT
                ),
            )
        return reading.build(
            Routing,
            begin,
            max_paths=self.max_paths,
            spreads=self.spreads,
            complete=complete,
            announced=tuple(self.announced) if whole else None,
            redistributes=self.redistributes.or_else(Value(False) if whole else ABSENT),
            only_bgp=self.only_bgp if whole else None,
            sessions=sessions,
            policies=known_policies,
        )


def _policy_names(policies: dict[str, str]) -> tuple[str, ...]:
    """Names by which policies are referenced; policies of different kinds may share a name."""
    return tuple(f"{kind} {name}" for kind, name in policies.items())


def leave_out(reader: Reader) -> None:
    """Mark the lines of a known block that does not affect the path of RoCE as ignored."""
    waiting = [reader.record]
    while waiting:
        record = waiting.pop()
        reader.reading.mark(record.position, LineState.IGNORED)
        for found in record.values.values():
            for _, position in found:
                reader.reading.mark(position, LineState.IGNORED)
        waiting += [child for below in record.children.values() for child in below]


def is_address(name: str) -> bool:
    """True for a neighbour named by its address, not by a port or a group."""
    return name[:1].isdigit() or ":" in name


# Interior routing protocols that compare the MTUs of neighbours.


def protocols(*, ospf: Value[Any], isis: Value[Any]) -> Value[tuple[str, ...]]:
    """Protocols with a line, at the first of these lines."""
    named = [(name, value) for name, value in ((OSPF, ospf), (ISIS, isis)) if value]
    position = min((value.position for _, value in named), default=0)
    return Value(tuple(name for name, _ in named), position)

"""BGP as most systems configure it, with peer groups; interior routing protocols of a port."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

from roce_lint.model.interface import ISIS, OSPF
from roce_lint.model.routing import BgpSession, ListEntry, MatchOn, PolicyTerm, RoutePolicy, Routing
from roce_lint.nos.policies import Policies
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import LAST_AS
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import LineState

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
    return number if 0 < number <= LAST_AS else None


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

    def filter(self, way: str, kind: str, name: str, position: int) -> None:
        """Record a policy for the routes of one direction, `in` or `out`."""
        setattr(self, f"filtered_{way}", Value(True, position))
        getattr(self, f"policies_{way}")[kind] = name

    def over(self, group: Peer | None) -> Peer:
        """This neighbour with the settings inherited from its group."""
        if group is None:
            return self
        full = replace(self)
        for name in INHERITED:
            own, above = getattr(self, name), getattr(group, name)
            setattr(full, name, own.or_else(above) if isinstance(own, Value) else above | own)
        if self.own_as or self.own_as_unclear:
            full.own_as, full.own_as_unclear = self.own_as, self.own_as_unclear
        return full


INHERITED = [each.name for each in fields(Peer) if each.name not in ("begin", "group")]


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
    connected: Value[bool] = ABSENT
    router_id: Value[str] = ABSENT
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
                if words[1:2] in (["connected"], ["direct"]):  # possibly only some of them
                    self.connected = self.redistributes
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
            connected=self.connected.or_else(
                Value(False) if whole and not self.redistributes.value else ABSENT
            ),
            router_id=self.router_id,
            only_bgp=self.only_bgp if whole else None,
            sessions=sessions,
            policies=known_policies,
        )


def read_blocks(
    reading: Reading, source: str, canonical: Callable[[str], str] = str
) -> tuple[Value[int], Routing | None]:
    """AS and sessions of the default VRF, where each neighbour has a block of lines with its AS."""
    asn: Value[int] = ABSENT
    peers, begin = Peers(ABSENT), 0
    for bgp in reading.groups(source, "bgp"):
        number, _, other = (bgp.text("asn").value or "").partition(" ")
        if not other or not asn.position:
            asn = whole(bgp, Value(number, bgp.begin), LAST_AS, "AS number", 1)
        leave_out(bgp)
        bgp.take()
        bgp.text("asn")
        if other:
            continue
        begin = begin or bgp.begin
        peers.router_id = bgp.text("router_id").or_else(peers.router_id)
        for family in bgp.blocks("family"):
            paths = whole(family, family.text("max_paths"), MOST_PATHS, "maximum-paths", 1)
            peers.max_paths = paths.or_else(peers.max_paths)
            peers.announce(family.all("own"))
        for line in bgp.blocks("group"):
            _read_block(line, peers.group(line.record.values["name"][0][0], line.begin), asn)
        for line in bgp.blocks("peer"):
            name = line.record.values["name"][0][0].removeprefix("interface ")
            _read_block(line, peers.peer("", canonical(name), line.begin), asn)
    return asn, peers.routing(reading, begin, whole=False) if begin else None


def _read_block(lines: Reader, peer: Peer, own: Value[int]) -> None:
    """The lines below `neighbor 10.0.0.1`, or below the name of a group."""
    lines.text("name")
    peer.group = lines.text("group").value or peer.group
    stated = lines.text("asn").map(
        lambda word: own.value if word == "internal" else as_number(word)
    )
    peer.asn = stated.or_else(peer.asn)
    peer.unknown |= bool(lines.text("local_as"))
    peer.shut |= bool(lines.text("shut"))


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


def unicast_families(reader: Reader) -> Iterator[Reader]:
    """Address families of the routes for RoCE; the lines of others are left out."""
    for family in reader.blocks("family"):
        if family.record.values["family"][-1][0] in ("ipv4 unicast", "ipv6 unicast"):
            yield family
        else:
            leave_out(family)


def is_address(name: str) -> bool:
    """True for a neighbour named by its address or network, not by a port or a group."""
    return _ADDRESS.match(name) is not None


_ADDRESS = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}(?!\d)|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]*(?:[/%]|$)"
)


def add_own_routes(routing: Routing, source: str, default: int, *, whole: bool) -> None:
    """Record whether all sessions announce the networks of the ports: a term of their policies
    accepts routes of `source`. Policies that only accept filter nothing. `default` is the position
    of the default that BGP announces the routes of BGP alone.
    """
    lines = []
    for key, session in routing.sessions.items():
        known = [
            routing.policies[name] for name in session.policies_out if name in routing.policies
        ]
        if " " in key or len(known) < len(session.policies_out):
            continue
        terms = [term for policy in known for term in policy.terms]
        changes = any(term.adds or term.removes or term.changes_path for term in terms)
        kept = any(_accepts(term, "bgp") for term in terms)
        refuses = any(each.permit is False and (each.matches or not kept) for each in terms)
        if known and not changes and not refuses:
            session.filtered_out, session.policies_out = False, ()
        lines.append(min((_line_of_own_routes(each, source) for each in known), default=0))
    if lines and (whole or all(lines)):
        routing.connected, routing.at["connected"] = all(lines), min(lines) or default


def _line_of_own_routes(policy: RoutePolicy, source: str) -> int:
    """Line of the term that accepts the networks of the ports; 0 without one."""
    for term in policy.terms:
        if _accepts(term, source):
            return term.at[""]
        if term.permit is False and not term.matches:
            return 0
    return 0


def _accepts(term: PolicyTerm, source: str) -> bool:
    """Whether a term accepts all routes of a source."""
    if not term.permit or len(term.matches) != 1:
        return False
    match = term.matches[0]
    return match.on is MatchOn.PROTOCOL and ListEntry(True, source) in match.entries


# Interior routing protocols that compare the MTUs of neighbours.


def protocols(*, ospf: Value[Any], isis: Value[Any]) -> Value[tuple[str, ...]]:
    """Protocols with a line, at the first of these lines."""
    named = [(name, value) for name, value in ((OSPF, ospf), (ISIS, isis)) if value]
    position = min((value.position for _, value in named), default=0)
    return Value(tuple(name for name, _ in named), position)

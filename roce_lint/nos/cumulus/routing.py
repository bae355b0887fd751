"""BGP of every VRF (`router bgp`), and route maps with their lists (`router policy`)."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.routing import Balancing, ListEntry, MatchOn, PolicyTerm, RouteMatch
from roce_lint.nos.bgp import OWN_AS_ONCE, Peer, Peers, is_address
from roce_lint.nos.cumulus.defaults import (
    ADAPTIVE_OFF,
    COMMANDS,
    DOCUMENT,
    NO_OWN_AS,
    SENDS_COMMUNITIES,
)
from roce_lint.nos.cumulus.naming import TooLong, names
from roce_lint.nos.cumulus.statements import Statements, View
from roce_lint.nos.policies import OTHER, PATHS, Policies, is_community, prefix
from roce_lint.nos.reading import Value

HIGHEST_ASN = (1 << 32) - 1
FAMILIES = ("ipv4-unicast", "ipv6-unicast")


def read_bgp(statements: Statements) -> Peers | None:
    """The neighbours; None if there are certainly none."""
    peers = Peers(
        statements.reading.default(NO_OWN_AS),
        communities_default=statements.reading.default(SENDS_COMMUNITIES),
    )
    for vrf, view in statements.top.members("vrf"):
        bgp = view.get("router", "bgp")
        if vrf == "default":
            peers.dynamic = bool(bgp.get("dynamic-neighbor", "listen-range"))
            peers.only_bgp = not {"static", "ospf", "ospf6"} & view.get("router").next_words()
            for family in (bgp.get("address-family", name) for name in FAMILIES):
                for word in ("network", "aggregate-route"):
                    peers.announced += [name for name, _ in family.members(word)]
                for on in (source.enabled() for _, source in family.members("redistribute")):
                    peers.redistributes = on if on.value is not False else peers.redistributes
        for name, group in bgp.members("peer-group"):
            _read_neighbor(peers.group(f"{vrf} {name}", group.begin), group, vrf)
        for text, neighbor in bgp.members("neighbor"):
            for name in _sessions(text):
                where = "" if vrf == "default" else vrf
                _read_neighbor(peers.peer(where, name, neighbor.begin), neighbor, vrf)
    if not (statements.reading[DOCUMENT] or statements.reading[COMMANDS]):
        peers.dynamic, peers.only_bgp = True, False  # the daemon's own files are not read
    return peers if peers.peers or peers.dynamic else None


def read_adaptive(statements: Statements, device: Device) -> None:
    """Device-wide state of adaptive routing; without it the port setting has no effect."""
    view = statements.top.get("router", "adaptive-routing")
    stated = view.enabled()
    if stated.value is None:
        if not any(port.adaptive_routing for port in device.interfaces.values()):
            return
        stated = statements.reading.default(ADAPTIVE_OFF)
    device.balancing = statements.reading.build(Balancing, view.begin, adaptive=stated)


def _sessions(text: str) -> tuple[str, ...]:
    """`swp51`, `swp51-52`, `10.0.0.1`."""
    if is_address(text):
        return (text,)
    try:
        return names(text)
    except TooLong:
        return ()


def _read_neighbor(peer: Peer, view: View, vrf: str) -> None:
    group = view.word("peer-group").value
    peer.group = f"{vrf} {group}" if group else peer.group
    remote = view.word("remote-as")
    if (remote.value or "").isdecimal():
        peer.asn = view.integer("remote-as", low=1, high=HIGHEST_ASN)
    peer.unknown |= bool(view.word("local-as", "asn"))
    peer.shut |= bool(view.switch("shutdown").value)
    for family in (view.get("address-family", name) for name in FAMILIES):
        peer.default_route |= bool(family.get("default-route-origination"))
        path = family.get("aspath")
        own = path.get("allow-my-asn")
        if path.get("private-as") or path.get("replace-peer-as"):
            peer.filtered_out = Value(True, path.begin)
        if own.enabled().value:
            times = own.integer("occurrences", low=1, high=10)
            peer.own_as = times if times.value else Value(OWN_AS_ONCE, own.begin)
        sent = family.switch("community-advertise", "regular")
        peer.communities = sent if sent.value is not None else peer.communities
        policy = family.get("policy")
        peer.filtered_in = _policy(policy.get("inbound"), peer.policies_in, peer.filtered_in)
        peer.filtered_out = _policy(policy.get("outbound"), peer.policies_out, peer.filtered_out)


def _policy(view: View, named: dict[str, str], known: Value[bool]) -> Value[bool]:
    """Whether a policy is set; its kind and name are added to `named`."""
    if not view:
        return known
    for kind in sorted(view.next_words()):
        named[_KINDS.get(kind, kind)] = view.word(kind).value or ""
    return Value(True, view.begin)


_KINDS = {"aspath-list": PATHS}
"""Words of a neighbour for a kind of policy, if they differ from the policy's own words."""


# `router policy`: route maps, and their lists of prefixes, AS paths and communities.

HIGHEST_RULE = 65535

_LISTS = {
    "as-path-list": MatchOn.AS_PATH,
    "community-list": MatchOn.COMMUNITY,
    "prefix-list": MatchOn.PREFIX,
}
_MATCHES = {
    "as-path-list": MatchOn.AS_PATH,
    "community-list": MatchOn.COMMUNITY,
    "ip-prefix-list": MatchOn.PREFIX,
}
_FAMILY = "type"
"""Address family of a rule; also stated by its lists."""


def read_policies(statements: Statements) -> Policies:
    """All that `router policy` defines."""
    policies = Policies(statements.reading)
    top = statements.top.get("router", "policy")
    for word, on in _LISTS.items():
        for name, view in top.members(word):
            for number, rule in view.views_by_number("rule", HIGHEST_RULE).items():
                permit = rule.word("action").value
                what = _entry(rule, on)
                known = (
                    None if what is None or permit is None else ListEntry(permit == "permit", what)
                )
                policies.entry(on, name, known, rule.begin, number)
    for name, view in top.members("route-map"):
        for number, rule in view.views_by_number("rule", HIGHEST_RULE).items():
            policies.term(name, number, _term(policies, rule))
    return policies


def _entry(rule: View, on: MatchOn) -> str | None:
    if on is MatchOn.AS_PATH:
        return rule.word("aspath-exp").value
    if on is MatchOn.COMMUNITY:
        named = _words(rule, "community")
        return " ".join(named) if named and all(map(is_community, named)) else None
    found = rule.members("match")
    if len(found) != 1:
        return None
    network, more = found[0]
    if network == "any":
        return None
    words = [network]
    for word, short in (("min-prefix-len", "ge"), ("max-prefix-len", "le")):
        length = more.integer(word, high=128).value
        words += [] if length is None else [short, str(length)]
    return prefix(words)


def _term(policies: Policies, rule: View) -> PolicyTerm:
    """A rule of a route map: `action`, `match`, `set`, and whether later rules are evaluated."""
    matches = []
    match = rule.get("match")
    for word in sorted(match.next_words()):
        if word in _MATCHES:
            matches.append(policies.match(_MATCHES[word], _words(match, word)))
        elif word == "source-protocol":
            named = tuple(ListEntry(True, name) for name in _words(match, word))
            matches.append(RouteMatch(MatchOn.PROTOCOL, named))
        elif word == _FAMILY:
            match.word(word)
        else:
            matches.append(OTHER)
    if "exit-policy" in rule.next_words():
        matches.append(OTHER)  # it selects the next rule
    change = rule.get("set")
    changed = change.next_words()
    added = _words(change, "community")
    plain = all(is_community(name) for name in added)
    # A rule may keep or remove other attributes of a route: only added ones are certain then.
    return rule.reading.build(
        PolicyTerm,
        rule.begin,
        permit=rule.word("action").value != "deny",
        matches=tuple(matches),
        adds=tuple(added) if plain else (),
        removes=any(word.startswith("community") for word in changed) or None,
        changes_path=any(word.startswith("as-path") for word in changed) or None,
    )


def _words(view: View, word: str) -> list[str]:
    """Words after another, unexpanded: a name is not a port range."""
    found = []
    for text, below in view.members(word):
        below.take()
        found.append(text)
    return found

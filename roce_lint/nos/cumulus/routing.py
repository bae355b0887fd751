"""BGP of every VRF (`router bgp`), and route maps with their lists (`router policy`)."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.routing import Balancing, ListEntry, MatchOn, PolicyTerm, RouteMatch
from roce_lint.nos.bgp import MOST_PATHS, OWN_AS_ONCE, Peer, Peers, is_address
from roce_lint.nos.cumulus import defaults
from roce_lint.nos.cumulus.context import COMMANDS, DOCUMENT
from roce_lint.nos.cumulus.naming import listed
from roce_lint.nos.cumulus.statements import Statements, View
from roce_lint.nos.policies import OTHER, PATHS, Policies, is_community, prefix
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.stanzas import LAST_AS

FAMILIES = ("ipv4-unicast", "ipv6-unicast")
L4_PORTS = ("source-port", "destination-port")


def read_bgp(statements: Statements) -> Peers | None:
    """The neighbours; None if there are certainly none."""
    peers = Peers(
        statements.reading.default(defaults.NO_OWN_AS),
        communities_default=statements.reading.default(defaults.SENDS_COMMUNITIES),
    )
    for vrf, view in statements.top.members("vrf"):
        bgp = view.get("router", "bgp")
        if vrf == "default":
            stated = statements.top.word("router", "bgp", "router-id")
            peers.router_id = bgp.word("router-id").or_else(stated)
            peers.dynamic = bool(bgp.get("dynamic-neighbor", "listen-range"))
            peers.only_bgp = not {"static", "ospf", "ospf6"} & view.get("router").next_words()
            for family in (bgp.get("address-family", name) for name in FAMILIES):
                most = family.get("multipaths").integer("ebgp", low=1, high=MOST_PATHS)
                peers.max_paths = peers.max_paths.or_else(most)
                for word in ("network", "aggregate-route"):
                    peers.announced += [name for name, _ in family.members(word)]
                for source, state in family.members("redistribute"):
                    on = state.enabled()
                    if on.value is not False:
                        peers.redistributes = on
                        peers.connected = on if source == "connected" else peers.connected
        for name, group in bgp.members("peer-group"):
            _read_neighbor(peers.group(f"{vrf} {name}", group.begin), group, vrf)
        for text, neighbor in bgp.members("neighbor"):
            for name in (text,) if is_address(text) else listed(text):
                where = "" if vrf == "default" else vrf
                _read_neighbor(peers.peer(where, name, neighbor.begin), neighbor, vrf)
    if not (statements.reading[DOCUMENT] or statements.reading[COMMANDS]):
        peers.dynamic, peers.only_bgp = True, False  # the daemon's own files are not read
    return peers if peers.peers or peers.dynamic else None


def read_balancing(statements: Statements, device: Device) -> None:
    """The hash, and adaptive routing: without its device-wide state the port's has no effect."""
    view = statements.top.get("router", "adaptive-routing")
    hashed = statements.top.get("system", "forwarding", "ecmp-hash")
    named = [each for each in map(hashed.switch, L4_PORTS) if each]
    ports = Value(all(each.value for each in named), named[0].position) if named else ABSENT
    stated = view.enabled()
    if not stated and any(port.adaptive_routing for port in device.interfaces.values()):
        stated = statements.reading.default(defaults.ADAPTIVE_OFF)
    if stated or ports:
        begin = view.begin or hashed.begin
        device.balancing = statements.reading.build(
            Balancing, begin, adaptive=stated, l4_ports=ports
        )


def _read_neighbor(peer: Peer, view: View, vrf: str) -> None:
    group = view.word("peer-group").value
    peer.group = f"{vrf} {group}" if group else peer.group
    remote = view.word("remote-as")
    if (remote.value or "").isdecimal():
        peer.asn = view.integer("remote-as", low=1, high=LAST_AS)
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
        named[PATHS if kind == "aspath-list" else kind] = view.word(kind).value or ""
    return Value(True, view.begin)


# `router policy`: route maps, and their lists of prefixes, AS paths and communities.

HIGHEST_RULE = 65535

_BOTH = {"as-path-list": MatchOn.AS_PATH, "community-list": MatchOn.COMMUNITY}
_LISTS = _BOTH | {"prefix-list": MatchOn.PREFIX}
_MATCHES = _BOTH | {"ip-prefix-list": MatchOn.PREFIX}


def read_policies(statements: Statements) -> Policies:
    """All that `router policy` defines."""
    policies = Policies(statements.reading)
    top = statements.top.get("router", "policy")
    for word, on in _LISTS.items():
        for name, view in top.members(word):
            for number, rule in view.views_by_number("rule", HIGHEST_RULE).items():
                permit = rule.word("action").value
                what = _entry(rule, on)
                sure = permit is not None
                known = ListEntry(permit == "permit", what) if what is not None and sure else None
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
    words, more = [found[0][0]], found[0][1]
    if words == ["any"]:
        return None
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
        elif word == "type":  # address family, which its lists state too
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
    found = view.members(word)
    for _, below in found:
        below.take()
    return [text for text, _ in found]

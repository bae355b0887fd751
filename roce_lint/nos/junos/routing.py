"""Routing of Junos: BGP sessions with their policies, OSPF and IS-IS, dynamic load balancing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from roce_lint.model.device import Device
from roce_lint.model.interface import ISIS, OSPF, Interface, InterfaceKind
from roce_lint.model.routing import (
    Balancing,
    ListEntry,
    MatchOn,
    PolicyTerm,
    RouteMatch,
    RoutePolicy,
    Spread,
)
from roce_lint.nos.bgp import Peer, Peers, as_number, is_address, protocols
from roce_lint.nos.junos.context import Context
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.policies import OTHER, Policies, is_community, is_number, prefix
from roce_lint.nos.reading import ABSENT, Value, put
from roce_lint.nos.statements import Branch, whole
from roce_lint.text.numbers import whole_of
from roce_lint.text.statements import ANY, EVERYTHING, Wanted

defaults = defaults_of("junos")

CHAIN = "policy"
"""Kind of a policy chain that a session names: one policy, or several in sequence."""

LISTS = {"community": MatchOn.COMMUNITY, "as-path": MatchOn.AS_PATH, "prefix-list": MatchOn.PREFIX}
POLICY_OPTIONS: dict[str, Wanted] = {
    name: {ANY: EVERYTHING} for name in ("policy-statement", *LISTS)
}
"""The parts of `policy-options` that are read."""

_RANGE = re.compile(r"/([0-9]{1,3})(?:-/([0-9]{1,3}))?")

PARTS = 32
"""Evaluated policies of one chain."""


def chain_of(level: Branch, name: str) -> list[str]:
    """The chains of an `import` or `export`, all of which a route must pass: `[ A B ]` is one, `( A
    && B )` are two. Other expressions are not evaluated and yield an undefined name.
    """
    branch = level.get(name)
    words: list[str] = []
    if branch.names() == ["("]:
        while (names := branch.names()) and len(words) < PARTS:
            words += names
            branch = branch.get(names[0])
        inside = [word for word in words if word not in ("(", ")")]
        if inside[1::2] == ["&&"] * (len(inside) // 2) and len(inside) % 2:
            return inside[::2]
        return [" ".join(inside)]
    return [" ".join(word.value or "" for word in level.words(name))]


@dataclass(slots=True)
class Chains(Policies):
    """Policies of a device by chain."""

    statements: dict[str, list[PolicyTerm]] = field(default_factory=dict)

    def of(self, names: Iterable[str]) -> dict[str, RoutePolicy]:
        """Chains with these names, and the chains that they call."""
        found: dict[str, RoutePolicy] = {}
        waiting = list(names)
        while waiting:
            full = waiting.pop()
            chain = full.partition(" ")[2].split()
            if full in found or not chain or not all(name in self.statements for name in chain):
                continue
            terms = [term for name in chain for term in self.statements[name]]
            begin = next((term.at[""] for term in terms if term.at.get("")), 0)
            # Routes that no policy decides about are passed on and accepted: the default of BGP.
            found[full] = self.reading.build(RoutePolicy, begin, terms=tuple(terms), otherwise=True)
            called = [m for term in terms for m in term.matches if m.on is MatchOn.POLICY]
            waiting += [entry.what for match in called for entry in match.entries]
        return found


def read_policies(context: Context) -> Chains:
    """Read all of `policy-options`."""
    chains = Chains(context.reading)
    top = context.top.get("policy-options")
    for name, community in top.get("community").pairs():
        members = [word.value or "" for word in community.words("members")]
        plain = members and all(map(is_community, members)) and "invert-match" not in community
        known = ListEntry(True, " ".join(members)) if plain else None
        chains.entry(MatchOn.COMMUNITY, name, known, community.begin, None)
    for name, path in top.get("as-path").pairs():
        pattern = as_path(" ".join(_words(path)))
        known = None if pattern is None else ListEntry(True, pattern)
        chains.entry(MatchOn.AS_PATH, name, known, path.begin, None)
        path.take_all()
    for name, prefixes in top.get("prefix-list").pairs():
        for network in prefixes.names():
            what = prefix([network])
            known = None if what is None else ListEntry(True, what)
            chains.entry(MatchOn.PREFIX, name, known, prefixes.begin, None)
        prefixes.take_all()
    for name, policy in top.get("policy-statement").pairs():
        steps = [term for _, term in policy.get("term").pairs()]
        if "from" in policy or "then" in policy or "to" in policy:
            steps.append(policy)
        chains.statements[name] = [
            _term(chains, step, skipped=any("next" in s.get("then") for s in steps[:number]))
            for number, step in enumerate(steps)
        ]
        policy.take_all()
    return chains


def _words(branch: Branch) -> list[str]:
    """Words that follow in sequence."""
    found: list[str] = []
    while (names := branch.names()) and len(found) < PARTS:
        found.append(names[0])
        branch = branch.get(names[0])
    return found


def as_path(text: str) -> str | None:
    """`.* 65001 .*` as a pattern over a whole path of numbers; None for unsupported forms."""
    words = text.strip('"').split()
    if words == ["()"]:
        return "^$"
    if words == [".*"]:
        return ".*"
    begins, ends = words[:1] == [".*"], words[-1:] == [".*"]
    core = words[1 if begins else 0 : -1 if ends else None]
    if not core or not all(is_number(word) or word == "." for word in core):
        return None
    numbers = " ".join("[0-9]+" if word == "." else word for word in core)
    return f"{'_' if begins else '^'}{numbers}{'_' if ends else '$'}"


def _term(chains: Chains, term: Branch, *, skipped: bool) -> PolicyTerm:
    """One term; `skipped`: an earlier term has `next policy` or `next term`."""
    source, then = term.get("from"), term.get("then")
    matches = [_condition(chains, source, word) for word in source.names()]
    if "to" in term or skipped:
        matches.append(OTHER)
    community = then.get("community")
    named = [name for way in ("add", "set") for name in community.get(way).names()]
    lists = [chains.match(MatchOn.COMMUNITY, [name]) for name in named]
    added = [word for each in lists for entry in each.entries for word in entry.what.split()]
    return chains.reading.build(
        PolicyTerm,
        (then or term).begin or term.begin,
        permit=True if "accept" in then else False if "reject" in then else None,
        matches=tuple(matches),
        adds=tuple(added),
        removes=("delete" in community or "set" in community) or None,
        changes_path=any(word.startswith("as-path") for word in then.names()) or None,
    )


def _condition(chains: Chains, source: Branch, word: str) -> RouteMatch:
    names = source.get(word).names()
    if word in LISTS:
        return chains.match(LISTS[word], names)
    if word == "protocol":
        return RouteMatch(MatchOn.PROTOCOL, tuple(ListEntry(True, name) for name in names))
    if word == "policy":
        return RouteMatch(MatchOn.POLICY, tuple(ListEntry(True, f"{CHAIN} {n}") for n in names))
    if word == "route-filter":
        found = [_route_filter(network, _words(b)) for network, b in source.get(word).pairs()]
        known = tuple(ListEntry(True, what) for what in found if what is not None)
        return RouteMatch(MatchOn.PREFIX, known) if len(known) == len(found) else OTHER
    return OTHER


def _route_filter(network: str, words: list[str]) -> str | None:
    """`10.0.0.0/8 orlonger` as a network with its shortest and longest prefix."""
    length = network.partition("/")[2]
    if not is_number(length) or not words:
        return None
    longest = "128" if ":" in network else "32"
    span = _RANGE.fullmatch(words[-1]) if len(words) > 1 else None
    low, high = (span[1], span[2]) if span is not None else ("", "")
    first, last = {
        "exact": (length, length),
        "orlonger": (length, longest),
        "longer": (whole_of(length) + 1, longest),
        "upto": (length, low),
        "prefix-length-range": (low, high),
    }.get(words[0], ("", ""))
    return f"{network} {first} {last}" if first and last else None


# BGP sessions.

FAMILIES = ("inet", "inet6")

_LEVEL: dict[str, Wanted] = {
    **dict.fromkeys(("peer-as", "local-as", "advertise-peer-as", "multipath"), EVERYTHING),
    **dict.fromkeys(("remove-private", "as-override", "import", "export"), EVERYTHING),
    "family": {family: {"unicast": {"loops": EVERYTHING}} for family in FAMILIES},
}
"""Settings of a neighbour, a group, and the protocol; the nearest is in force."""

_OF_GROUP = dict.fromkeys(("type", "allow", "dynamic-neighbor"), EVERYTHING)

BGP: dict[str, Wanted] = {
    **_LEVEL,
    "group": {ANY: {**_LEVEL, **_OF_GROUP, "neighbor": {ANY: _LEVEL}}},
}
"""The parts of `protocols bgp` that are read."""


def read_bgp(context: Context, asn: Value[int]) -> Peers | None:
    """The neighbours; None without BGP. Those of routing instances are in a VRF."""
    peers = Peers(
        context.reading.default(defaults.NO_OWN_AS),
        context.reading.default(defaults.NOT_TO_OWN_AS),
        context.reading.default(defaults.SENDS_COMMUNITIES),
    )
    instances = [("", context.top), *context.top.get("routing-instances").pairs()]
    for vrf, bgp in ((name, each.get("protocols", "bgp")) for name, each in instances):
        above = _peer(bgp)
        for _, group in bgp.get("group").pairs():
            common = _over(_peer(group), above)
            if group.text("type").value == "internal":
                common.asn = common.asn.or_else(asn)
            peers.dynamic |= not vrf and ("allow" in group or "dynamic-neighbor" in group)
            for name, neighbor in group.get("neighbor").pairs():
                if is_address(name) and "/" not in name:
                    neighbor.take()
                    peers.peers[vrf, name] = _over(_peer(neighbor), common)
    exports = (peer.filtered_out for (vrf, _), peer in peers.peers.items() if not vrf)
    peers.redistributes = next((each for each in exports if each), ABSENT)  # whatever they let out
    others = (("protocols", "ospf"), ("protocols", "isis"), ("routing-options", "static"))
    peers.only_bgp = not any(context.top.get(*path) for path in others)
    peers.router_id = context.top.get("routing-options").text("router-id")
    peers.spreads = _spreads(context)
    peers.max_paths = _max_paths(context, [p for (vrf, _), p in peers.peers.items() if not vrf])
    return peers if peers.peers else None


def _max_paths(context: Context, peers: list[Peer]) -> Value[int]:
    """One path if no session uses several, or if each session has another AS and no line allows
    several of these; else unknown.
    """
    several = [peer for peer in peers if peer.multipath]
    if not several:
        return context.reading.default(defaults.MAX_PATHS) if context.whole else ABSENT
    numbers = {peer.asn.value for peer in several}
    apart = None not in numbers and len(numbers) == len(several) > 1
    mixed = several[0].multipath
    return Value(1, mixed.position) if apart and not mixed.value else ABSENT


def _spreads(context: Context) -> Value[bool]:
    """Whether forwarding uses all equal-cost next hops, which requires a policy."""
    named = context.top.get("routing-options", "forwarding-table").words("export")
    known = context.top.get("policy-options", "policy-statement")
    for policy in (known.get(name.value or "") for name in named):
        balance = policy.find("load-balance")
        if balance or not policy:  # which is not here
            return Value(True, balance.begin) if balance else ABSENT
    plain = context.reading.default(defaults.ONE_NEXT_HOP) if context.whole else ABSENT
    return Value(False, named[0].position) if named else plain


def _over(own: Peer, above: Peer) -> Peer:
    """Settings of a level with the inherited ones; policies are inherited all or none."""
    full = own.over(above)
    full.policies_in = own.policies_in if own.filtered_in else above.policies_in
    full.policies_out = own.policies_out if own.filtered_out else above.policies_out
    return full


def _peer(level: Branch) -> Peer:
    peer = Peer(level.begin)
    peer.asn = level.text("peer-as").map(as_number)
    peer.filtered_in = _policy(level, "import", peer.policies_in)
    peer.filtered_out = _policy(level, "export", peer.policies_out)
    peer.to_own_as = level.flag("advertise-peer-as")
    if "remove-private" in level or "as-override" in level:
        peer.filtered_out = Value(True, level.begin)
    multipath = level.get("multipath")
    if multipath:
        multipath.take_all()
        peer.multipath = Value("multiple-as" in multipath, multipath.begin)
    peer.unknown = "local-as" in level
    for family in FAMILIES:
        loops = level.get("family", family, "unicast").convert("loops", whole, "a number")
        # Older manuals hide a route at the Nth own AS in its path, newer ones allow N of them. Both
        # allow some from N = 2 on; for N = 1 they contradict each other.
        if loops.value is not None and loops.value > 1:
            peer.own_as, peer.own_as_unclear = Value(loops.value - 1, loops.position), False
        elif loops and not peer.own_as:
            peer.own_as_unclear = True
    return peer


def _policy(level: Branch, name: str, named: dict[str, str]) -> Value[bool]:
    """Whether routes pass policies there; their chain is added to `named`."""
    policy = level.get(name)
    policy.take_all()
    if not policy:
        return ABSENT
    for number, chain in enumerate(chain_of(level, name)):
        named[f"{CHAIN}-{number + 1}" if number else CHAIN] = chain
    return Value(True, policy.begin)


# OSPF and IS-IS: interfaces on which they look for neighbours.


def add_protocols(context: Context, interfaces: dict[str, Interface]) -> None:
    """Record the protocols of every interface; channel members have their channel's."""
    found: dict[str, dict[str, Value[bool]]] = {}
    unpadded: dict[str, Value[bool]] = {}
    for protocol, name, branch in _statements(context.top.get("protocols")):
        branch.take_all()
        if "passive" in branch or "disable" in branch:
            continue
        found.setdefault(name, {})[protocol] = Value(True, branch.begin)
        if branch.text("hello-padding").value == "disable":
            unpadded[name] = Value(True, branch.get("hello-padding").begin)
    by_name = {alias: port for port in interfaces.values() for alias in (port.name, *port.aliases)}
    for name, own in found.items():
        port = by_name.get(name)
        running = protocols(ospf=own.get(OSPF) or ABSENT, isis=own.get(ISIS) or ABSENT)
        short = unpadded.get(name, context.reading.default(defaults.SHORT_HELLOS))
        for made in (port, *map(interfaces.__getitem__, port.members)) if port else ():
            put(made, igp=running)
            if ISIS in own:
                put(made, igp_any_mtu=short.map(lambda _: (ISIS,)))


def _statements(stated: Branch) -> Iterator[tuple[str, str, Branch]]:
    for _, area in stated.get("ospf", "area").pairs():
        for name, branch in area.get("interface").pairs():
            yield OSPF, name, branch
    for name, branch in stated.get("isis", "interface").pairs():
        yield ISIS, name, branch


# Dynamic load balancing: packets use the least loaded equal-cost port.

MODES = {"flowlet": Spread.FLOWLET, "per-packet": Spread.PACKET, "assigned-flow": Spread.FLOW}


def balance(context: Context, device: Device) -> None:
    """Record `ecmp-dlb` on the device and on every routed port; it has no effect without a mode."""
    stated = context.top.get("forwarding-options", "enhanced-hash-key", "ecmp-dlb")
    if not stated:
        return
    stated.take_all()
    word = next((word for word in MODES if word in stated), "")
    mode = stated.get(word)
    begin = mode.begin or stated.begin
    if not mode:
        context.bad("ecmp-dlb has no mode (flowlet, per-packet) and does nothing", stated.begin)
    else:
        device.balancing = context.reading.build(Balancing, begin, spread=Value(MODES[word], begin))
    for port in device.interfaces.values():
        if port.routed and port.kind is InterfaceKind.PHYSICAL and not port.idle:
            put(port, adaptive_routing=Value(bool(mode), begin))

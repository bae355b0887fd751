"""BGP of SR Linux: sessions, equal-cost paths, and policies of routes."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.routing import ListEntry, MatchOn, PolicyTerm, RouteMatch, Routing
from roce_lint.nos.bgp import MOST_PATHS, Peer, Peers, add_own_routes, as_number
from roce_lint.nos.policies import MAP, OTHER, Policies
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.srlinux import defaults
from roce_lint.nos.srlinux.schema import IGPS
from roce_lint.nos.srlinux.tree import TRUTHS, Node
from roce_lint.nos.stanzas import LAST_AS, first

UNICAST = ("ipv4-unicast", "ipv6-unicast")
"""Address families of the routes for RoCE."""

RESULTS = {"accept": True, "reject": False}


def read_bgp(root: Node, *, whole: bool) -> tuple[Value[int], Routing | None]:
    """AS of the switch, and its sessions, those of further instances in a VRF; None without BGP."""
    reading = root.reading
    peers = Peers(reading.default(defaults.NO_OWN_AS))
    asn: Value[int] = ABSENT
    paths: Value[int] = ABSENT
    begin = 0
    for name, instance in root.entries("network-instance"):
        bgp = instance.child("protocols", "bgp")
        if not bgp.begin:
            continue
        vrf, begin = "" if name == "default" else name, begin or bgp.begin
        asn = asn.or_else(bgp.whole("autonomous-system", LAST_AS, 1))
        router_id = bgp.text("router-id")
        peers.router_id = peers.router_id if vrf else router_id
        for family, below in bgp.entries("afi-safi"):
            below.text("admin-state")
            several = below.child("multipath")
            several.text("allow-multiple-as")
            stated = first(
                several.child("ebgp").whole("maximum-paths", MOST_PATHS, 1),
                several.whole("maximum-paths", MOST_PATHS, 1),
                several.whole("max-paths-level-1", MOST_PATHS, 1),
            )
            paths = first(paths, stated if family in UNICAST and not vrf else ABSENT)
        _read_peers(peers, vrf, bgp)
    peers.only_bgp = not any(
        "static-routes" in each.below or any(igp in each.child("protocols").below for igp in IGPS)
        for _, each in root.entries("network-instance")
    )
    peers.max_paths = first(paths, reading.default(defaults.MAX_PATHS))
    full = [peer.over(peers.groups.get(peer.group)) for peer in peers.peers.values()]
    exports = (peer.filtered_out for peer in full if peer.policies_out)
    peers.redistributes = next(exports, ABSENT)  # whatever they let out
    policies = _read_policies(root)
    if not begin:
        return asn, None
    routing = peers.routing(reading, begin, whole=whole, policies=policies)
    add_own_routes(routing, "local", 0, whole=False)  # no default is documented
    return asn, routing


def _read_peers(peers: Peers, vrf: str, bgp: Node) -> None:
    """Neighbours and groups; what a neighbour does not state is that of its group."""
    common = _peer(bgp)
    for way, field in (("import", "filtered_in"), ("export", "filtered_out")):
        refused = bgp.child("ebgp-default-policy").switch(f"{way}-reject-all", TRUTHS)
        refused = first(refused, bgp.reading.default(defaults.WITHOUT_POLICY))
        setattr(common, field, getattr(common, field).or_else(refused))
    for name, group in bgp.entries("group"):
        peers.groups[name] = _peer(group).over(common)
    for name, neighbor in bgp.entries("neighbor"):
        peers.peers[vrf, name] = own = _peer(neighbor)
        own.group = neighbor.text("peer-group").value or ""
    dynamic = bgp.child("dynamic-neighbors")
    for name, neighbor in dynamic.entries("interface"):
        own = peers.peers[vrf, name.removesuffix(".0")] = Peer(neighbor.begin)
        own.group = neighbor.text("peer-group").value or ""
        numbers = neighbor.all("allowed-peer-as")
        own.asn = numbers[0].map(as_number) if len(numbers) == 1 else ABSENT
    for _, accepted in dynamic.child("accept").entries("match"):
        accepted.text("peer-group")
        peers.dynamic = peers.dynamic or not vrf


def _peer(level: Node) -> Peer:
    """Settings of the instance, a group or a neighbour."""
    peer = Peer(level.begin, asn=level.whole("peer-as", LAST_AS, 1))
    peer.own_as = level.child("as-path-options").whole("allow-own-as", 255)
    peer.shut = level.text("admin-state").value == "disable"
    peer.unknown = bool(level.text("local-as")) or "local-as" in level.below
    for word, way in (("import", "in"), ("export", "out")):
        names = level.all(f"{word}-policy")
        if len(names) == 1:
            peer.filter(way, MAP, names[0].value or "", names[0].position)
        elif names:  # the first with a result decides: not evaluated
            setattr(peer, f"filtered_{way}", Value(True, names[0].position))
    return peer


def _read_policies(root: Node) -> Policies:
    found = Policies(root.reading)
    for name, policy in root.child("routing-policy").entries("policy"):
        steps: list[tuple[Node, Node | None]]
        steps = [(each, each.child("match")) for _, each in policy.entries("statement")]
        # The policy itself is for what no statement decides about. Without a default action the
        # next policy, or the protocol, decides: that is not evaluated.
        for number, (node, match) in enumerate([*steps, (policy, None)]):
            action = node.child("action") if match else node.child("default-action")
            result = action.text("policy-result")
            changed = "bgp" in action.below or None
            conditions = tuple(_conditions(match)) if match else () if result else (OTHER,)
            term = root.reading.build(
                PolicyTerm,
                result.position or node.begin,
                permit=RESULTS.get(result.value or "") if match or result else True,
                matches=conditions,
                removes=changed,
                changes_path=changed,
            )
            found.term(name, number, term)
    return found


def _conditions(match: Node) -> Iterator[RouteMatch]:
    source = match.text("protocol")
    if source.value is not None:
        yield RouteMatch(MatchOn.PROTOCOL, (ListEntry(True, source.value),))
    others = [name for name in match.leaves if name != "protocol"]
    for name in others:
        match.all(name)
    for below in match.below.values():
        for name in list(below.leaves):
            below.all(name)
    if others or match.below:
        yield OTHER

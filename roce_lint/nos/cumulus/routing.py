"""`router bgp` of every VRF: who the neighbours are, and which routes are taken from them."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.routing import Balancing
from roce_lint.nos.bgp import OWN_AS_ONCE, Peer, Peers, is_address
from roce_lint.nos.cumulus.defaults import ADAPTIVE_OFF, NO_OWN_AS, SENDS_COMMUNITIES
from roce_lint.nos.cumulus.naming import TooLong, names
from roce_lint.nos.cumulus.sources import COMMANDS, DOCUMENT
from roce_lint.nos.cumulus.statements import Statements, View
from roce_lint.nos.policies import PATHS
from roce_lint.nos.reading import Value

HIGHEST_ASN = (1 << 32) - 1
FAMILIES = ("ipv4-unicast", "ipv6-unicast")


def read_bgp(statements: Statements) -> Peers | None:
    """The neighbours; None where there are none for certain."""
    peers = Peers(
        statements.reading.default(NO_OWN_AS),
        communities_default=statements.reading.default(SENDS_COMMUNITIES),
    )
    for vrf, view in statements.top.members("vrf"):
        bgp = view.get("router", "bgp")
        if vrf == "default":
            peers.dynamic = bool(bgp.get("dynamic-neighbor", "listen-range"))
            peers.only_bgp = not {"static", "ospf", "ospf6"} & view.get("router").says()
            for family in (bgp.get("address-family", name) for name in FAMILIES):
                for word in ("network", "aggregate-route"):
                    peers.announced += [name for name, _ in family.members(word)]
                for on in (source.enabled() for _, source in family.members("redistribute")):
                    peers.redistributes = on if on.value is not False else peers.redistributes
        for name, group in bgp.members("peer-group"):
            _say(peers.group(f"{vrf} {name}", group.begin), group, vrf)
        for text, neighbor in bgp.members("neighbor"):
            for name in _sessions(text):
                where = "" if vrf == "default" else vrf
                _say(peers.peer(where, name, neighbor.begin), neighbor, vrf)
    if not (statements.reading[DOCUMENT] or statements.reading[COMMANDS]):
        peers.dynamic, peers.only_bgp = True, False  # the daemon's own files are not read
    return peers if peers.peers or peers.dynamic else None


def read_adaptive(statements: Statements, device: Device) -> None:
    """The switch of adaptive routing for the whole device; without it that of a port is idle."""
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


def _say(peer: Peer, view: View, vrf: str) -> None:
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
    """Whether there is one; its kind and name are put among those that are `named`."""
    if not view:
        return known
    for kind in sorted(view.says()):
        named[_KINDS.get(kind, kind)] = view.word(kind).value or ""
    return Value(True, view.begin)


_KINDS = {"aspath-list": PATHS}
"""Words of a neighbour that name a policy, where they are not those of the policy itself."""

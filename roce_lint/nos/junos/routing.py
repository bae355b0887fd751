"""`protocols bgp`: who the neighbours are, which routes are taken from them and passed on."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.nos.bgp import Peer, Peers, as_number, is_address
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.route_policies import CHAIN, chain_of
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch, whole
from roce_lint.text.statements import ANY, EVERYTHING, Wanted

FAMILIES = ("inet", "inet6")

_LEVEL: dict[str, Wanted] = {
    "peer-as": EVERYTHING,
    "local-as": EVERYTHING,
    "advertise-peer-as": EVERYTHING,
    "import": EVERYTHING,
    "export": EVERYTHING,
    "family": {family: {"unicast": {"loops": EVERYTHING}} for family in FAMILIES},
}
"""What a neighbour, a group, and the protocol may all state; the nearest holds."""

BGP: dict[str, Wanted] = {
    **_LEVEL,
    "group": {ANY: {**_LEVEL, "neighbor": {ANY: _LEVEL}}},
}
"""What of `protocols bgp` is read."""


def read_bgp(context: Context) -> Peers | None:
    """The neighbours; None without BGP. Those of routing instances are of a VRF."""
    peers = Peers(
        context.reading.default(defaults.NO_OWN_AS),
        context.reading.default(defaults.NOT_TO_OWN_AS),
        context.reading.default(defaults.SENDS_COMMUNITIES),
    )
    for vrf, bgp in _protocols(context):
        above = _peer(bgp, Peer(bgp.begin))
        for _, group in bgp.get("group").pairs():
            common = _over(_peer(group, Peer(group.begin)), above)
            for name, neighbor in group.get("neighbor").pairs():
                if is_address(name) and "/" not in name:
                    neighbor.take()
                    own = _peer(neighbor, Peer(neighbor.begin))
                    peers.peers[vrf, name] = _over(own, common)
    return peers if peers.peers else None


def _protocols(context: Context) -> Iterator[tuple[str, Branch]]:
    yield "", context.top.get("protocols", "bgp")
    for name, instance in context.top.get("routing-instances").pairs():
        yield name, instance.get("protocols", "bgp")


def _over(own: Peer, above: Peer) -> Peer:
    """What a level states, with what it inherits: of policies all or none."""
    full = own.over(above)
    full.policies_in = own.policies_in if own.filtered_in else above.policies_in
    full.policies_out = own.policies_out if own.filtered_out else above.policies_out
    return full


def _peer(level: Branch, peer: Peer) -> Peer:
    peer.asn = _as(level)
    peer.filtered_in = _policy(level, "import", peer.policies_in)
    peer.filtered_out = _policy(level, "export", peer.policies_out)
    peer.to_own_as = level.flag("advertise-peer-as")
    peer.unknown = "local-as" in level
    for family in FAMILIES:
        loops = level.get("family", family, "unicast").convert("loops", whole, "a number")
        # Older manuals hide a route at the Nth own AS in its path, newer ones allow N of them: from
        # 2 on some are allowed by both, of 1 they say opposite things.
        if loops.value is not None and loops.value > 1:
            peer.own_as, peer.own_as_unclear = Value(loops.value - 1, loops.position), False
        elif loops and not peer.own_as:
            peer.own_as_unclear = True
    return peer


def _as(level: Branch) -> Value[int]:
    text = level.text("peer-as")
    return text.map(as_number) if text else ABSENT


def _policy(level: Branch, name: str, named: dict[str, str]) -> Value[bool]:
    """Whether routes pass policies there; the chain of them is put among those that are `named`."""
    policy = level.get(name)
    policy.take_all()
    if not policy:
        return ABSENT
    for number, chain in enumerate(chain_of(level, name)):
        named[f"{CHAIN}-{number + 1}" if number else CHAIN] = chain
    return Value(True, policy.begin)

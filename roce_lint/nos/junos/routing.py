"""Routing of Junos: BGP sessions, OSPF and IS-IS interfaces, dynamic load balancing."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.device import Device
from roce_lint.model.interface import ISIS, OSPF, Interface, InterfaceKind
from roce_lint.model.routing import Balancing, Spread
from roce_lint.nos.bgp import Peer, Peers, as_number, is_address, protocols
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.context import Context, state
from roce_lint.nos.junos.route_policies import CHAIN, chain_of
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch, whole
from roce_lint.text.statements import ANY, EVERYTHING, Wanted

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
            state(made, "igp", running)
            if ISIS in own:
                state(made, "igp_any_mtu", short.map(lambda _: (ISIS,)))


def _statements(stated: Branch) -> Iterator[tuple[str, str, Branch]]:
    """Protocol, interface and the statements about both."""
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
            state(port, "adaptive_routing", Value(bool(mode), begin))

"""Faults that leave hosts without a route: mismatched sessions, unannounced networks, and switches
that do not route.

Only settings stated on both sides are compared, and only if all of them were read: unread lines
about routing, sessions of an overlay or a VRF, static routes and other protocols make the result
unknown.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address, ip_network

from roce_lint.analysis.cache import cached
from roce_lint.analysis.overlay import tunnels
from roce_lint.analysis.paths import Crossing, Paths, Port, paths_of
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.sessions import Network, is_within, parsed
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.fabric import Endpoint
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.routing import BgpSession, Routing
from roce_lint.text.source import Where

_WORD = re.compile(
    r"\b(?:bgp|neighbor|peer|remote-as|as-number|network|redistribute|route-map|export|import)\b"
)
"""Words of lines about routes."""


@dataclass(slots=True, frozen=True)
class RouteFault:
    """Hosts without a route, or a link without a session, caused by lines of `device`.

    With `stated`, `other` contradicts this session of `device`, by its AS number or by lacking the
    session. Otherwise no other leaf knows the `networks` of hosts; with `other`, only that leaf
    does not, because it has the same AS number. With `family`, `device` routes no packets of this
    address family. `ports` are those whose packets lack a route.
    """

    device: Device
    where: tuple[Where, ...]
    ports: tuple[Port, ...]
    other: Device | None = None
    stated: BgpSession | None = None
    by_number: bool = False
    networks: tuple[str, ...] = ()
    family: str = ""


Known = dict[str, dict[str, BgpSession]]
"""Sessions in the default VRF of each switch with completely read BGP, by the name of the peer. A
switch without BGP lines has none, if another switch of its system has some."""


@dataclass(slots=True, frozen=True)
class _Leaf:
    """A leaf with host ports that are reachable by BGP routes only."""

    device: Device
    routing: Routing
    above: list[Crossing]
    ports: list[JudgedPort]


@cached
def route_faults(analysis: Analysis) -> list[RouteFault]:
    """Sessions and networks that leave pairs of hosts without a route."""
    routings = [(d.nos, d.routing) for d in analysis.fabric.devices.values()]
    read = {nos for nos, routing in routings if routing is not None and routing.complete}
    known = {
        name: _sessions(device.routing)
        for name, device in analysis.fabric.devices.items()
        if (device.routing is not None or device.nos in read) and not device.partial
        if not any(
            n.kind is NoteKind.UNRECOGNISED and _WORD.search(n.message) for n in device.notes
        )
    }
    if not known:
        return []
    ends = ((end, link.other(end)) for link in analysis.fabric.links for end in link.ends)
    found = [fault for pair in ends for fault in _compare(analysis, *pair, known)]
    paths = paths_of(analysis)
    leaves = list(_leaves(paths, known))
    switches = [analysis.fabric.devices[name] for name in paths.nodes]
    found += _unannounced(paths, known, leaves)
    return [*found, *_refused(switches, leaves), *_unrouted(analysis, known)]


def _sessions(routing: Routing | None) -> dict[str, BgpSession]:
    """Sessions of the default VRF by address, or port, of the peer."""
    found = routing.sessions if routing is not None else {}
    return {key: each for key, each in found.items() if " " not in key}


def _compare(
    analysis: Analysis, end: Endpoint, peer: Endpoint, known: Known
) -> Iterator[RouteFault]:
    """Contradictions between the ends of a link about its session."""
    near, far = (e.device.interfaces.get(e.interface.lag or "", e.interface) for e in (end, peer))
    own, theirs = known.get(end.device.hostname, {}), known.get(peer.device.hostname)
    stated = next((own[name] for name in _names(near, far) if name in own), None)
    routing, asn = peer.device.routing, peer.device.asn
    keys = (end.key, peer.key)
    if stated is None or theirs is None or near.vrf or far.vrf:
        return
    if None in (analysis.port(*end.key), analysis.port(*peer.key)):
        return
    if theirs.keys().isdisjoint(_names(far, near)):
        # IPv6 addresses have several spellings.
        whole = routing is None or routing.complete
        if whole and near.addresses and "." in stated.peer:
            places = (stated.where(), routing.where() if routing is not None else far.where())
            yield RouteFault(end.device, places, keys, peer.device, stated)
    elif stated.asn is not None and asn not in (None, stated.asn):
        places = (stated.where("asn"), peer.device.where("asn"))
        yield RouteFault(end.device, places, keys, peer.device, stated, by_number=True)


def _names(near: Interface, far: Interface) -> list[str]:
    """Possible names of the session over a link: an address of the far end, or the near port."""
    return [near.name, *(address.partition("/")[0] for address in far.addresses)]


def _leaves(paths: Paths, known: Known) -> Iterator[_Leaf]:
    """Leaves with sessions to all switches above, and no other source of routes than BGP."""
    attached: dict[str, dict[Port, JudgedPort]] = defaultdict(dict)
    for end in paths.ends:
        for wire in end.wires:
            attached[wire.leaf.device.hostname][wire.leaf.key] = wire.leaf
    for name, ports in attached.items():
        above, own = paths.nodes[name].up, known.get(name, {})
        device = next(iter(ports.values())).device
        links = [(up.into.device, _names(up.out.interface, up.into.interface)) for up in above]
        spoken = all(far.hostname in known and not own.keys().isdisjoint(n) for far, n in links)
        routings = [device.routing, *(far.routing for far, _ in links)]
        alone = all(routing is not None and routing.only_bgp for routing in routings)
        if above and spoken and alone and device.routing is not None and not any(tunnels(device)):
            yield _Leaf(device, device.routing, above, list(ports.values()))


def _unannounced(paths: Paths, known: Known, leaves: list[_Leaf]) -> Iterator[RouteFault]:
    """Leaves that announce none, or not all, of the networks of their hosts."""
    silent = [leaf for leaf in leaves if leaf.routing.redistributes is False]
    owners: dict[Network, set[str]] = defaultdict(set)
    for wire in (wire for end in paths.ends for wire in end.wires) if silent else ():
        for network in _networks(wire.leaf):
            owners[network].add(wire.leaf.device.hostname)
    for leaf in silent:
        names = known[leaf.device.hostname]
        peers = list(parsed(ip_address, names))  # without peers named by ports
        mute: dict[Port, list[Network]] = {}
        for port in leaf.ports:
            networks = _networks(port)
            # Another switch or a host with a session may announce them.
            others = port.interface.name in names or any(
                len(owners[network]) > 1
                or any(peer in network for peer in peers)
                or _is_announced(network, leaf.routing.announced)
                for network in networks
            )
            if networks and not others:
                mute[port.key] = networks
        if mute:
            ports = _ways_up(leaf) if len(mute) == len(leaf.ports) else tuple(mute)
            texts = dict.fromkeys(str(each) for found in mute.values() for each in found)
            first = leaf.device.interfaces[next(iter(mute))[1]]
            places = (leaf.routing.where(), first.where("addresses"))
            yield RouteFault(leaf.device, places, ports, networks=tuple(texts))


def _refused(switches: list[Device], leaves: list[_Leaf]) -> Iterator[RouteFault]:
    """Leaves with the AS number of another one, if both reject routes with that number and nothing
    announces a wider network or a default route. MLAG pairs have the same hosts.
    """
    first = {leaf.device.asn: leaf for leaf in reversed(leaves)}
    same = [leaf for leaf in leaves if first[leaf.device.asn] is not leaf]
    if any(each.routing is None or each.routing.announced != () for each in switches):
        return
    for leaf in same:
        other = first[leaf.device.asn]
        ends = [s for each in (leaf, other) for s in each.routing.sessions.values()]
        back = [s for up in leaf.above for s in _sessions(up.into.device.routing).values()]
        pair = any(port.peer_link for port in leaf.device.interfaces.values())
        strict = all(s.own_as_allowed == 0 and s.filtered_in is False for s in ends)
        external = all(s.asn not in (None, leaf.device.asn) for s in ends)
        if strict and external and not pair and all(s.filtered_out is False for s in back):
            places = (leaf.device.where("asn"), other.device.where("asn"))
            yield RouteFault(leaf.device, places, _ways_up(leaf), other.device)


def _unrouted(analysis: Analysis, known: Known) -> Iterator[RouteFault]:
    """Switches with sessions that do not route a family of addresses between their ports."""
    carried: dict[tuple[str, str], list[JudgedPort]] = defaultdict(list)
    for port in analysis.ports:
        if known.get(port.device.hostname) and port.interface.routed and not port.interface.vrf:
            for version in {each.version for each in _networks(port)}:
                carried[port.device.hostname, f"IPv{version}"].append(port)
    for (_, family), ports in carried.items():
        device = ports[0].device
        routed = device.forwards
        if len(ports) > 1 and routed is not None and family.lower() not in routed:
            places = (device.where("forwards"), ports[0].interface.where("addresses"))
            keys = tuple(port.key for port in ports)
            yield RouteFault(device, places, keys, family=family)


def _ways_up(leaf: _Leaf) -> tuple[Port, ...]:
    return tuple(crossing.out.key for crossing in leaf.above)


def _networks(port: JudgedPort) -> list[Network]:
    """Networks of a host port in the default VRF, or of its VLAN."""
    own, interfaces = port.interface, port.device.interfaces
    routes = [interfaces.get(own.lag or "", own)] if own.routed else []
    if own.routed is False and own.untagged_vlan is not None:
        of_vlan = (i for i in interfaces.values() if i.kind is InterfaceKind.VLAN)
        routes = [i for i in of_vlan if i.untagged_vlan == own.untagged_vlan]
    return [own.network for each in routes if not each.vrf for own in each.parsed_addresses]


def _is_announced(network: Network, announced: tuple[str, ...] | None) -> bool:
    """Whether a network, or a wider one, is announced."""
    return announced is None or any(
        each.version == network.version and is_within(network, each)
        for each in parsed(partial(ip_network, strict=False), announced)
    )

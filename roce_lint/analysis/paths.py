"""Paths of packets: up from a NIC, at most once along a tier, and down to the other NIC; and the
leaves that they reach from every switch.

Routing is not simulated. A path is valley-free, and the shortest ones between two NICs are assumed
to be equal-cost. Tiers follow from the roles of the switches, or from their distance to hosts. A
leaf here is any switch with NICs attached, whatever its role.

Sets of leaves are integers with one bit per leaf, so counting pairs costs the work of ports and not
that of pairs.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from roce_lint.analysis.cache import cached
from roce_lint.analysis.missing_switches import UNREAD, bare, numberless, short
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.scope import wires
from roce_lint.model.device import Device, Role
from roce_lint.model.interface import NO_VRF, Interface

_ROLE_TIERS = {Role.LEAF: 1, Role.SPINE: 2, Role.SUPERSPINE: 3}

ByHops = dict[int, int]
"""Sets of leaves by the number of links on the shortest path."""


@dataclass(slots=True, eq=False)
class Crossing:
    """A cable in the direction of a packet. Not frozen: there are two for each cable."""

    out: JudgedPort
    into: JudgedPort


@dataclass(slots=True, frozen=True, eq=False)
class Wire:
    """Attachment of a NIC: its port (None if no host is known) and that of the leaf."""

    host: JudgedPort | None
    leaf: JudgedPort


@dataclass(slots=True, frozen=True)
class End:
    """A RoCE NIC or, without known hosts, an edge port with an assumed NIC."""

    device: str
    nic: str
    network: int
    wires: tuple[Wire, ...]

    def __str__(self) -> str:
        return f"{self.device} {self.nic}"


@dataclass(slots=True)
class Node:
    """A switch in the graph of paths."""

    name: str
    tier: int
    up: list[Crossing] = field(default_factory=list)
    along: list[Crossing] = field(default_factory=list)
    down: list[Crossing] = field(default_factory=list)


class Paths:
    """All valley-free shortest paths of the RoCE networks of a fabric.

    Includes paths through switches without a configuration, unless `known` is set.
    """

    def __init__(self, analysis: Analysis, *, known: bool = False) -> None:
        self.ends = list(_ends(analysis))
        self.nodes = _nodes(analysis, self.ends, [] if known else _to_absent(analysis))

    def ends_of(self, device: str, port: str | None = None) -> list[End]:
        """Ends on a device, or the one whose RDMA device or port has this name."""
        return [
            end
            for end in self.ends
            if end.device == device
            and (port is None or port == end.nic or port in _port_names(end, device))
        ]

    def hops_to(self, end: End) -> Hops:
        """Distance of every switch from an end."""
        return Hops(self.nodes, {wire.leaf.device.hostname for wire in end.wires})


@cached
def paths_of(analysis: Analysis) -> Paths:
    """Paths of a fabric through switches with a configuration."""
    return Paths(analysis, known=True)


@cached
def all_paths_of(analysis: Analysis) -> Paths:
    """All paths of a fabric, including those through switches without a configuration."""
    return Paths(analysis) if analysis.absent else paths_of(analysis)


class Hops:
    """Number of links down or across from every switch to the nearest leaf of one end."""

    def __init__(self, nodes: dict[str, Node], leaves: Iterable[str]) -> None:
        self._nodes = nodes
        self._below: dict[str, int] = dict.fromkeys(leaves, 0)
        queue = deque(self._below)
        while queue:
            name = queue.popleft()
            for crossing in nodes[name].up:
                above = crossing.into.device.hostname
                if above not in self._below:
                    self._below[above] = self._below[name] + 1
                    queue.append(above)
        self._towards: dict[str, Hops] = {}
        self._any: dict[str, int | None] = {}
        for node in sorted(nodes.values(), key=lambda node: -node.tier):
            self._any[node.name] = self._nearest(node)

    def _nearest(self, node: Node) -> int | None:
        found = [self._below[node.name]] if node.name in self._below else []
        along = (self._below.get(c.into.device.hostname) for c in node.along)
        above = (self._any.get(c.into.device.hostname) for c in node.up)
        found += [hops + 1 for hops in (*along, *above) if hops is not None]
        return min(found, default=None)

    def towards(self, leaf: str) -> Hops:
        """Distance of every switch from another leaf."""
        known = self._towards.get(leaf)
        if known is None:
            known = self._towards[leaf] = Hops(self._nodes, {leaf})
        return known

    def distance(self, name: str, *, falling: bool) -> int | None:
        """Links left from a switch; `falling` once the packet has stopped going up."""
        return self._below.get(name) if falling else self._any.get(name)

    def onward(self, name: str, *, falling: bool) -> Iterator[tuple[Crossing, bool]]:
        """Equal-cost cables out of a switch, and whether the packet only descends after them."""
        left = self.distance(name, falling=falling)
        if not left:
            return
        node = self._nodes[name]
        for crossing in node.down:
            if self._below.get(crossing.into.device.hostname) == left - 1:
                yield crossing, True
        if falling:
            return
        for crossing in node.along:
            if self._below.get(crossing.into.device.hostname) == left - 1:
                yield crossing, True
        for crossing in node.up:
            if self._any.get(crossing.into.device.hostname) == left - 1:
                yield crossing, False


def _ends(analysis: Analysis) -> Iterator[End]:
    index = analysis.index()
    cabled = False
    legs = _second_legs(analysis)
    for device, nic in analysis.roce_nics:
        found = []
        for wire in wires(device, nic):
            host = index.get((device.hostname, wire))
            leaf = index.get(host.peer.key) if host is not None and host.peer else None
            if host is not None and leaf is not None and not leaf.device.is_host:
                found.append(Wire(host, leaf))
                found += [Wire(host, leg) for leg in legs.get(host.key, ()) if leg is not leaf]
        if found:
            cabled = True
            yield End(device.hostname, nic.name, found[0].leaf.network, tuple(found))
    if cabled:
        return
    for port in analysis.switch_ports():
        if port.faces_host:
            name = port.interface.name
            yield End(port.device.hostname, name, port.network, (Wire(None, port),))


def _second_legs(analysis: Analysis) -> dict[tuple[str, str], list[JudgedPort]]:
    """Ports of switches by the host port whose cable they share."""
    found: dict[tuple[str, str], list[JudgedPort]] = defaultdict(list)
    for port in analysis.switch_ports():
        if port.interface.shared_with is not None and port.peer is not None:
            found[port.peer.key].append(port)
    return found


def _port_names(end: End, device: str) -> set[str]:
    names = set()
    for wire in end.wires:
        for port in (wire.host, wire.leaf):
            if port is not None and port.device.hostname == device:
                names |= {port.interface.name, *port.interface.aliases}
                if port.interface.lag:
                    names.add(port.interface.lag)
    return names


def _nodes(
    analysis: Analysis, ends: list[End], absent: Iterable[tuple[JudgedPort, JudgedPort]]
) -> dict[str, Node]:
    """The switches with their cables sorted by direction."""
    index = analysis.index()
    cables: dict[str, list[Crossing]] = defaultdict(list)
    apart = _in_other_vrf(analysis, ends)
    for port in analysis.switch_ports():
        peer = index.get(port.peer.key) if port.peer is not None and not port.faces_host else None
        if peer is not None and not (apart and (port.key in apart or peer.key in apart)):
            cables[port.key[0]].append(Crossing(port, peer))
    for port, peer in absent:
        for out, into in ((port, peer), (peer, port)):
            cables[out.device.hostname].append(Crossing(out, into))
    names = {wire.leaf.device.hostname for end in ends for wire in end.wires} | cables.keys()
    tiers = _tiers(analysis, cables, names, ends)
    nodes = {name: Node(name, tiers[name]) for name in sorted(names)}
    for name, node in nodes.items():
        for crossing in cables[name]:
            other = tiers[crossing.into.key[0]]
            way = node.up if other > node.tier else node.down if other < node.tier else node.along
            way.append(crossing)
    return nodes


def _in_other_vrf(analysis: Analysis, ends: list[End]) -> set[tuple[str, str]]:
    """Routed ports in another VRF than most NICs of their switch, or than most of its ports. A
    switch with tunnels connects its VRFs by other means.
    """
    of_ends: dict[str, Counter[str]] = defaultdict(Counter)
    of_ports: dict[str, Counter[str]] = defaultdict(Counter)
    routed = [port for port in analysis.switch_ports() if port.interface.routed]
    for port in routed:
        of_ports[port.device.hostname][port.interface.vrf or ""] += 1
    devices = analysis.fabric.devices
    several = {
        name
        for name, vrfs in of_ports.items()
        if len(vrfs) > 1 and not any(port.tunnel for port in devices[name].interfaces.values())
    }
    for leaf in {w.leaf.key: w.leaf for end in ends for w in end.wires}.values():
        if leaf.device.hostname in several and leaf.interface.routed:
            of_ends[leaf.device.hostname][leaf.interface.vrf or ""] += 1
    found = set()
    for port in routed:
        name = port.device.hostname
        if port.interface.vrf == NO_VRF:
            found.add(port.key)
        elif name in several:
            vrfs = of_ends.get(name) or of_ports[name]
            if (port.interface.vrf or "") != min(vrfs, key=lambda vrf: (-vrfs[vrf], vrf)):
                found.add(port.key)
    return found


def _to_absent(analysis: Analysis) -> Iterator[tuple[JudgedPort, JudgedPort]]:
    """Cables to switches without a configuration: paths continue through them."""
    known: dict[str, Device] = {}
    for key, neighbor in sorted(analysis.absent.items()):
        port = analysis.port(*key)
        if port is None:
            continue
        name = short(neighbor.device)
        heard = Device(hostname=bare(neighbor.device), nos=UNREAD, partial=True)
        device = known.setdefault(name, heard)
        heard_at, why = Interface(name=neighbor.names[0]), f"LLDP neighbour of {port}"
        far = JudgedPort(device, heard_at, port.network, None, faces_host=False, reason=why)
        yield port, far


def _tiers(
    analysis: Analysis, cables: dict[str, list[Crossing]], names: set[str], ends: list[End]
) -> dict[str, int]:
    """Tier of every switch: by its role, else one more than the nearest switch with a NIC.

    An unread switch has the tier of the switches in its naming series, if these agree.
    """
    tiers = {wire.leaf.device.hostname: 1 for end in ends for wire in end.wires}
    queue = deque(sorted(tiers))
    while queue:
        name = queue.popleft()
        for crossing in cables[name]:
            other = crossing.into.device.hostname
            if other not in tiers:
                tiers[other] = tiers[name] + 1
                queue.append(other)
    devices = analysis.fabric.devices
    alike: dict[str, set[int]] = defaultdict(set)
    for name in names:
        role = devices[name].role if name in devices else None
        tiers[name] = _ROLE_TIERS.get(role, tiers.get(name, 1)) if role else tiers.get(name, 1)
        if name in devices:
            alike[numberless(name)].add(tiers[name])
    for name in names - devices.keys():
        known = alike.get(numberless(name), set())
        tiers[name] = next(iter(known)) if len(known) == 1 else tiers[name]
    return tiers


Port = tuple[str, str]


class Reachable:
    """Sets of leaves, by number, below and beyond every switch."""

    def __init__(self, paths: Paths) -> None:
        self.nodes = paths.nodes
        self.leaves = sorted({w.leaf.device.hostname for end in paths.ends for w in end.wires})
        self.number = {name: n for n, name in enumerate(self.leaves)}
        self.below = _below(paths.nodes, self.number)
        self.best = _best(paths.nodes, self.below)
        self.origins = [self.best[name] for name in self.leaves]
        """Entry of `best` for leaf n."""
        self.crossings: dict[Port, Crossing] = {
            crossing.out.key: crossing
            for node in paths.nodes.values()
            for crossing in (*node.up, *node.along, *node.down)
        }

    def pairs_over(self, low: str, high: str, *, along: bool) -> Iterator[tuple[int, int]]:
        """Leaves below `low`, each with the leaves that its shortest paths over the cable reach.

        For a cable down, `low` is its end: it carries the same pairs backwards.
        """
        beyond = self.below[high] if along else self.best[high]
        for up, sources in self.below[low].items():
            for source in bits(sources):
                best = self.origins[source]
                reached = union(leaves & best.get(up + 1 + on, 0) for on, leaves in beyond.items())
                if reached:
                    yield source, reached


def _below(nodes: dict[str, Node], number: dict[str, int]) -> dict[str, ByHops]:
    """Leaves reached from every switch by descending only."""
    below: dict[str, ByHops] = {}
    for node in sorted(nodes.values(), key=lambda node: node.tier):
        own = {0: 1 << number[node.name]} if node.name in number else {}
        below[node.name] = _nearest(own, (below[name] for name in _over(node.down)))
    return below


def _best(nodes: dict[str, Node], below: dict[str, ByHops]) -> dict[str, ByHops]:
    """Leaves reached from every switch by a packet that may still ascend."""
    best: dict[str, ByHops] = {}
    for node in sorted(nodes.values(), key=lambda node: -node.tier):
        along = [below[name] for name in _over(node.along)]
        above = [best[name] for name in _over(node.up)]
        best[node.name] = _nearest(below[node.name], (*along, *above))
    return best


def _over(crossings: list[Crossing]) -> list[str]:
    return sorted({crossing.into.device.hostname for crossing in crossings})


def _nearest(own: ByHops, others: Iterable[ByHops]) -> ByHops:
    """The shortest of a node's own paths and of those one link longer through a neighbour."""
    merged: dict[int, int] = defaultdict(int, own)
    for other in others:
        for hops, leaves in other.items():
            merged[hops + 1] |= leaves
    seen = 0
    result: ByHops = {}
    for hops in sorted(merged):
        fresh = merged[hops] & ~seen
        if fresh:
            result[hops] = fresh
            seen |= fresh
    return result


def nearest(by_hops: ByHops, leaves: int) -> int:
    """The leaves, of some, that the shortest paths lead to."""
    return next((by_hops[hops] & leaves for hops in sorted(by_hops) if by_hops[hops] & leaves), 0)


def union(sets: Iterable[int]) -> int:
    """All leaves of several sets."""
    result = 0
    for leaves in sets:
        result |= leaves
    return result


def bits(leaves: int) -> Iterator[int]:
    """Numbers of the leaves of a set."""
    while leaves:
        low = leaves & -leaves
        yield low.bit_length() - 1
        leaves ^= low

"""Follows one code point from a NIC to another: what every hop does to it, over all paths.

Equal-cost paths on which the packet is treated alike are one `Way`: the walk goes on from all its
ports together, so its work grows with ports and distinct treatments, never with paths.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace

from roce_lint.analysis.detour import begins, ends, other_leg
from roce_lint.analysis.overlay import (
    Packet,
    backup_treatment,
    enter,
    leave,
    rewritten,
    tunnel_into,
    unknown_treatment,
)
from roce_lint.analysis.paths import Crossing, End, Hops, Paths, Wire
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import Treatment, treat_exit
from roce_lint.model.device import Device


@dataclass(slots=True, frozen=True)
class Hop:
    """A device on the way: the ports the packet takes, its code point, what is done to it.

    `packet` is what arrives (or the NIC sends), `onward` what leaves; in an overlay both are known
    by the code point of the outer header.
    """

    device: Device
    into: JudgedPort | None
    out: JudgedPort | None
    packet: Packet
    onward: Packet
    treated: Treatment

    @property
    def dscp(self) -> int | None:
        """The code point it arrives with; None where it is not known."""
        return self.packet.dscp

    @property
    def dscp_out(self) -> int | None:
        """The code point it leaves with."""
        return self.onward.dscp

    @property
    def ports(self) -> tuple[JudgedPort, ...]:
        """The ports of the hop, in the order the packet takes them."""
        return tuple(port for port in (self.into, self.out) if port is not None)


@dataclass(slots=True, frozen=True)
class Way:
    """Equal-cost paths that treat the packet alike: a real one hop by hop, and how many they are.

    `through[n]` are the ports of hop n over all of them, by device and name.
    """

    hops: tuple[Hop, ...]
    paths: int
    through: tuple[frozenset[tuple[str, str]], ...]


Alike = Callable[[Hop], Hashable]
"""What of a hop tells one way from another."""


@dataclass(slots=True)
class _At:
    """Where the packet is: about to leave `device`, having come in by `into`."""

    device: Device
    into: JudgedPort
    packet: Packet
    falling: bool
    paths: int
    before: tuple[Hop, ...]  # of one path that leads here
    hops: Hops
    leg: Wire | None = None  # by which the switch at the end of a detour delivers it

    @property
    def key(self) -> tuple[object, ...]:
        leg = self.leg.leaf.key if self.leg is not None else None
        return (*self.into.key, *self.packet.key, self.falling, leg)


@dataclass(slots=True)
class _Front:
    """Ways that are alike so far, and where they have got to."""

    at: dict[Hashable, _At]
    through: tuple[frozenset[tuple[str, str]], ...]


def walk(
    analysis: Analysis, paths: Paths, source: End, target: End, dscp: int, alike: Alike
) -> list[Way]:
    """All ways of a packet of code point `dscp` from one NIC to another, the widest first.

    A NIC that is attached twice sends over each of its wires. Empty where no path is known.
    """
    hops = paths.hops_to(target)
    ways: list[Way] = []
    for wire in source.wires:
        ways += _spread(analysis, target, _begin(analysis, hops, wire, dscp), alike)
    return sorted(ways, key=lambda way: -way.paths)


def _begin(analysis: Analysis, hops: Hops, wire: Wire, dscp: int) -> _Front:
    """The packet before the leaf, sent by the NIC where one is known."""
    before: tuple[Hop, ...] = ()
    through: tuple[frozenset[tuple[str, str]], ...] = ()
    sent = Packet(dscp)
    if wire.host is not None:
        hop = hop_of(analysis, None, wire.host, sent)
        before, sent = (hop,), hop.onward
        through = (frozenset(port.key for port in hop.ports),)
    start = _At(wire.leaf.device, wire.leaf, sent, False, 1, before, hops)
    return _Front({start.key: start}, through)


def _spread(analysis: Analysis, target: End, begin: _Front, alike: Alike) -> Iterator[Way]:
    fronts = [begin]
    while fronts:
        front = fronts.pop()
        reached: dict[Hashable, _Front] = {}
        arrived: dict[Hashable, list[tuple[Hop, _At, JudgedPort | None]]] = {}
        for at in front.at.values():
            for hop, onward, end in _onward(analysis, target, at):
                shape = alike(hop)
                if onward is None:
                    arrived.setdefault(shape, []).append((hop, at, end))
                    continue
                group = reached.setdefault(shape, _Front({}, (*front.through, frozenset())))
                ports = group.through[-1] | {port.key for port in hop.ports}
                group.through = (*front.through, ports)
                known = group.at.get(onward.key)
                if known is None:
                    group.at[onward.key] = onward
                else:
                    known.paths += onward.paths
        fronts += reached.values()
        for found in arrived.values():
            yield from _end(analysis, front, found, alike)


Step = tuple[Hop, "_At | None", JudgedPort | None]
"""A hop, where the packet is then (None: at the target), and the port of the target."""


def _onward(analysis: Analysis, target: End, at: _At) -> Iterator[Step]:
    """Each cable the packet may take next; None for where it goes when that is the target's."""
    hops = at.hops
    left = hops.distance(at.device.hostname, falling=at.falling)
    if left == 0:
        yield from _last_steps(analysis, target, at)
        return
    for crossing, falling in hops.onward(at.device.hostname, falling=at.falling):
        hop = hop_of(analysis, at.into, crossing.out, at.packet)
        yield hop, _behind(at, hop, crossing, hops, at.leg, falling=falling), None


def _behind(
    at: _At, hop: Hop, crossing: Crossing, hops: Hops, leg: Wire | None, *, falling: bool
) -> _At:
    """Where a packet is when it has crossed a cable."""
    peer = crossing.into
    before = (*at.before, hop)
    return _At(peer.device, peer, hop.onward, falling, at.paths, before, hops, leg)


def _last_steps(analysis: Analysis, target: End, at: _At) -> Iterator[Step]:
    """The cables to the target; where one is shared with another switch, the tunnel to that."""
    if at.leg is not None:
        out = at.leg.leaf
        treated, onward = ends(at.into, out, at.packet)
        yield Hop(at.device, at.into, out, at.packet, onward, treated), None, at.leg.host
        return
    for wire in target.wires:
        if wire.leaf.device is not at.device:
            continue
        hop = hop_of(analysis, at.into, wire.leaf, at.packet)
        if wire.leaf.interface.shared_with is None:
            yield hop, None, wire.host
            continue
        detour = list(_detour(analysis, target, wire, at))
        if not detour:
            hop = replace(hop, treated=backup_treatment(hop.treated, wire.leaf))
        yield hop, None, wire.host
        yield from detour


def _detour(analysis: Analysis, target: End, wire: Wire, at: _At) -> Iterator[Step]:
    """The cables on the way to the other switch, for what this one has when it stands by."""
    leg = other_leg(target, wire) if not at.packet.carried else None
    if leg is None:
        return
    hops = at.hops.towards(leg.leaf.device.hostname)
    for crossing, falling in hops.onward(at.device.hostname, falling=False):
        treated, onward = begins(analysis, at.into, crossing.out, at.packet)
        hop = Hop(at.device, at.into, crossing.out, at.packet, onward, treated)
        yield hop, _behind(at, hop, crossing, hops, leg, falling=falling), None


def _end(
    analysis: Analysis,
    front: _Front,
    found: list[tuple[Hop, _At, JudgedPort | None]],
    alike: Alike,
) -> Iterator[Way]:
    """The last switch, and the receiving NIC where one is known."""
    ways: dict[Hashable, Way] = {}
    for last, at, host in found:
        received = (hop_of(analysis, host, None, last.onward),) if host is not None else ()
        taken = (last, *received)
        ports = tuple(frozenset(port.key for port in hop.ports) for hop in taken)
        shape = tuple(alike(hop) for hop in taken)
        way = ways.get(shape)
        if way is None:
            ways[shape] = Way((*at.before, *taken), at.paths, (*front.through, *ports))
            continue
        count = len(front.through)
        merged = (a | b for a, b in zip(way.through[count:], ports, strict=True))
        ways[shape] = replace(way, paths=way.paths + at.paths, through=(*front.through, *merged))
    yield from ways.values()


def hop_of(
    analysis: Analysis, into: JudgedPort | None, out: JudgedPort | None, packet: Packet
) -> Hop:
    """What a device does with a packet: the arriving port classifies, the leaving one queues.

    A NIC that sends classifies by the code point of its own packets, and the last switch of a
    tunnel by the header that it is told to look at.
    """
    first = into or out
    if first is None:
        raise ValueError("a hop without a port")
    seen = kept = packet
    if packet.carried and into is not None and out is not None and out.faces_host:
        seen, kept = leave(packet, first.device)
    if seen.dscp is None:
        return Hop(first.device, into, out, packet, kept, unknown_treatment(seen.missing))
    treated = analysis.treat(first, seen.dscp)
    if into is not None and out is not None:
        treated = treat_exit(into.device, out.interface, treated.ingress)
    if out is None:
        return Hop(first.device, into, out, packet, packet, treated)
    entered = tunnel_into(analysis, into, out) if into is not None and not packet.carried else None
    if entered is None:
        onward = rewritten(kept, treated.rewrite)
        return Hop(first.device, into, out, packet, onward, treated)
    end, sure = entered
    if end.tunnel is not None and end.tunnel.rewrites_outer:
        onward = rewritten(enter(kept, first.device, end, sure=sure), treated.rewrite)
    else:
        onward = enter(rewritten(kept, treated.rewrite), first.device, end, sure=sure)
    return Hop(first.device, into, out, packet, onward, treated)

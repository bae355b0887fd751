"""Walk of one DSCP from a NIC to another: its treatment at every hop over all paths, through the
tunnel of a dual-ToR pair too, and the delay of CNPs.

Equal-cost paths with equal treatment are one `Way`: the walk continues from all its ports together,
so its work grows with ports and distinct treatments, never with paths.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace

from roce_lint.analysis.overlay import (
    Packet,
    backup_treatment,
    enter,
    leave,
    rewritten,
    tunnel_into,
    unknown_treatment,
)
from roce_lint.analysis.paths import End, Hops, Paths, Wire
from roce_lint.analysis.provenance import Fact
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import (
    Ingress,
    Treatment,
    egress,
    forwarding_of,
    pauses,
    treat_exit,
    unknown_ingress,
)
from roce_lint.model.device import Device
from roce_lint.model.interface import Detour
from roce_lint.model.units import PRIORITIES
from roce_lint.text.source import Where

# Dual-ToR: two switches share the cable of a host, and only the active one sends to it. The standby
# switch tunnels its packets for the host to the active one, in separate classes, by the maps of the
# tunnel. No configuration states which switch is active, so a packet may take both ways.


def detour_of(device: Device) -> Detour | None:
    """Maps of the tunnel of a switch, where all of them are known."""
    for interface in device.interfaces.values():
        if interface.tunnel is not None and interface.tunnel.detour is not None:
            return interface.tunnel.detour
    return None


def other_leg(target: End, wire: Wire) -> Wire | None:
    """The leg of a shared cable to the other switch, if the maps of its tunnel are known too."""
    other = wire.leaf.interface.shared_with
    if other is None or detour_of(wire.leaf.device) is None:
        return None
    for leg in target.wires:
        device = leg.leaf.device
        if device.hostname == other and leg.host is wire.host and detour_of(device) is not None:
            return leg
    return None


def enter_detour(
    analysis: Analysis, into: JudgedPort, out: JudgedPort, packet: Packet
) -> tuple[Treatment, Packet]:
    """Treatment at the standby switch: class from the port; queue, outer DSCP from the tunnel."""
    detour = detour_of(into.device)
    if packet.dscp is None or detour is None:
        unknown = Packet(None, carried=True, missing=packet.missing)
        return unknown_treatment(packet.missing), unknown
    arrived = analysis.treat(into, packet.dscp).ingress
    leaving = egress(into.device, out.interface, arrived.traffic_class, detour.tc_to_queue)
    treated = replace(treat_exit(into.device, out.interface, arrived), egress=leaving)
    outer = None if arrived.tc is None else detour.tc_to_dscp.get(arrived.tc)
    lack = f"the outer DSCP of {arrived.class_label} in the tunnel of {into.device.hostname}"
    missing = arrived.missing if arrived.tc is None else "" if outer is not None else lack
    return treated, Packet(outer, packet.dscp, carried=True, missing=missing)


def leave_detour(into: JudgedPort, out: JudgedPort, packet: Packet) -> tuple[Treatment, Packet]:
    """Treatment at the active switch: the maps of the tunnel give class and priority group of the
    inner DSCP, the port to the host gives the queue.
    """
    device, detour = into.device, detour_of(into.device)
    if packet.inner is None or detour is None:
        return unknown_treatment(packet.missing), Packet(None, missing=packet.missing)
    arrived = _ingress(device, into, packet.inner, detour)
    treated = treat_exit(device, out.interface, arrived)
    return treated, rewritten(Packet(packet.inner), treated.rewrite)


def _ingress(device: Device, into: JudgedPort, inner: int, detour: Detour) -> Ingress:
    """Class, priority group and PFC of a packet that leaves the tunnel."""
    qos = into.interface.qos
    tc = detour.dscp_to_tc.get(inner)
    place = detour.dscp_to_tc.where(detour.dscp_to_tc.key(inner))
    maps = forwarding_of(device, qos)
    if qos is None or tc is None or maps is None:
        lack = "the maps of the port"
        if tc is None:
            lack = "the class that the tunnel gives the inner DSCP"
        return replace(unknown_ingress(lack, dscp=inner), traffic_class=Fact(tc, (place,), lack))
    pg, to_pg = detour.tc_to_pg.get(tc), detour.tc_to_pg
    group = maps.pfc_priority_to_pg
    priority = next((p for p in PRIORITIES if pg is not None and group.get(p) == pg), None)
    entry = (group.where(group.key(priority)),) if priority is not None else ()
    known, paused = Fact(tc, (place,)), Fact(priority, entry)
    held, sends = Fact(pg, (to_pg.where(to_pg.key(tc)),)), pauses(device, qos, known, maps, paused)
    return Ingress(inner, known, held, paused, sends, device.qos.class_name(tc))


@dataclass(slots=True, frozen=True)
class Hop:
    """A device on the path: the ports, the DSCP and its treatment.

    `packet` is the arriving one (or the one the NIC sends), `onward` the leaving one; in an overlay
    both have the DSCP of the outer header.
    """

    device: Device
    into: JudgedPort | None
    out: JudgedPort | None
    packet: Packet
    onward: Packet
    treated: Treatment

    @property
    def dscp(self) -> int | None:
        """DSCP on arrival; None if unknown."""
        return self.packet.dscp

    @property
    def dscp_out(self) -> int | None:
        """DSCP on departure."""
        return self.onward.dscp

    @property
    def ports(self) -> tuple[JudgedPort, ...]:
        """Ports of the hop in the order of the packet."""
        return tuple(port for port in (self.into, self.out) if port is not None)


@dataclass(slots=True, frozen=True)
class Way:
    """Equal-cost paths with equal treatment: a real one hop by hop, and their number.

    `through[n]` are the ports of hop n over all of them, by device and name.
    """

    hops: tuple[Hop, ...]
    paths: int
    through: tuple[frozenset[tuple[str, str]], ...]


Alike = Callable[[Hop], Hashable]
"""Key of a hop that distinguishes ways."""


@dataclass(slots=True)
class _At:
    """Position of the packet: about to leave `device`, after arriving by `into`."""

    device: Device
    into: JudgedPort
    packet: Packet
    falling: bool
    paths: int
    before: tuple[Hop, ...]  # of one path to here
    hops: Hops
    leg: Wire | None = None  # used by the switch at the end of a detour

    @property
    def key(self) -> tuple[object, ...]:
        leg = self.leg.leaf.key if self.leg is not None else None
        return (*self.into.key, *self.packet.key, self.falling, leg)


@dataclass(slots=True)
class _Front:
    """Ways that are equal so far, and their positions."""

    at: dict[Hashable, _At]
    through: tuple[frozenset[tuple[str, str]], ...]


def walk(
    analysis: Analysis, paths: Paths, source: End, target: End, dscp: int, alike: Alike
) -> list[Way]:
    """All ways of a packet with a DSCP from one NIC to another, the widest first.

    A NIC that is attached twice sends over each of its wires. Empty without a known path.
    """
    hops = paths.hops_to(target)
    ways: list[Way] = []
    for wire in source.wires:
        ways += _spread(analysis, target, _begin(analysis, hops, wire, dscp), alike)
    return sorted(ways, key=lambda way: -way.paths)


def _begin(analysis: Analysis, hops: Hops, wire: Wire, dscp: int) -> _Front:
    """The packet in front of the leaf, sent by the NIC if it is known."""
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
"""A hop, the next position (None: at the target), and the port of the target."""


def _onward(analysis: Analysis, target: End, at: _At) -> Iterator[Step]:
    """Cables the packet may take next; None as position at the target."""
    hops = at.hops
    left = hops.distance(at.device.hostname, falling=at.falling)
    if left == 0:
        yield from _last_steps(analysis, target, at)
        return
    for crossing, falling in hops.onward(at.device.hostname, falling=at.falling):
        hop = hop_of(analysis, at.into, crossing.out, at.packet)
        yield hop, _behind(at, hop, crossing.into, falling=falling), None


def _behind(at: _At, hop: Hop, peer: JudgedPort, *, falling: bool) -> _At:
    """Position of a packet after a cable."""
    before = (*at.before, hop)
    return _At(peer.device, peer, hop.onward, falling, at.paths, before, at.hops, at.leg)


def _last_steps(analysis: Analysis, target: End, at: _At) -> Iterator[Step]:
    """Cables to the target; if one is shared with another switch, also the tunnel to that."""
    if at.leg is not None:
        out = at.leg.leaf
        treated, onward = leave_detour(at.into, out, at.packet)
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
    """Cables to the other switch, for packets of this one while it is standby."""
    leg = other_leg(target, wire) if not at.packet.carried else None
    if leg is None:
        return
    hops = at.hops.towards(leg.leaf.device.hostname)
    for crossing, falling in hops.onward(at.device.hostname, falling=False):
        treated, onward = enter_detour(analysis, at.into, crossing.out, at.packet)
        hop = Hop(at.device, at.into, crossing.out, at.packet, onward, treated)
        onto = replace(_behind(at, hop, crossing.into, falling=falling), hops=hops, leg=leg)
        yield hop, onto, None


def _end(
    analysis: Analysis, front: _Front, found: list[tuple[Hop, _At, JudgedPort | None]], alike: Alike
) -> Iterator[Way]:
    """The last switch, and the receiving NIC if it is known."""
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
    """Treatment of a packet by a device: the ingress port classifies, the egress port queues.

    A sending NIC classifies by the DSCP of its own packets, and the last switch of a tunnel by the
    header that is configured.
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


# Rules fold a consequence into its root cause; a trace shows a delay of CNPs at its own hop.

UNMARKED = 0
"""DSCP of unmarked traffic."""


@dataclass(slots=True, frozen=True)
class CnpDelay:
    """Reason for the delay at a hop, with the deciding lines."""

    message: str
    consequence: str
    grave: bool  # behind the data they should slow down; else behind bulk traffic
    where: tuple[Where, ...]


def find_cnp_delay(analysis: Analysis, hop: Hop, name: str) -> CnpDelay | None:
    """Delay of the CNPs of class `name` at a switch: PFC, a queue of lossless or ECN-marked data,
    or that of unmarked traffic. None without a delay, and where it is unknown.
    """
    into, out = hop.treated.ingress, hop.treated.egress
    if hop.device.is_host or None in (hop.into, hop.out, into.tc):
        return None
    lines = tuple(w for w in (*into.tc_where, out.queue_where) if w is not None)
    maps = f"{hop.device.hostname} maps {name} to"
    if into.lossless:
        effect = "CNPs, which should end congestion, can be paused by PFC"
        return CnpDelay(f"{maps} {into.class_label}, which is lossless", effect, True, lines)
    if out.queue is None:
        return None
    maps += f" queue {out.queue}, which carries"
    for traffic in analysis.data_classes:
        for dscp in traffic.dscps:
            data = _treat_other(analysis, hop, dscp)
            cared = data.ingress.lossless or data.egress.marks
            if cared and data.ingress.certain and data.egress.queue == out.queue:
                effect = "CNPs queue behind the traffic they should slow down"
                return CnpDelay(f"{maps} {traffic.name}", effect, True, lines)
    bulk = _treat_other(analysis, hop, UNMARKED)
    if bulk.ingress.certain and bulk.egress.queue == out.queue:
        effect = "CNPs wait behind any bulk transfer, and are dropped with it"
        return CnpDelay(f"{maps} unmarked traffic", effect, False, lines)
    return None


def _treat_other(analysis: Analysis, hop: Hop, dscp: int) -> Treatment:
    """Treatment of another DSCP on the same ports."""
    if hop.into is None or hop.out is None:
        raise ValueError("a hop without two ports")
    treated = analysis.treat(hop.into, dscp)
    return treat_exit(hop.device, hop.out.interface, treated.ingress)

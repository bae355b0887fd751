"""The larger packets of an overlay: which cables they cross, and what these must carry.

A switch that puts RoCE into a tunnel adds an Ethernet, a VXLAN, a UDP and an IP header to it, and
the ends of a tunnel must not fragment (RFC 7348, section 4.3). Every cable on a shortest way from
such a switch to another one has to carry the packet with these headers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from roce_lint.analysis.memo import Once
from roce_lint.analysis.overlay import carries, tunnels
from roce_lint.analysis.packet import largest_roce
from roce_lint.analysis.paths import paths_of
from roce_lint.analysis.reachability import Port, Reachable
from roce_lint.analysis.result import Analysis, JudgedPort, LargestPacket
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface


@dataclass(slots=True)
class Underlay:
    """What the ports of cables that an overlay's packets cross must carry: `sure` of them, and
    `maybe` where nothing tells whether the tunnel carries RoCE.
    """

    sure: dict[Port, LargestPacket] = field(default_factory=dict)
    maybe: dict[Port, LargestPacket] = field(default_factory=dict)

    def need(self, port: JudgedPort, inside: LargestPacket | None) -> LargestPacket | None:
        """What a port must carry, when packets without an outer header need `inside`."""
        outside = self.sure.get(port.key)
        if outside is None or (inside is not None and inside.bytes >= outside.bytes):
            return inside
        return outside


@Once
def underlay_of(analysis: Analysis) -> Underlay:
    """What overlays ask of the cables of a fabric, found once."""
    found = Underlay()
    needs = [need for device in _switches(analysis) for need in _put_in(analysis, device)]
    if not needs:
        return found
    paths = paths_of(analysis)
    reached = Reachable(paths)
    for sure, into in ((True, found.sure), (False, found.maybe)):
        # From the largest on: a cable needs what the first of the leaves that use it asks for.
        leaves: dict[int, list[tuple[str, LargestPacket]]] = defaultdict(list)
        for known, leaf, need in needs:
            if known is sure and leaf in reached.number:
                leaves[need.bytes].append((leaf, need))
        for size in sorted(leaves, reverse=True):
            numbers = sum(1 << reached.number[leaf] for leaf in {leaf for leaf, _ in leaves[size]})
            need = leaves[size][0][1]
            for port in _ports_crossed(reached, numbers):
                into.setdefault(port, need)
    return found


def _switches(analysis: Analysis) -> Iterator[Device]:
    for ports in analysis.devices().values():
        if not ports[0].device.is_host:
            yield ports[0].device


def _put_in(analysis: Analysis, device: Device) -> Iterator[tuple[bool, str, LargestPacket]]:
    """The largest packets with an outer header that a switch makes, by whether it is sure."""
    ends = list(tunnels(device))
    largest: dict[bool, LargestPacket] = {}
    for port in analysis.ports_of(device) if ends else ():
        if not port.faces_host:
            continue
        inside = analysis.sends.get(port.peer.key) if port.peer is not None else None
        inside = inside or analysis.required.get(port.network)
        if inside is None:
            continue
        for end in ends:
            sure = carries(end, port)
            if sure is False:
                continue
            need = _with_headers(device, end, inside)
            known = largest.get(bool(sure))
            if known is None or need.bytes > known.bytes:
                largest[bool(sure)] = need
    for sure, need in sorted(largest.items()):
        yield sure, device.hostname, need


def _with_headers(device: Device, end: Interface, inside: LargestPacket) -> LargestPacket:
    adds = end.tunnel.adds if end.tunnel is not None else 0
    size = largest_roce(inside)
    room = f", which RoCE fills up to {size}" if size < inside.bytes else ""
    by = f"{inside.by}{room}, and {device.hostname} {end.name} adds {adds} bytes of headers"
    return LargestPacket(size + adds, by, (*inside.where, end.where()), assumed=inside.assumed)


def _ports_crossed(reached: Reachable, leaves: int) -> Iterator[Port]:
    """Ports of the cables on shortest ways from one of these leaves to another switch with NICs."""
    used: dict[tuple[str, str], bool] = {}
    for crossing in reached.crossings.values():
        out, into = crossing.out.device.hostname, crossing.into.device.hostname
        rises = reached.nodes[into].tier - reached.nodes[out].tier
        if rises < 0:
            continue  # the same cable is met from below
        if (out, into) not in used:
            used[out, into] = any(
                (1 << source | targets) & leaves
                for source, targets in reached.pairs_over(out, into, along=rises == 0)
            )
        if used[out, into]:
            yield crossing.out.key
            yield crossing.into.key

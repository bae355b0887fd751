"""One real path through a port: the witness of a finding, port by port from NIC to NIC.

It needs no search: every switch knows the leaves of its shortest paths, so each next cable is one
that is nearer to a leaf on both sides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from itertools import chain, islice

from roce_lint.analysis.impact import Acts, Impact
from roce_lint.analysis.paths import Crossing, End, Port, Wire, bits, union
from roce_lint.analysis.result import JudgedPort

Path = tuple[JudgedPort, ...]
"""Ports of a path in packet order: out of a NIC, into a switch, out of it."""


TRIED = 32
"""Number of paths among which one to another host is sought: a host has few more NICs."""


class Witness:
    """Finder of an equal-cost path of a pair of ends through a port."""

    def __init__(self, impact: Impact) -> None:
        self._impact = impact
        self._reached = reached = impact.reached
        self._at: dict[int, list[tuple[int, Wire]]] = defaultdict(list)
        self._wires: dict[Port, list[tuple[int, Wire]]] = defaultdict(list)
        for n, end in enumerate(impact.ends):
            for wire in end.wires:
                self._at[reached.number[wire.leaf.device.hostname]].append((n, wire))
                for port in (wire.leaf, wire.host):
                    if port is not None:
                        self._wires[port.key].append((n, wire))

    def through(
        self, ports: Iterable[tuple[Port, Acts]], senders: Container[End] | None = None
    ) -> Path | None:
        """A path through the first port that has one; None without any.

        It begins at one of the `senders`, if given, and prefers another host among the first paths.
        """
        for port, acts in ports:
            found = (
                path
                for path in chain(self._by_wire(port, acts), self._by_cable(port, acts))
                if senders is None or self._impact.ends[self._wires[path[0].key][0][0]] in senders
            )
            first = list(islice(found, TRIED))
            if first:
                return next((p for p in first if p[0].device is not p[-1].device), first[0])
        return None

    def _by_wire(self, port: Port, acts: Acts) -> Iterator[Path]:
        for n, wire in self._wires.get(port, ()):
            of_host = wire.host is not None and wire.host.key == port
            leaf = self._reached.number[wire.leaf.device.hostname]
            beyond = union(self._reached.origins[leaf].values())
            if acts != ("arriving" if of_host else "leaving"):
                for other in bits(beyond):
                    yield from self._between(n, wire, other)
            if acts != ("leaving" if of_host else "arriving"):
                for other in bits(beyond):
                    for m, first in self._at[other]:
                        yield from self._between(m, first, leaf, only=(n, wire))

    def _by_cable(self, port: Port, acts: Acts) -> Iterator[Path]:
        crossing = self._reached.crossings.get(port)
        if crossing is None:
            return
        back = self._back(crossing)
        if acts != "arriving":
            yield from self._over(crossing)
        if acts != "leaving" and back is not None:
            yield from self._over(back)

    def _over(self, crossing: Crossing) -> Iterator[Path]:
        """Paths over a cable in its direction; for a cable down, reversed paths up."""
        out, into = crossing.out.device.hostname, crossing.into.device.hostname
        rises = self._reached.nodes[into].tier - self._reached.nodes[out].tier
        back = self._back(crossing)
        if rises < 0 and back is not None:
            for low, reached in self._reached.pairs_over(into, out, along=False):
                for far in bits(reached):
                    way = self._cables(low, back, far)
                    down = [Crossing(cable.into, cable.out) for cable in reversed(way)]
                    yield from self._ends_of(far, down, low)
            return
        for low, reached in self._reached.pairs_over(out, into, along=rises == 0):
            for far in bits(reached):
                yield from self._ends_of(low, self._cables(low, crossing, far), far)

    def _ends_of(self, source: int, cables: list[Crossing], target: int) -> Iterator[Path]:
        for n, wire in self._at[source]:
            for m, last in self._at[target]:
                if n != m and self._ends_at(source, m) >> target & 1:
                    yield _ports(wire, cables, last)

    def _between(
        self, n: int, wire: Wire, target: int, only: tuple[int, Wire] | None = None
    ) -> Iterator[Path]:
        """Paths from a wire of an end to the ends of a leaf, or to one of its wires."""
        source = self._reached.number[wire.leaf.device.hostname]
        for m, last in self._at[target] if only is None else [only]:
            if n != m and self._ends_at(source, m) >> target & 1:
                yield _ports(wire, self._cables(source, None, target), last)

    def _ends_at(self, leaf: int, end: int) -> int:
        """The leaves of an end at which the paths from a leaf end."""
        return self._impact.nearest_of(leaf, self._impact.home_of[end])

    def _cables(self, source: int, via: Crossing | None, target: int) -> list[Crossing]:
        """Cables of a shortest path from leaf to leaf, over a given cable if any."""
        reached = self._reached
        if via is None:
            return self._down_to(reached.leaves[source], target, falling=False)
        out, into = via.out.device.hostname, via.into.device.hostname
        along = reached.nodes[out].tier == reached.nodes[into].tier
        return [*self._up_from(source, out), via, *self._down_to(into, target, falling=along)]

    def _up_from(self, source: int, name: str) -> list[Crossing]:
        """Cables by which a packet of a leaf ascends to a switch."""
        taken: list[Crossing] = []
        left = _hops(self._reached.below[name], source)
        while left:
            for down in self._reached.nodes[name].down:
                low = down.into.device.hostname
                up = self._reached.crossings.get(down.into.key)
                if up is not None and _hops(self._reached.below[low], source) == left - 1:
                    taken.append(up)
                    name, left = low, left - 1
                    break
        return taken[::-1]

    def _down_to(self, name: str, target: int, *, falling: bool) -> list[Crossing]:
        """Cables of a shortest path from a switch to a leaf."""
        reached = self._reached
        taken: list[Crossing] = []
        left = _hops((reached.below if falling else reached.best)[name], target)
        while left:
            node = reached.nodes[name]
            ways = [(c, True) for c in node.down]
            if not falling:
                ways += [(c, True) for c in node.along] + [(c, False) for c in node.up]
            for crossing, falls in ways:
                there = (reached.below if falls else reached.best)[crossing.into.device.hostname]
                if _hops(there, target) == left - 1:
                    taken.append(crossing)
                    name, left, falling = crossing.into.device.hostname, left - 1, falls
                    break
        return taken

    def _back(self, crossing: Crossing) -> Crossing | None:
        return self._reached.crossings.get(crossing.into.key)


def _hops(by_hops: dict[int, int], leaf: int) -> int | None:
    return next((hops for hops, leaves in by_hops.items() if leaves >> leaf & 1), None)


def _ports(first: Wire, cables: list[Crossing], last: Wire) -> Path:
    ports = [first.host, first.leaf]
    for crossing in cables:
        ports += [crossing.out, crossing.into]
    return tuple(port for port in (*ports, last.leaf, last.host) if port is not None)

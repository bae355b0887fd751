"""How many pairs of NICs a fault reaches: the ordered pairs with an equal-cost path through it.

Counted exactly, and without looking at pairs: what is below a switch, and how far every leaf is
from it, are sets of leaves kept as integers with one bit a leaf. A cable up from U to D carries
the pairs of a leaf L below U and a leaf M beyond D whose shortest way is as long as the one over
that cable; a cable down carries the same pairs backwards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from roce_lint.analysis.paths import Crossing, End, Node, Paths

ByHops = dict[int, int]
"""Set of leaves by the number of links on the shortest way to them."""

Port = tuple[str, str]

Home = tuple[int, ...]
"""Leaves, by number, that a NIC is attached to."""

Acts = Literal["arriving", "leaving", "both"]
"""Which packets of a port a fault is about."""


@dataclass(slots=True)
class _Hit:
    """What of the paths is hit.

    `over[L]` are the leaves M such that a path from leaf L to leaf M is hit between the two;
    `sends` and `receives` are ends and leaves, by number, between which the wire is hit.
    """

    over: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    sends: set[tuple[int, int]] = field(default_factory=set)
    receives: set[tuple[int, int]] = field(default_factory=set)


class Impact:
    """Counts pairs of ends by the ports that their packets pass.

    `pairs` are all ordered pairs of ends of one network between which a path is known.
    """

    def __init__(self, paths: Paths) -> None:
        self._nodes = paths.nodes
        self._leaves = sorted({w.leaf.device.hostname for end in paths.ends for w in end.wires})
        number = {name: n for n, name in enumerate(self._leaves)}
        self._below = _below(paths.nodes, number)
        best = _best(paths.nodes, self._below)
        self._best = best
        self._from = [best[name] for name in self._leaves]
        self._reach = [_union(by_hops.values()) for by_hops in self._from]
        self._crossings = {
            crossing.out.key: crossing
            for node in paths.nodes.values()
            for crossing in (*node.up, *node.along, *node.down)
        }
        self._wires: dict[Port, list[tuple[int, int, bool]]] = defaultdict(list)
        self._ends: dict[Home, list[int]] = defaultdict(list)
        for n, end in enumerate(paths.ends):
            self._attach(n, end, number)
        self._single = _Weights({h[0]: len(e) for h, e in self._ends.items() if len(h) == 1})
        self._several = [home for home in self._ends if len(home) > 1]
        self.pairs = sum(
            len(ends) * (self._reachable(home) - 1) for home, ends in self._ends.items()
        )

    def through(self, ports: Iterable[tuple[Port, Acts]]) -> int:
        """Ordered pairs of ends with an equal-cost path through any of these ports."""
        hit = _Hit()
        for port, acts in ports:
            self._hit_wires(hit, port, acts)
            crossing = self._crossings.get(port)
            if crossing is not None and acts != "arriving":
                self._hit_cable(hit, crossing.out.device.hostname, crossing.into.device.hostname)
            if crossing is not None and acts != "leaving":
                self._hit_cable(hit, crossing.into.device.hostname, crossing.out.device.hostname)
        return self._count(hit)

    def _attach(self, n: int, end: End, number: dict[str, int]) -> None:
        for wire in end.wires:
            leaf = number[wire.leaf.device.hostname]
            self._wires[wire.leaf.key].append((n, leaf, False))
            if wire.host is not None:
                self._wires[wire.host.key].append((n, leaf, True))
        home = tuple(sorted({number[wire.leaf.device.hostname] for wire in end.wires}))
        self._ends[home].append(n)

    def _hit_wires(self, hit: _Hit, port: Port, acts: Acts) -> None:
        """What leaves a host arrives at its leaf, and the other way round."""
        for end, leaf, of_host in self._wires.get(port, ()):
            if acts != ("arriving" if of_host else "leaving"):
                hit.sends.add((end, leaf))
            if acts != ("leaving" if of_host else "arriving"):
                hit.receives.add((end, leaf))

    def _hit_cable(self, hit: _Hit, out: str, into: str) -> None:
        rises = self._nodes[into].tier - self._nodes[out].tier
        if rises >= 0:
            for source, targets in self._carried(out, into, along=rises == 0):
                hit.over[source] |= targets
            return
        for target, sources in self._carried(into, out, along=False):
            for source in _bits(sources):
                hit.over[source] |= 1 << target

    def _carried(self, low: str, high: str, *, along: bool) -> Iterator[tuple[int, int]]:
        """Leaves below `low`, each with the leaves that its shortest ways over the cable reach.

        For a cable down, `low` is its end: what it carries are the same pairs backwards.
        """
        beyond = self._below[high] if along else self._best[high]
        for up, sources in self._below[low].items():
            for source in _bits(sources):
                best = self._from[source]
                reached = _union(leaves & best.get(up + 1 + on, 0) for on, leaves in beyond.items())
                if reached:
                    yield source, reached

    def _reachable(self, home: Home) -> int:
        """Ends that an end of this home has a path to, itself included."""
        reach = _union(self._reach[leaf] for leaf in home)
        several = (len(self._ends[other]) for other in self._several if reach & _mask(other))
        return self._single.total(reach) + sum(several)

    def _count(self, hit: _Hit) -> int:
        sending = {end for end, _ in hit.sends}
        receiving = {end for end, _ in hit.receives}
        received = _Weights(
            {
                home[0]: sum(1 for end in ends if end in receiving)
                for home, ends in self._ends.items()
                if len(home) == 1
            }
            if receiving
            else {}
        )
        total = 0
        for home, ends in self._ends.items():
            hurt = sum(1 for end in ends if end in sending) if sending else 0
            over = _union(hit.over.get(leaf, 0) for leaf in home)
            if hurt:
                total += hurt * (self._reachable(home) - 1)
            if hurt == len(ends) or not (over or receiving):
                continue
            reach = _union(self._reach[leaf] for leaf in home)
            targets = self._single.total(over) + received.total(reach & ~over)
            targets += sum(
                self._hit_several(home, other, hit, receiving) for other in self._several
            )
            total += (len(ends) - hurt) * targets
            # Nobody sends to itself, and an end whose own wire is hit was counted as its target.
            total -= sum(1 for end in ends if end in receiving and end not in sending)
        return total

    def _hit_several(self, home: Home, other: Home, hit: _Hit, receiving: set[int]) -> int:
        """Ends of a home of several leaves that are hit from an end of `home`."""
        used = [(leaf, self._used(leaf, other)) for leaf in home]
        if any(hit.over.get(leaf, 0) & targets for leaf, targets in used):
            return len(self._ends[other])
        wires = _union(targets for _, targets in used)
        if not receiving or not wires:
            return 0
        return sum(
            1
            for end in self._ends[other]
            if any((end, leaf) in hit.receives for leaf in _bits(wires))
        )

    def _used(self, leaf: int, home: Home) -> int:
        """Those leaves of a home that are nearest to a leaf: equal-cost paths end there."""
        mask = _mask(home)
        by_hops = self._from[leaf]
        return next((by_hops[hops] & mask for hops in sorted(by_hops) if by_hops[hops] & mask), 0)


class _Weights:
    """Numbers of ends by leaf, summed over sets of leaves."""

    def __init__(self, counts: dict[int, int]) -> None:
        self._masks: Counter[int] = Counter()
        for leaf, count in counts.items():
            if count:
                self._masks[count] |= 1 << leaf

    def total(self, leaves: int) -> int:
        """Ends attached to these leaves."""
        return sum(count * (mask & leaves).bit_count() for count, mask in self._masks.items())


def _below(nodes: dict[str, Node], number: dict[str, int]) -> dict[str, ByHops]:
    """Leaves that are reached from every switch by going down only."""
    below: dict[str, ByHops] = {}
    for node in sorted(nodes.values(), key=lambda node: node.tier):
        own = {0: 1 << number[node.name]} if node.name in number else {}
        below[node.name] = _nearest(own, (below[name] for name in _over(node.down)))
    return below


def _best(nodes: dict[str, Node], below: dict[str, ByHops]) -> dict[str, ByHops]:
    """Leaves that are reached from every switch by a packet that still goes up."""
    best: dict[str, ByHops] = {}
    for node in sorted(nodes.values(), key=lambda node: -node.tier):
        along = [below[name] for name in _over(node.along)]
        above = [best[name] for name in _over(node.up)]
        best[node.name] = _nearest(below[node.name], (*along, *above))
    return best


def _over(crossings: list[Crossing]) -> list[str]:
    return sorted({crossing.into.device.hostname for crossing in crossings})


def _nearest(own: ByHops, others: Iterable[ByHops]) -> ByHops:
    """The shortest of one's own ways and of those that are one link longer by a neighbour."""
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


def _union(sets: Iterable[int]) -> int:
    result = 0
    for leaves in sets:
        result |= leaves
    return result


def _mask(home: Home) -> int:
    return _union(1 << leaf for leaf in home)


def _bits(leaves: int) -> Iterator[int]:
    while leaves:
        low = leaves & -leaves
        yield low.bit_length() - 1
        leaves ^= low

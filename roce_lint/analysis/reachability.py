"""Which leaves the shortest valley-free ways from every switch lead to, as sets of bits.

What is below a switch, and how far every leaf is from it, are integers with one bit a leaf: so
much of a fabric is known at the cost of its cables, without looking at pairs of NICs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from roce_lint.analysis.paths import ByHops, Crossing, Node, Paths

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
        """What `best` is for leaf n."""
        self.crossings: dict[Port, Crossing] = {
            crossing.out.key: crossing
            for node in paths.nodes.values()
            for crossing in (*node.up, *node.along, *node.down)
        }

    def pairs_over(self, low: str, high: str, *, along: bool) -> Iterator[tuple[int, int]]:
        """Leaves below `low`, each with the leaves that its shortest ways over the cable reach.

        For a cable down, `low` is its end: what it carries are the same pairs backwards.
        """
        beyond = self.below[high] if along else self.best[high]
        for up, sources in self.below[low].items():
            for source in bits(sources):
                best = self.origins[source]
                reached = union(leaves & best.get(up + 1 + on, 0) for on, leaves in beyond.items())
                if reached:
                    yield source, reached


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


def nearest(by_hops: ByHops, leaves: int) -> int:
    """Those of some leaves that the shortest ways lead to."""
    return next((by_hops[hops] & leaves for hops in sorted(by_hops) if by_hops[hops] & leaves), 0)


def union(sets: Iterable[int]) -> int:
    """All leaves of several sets."""
    result = 0
    for leaves in sets:
        result |= leaves
    return result


def bits(leaves: int) -> Iterator[int]:
    """The numbers of the leaves of a set."""
    while leaves:
        low = leaves & -leaves
        yield low.bit_length() - 1
        leaves ^= low

"""How many pairs of NICs a fault reaches: the ordered pairs with an equal-cost path through it.

Counted exactly, and without looking at pairs: what is below a switch, and how far every leaf is
from it, are sets of leaves kept as integers with one bit a leaf. A cable up from U to D carries
the pairs of a leaf L below U and a leaf M beyond D whose shortest way is as long as the one over
that cable; a cable down carries the same pairs backwards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from roce_lint.analysis import stages
from roce_lint.analysis.memo import Once
from roce_lint.analysis.paths import End, Paths, all_paths_of
from roce_lint.analysis.reachability import Port, Reachable, bits, nearest, union
from roce_lint.analysis.result import Analysis

Home = tuple[int, ...]
"""Leaves, by number, that a NIC is attached to."""

Acts = stages.Acts
"""Which packets of a port a fault is about."""


@dataclass(slots=True)
class Hit:
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

    def __init__(self, paths: Paths, reachable: Reachable | None = None) -> None:
        self.ends = paths.ends
        self.is_assumed = any(wire.host is None for end in paths.ends for wire in end.wires)
        """True where ends are edge ports: no host is linked to a switch in the folder."""
        self.reached = reached = reachable or Reachable(paths)
        self._reach = [union(by_hops.values()) for by_hops in reached.origins]
        self._wires: dict[Port, list[tuple[int, int, bool]]] = defaultdict(list)
        self.homes: dict[Home, list[int]] = defaultdict(list)
        """Ends, by number, that are attached to the same leaves."""
        for n, end in enumerate(paths.ends):
            self._attach(n, end, reached.number)
        self._single = Weights({h[0]: len(e) for h, e in self.homes.items() if len(h) == 1})
        self.several = [home for home in self.homes if len(home) > 1]
        self.pairs = sum(
            len(ends) * (self.ends_reached(home) - 1) for home, ends in self.homes.items()
        )

    def through(
        self, ports: Iterable[tuple[Port, Acts]], senders: Container[End] | None = None
    ) -> int:
        """Ordered pairs of ends with an equal-cost path through any of these ports.

        Only pairs with one of the `senders`, if these are given.
        """
        return self._count(self.hits(ports), senders)

    def hits(self, ports: Iterable[tuple[Port, Acts]]) -> Hit:
        """What of the paths goes through any of these ports."""
        hit = Hit()
        for port, acts in ports:
            self._hit_wires(hit, port, acts)
            crossing = self.reached.crossings.get(port)
            if crossing is not None and acts != "arriving":
                self._hit_cable(hit, crossing.out.device.hostname, crossing.into.device.hostname)
            if crossing is not None and acts != "leaving":
                self._hit_cable(hit, crossing.into.device.hostname, crossing.out.device.hostname)
        return hit

    def _attach(self, n: int, end: End, number: dict[str, int]) -> None:
        for wire in end.wires:
            leaf = number[wire.leaf.device.hostname]
            self._wires[wire.leaf.key].append((n, leaf, False))
            if wire.host is not None:
                self._wires[wire.host.key].append((n, leaf, True))
        home = tuple(sorted({number[wire.leaf.device.hostname] for wire in end.wires}))
        self.homes[home].append(n)

    def _hit_wires(self, hit: Hit, port: Port, acts: Acts) -> None:
        """What leaves a host arrives at its leaf, and the other way round."""
        for end, leaf, of_host in self._wires.get(port, ()):
            if acts != ("arriving" if of_host else "leaving"):
                hit.sends.add((end, leaf))
            if acts != ("leaving" if of_host else "arriving"):
                hit.receives.add((end, leaf))

    def _hit_cable(self, hit: Hit, out: str, into: str) -> None:
        rises = self.reached.nodes[into].tier - self.reached.nodes[out].tier
        if rises >= 0:
            for source, targets in self.reached.pairs_over(out, into, along=rises == 0):
                hit.over[source] |= targets
            return
        for target, sources in self.reached.pairs_over(into, out, along=False):
            for source in bits(sources):
                hit.over[source] |= 1 << target

    def ends_reached(self, home: Home) -> int:
        """Ends that an end of this home has a path to, itself included."""
        reach = self.reach_of(home)
        several = (len(self.homes[other]) for other in self.several if reach & mask_of(other))
        return self._single.total(reach) + sum(several)

    def _count(self, hit: Hit, senders: Container[End] | None) -> int:
        sending = {end for end, _ in hit.sends}
        receiving = {end for end, _ in hit.receives}
        received = Weights(
            {
                home[0]: sum(1 for end in ends if end in receiving)
                for home, ends in self.homes.items()
                if len(home) == 1
            }
            if receiving
            else {}
        )
        total = 0
        for home, attached in self.homes.items():
            ends = [n for n in attached if senders is None or self.ends[n] in senders]
            hurt = sum(1 for end in ends if end in sending) if sending else 0
            over = union(hit.over.get(leaf, 0) for leaf in home)
            if hurt:
                total += hurt * (self.ends_reached(home) - 1)
            if hurt == len(ends) or not (over or receiving):
                continue
            reach = self.reach_of(home)
            targets = self._single.total(over) + received.total(reach & ~over)
            targets += sum(self._hit_several(home, other, hit, receiving) for other in self.several)
            total += (len(ends) - hurt) * targets
            # Nobody sends to itself, and an end whose own wire is hit was counted as its target.
            total -= sum(1 for end in ends if end in receiving and end not in sending)
        return total

    def _hit_several(self, home: Home, other: Home, hit: Hit, receiving: set[int]) -> int:
        """Ends of a home of several leaves that are hit from an end of `home`."""
        used = [(leaf, self.nearest_of(leaf, other)) for leaf in home]
        if any(hit.over.get(leaf, 0) & targets for leaf, targets in used):
            return len(self.homes[other])
        wires = union(targets for _, targets in used)
        if not receiving or not wires:
            return 0
        return sum(
            1
            for end in self.homes[other]
            if any((end, leaf) in hit.receives for leaf in bits(wires))
        )

    def reach_of(self, home: Home) -> int:
        """Leaves that are reached from a home, its own among them."""
        return union(self._reach[leaf] for leaf in home)

    def nearest_of(self, leaf: int, home: Home) -> int:
        """Those leaves of a home that are nearest to a leaf: equal-cost paths end there."""
        return nearest(self.reached.origins[leaf], mask_of(home))


@Once
def impact_of(analysis: Analysis) -> Impact:
    """What counts pairs over all paths of a fabric, those through unread switches among them."""
    return Impact(all_paths_of(analysis))


class Weights:
    """Numbers of ends by leaf, summed over sets of leaves."""

    def __init__(self, counts: dict[int, int]) -> None:
        self._masks: Counter[int] = Counter()
        for leaf, count in counts.items():
            if count:
                self._masks[count] |= 1 << leaf

    def total(self, leaves: int) -> int:
        """Ends attached to these leaves."""
        return sum(count * (mask & leaves).bit_count() for count, mask in self._masks.items())


def mask_of(home: Home) -> int:
    """The leaves of a home as a set."""
    return union(1 << leaf for leaf in home)

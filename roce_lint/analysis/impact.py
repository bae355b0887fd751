"""Impact of a fault: ordered NIC pairs with an equal-cost path through it, as a number and as a
table between groups.

The count is exact and enumerates no pairs: the leaves below a switch, and those at each distance,
are integers with one bit per leaf. A cable up from U to D carries the pairs of a leaf L below U and
a leaf M beyond D whose shortest path is as long as the one over that cable; a cable down carries
the same pairs backwards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from roce_lint.analysis import stages
from roce_lint.analysis.cache import cached
from roce_lint.analysis.paths import End, Paths, Port, Reachable, all_paths_of, bits, nearest, union
from roce_lint.analysis.result import Analysis, JudgedPort

Home = tuple[int, ...]
"""Numbers of the leaves that a NIC is attached to."""

Acts = stages.Acts
"""Packets of a port that a fault affects."""


@dataclass(slots=True)
class Hit:
    """Part of the paths that is hit.

    `over[L]` are the leaves M with a path from leaf L to leaf M that is hit between the two;
    `sends` and `receives` are ends and leaves, by number, with a hit wire between them.
    """

    over: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    sends: set[tuple[int, int]] = field(default_factory=set)
    receives: set[tuple[int, int]] = field(default_factory=set)


class Impact:
    """Counter of pairs of ends by the ports on their paths.

    `pairs` are all ordered pairs of ends of one network with a known path.
    """

    def __init__(self, paths: Paths) -> None:
        self.ends = paths.ends
        self.is_assumed = any(wire.host is None for end in paths.ends for wire in end.wires)
        """True where ends are edge ports: no host in the folder is linked to a switch."""
        self.reached = Reachable(paths)
        self._reach = [union(by_hops.values()) for by_hops in self.reached.origins]
        self.wires: dict[Port, list[tuple[int, int, JudgedPort | None, JudgedPort]]]
        self.wires = defaultdict(list)
        """By either port of a wire: the end and leaf, by number, and both ports."""
        self.homes: dict[Home, list[int]] = defaultdict(list)
        """Numbers of the ends that are attached to the same leaves."""
        self.home_of: list[Home] = []
        for n, end in enumerate(paths.ends):
            self._attach(n, end)
        self.single = Weights({h[0]: len(e) for h, e in self.homes.items() if len(h) == 1})
        self.several = [home for home in self.homes if len(home) > 1]
        self.pairs = sum(
            len(ends) * (self.ends_reached(home) - 1) for home, ends in self.homes.items()
        )

    def through(
        self, ports: Iterable[tuple[Port, Acts]], senders: Container[End] | None = None
    ) -> int:
        """Ordered pairs of ends with an equal-cost path through any of these ports.

        Only pairs from one of the `senders`, if given.
        """
        return self._count(self.hits(ports), senders)

    def hits(self, ports: Iterable[tuple[Port, Acts]]) -> Hit:
        """Part of the paths through any of these ports."""
        hit = Hit()
        falling: dict[int, int] = defaultdict(int)  # leaves, by those whose packets fall to them
        for port, acts in ports:
            self._hit_wires(hit, port, acts)
            crossing = self.reached.crossings.get(port)
            if crossing is not None and acts != "arriving":
                self._hit_cable(hit, falling, crossing.out.key[0], crossing.into.key[0])
            if crossing is not None and acts != "leaving":
                self._hit_cable(hit, falling, crossing.into.key[0], crossing.out.key[0])
        for sources, targets in falling.items():
            for source in bits(sources):
                hit.over[source] |= targets
        return hit

    def _attach(self, n: int, end: End) -> None:
        leaves = [self.reached.number[wire.leaf.device.hostname] for wire in end.wires]
        for wire, leaf in zip(end.wires, leaves, strict=True):
            for port in (wire.leaf,) if wire.host is None else (wire.leaf, wire.host):
                self.wires[port.key].append((n, leaf, wire.host, wire.leaf))
        home = tuple(sorted(set(leaves)))
        self.home_of.append(home)
        self.homes[home].append(n)

    def _hit_wires(self, hit: Hit, port: Port, acts: Acts) -> None:
        """Hit wires of NICs: packets that leave a host arrive at its leaf, and vice versa."""
        for end, leaf, _, at_leaf in self.wires.get(port, ()):
            of_host = at_leaf.key != port
            if acts != ("arriving" if of_host else "leaving"):
                hit.sends.add((end, leaf))
            if acts != ("leaving" if of_host else "arriving"):
                hit.receives.add((end, leaf))

    def _hit_cable(self, hit: Hit, falling: dict[int, int], out: str, into: str) -> None:
        rises = self.reached.nodes[into].tier - self.reached.nodes[out].tier
        if rises >= 0:
            for source, targets in self.reached.pairs_over(out, into, along=rises == 0):
                hit.over[source] |= targets
            return
        for target, sources in self.reached.pairs_over(into, out, along=False):
            falling[sources] |= 1 << target

    def ends_reached(self, home: Home) -> int:
        """Number of ends that an end of this home has a path to, including itself."""
        reach = self.reach_of(home)
        several = (len(self.homes[other]) for other in self.several if reach & mask_of(other))
        return self.single.total(reach) + sum(several)

    def _count(self, hit: Hit, senders: Container[End] | None) -> int:
        sending = {end for end, _ in hit.sends}
        receiving = {end for end, _ in hit.receives}
        single = (home for home in self.homes if len(home) == 1) if receiving else ()
        received = Weights({h[0]: len(receiving.intersection(self.homes[h])) for h in single})
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
            targets = self.single.total(over) + received.total(reach & ~over)
            targets += sum(self._hit_several(home, other, hit, receiving) for other in self.several)
            total += (len(ends) - hurt) * targets
            # An end does not send to itself; an end with a hit wire was counted as its target.
            total -= sum(1 for end in ends if end in receiving and end not in sending)
        return total

    def _hit_several(self, home: Home, other: Home, hit: Hit, receiving: set[int]) -> int:
        """Ends of a home with several leaves that are hit from an end of `home`."""
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
        """Leaves reached from a home, including its own."""
        return union(self._reach[leaf] for leaf in home)

    def nearest_of(self, leaf: int, home: Home) -> int:
        """The leaves of a home that are nearest to a leaf: equal-cost paths end there."""
        return nearest(self.reached.origins[leaf], mask_of(home))


@cached
def impact_of(analysis: Analysis) -> Impact:
    """The pair counter over all paths of a fabric, including those through unread switches."""
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


# Each pair of leaves (or of the leaves of a bond) is evaluated once, so a table costs the square of
# the leaves and not that of the NICs.

Numbers = list[list[int]]
"""Rows of columns."""


@dataclass(slots=True, frozen=True)
class _Bucket:
    """Ends of one group that are attached to the same leaves."""

    group: int
    home: Home
    ends: frozenset[int]


class PairTable:
    """Ordered pairs of ends between groups of ends.

    `rows` and `columns` are lists of groups; a group lists ends by their number in `paths.ends`.
    """

    def __init__(
        self, impact: Impact, rows: Sequence[Collection[int]], columns: Sequence[Collection[int]]
    ) -> None:
        self._impact = impact
        self._rows = list(self._buckets(rows))
        self._columns = list(self._buckets(columns))
        self._shape = (len(rows), len(columns))
        self._known: dict[tuple[Home, Home], list[tuple[int, int]]] = {}

    def _buckets(self, groups: Sequence[Collection[int]]) -> Iterator[_Bucket]:
        for number, group in enumerate(groups):
            by_home: dict[Home, set[int]] = {}
            for end in group:
                by_home.setdefault(self._impact.home_of[end], set()).add(end)
            for home in sorted(by_home):
                yield _Bucket(number, home, frozenset(by_home[home]))

    def all(self) -> Numbers:
        """Pairs with a known path."""
        table = self._empty()
        for row in self._rows:
            for column in self._columns:
                if self._leaf_pairs(row.home, column.home):
                    count = len(row.ends) * len(column.ends) - len(row.ends & column.ends)
                    table[row.group][column.group] += count
        return table

    def hit(self, hit: Hit) -> Numbers:
        """Pairs with an equal-cost path that is hit."""
        sending = {end for end, _ in hit.sends}
        table = self._empty()
        for row in self._rows:
            hurt = row.ends & sending
            for column in self._columns:
                used = self._leaf_pairs(row.home, column.home)
                if used:
                    table[row.group][column.group] += _count(row, column, hurt, used, hit)
        return table

    def _empty(self) -> Numbers:
        rows, columns = self._shape
        return [[0] * columns for _ in range(rows)]

    def _leaf_pairs(self, home: Home, other: Home) -> list[tuple[int, int]]:
        """Sending leaves, each with the leaves where its shortest paths end."""
        key = (home, other)
        known = self._known.get(key)
        if known is None:
            ways = ((leaf, self._impact.nearest_of(leaf, other)) for leaf in home)
            known = self._known[key] = [(leaf, targets) for leaf, targets in ways if targets]
        return known


def _count(
    row: _Bucket, column: _Bucket, hurt: frozenset[int], used: list[tuple[int, int]], hit: Hit
) -> int:
    same = row.ends & column.ends
    if any(hit.over.get(leaf, 0) & targets for leaf, targets in used):
        return len(row.ends) * len(column.ends) - len(same)
    received: set[int] = set()
    if hit.receives:
        leaves = list(bits(union(targets for _, targets in used)))
        received = {
            end for end in column.ends if any((end, leaf) in hit.receives for leaf in leaves)
        }
    pairs = len(hurt) * len(column.ends) + (len(row.ends) - len(hurt)) * len(received)
    return pairs - len(same & (hurt | received))

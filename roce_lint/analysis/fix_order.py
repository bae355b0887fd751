"""NIC pairs by the set of causes on their paths, and the order in which fixing the causes pays.

As in `impact`, no pair is enumerated. From one home (the leaves a NIC is attached to) every cause
hits a set of leaves, an integer with one bit per leaf. These sets partition the leaves by their
causes, and a part counts once per attached end. So the work depends on the number of homes and of
distinct sets of causes, never on the number of pairs.

Fixing some causes repairs exactly the pairs whose causes are all among them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from roce_lint.analysis.impact import Acts, Home, Impact, mask_of
from roce_lint.analysis.paths import End, Port, bits, union

Causes = int
"""Set of causes, one bit each by number."""

SEARCH_LIMIT = 200_000
"""Number of sets of causes compared before the search for the best one stops being exact."""


@dataclass(slots=True, frozen=True)
class Cause:
    """A cause that breaks packets on some ports; `senders` are the ends affected."""

    ports: tuple[tuple[Port, Acts], ...]
    senders: Container[End] | None = None  # None: all ends


Source = tuple[Causes, Causes, tuple[Causes, ...]]
"""Causes of ends as senders: those at their own wires, and those that affect them at all; and the
causes at their wires as receivers, by leaf of the home."""


def pairs_by_causes(impact: Impact, causes: Sequence[Cause]) -> Counter[Causes]:
    """Ordered pairs of ends by the causes on their equal-cost paths.

    The sum over all sets, including the empty one, is `impact.pairs`.
    """
    return _Counter(impact, causes).count()


class _Counter:
    def __init__(self, impact: Impact, causes: Sequence[Cause]) -> None:
        self._impact = impact
        self._over: dict[int, list[tuple[Causes, int]]] = defaultdict(list)
        self._sending: dict[int, Causes] = defaultdict(int)
        self._receiving: dict[tuple[int, int], Causes] = defaultdict(int)
        for number, cause in enumerate(causes):
            bit, hit = 1 << number, impact.hits(cause.ports)
            for leaf, targets in hit.over.items():
                if targets:
                    self._over[leaf].append((bit, targets))
            for end, _ in hit.sends:
                self._sending[end] |= bit
            for wire in hit.receives:
                self._receiving[wire] |= bit
        self._limited = [
            (1 << number, cause.senders)
            for number, cause in enumerate(causes)
            if cause.senders is not None
        ]
        self._all = (1 << len(causes)) - 1
        self._received = self._by_leaf()
        self._known: dict[int, Counter[Causes]] = {}
        self._profiles = {
            home: Counter(self._profile(end, home) for end in impact.homes[home])
            for home in impact.several
        }

    def _by_leaf(self) -> dict[int, Counter[Causes]]:
        """Ends of one leaf by the causes at their wires as receivers."""
        counts: dict[int, Counter[Causes]] = defaultdict(Counter)
        for home, ends in self._impact.homes.items():
            if len(home) == 1:
                (leaf,) = home
                counts[leaf].update(self._receiving.get((end, leaf), 0) for end in ends)
        return counts

    def _ends_at(self, leaves: int) -> Counter[Causes]:
        """Ends of some leaves by the causes at their wires (cached: most homes reach the same)."""
        found = self._known.get(leaves)
        if found is None:
            found = self._known[leaves] = Counter()
            for leaf in bits(leaves):
                found.update(self._received.get(leaf, {}))
        return found

    def _profile(self, end: int, home: Home) -> tuple[Causes, ...]:
        return tuple(self._receiving.get((end, leaf), 0) for leaf in home)

    def count(self) -> Counter[Causes]:
        total: Counter[Causes] = Counter()
        for home, ends in self._impact.homes.items():
            sources = Counter(self._source(end, home) for end in ends)
            met = self._count_met(home)
            for (sending, active, receiving), count in sources.items():
                for causes, pairs in met.items():
                    total[(causes | sending) & active] += count * pairs
                own = self._towards(home, home, receiving)
                total[(own | sending) & active] -= count  # an end does not send to itself
        return +total

    def _source(self, end: int, home: Home) -> Source:
        active = self._all
        for bit, senders in self._limited:
            if self._impact.ends[end] not in senders:
                active &= ~bit
        return self._sending.get(end, 0), active, self._profile(end, home)

    def _count_met(self, home: Home) -> Counter[Causes]:
        """Ends reached from a home, by the causes on the path and at their wires."""
        met: Counter[Causes] = Counter()
        for causes, leaves in self._parts(home):
            for at_wire, count in self._ends_at(leaves).items():
                met[causes | at_wire] += count
        for other in self._impact.several:
            if self._impact.reach_of(home) & mask_of(other):
                for profile, count in self._profiles[other].items():
                    met[self._towards(home, other, profile)] += count
        return met

    def _parts(self, home: Home) -> list[tuple[Causes, int]]:
        """The leaves reached from a home, partitioned by the causes on the path."""
        parts: dict[Causes, int] = {0: self._impact.reach_of(home)}
        for leaf in home:
            for bit, targets in self._over.get(leaf, ()):
                cut: dict[Causes, int] = defaultdict(int)
                for causes, leaves in parts.items():
                    if leaves & targets:
                        cut[causes | bit] |= leaves & targets
                    if leaves & ~targets:
                        cut[causes] |= leaves & ~targets
                parts = cut
        return list(parts.items())

    def _towards(self, home: Home, other: Home, profile: tuple[Causes, ...]) -> Causes:
        """The causes between a home and an end of another home (or its own)."""
        found = wires = 0
        for leaf in home:
            targets = self._impact.nearest_of(leaf, other)
            wires |= targets
            found |= union(bit for bit, over in self._over.get(leaf, ()) if over & targets)
        for leaf in bits(wires):
            found |= profile[other.index(leaf)]
        return found


@dataclass(slots=True, frozen=True)
class RepairStep:
    """Best set of causes of one size, and the pairs that fixing them repairs.

    `exact` is False where there are too many sets to compare them all: then each step adds the
    cause that repairs most after those before.
    """

    causes: tuple[int, ...]
    pairs: int
    exact: bool


def best_fixes(
    pairs: Mapping[Causes, int], most: int, limit: int = SEARCH_LIMIT
) -> list[RepairStep]:
    """The best set of causes to fix for each size up to `most`.

    Ends where nothing is left to repair.
    """
    broken = {causes: count for causes, count in pairs.items() if causes and count}
    everything = sum(broken.values())
    found: list[RepairStep] = []
    while len(found) < most and (found[-1].pairs if found else 0) < everything:
        before = found[-1].causes if found else ()
        found.append(_best_of(broken, len(found) + 1, before, limit))
    return found


SHARED = 0.2
"""Weight of a broken pair for each further cause: of 0.05 to 1, the value with which the broken
pairs of the sample fall fastest (experience)."""


def fix_order(pairs: Mapping[Causes, int]) -> list[RepairStep]:
    """One order of all causes that break pairs. Each step adds the cause on most pairs still
    broken, weighted in favour of those with few causes left; the last step repairs everything.
    """
    left = {causes: count for causes, count in pairs.items() if causes and count}
    done: tuple[int, ...] = ()
    repaired, found = 0, list[RepairStep]()
    while left:
        weights: dict[int, float] = defaultdict(float)
        for causes, count in left.items():
            for number in bits(causes):
                weights[number] += count * SHARED ** (causes.bit_count() - 1)
        best = min(weights, key=lambda number: (-weights[number], number))
        after: Counter[Causes] = Counter()
        for causes, count in left.items():
            after[causes & ~(1 << best)] += count
        repaired += after.pop(0, 0)
        left, done = dict(after), (*done, best)
        found.append(RepairStep(done, repaired, exact=False))
    return found


def _best_of(
    broken: Mapping[Causes, int], size: int, before: tuple[int, ...], limit: int
) -> RepairStep:
    search = _Search(broken, size, limit)
    if search.go(0, (), 0, search.broken):
        return RepairStep(search.best[1], search.best[0], exact=True)
    rest = set(bits(union(broken))) - set(before)
    step = max(rest, key=lambda n: (count_repaired(broken, (*before, n)), search.hit[n], -n))
    causes = (*before, step)
    return RepairStep(causes, count_repaired(broken, causes), exact=False)


def count_repaired(broken: Mapping[Causes, int], causes: Iterable[int]) -> int:
    """Number of pairs whose causes are all among these."""
    left = ~union(1 << number for number in causes)
    return sum(count for found, count in broken.items() if found and not found & left)


class _Search:
    """Branch and bound: a cause is in the set or excluded; an excluded one repairs nothing more."""

    def __init__(self, broken: Mapping[Causes, int], size: int, limit: int) -> None:
        self.hit: Counter[int] = Counter()
        for causes, count in broken.items():
            for number in bits(causes):
                self.hit[number] += count
        self._order = sorted(self.hit, key=lambda number: (-self.hit[number], number))
        self.broken = [(c, count) for c, count in broken.items() if c.bit_count() <= size]
        self._size = size
        self._left = limit
        self.best: tuple[int, tuple[int, ...]] = (-1, ())
        """The pairs that the best set repairs, and the set."""

    def go(
        self, start: int, chosen: tuple[int, ...], taken: Causes, can: list[tuple[Causes, int]]
    ) -> bool:
        """Try each next cause; `can` holds the repairable pairs. False: too many sets."""
        self._left -= len(can) + 1
        if self._left < 0:
            return False
        room = self._size - len(chosen)
        can = [(c, count) for c, count in can if (c & ~taken).bit_count() <= room]
        if not room:
            pairs = sum(count for _, count in can)
            if pairs > self.best[0]:
                self.best = pairs, chosen
            return True
        for at in range(start, len(self._order)):
            if sum(count for _, count in can) <= self.best[0]:
                return True
            number = self._order[at]
            bit = 1 << number
            if not self.go(at + 1, (*chosen, number), taken | bit, can):
                return False
            can = [(c, count) for c, count in can if not c & bit]
            self._left -= len(can)
        return True

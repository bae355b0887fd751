"""Which pairs of NICs a fault reaches: the table whose sum `impact` counts.

NICs come in groups, one a row and one a column. What is worked out is once per pair of leaves (or
of the leaves of a bond), so that a table costs the square of the leaves and not that of the NICs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from roce_lint.analysis.impact import Hit, Home
from roce_lint.analysis.paths import Paths
from roce_lint.analysis.reachability import Reachable, bits, nearest, union

Numbers = list[list[int]]
"""Rows of columns."""


@dataclass(slots=True, frozen=True)
class _Bucket:
    """Ends of one group that are attached to the same leaves."""

    group: int
    home: Home
    ends: frozenset[int]


class PairTable:
    """Counts ordered pairs of ends between groups of ends.

    `rows` and `columns` are lists of groups; a group lists ends by their number in `paths.ends`.
    """

    def __init__(
        self,
        paths: Paths,
        reached: Reachable,
        rows: Sequence[Collection[int]],
        columns: Sequence[Collection[int]],
    ) -> None:
        self._reached = reached
        self._homes = [
            tuple(sorted({reached.number[wire.leaf.device.hostname] for wire in end.wires}))
            for end in paths.ends
        ]
        self._rows = list(self._buckets(rows))
        self._columns = list(self._buckets(columns))
        self._shape = (len(rows), len(columns))
        self._known: dict[tuple[Home, Home], list[tuple[int, int]]] = {}

    def _buckets(self, groups: Sequence[Collection[int]]) -> Iterator[_Bucket]:
        for number, group in enumerate(groups):
            by_home: dict[Home, set[int]] = {}
            for end in group:
                by_home.setdefault(self._homes[end], set()).add(end)
            for home in sorted(by_home):
                yield _Bucket(number, home, frozenset(by_home[home]))

    def all(self) -> Numbers:
        """Pairs between which a path is known."""
        table = self._empty()
        for row in self._rows:
            for column in self._columns:
                if self._leaf_pairs(row.home, column.home):
                    same = len(row.ends & column.ends)
                    count = len(row.ends) * len(column.ends) - same
                    table[row.group][column.group] += count
        return table

    def hit(self, hit: Hit) -> Numbers:
        """Those of them with an equal-cost path that is hit."""
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
        """Leaves a packet is sent from, each with those where its shortest ways end."""
        key = (home, other)
        known = self._known.get(key)
        if known is None:
            mask = union(1 << leaf for leaf in other)
            ways = ((leaf, nearest(self._reached.origins[leaf], mask)) for leaf in home)
            known = self._known[key] = [(leaf, targets) for leaf, targets in ways if targets]
        return known


def _count(
    row: _Bucket,
    column: _Bucket,
    hurt: frozenset[int],
    used: list[tuple[int, int]],
    hit: Hit,
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

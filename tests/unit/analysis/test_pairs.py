"""The table of pairs has the sums that the impact of a fault is counted as."""

from __future__ import annotations

from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.analysis.impact import Acts, Impact, PairTable
from roce_lint.analysis.paths import Paths
from roce_lint.analysis.result import Analysis
from tests.sampling import tries
from tests.unit.analysis.test_impact import bonded, fabrics
from tests.unit.analysis.test_walk import wired

ACTS: tuple[Acts, ...] = get_args(Acts)


def compare(analysis: Analysis, data: st.DataObject) -> None:
    """Single ends, and ends in groups, from all senders and from some."""
    paths = Paths(analysis)
    keys = [port.key for port in analysis.ports]
    if not keys or not paths.ends:
        return
    ports = data.draw(st.lists(st.tuples(st.sampled_from(keys), st.sampled_from(ACTS)), max_size=4))
    impact = Impact(paths)
    hit = impact.hits(ports)
    every = range(len(paths.ends))
    single = PairTable(impact, [[n] for n in every], [[n] for n in every])
    cells = single.hit(hit)
    assert sum(map(sum, cells)) == impact.through(ports)
    assert sum(map(sum, single.all())) == impact.pairs
    assert {cell for row in single.all() for cell in row} <= {0, 1}
    assert [row[n] for n, row in enumerate(cells)] == [0 for _ in every]

    groups: list[list[int]] = [[], [], []]
    for n in every:
        groups[data.draw(st.integers(0, 2))].append(n)
    senders = groups[0] + groups[1]
    table = PairTable(impact, [senders, *groups], groups)
    for row, sources in enumerate([senders, *groups]):
        for column, targets in enumerate(groups):
            wanted = sum(cells[a][b] for a in sources for b in targets)
            assert table.hit(hit)[row][column] == wanted
    chosen = {paths.ends[n] for n in senders}
    assert sum(table.hit(hit)[0]) == impact.through(ports, chosen)


@given(fabrics, st.data())
@settings(max_examples=tries(200), deadline=None)
def test_the_table_sums_up_to_the_impact(
    made: tuple[list[int], list[tuple[int, int]], list[int]], data: st.DataObject
) -> None:
    compare(wired(*made), data)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=5), st.data())
@settings(max_examples=tries(150), deadline=None)
def test_the_table_of_bonds_sums_up_to_the_impact(
    homes: list[tuple[int, int]], data: st.DataObject
) -> None:
    compare(bonded(homes), data)

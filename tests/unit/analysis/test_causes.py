"""Counts of pairs by cause, and best sets of causes to fix, compared with brute force."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.analysis.fix_order import Cause, best_fixes, count_repaired, pairs_by_causes
from roce_lint.analysis.impact import Acts, Impact
from roce_lint.analysis.paths import Paths
from roce_lint.analysis.result import Analysis
from tests.sampling import tries
from tests.unit.analysis.test_impact import _passes, bonded, fabrics, ways_of
from tests.unit.analysis.test_walk import wired

ACTS: tuple[Acts, ...] = get_args(Acts)


def by_hand(analysis: Analysis, paths: Paths, causes: list[Cause]) -> Counter[int]:
    """Every path of every pair is followed."""
    found: Counter[int] = Counter()
    for source, target in product(paths.ends, repeat=2):
        ways = ways_of(analysis, source, target) if source != target else []
        if ways:
            found[
                sum(
                    1 << number
                    for number, cause in enumerate(causes)
                    if (cause.senders is None or source in cause.senders)
                    and any(
                        _passes(way, " ".join(key), acts)
                        for way in ways
                        for key, acts in cause.ports
                    )
                )
            ] += 1
    return found


def compare(analysis: Analysis, data: st.DataObject) -> None:
    paths = Paths(analysis)
    keys = [port.key for port in analysis.ports]
    if not keys or not paths.ends:
        return
    some = st.lists(st.tuples(st.sampled_from(keys), st.sampled_from(ACTS)), max_size=3)
    senders = st.none() | st.frozensets(st.sampled_from(paths.ends))
    causes = data.draw(st.lists(st.builds(Cause, some.map(tuple), senders), max_size=4))
    impact = Impact(paths)
    found = pairs_by_causes(impact, causes)
    assert found == by_hand(analysis, paths, causes)
    assert found.total() == impact.pairs
    for number, cause in enumerate(causes):
        hit = sum(count for mask, count in found.items() if mask >> number & 1)
        assert hit == impact.through(cause.ports, cause.senders)


@given(fabrics, st.data())
@settings(max_examples=tries(150), deadline=None)
def test_pairs_are_counted_by_the_causes_on_their_paths(
    made: tuple[list[int], list[tuple[int, int]], list[int]], data: st.DataObject
) -> None:
    compare(wired(*made), data)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=5), st.data())
@settings(max_examples=tries(100), deadline=None)
def test_and_where_nics_are_attached_to_two_leaves(
    homes: list[tuple[int, int]], data: st.DataObject
) -> None:
    compare(bonded(homes), data)


@given(
    st.dictionaries(st.integers(0, 63), st.integers(1, 20), max_size=12), st.sampled_from([0, 9999])
)
def test_no_set_of_the_same_size_repairs_more(broken: dict[int, int], limit: int) -> None:
    everything = sum(count for mask, count in broken.items() if mask)
    best = best_fixes(broken, 6, limit)
    for size, mended in enumerate(best, 1):
        assert len(mended.causes) == size
        assert mended.pairs == count_repaired(broken, mended.causes)
        assert mended.exact == bool(limit)
        if limit:
            tries = combinations(range(6), size)
            assert mended.pairs == max(count_repaired(broken, causes) for causes in tries)
    assert (best[-1].pairs if best else 0) == everything


def test_two_causes_on_the_same_paths_are_mended_together() -> None:
    broken = {0: 100, 0b011: 40, 0b100: 10}
    one, two, three = best_fixes(broken, 5)
    assert (one.causes, one.pairs) == ((2,), 10)
    assert (set(two.causes), two.pairs) == ({0, 1}, 40)
    assert (set(three.causes), three.pairs) == ({0, 1, 2}, 50)


def test_hundreds_of_causes_are_compared_as_far_as_the_limit_goes() -> None:
    broken = {(1 << a) | (1 << b): 1 for a, b in combinations(range(60), 2)}
    best = best_fixes(broken, 4)
    assert [mended.pairs for mended in best] == [0, 1, 3, 6][: len(best)]

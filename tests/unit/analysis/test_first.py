"""The first to break a pair is what following every path finds first."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.analysis.first_faults import FirstFaults
from roce_lint.analysis.impact import Acts, Impact
from roce_lint.analysis.paths import Paths, Port
from roce_lint.analysis.result import Analysis
from tests.sampling import tries
from tests.unit.analysis.clos import SHAPES
from tests.unit.analysis.test_impact import ACTS, benches, bonded, fabrics, ways_of
from tests.unit.analysis.test_walk import wired

Faults = list[tuple[Port, Acts]]
Walked = dict[tuple[int, int], list[list[str]]]

BEHIND_ALL = 1000
"""More than a path has ports."""


def place(way: list[str], faults: Faults) -> int:
    """Position of the first fault on a path. Ports are left and entered in turn."""
    for number, port in enumerate(way):
        other = "leaving" if number % 2 else "arriving"
        if any(" ".join(key) == port and acts != other for key, acts in faults):
            return number
    return BEHIND_ALL


def first_by_hand(walked: Walked, own: Faults, breaks: Faults) -> set[tuple[int, int]]:
    """Pairs with a path on which this fault is the first."""
    return {
        pair
        for pair, ways in walked.items()
        if any(BEHIND_ALL > place(way, own) <= place(way, breaks) for way in ways)
    }


def drawn(data: st.DataObject, analysis: Analysis) -> list[Faults]:
    """Some faults on some ports each."""
    keys = sorted(port.key for port in analysis.ports)
    one = st.tuples(st.sampled_from(keys), st.sampled_from(ACTS))
    return data.draw(st.lists(st.lists(one, min_size=1, max_size=4), min_size=1, max_size=4))


def agree(paths: Paths, walked: Walked, faults: list[Faults], senders: set[int] | None) -> None:
    breaks = [one for fault in faults for one in fault]
    first = FirstFaults(Impact(paths), breaks)
    chosen = None if senders is None else {paths.ends[n] for n in senders}
    for own in faults:
        pairs = first_by_hand(walked, own, breaks)
        expected = sum(1 for a, _ in pairs if senders is None or a in senders)
        assert first.count(own, chosen) == expected


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
@settings(max_examples=tries(60), deadline=None)
def test_first_in_every_legal_shape(shape: str, data: st.DataObject) -> None:
    analysis, paths, walked = benches(shape)
    senders = data.draw(st.none() | st.sets(st.integers(0, len(paths.ends) - 1)))
    agree(paths, walked, drawn(data, analysis), senders)


@given(fabrics, st.data())
@settings(max_examples=tries(200), deadline=None)
def test_first_however_the_fabric_is_wired(
    made: tuple[list[int], list[tuple[int, int]], list[int]], data: st.DataObject
) -> None:
    analysis = wired(*made)
    if analysis.ports:
        paths = Paths(analysis)
        agree(paths, walk_all(analysis, paths), drawn(data, analysis), None)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=4), st.data())
@settings(max_examples=tries(150), deadline=None)
def test_first_where_hosts_are_bonded(homes: list[tuple[int, int]], data: st.DataObject) -> None:
    analysis = bonded(homes)
    paths = Paths(analysis)
    agree(paths, walk_all(analysis, paths), drawn(data, analysis), None)


def walk_all(analysis: Analysis, paths: Paths) -> Walked:
    numbered = list(enumerate(paths.ends))
    return {
        (a, b): ways_of(analysis, source, target)
        for (a, source), (b, target) in product(numbered, repeat=2)
        if a != b
    }


def test_what_lies_behind_another_fault_is_not_first() -> None:
    # Two leaves with two hosts each, one spine. The spine breaks all that crosses it; one leaf
    # breaks what arrives from there: of those 4 pairs none is the leaf's, of the ones back all.
    analysis = wired([0, 1, 0], [(0, 1), (2, 1)], [0, 0, 2, 2])
    paths = Paths(analysis)
    impact = Impact(paths)
    spine: Faults = [(("s1", "Ethernet0"), "both"), (("s1", "Ethernet1"), "both")]
    leaf: Faults = [(("s2", "Ethernet1"), "both")]
    first = FirstFaults(impact, [*spine, *leaf])
    assert (first.count(spine), impact.through(spine)) == (4, 8)
    assert (first.count(leaf), impact.through(leaf)) == (4, 8)


def test_alone_it_is_first_everywhere() -> None:
    analysis, paths, _ = benches("3-tier")
    impact = Impact(paths)
    for port in analysis.ports:
        own: Faults = [(port.key, "both")]
        assert FirstFaults(impact, own).count(own) == impact.through(own)

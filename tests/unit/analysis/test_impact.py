"""Pairs are counted as if every path of every pair were followed."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.analysis.impact import Acts, Impact
from roce_lint.analysis.paths import End, Paths
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.walk import walk
from roce_lint.analysis.witness import Witness
from roce_lint.model.interface import InterfaceKind
from tests.sampling import tries
from tests.unit.analysis.clos import SHAPES
from tests.unit.analysis.test_walk import ROLES, every_path, wired
from tests.unit.fabric import Ends, analysed, host, port, switch

ACTS: tuple[Acts, ...] = get_args(Acts)


def ways_of(analysis: Analysis, source: End, target: End) -> list[list[str]]:
    """All equal-cost paths from every wire of the source, as ports in the order they are taken."""
    found = []
    for wire in source.wires:
        ends = [
            (
                End(source.device, source.nic, 0, (wire,)),
                End(target.device, target.nic, 0, (other,)),
                other,
            )
            for other in target.wires
        ]
        paths = [(path, other) for a, b, other in ends for path in every_path(analysis, a, b)]
        shortest = min((len(path) for path, _ in paths), default=0)
        found += [
            [str(wire.host), *path, str(other.host)]
            for path, other in paths
            if len(path) == shortest
        ]
    return found


def by_hand(
    analysis: Analysis,
    paths: Paths,
    ports: list[tuple[tuple[str, str], Acts]],
    senders: set[End] | None = None,
) -> tuple[int, int]:
    """Pairs hit and all pairs, by following each path."""
    hit = every = 0
    for source, target in product(paths.ends, repeat=2):
        if source == target:
            continue
        ways = ways_of(analysis, source, target)
        every += bool(ways)
        if senders is not None and source not in senders:
            continue
        hit += any(_passes(way, " ".join(key), acts) for way in ways for key, acts in ports)
    return hit, every


def _passes(way: list[str], name: str, acts: Acts) -> bool:
    """`way` lists ports as a packet passes them: out of a host, into a switch, out of it ..."""
    leaving, arriving = way[::2], way[1::2]
    return (acts != "arriving" and name in leaving) or (acts != "leaving" and name in arriving)


fabrics = st.integers(2, 6).flatmap(
    lambda count: st.tuples(
        st.lists(st.integers(0, 2), min_size=count, max_size=count),
        st.lists(
            st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)),
            min_size=1,
            max_size=10,
        ),
        st.lists(st.integers(0, count - 1), min_size=2, max_size=4),
    )
)


@given(fabrics, st.data())
@settings(max_examples=tries(300), deadline=None)
def test_pairs_are_those_of_following_every_path(
    made: tuple[list[int], list[tuple[int, int]], list[int]], data: st.DataObject
) -> None:
    analysis = wired(*made)
    paths = Paths(analysis)
    keys = [port.key for port in analysis.ports]
    if not keys:
        return
    chosen = data.draw(
        st.lists(st.tuples(st.sampled_from(keys), st.sampled_from(ACTS)), max_size=4)
    )
    impact = Impact(paths)
    assert (impact.through(chosen), impact.pairs) == by_hand(analysis, paths, chosen)


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
@settings(max_examples=tries(40), deadline=None)
def test_pairs_and_witness_in_every_legal_shape(shape: str, data: st.DataObject) -> None:
    analysis, paths, walked = benches(shape)
    faults = st.tuples(
        st.sampled_from([port.key for port in analysis.ports]), st.sampled_from(ACTS)
    )
    chosen = data.draw(st.lists(faults, min_size=1, max_size=5))
    senders = data.draw(st.none() | st.sets(st.sampled_from(paths.ends)))
    impact = Impact(paths)
    broken = {
        pair: [way for way in ways if any(_passes(way, " ".join(k), acts) for k, acts in chosen)]
        for pair, ways in walked.items()
    }
    hit = sum(
        1
        for (a, _), ways in broken.items()
        if ways and (senders is None or paths.ends[a] in senders)
    )
    every = sum(1 for ways in walked.values() if ways)
    assert (impact.through(chosen, senders), impact.pairs) == (hit, every)
    path = Witness(impact).through(chosen, senders)
    assert (path is None) == (hit == 0)
    if path is not None:
        names = [str(port) for port in path]
        first = next((k, acts) for k, acts in chosen if Impact(paths).through([(k, acts)], senders))
        assert _passes(names, " ".join(first[0]), first[1])
        own = [pair for pair, ways in broken.items() if names in ways]
        assert own
        assert senders is None or any(paths.ends[a] in senders for a, _ in own)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_walk_takes_every_path_of_every_legal_shape(shape: str) -> None:
    analysis, paths, walked = benches(shape)
    assert any(walked.values())
    for (a, b), ways in walked.items():
        found = walk(analysis, paths, paths.ends[a], paths.ends[b], 26, lambda hop: hop.ports)
        taken = [[str(port) for hop in way.hops for port in hop.ports] for way in found]
        assert sorted(taken) == sorted(ways)
        assert [way.paths for way in found] == [1] * len(ways)


@cache
def benches(shape: str) -> tuple[Analysis, Paths, dict[tuple[int, int], list[list[str]]]]:
    """A bench and every equal-cost path of every pair of its ends, followed one by one."""
    analysis = SHAPES[shape]().analysed()
    paths = Paths(analysis)
    numbered = list(enumerate(paths.ends))
    walked = {
        (a, b): ways_of(analysis, source, target)
        for (a, source), (b, target) in product(numbered, repeat=2)
        if a != b
    }
    return analysis, paths, walked


def bonded(homes: list[tuple[int, int]]) -> Analysis:
    """Three leaves and two spines; host n has a bond to the two leaves of `homes[n]`."""
    leaves = [switch(f"s{n}", role=ROLES[0]) for n in range(3)]
    spines = [switch(f"s{n}", role=ROLES[1]) for n in (3, 4)]
    links: list[Ends] = []
    for number, (leaf, spine) in enumerate(product(leaves, spines)):
        for end in (leaf, spine):
            port(end, f"Ethernet{number}")
        links.append(((leaf, f"Ethernet{number}"), (spine, f"Ethernet{number}")))
    hosts = []
    for number, home in enumerate(homes):
        machine = host(f"h{number}", "bond0", sends=26)
        bond = machine.interfaces["bond0"]
        bond.kind = InterfaceKind.LAG
        for member, at in enumerate(home):
            wire = port(machine, f"eth{member}")
            wire.lag = "bond0"
            bond.members = (*bond.members, wire.name)
            port(leaves[at], f"Host{number}-{member}")
            links.append(((machine, wire.name), (leaves[at], f"Host{number}-{member}")))
        hosts.append(machine)
    return analysed(*leaves, *spines, *hosts, links=links)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=4), st.data())
@settings(max_examples=tries(150), deadline=None)
def test_each_member_of_a_bond_is_a_path_of_its_own(
    homes: list[tuple[int, int]], data: st.DataObject
) -> None:
    analysis = bonded(homes)
    paths = Paths(analysis)
    chosen = data.draw(
        st.lists(
            st.tuples(
                st.sampled_from([port.key for port in analysis.ports]), st.sampled_from(ACTS)
            ),
            max_size=3,
        )
    )
    impact = Impact(paths)
    assert (impact.through(chosen), impact.pairs) == by_hand(analysis, paths, chosen)


def test_an_uplink_carries_the_pairs_that_leave_its_leaf() -> None:
    # Two leaves with two hosts each, one spine: 8 of 12 pairs cross it.
    analysis = wired([0, 1, 0], [(0, 1), (2, 1)], [0, 0, 2, 2])
    impact = Impact(Paths(analysis))
    assert impact.pairs == 12
    assert impact.through([(("s0", "Ethernet0"), "leaving")]) == 4
    assert impact.through([(("s0", "Ethernet0"), "both")]) == 8
    assert impact.through([(("h0", "eth0"), "leaving")]) == 3
    assert impact.through([(("s0", "Host0"), "arriving")]) == 3
    assert impact.through([]) == 0

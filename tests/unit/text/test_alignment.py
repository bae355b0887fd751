"""Common lines of two texts."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from roce_lint.text.alignment import MOST, Stretch, align

FEW = st.lists(st.sampled_from("abcdefg"), max_size=30)
MANY = st.lists(st.integers(0, 40).map(str), max_size=40)


@given(FEW | MANY, FEW | MANY)
def test_the_stretches_cover_both_texts_in_order(a: list[str], b: list[str]) -> None:
    found = align(a, b)
    ends = [Stretch(0, 0, 0, 0), *found, Stretch(len(a), len(a), len(b), len(b))]
    assert all(x.a_end == y.a and x.b_end == y.b for x, y in pairwise(ends))
    assert all(a[s.a : s.a_end] == b[s.b : s.b_end] for s in found if s.same)
    assert not any(stretch.is_empty for stretch in found)


@given(MANY)
def test_a_text_is_itself(a: list[str]) -> None:
    assert all(stretch.same for stretch in align(a, list(a)))


@given(FEW, st.integers(0, 30), st.integers(0, 30))
def test_lines_that_were_taken_out_are_all_that_differs(
    a: list[str], first: int, count: int
) -> None:
    b = a[:first] + a[first + count :]
    assert sum(s.a_end - s.a for s in align(a, b) if s.same) == len(b)


def _ports(count: int, mtu: int) -> list[str]:
    same = [" no switchport", " no shutdown", " service-policy input IN", "!"]
    return [
        line
        for n in range(count)
        for line in (f"interface Ethernet1/{n}", " speed 400g", f" mtu {mtu}", *same)
    ]


def test_every_port_changed() -> None:
    """Comparing each of these 21,000 lines with every other one would take hours."""
    a, b = _ports(3000, 9214), _ports(3000, 9000)
    other = [stretch for stretch in align(a, b) if not stretch.same]
    assert other == [Stretch(at, at + 1, at, at + 1) for at in range(2, len(a), 7)]


def test_a_port_that_came_between() -> None:
    a = _ports(20, 9214)
    b = [*a[:35], "interface Ethernet1/99", *a[36:42], *a[35:]]
    assert [s for s in align(a, b) if not s.same] == [Stretch(35, 35, 35, 42)]


def test_without_a_line_that_is_there_once() -> None:
    """A few such lines are compared one by one; of many, everything except the common ends differs."""
    a, b = ["x", "y"] * 50, ["y", "x"] * 50
    best = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    assert sum(s.a_end - s.a for s in align(a, b) if s.same) == sum(block.size for block in best)
    long = ["x", "y"] * MOST, ["y", "x"] * MOST
    assert align(*long) == [Stretch(0, 2 * MOST, 0, 2 * MOST)]

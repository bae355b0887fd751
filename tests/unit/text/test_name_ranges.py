"""Names as people write them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.text.names import compress, natural


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["leaf1"], "leaf1"),
        (["leaf2", "leaf1"], "leaf1, leaf2"),
        (["leaf10", "leaf9", "leaf11"], "leaf9-11"),
        ([f"leaf{n:03}" for n in range(1, 513)], "leaf001-512"),
        (["leaf09", "leaf010", "leaf011"], "leaf09, leaf010, leaf011"),
        (["leaf1", "leaf1", "spine1"], "leaf1, spine1"),
        ([f"Ethernet1/{n}" for n in range(1, 65)], "Ethernet1/1-64"),
        ([f"Ethernet{n}/1" for n in range(5, 37)], "Ethernet[5-36]/1"),
        ([f"Ethernet{n}" for n in range(0, 256, 8)], "Ethernet0,8,...,248"),
        ([f"Ethernet{n}/1" for n in range(1, 9, 2)], "Ethernet[1,3,...,7]/1"),
        (["leaf1", "leaf3", "leaf4", "leaf5"], "leaf1, leaf3-5"),
        (["leaf1", "leaf3", "leaf5"], "leaf1, leaf3, leaf5"),
        (["pod1-leaf", "pod2-leaf", "pod3-leaf"], "pod[1-3]-leaf"),
        (["rack1-leaf01", "rack1-leaf02", "rack1-leaf03", "rack2-leaf01"], "rack1-leaf01-03, rack2-leaf01"),
        (["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], "a, b, c, d, e, f, g, h and 2 more"),
    ],
)  # fmt: skip
def test_compress(names: list[str], text: str) -> None:
    assert compress(names) == text


def test_what_is_left_out_counts_names_not_ranges() -> None:
    names = ["a", "b", *(f"leaf{n}" for n in range(10))]
    assert compress(names, limit=2) == "a, b and 10 more"


def test_numbers_too_long_for_python_are_no_obstacle() -> None:
    assert compress(["9" * 5000, "x"]) == f"{'9' * 5000}, x"


def test_natural_order() -> None:
    assert sorted(["leaf10", "leaf2", "leaf", "Leaf3"], key=natural) == [
        "Leaf3",
        "leaf",
        "leaf2",
        "leaf10",
    ]


def expand(text: str) -> list[str]:
    """The names that `compress` wrote as ranges, for names such as x12."""
    names = []
    for part in text.split(", ") if text else []:
        match = re.fullmatch(r"([a-z]+)(\d+)-(\d+)(?: by (\d+))?", part)
        if match is None:
            names.append(part)
            continue
        numbers = range(int(match[2]), int(match[3]) + 1, int(match[4] or 1))
        names += [f"{match[1]}{n:0{len(match[2])}}" for n in numbers]
    return names


@given(st.sets(st.tuples(st.sampled_from("ab"), st.integers(0, 60), st.sampled_from([0, 2, 3]))))
def test_nothing_is_lost_or_added(drawn: set[tuple[str, int, int]]) -> None:
    names = {f"{word}{number:0{width}}" for word, number, width in drawn}
    assert sorted(expand(compress(names, limit=1000))) == sorted(names)

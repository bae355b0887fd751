"""Lists and ranges of interfaces and numbers, and information in names."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.cumulus.naming import TooLong, kind_of, names, numbers, parent_of, vlan_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("swp1", "swp1"),
        ("swp1-3", "swp1 swp2 swp3"),
        ("swp1-2,4,swp6", "swp1 swp2 swp4 swp6"),
        ("swp1s0-3", "swp1s0 swp1s1 swp1s2 swp1s3"),
        ("swp1s0-1,swp2s0", "swp1s0 swp1s1 swp2s0"),
        ("swp1-2s0-1", "swp1s0 swp1s1 swp2s0 swp2s1"),
        ("vlan200,300,400", "vlan200 vlan300 vlan400"),
        ("spine_bond,swp1-2", "spine_bond swp1 swp2"),
        ("swp49,51", "swp49 swp51"),
        ("swp1-swp3,swp6", "swp1 swp2 swp3 swp6"),
        ("[swp1, swp3]", "swp1 swp3"),
        ("swp1,swp1-2", "swp1 swp2"),
        ("bond-a", "bond-a"),
        ("swp3-1", "swp3-1"),
        ("swp1-eth3", "swp1-eth3"),
        ("vlan3004_l3", "vlan3004_l3"),
        (",,", ""),
    ],
)
def test_names(text: str, found: str) -> None:
    assert names(text) == tuple(found.split())


@pytest.mark.parametrize("text", ["swp1-999999", "swp1-4096,eth1-2", "swp1," * 20_000])
def test_a_list_too_long_is_refused(text: str) -> None:
    with pytest.raises(TooLong):
        names(text)


def test_the_longest_list_that_is_taken() -> None:
    assert len(names("swp1-4096")) == 4096


@pytest.mark.parametrize(
    ("text", "found"), [("3", (3,)), ("0-3,5-7", (0, 1, 2, 3, 5, 6, 7)), ("[4, 5]", (4, 5))]
)
def test_numbers(text: str, found: tuple[int, ...]) -> None:
    assert numbers(text, 7) == found


@pytest.mark.parametrize("text", ["8", "-1", "", "3-1", "a", "٣", "1,,2", "99999999999999"])
def test_invalid_lists_of_numbers(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        numbers(text, 7)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("swp1", InterfaceKind.PHYSICAL),
        ("swp64s7", InterfaceKind.PHYSICAL),
        ("lo", InterfaceKind.LOOPBACK),
        ("eth0", InterfaceKind.MANAGEMENT),
        ("vlan100", InterfaceKind.VLAN),
        ("vlan3004_l3", InterfaceKind.VLAN),
        ("bond1s0", InterfaceKind.LAG),
        ("peerlink", InterfaceKind.LAG),
        ("swp1.100", InterfaceKind.SUBINTERFACE),
        ("vni10", InterfaceKind.TUNNEL),
        ("storage", InterfaceKind.OTHER),
    ],
)
def test_kinds(name: str, kind: InterfaceKind) -> None:
    assert kind_of(name) is kind


def test_parents_and_vlans() -> None:
    assert [parent_of(n) for n in ("swp1s3", "swp1.20", "bond1.20", "swp1")] == [
        "swp1",
        "swp1",
        "bond1",
        None,
    ]
    assert [vlan_of(n) for n in ("vlan30", "swp1.20", "swp1")] == [30, 20, None]

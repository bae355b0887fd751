"""Interface names of EOS, single and in ranges."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.eos.naming import aliases, expand, kind_of
from roce_lint.nos.port_names import HEADER_LIMIT, RANGE_LIMIT, HeaderNames


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("Ethernet1", ["Ethernet1"]),
        ("ethernet 1/1", ["Ethernet1/1"]),
        ("Et2/5/1", ["Ethernet2/5/1"]),
        ("Port-Channel8.101", ["Port-Channel8.101"]),
        ("po3", ["Port-Channel3"]),
        ("vlan10", ["Vlan10"]),
        ("ma1", ["Management1"]),
        ("Lo0", ["Loopback0"]),
        ("Ethernet1-3,7", ["Ethernet1", "Ethernet2", "Ethernet3", "Ethernet7"]),
        ("Ethernet1/1-2", ["Ethernet1/1", "Ethernet1/2"]),
        ("Ethernet1-2/1", ["Ethernet1/1", "Ethernet2/1"]),
        ("Ethernet49/1-50/1", ["Ethernet49/1", "Ethernet50/1"]),
        ("Et1/1 - 2 , Po5", ["Ethernet1/1", "Ethernet1/2", "Port-Channel5"]),
        ("Ethernet1/1.10-11", ["Ethernet1/1.10", "Ethernet1/1.11"]),
        ("Ethernet1,1", ["Ethernet1"]),
        ("Ethernet1-2/3-4", ["Ethernet1/3", "Ethernet1/4", "Ethernet2/3", "Ethernet2/4"]),
        ("Switch1/1", ["Switch1/1"]),
        ("some name", ["some name"]),
    ],
)
def test_names(header: str, names: list[str]) -> None:
    assert expand(header) == HeaderNames(tuple(names))


@pytest.mark.parametrize(
    ("header", "names", "problem"),
    [
        ("Ethernet4-2", ["Ethernet4"], "interface range 'Ethernet4-2' is not understood"),
        ("Ethernet1/2-1/1", ["Ethernet1/2"], "interface range 'Ethernet1/2-1/1' is not"),
        ("Ethernet1/1-1.5", ["Ethernet1/1"], "interface range 'Ethernet1/1-1.5' is not"),
        ("Ethernet1,x", ["Ethernet1"], "interface range 'x' is not understood"),
        ("Ethernet1/$", ["Ethernet1/$"], "interface range 'Ethernet1/$' is not understood"),
        ("Ethernet1-99999999", ["Ethernet1"], "or names more than 4096 interfaces"),
        ("Ethernet1-99999/1-99999", ["Ethernet1/1"], "or names more than 4096 interfaces"),
        ("Ethernet1-4000,5001-9000", [*(f"Ethernet{n}" for n in range(1, 4001)), "Ethernet5001"],
         "or names more than 4096 interfaces"),
        ("E" * (HEADER_LIMIT + 1), [], "an interface name of 4097 characters"),
    ],
)  # fmt: skip
def test_an_invalid_range_is_reported(header: str, names: list[str], problem: str) -> None:
    found = expand(header)
    assert list(found.names) == names
    assert problem in found.problem


def test_the_largest_range() -> None:
    assert len(expand(f"Ethernet1-{RANGE_LIMIT}").names) == RANGE_LIMIT


@pytest.mark.parametrize(
    ("name", "kind", "others"),
    [
        ("Ethernet1/1", InterfaceKind.PHYSICAL, ("Et1/1", "Eth1/1")),
        ("Ethernet1.5", InterfaceKind.SUBINTERFACE, ("Et1.5", "Eth1.5")),
        ("Port-Channel3", InterfaceKind.LAG, ("Po3",)),
        ("Vlan10", InterfaceKind.VLAN, ("Vl10",)),
        ("Management1", InterfaceKind.MANAGEMENT, ("Ma1",)),
        ("Vxlan1", InterfaceKind.TUNNEL, ("Vx1",)),
        ("Recirc-Channel7", InterfaceKind.INTERNAL, ("Re7",)),
        ("Switch1", InterfaceKind.OTHER, ()),
    ],
)
def test_kinds_and_other_spellings(name: str, kind: InterfaceKind, others: tuple[str, ...]) -> None:
    assert (kind_of(name), aliases(name)) == (kind, others)

"""Spellings, abbreviations and ranges of interface names."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.nxos.naming import (
    aliases,
    breakout_parent,
    canonical,
    expand,
    kind_of,
    lane_gbps,
)
from roce_lint.nos.port_names import RANGE_LIMIT


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("Ethernet1/1", ("Ethernet1/1",)),
        ("Ethernet 1/3", ("Ethernet1/3",)),
        ("eth1/1", ("Ethernet1/1",)),
        ("Ethernet1/1/1 - 2", ("Ethernet1/1/1", "Ethernet1/1/2")),
        ("Ethernet 1/53-1/54", ("Ethernet1/53", "Ethernet1/54")),
        ("ethernet1/1-2,1/7, port-channel3", ("Ethernet1/1", "Ethernet1/2", "Ethernet1/7", "port-channel3")),
        ("Ethernet1/2,Ethernet1/1-2", ("Ethernet1/2", "Ethernet1/1")),
        ("port-channel 6", ("port-channel6",)),
        ("po10", ("port-channel10",)),
        ("vlan7", ("Vlan7",)),
        ("Vlan10-11", ("Vlan10", "Vlan11")),
        ("Ethernet1/2.100", ("Ethernet1/2.100",)),
        ("loopbackloopback0", ("loopbackloopback0",)),
        ("mgmt0", ("mgmt0",)),
    ],
)  # fmt: skip
def test_a_header_names_interfaces(header: str, names: tuple[str, ...]) -> None:
    assert expand(header).names == names
    assert expand(header).problem == ""


@pytest.mark.parametrize(
    ("header", "names", "problem"),
    [
        ("Ethernet1/1-99999999", 0, f"more than {RANGE_LIMIT} interfaces in one range"),
        ("Ethernet1/1-4096", 4096, ""),
        ("Ethernet1/1-4097", 0, f"more than {RANGE_LIMIT} interfaces in one range"),
        ("Ethernet1/5-2", 1, "interface range 'Ethernet1/5-2' is not understood"),
        ("Ethernet1/48-2/4", 1, "interface range 'Ethernet1/48-2/4' is not understood"),
        ("Ethernet1/1/1-1/4/2", 1, "interface range 'Ethernet1/1/1-1/4/2' is not understood"),
        ("Ethernet1/1, and more", 1, "interface range 'and more' is not understood"),
        ("E" * 5000, 0, "interface name of 5000 characters"),
    ],
)
def test_what_a_range_cannot_say_is_remarked(header: str, names: int, problem: str) -> None:
    found = expand(header)
    assert (len(found.names), found.problem) == (names, problem)


def test_one_name_in_full() -> None:
    assert canonical("Eth1/21") == "Ethernet1/21"
    assert canonical("Eth1/1-2") == "Eth1/1-2"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Ethernet1/1", InterfaceKind.PHYSICAL),
        ("Ethernet1/1.7", InterfaceKind.SUBINTERFACE),
        ("port-channel5", InterfaceKind.LAG),
        ("Vlan5", InterfaceKind.VLAN),
        ("loopback0", InterfaceKind.LOOPBACK),
        ("mgmt0", InterfaceKind.MANAGEMENT),
        ("nve1", InterfaceKind.TUNNEL),
        ("ii1/1/1", InterfaceKind.INTERNAL),
        ("fc1/1", InterfaceKind.OTHER),
    ],
)
def test_the_kind_is_in_the_name(name: str, kind: InterfaceKind) -> None:
    assert kind_of(name) is kind


def test_short_forms_are_aliases() -> None:
    assert aliases("Ethernet1/1/2") == ("Eth1/1/2",)
    assert aliases("port-channel50") == ("Po50",)
    assert aliases("Vlan7") == ()


def test_lanes_know_their_port_and_speed() -> None:
    assert breakout_parent("Ethernet1/7/2") == "Ethernet1/7"
    assert breakout_parent("Ethernet1/7") is None
    assert breakout_parent("Ethernet101/1/2") is None  # a fabric extender
    assert lane_gbps("400g-2x") == 400.0
    assert lane_gbps("whatever") is None

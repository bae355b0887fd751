"""Links from each kind of evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.model.device import Role
from roce_lint.model.fabric import LinkSource
from roce_lint.model.interface import InterfaceKind
from roce_lint.topology.links import build_fabric
from tests.unit.topology.making import conflicts, device, joined, links, planned, port


def test_nothing_said_is_nothing_linked() -> None:
    fabric = joined(device("leaf1", port()), device("spine1", port()))
    assert (links(fabric), conflicts(fabric), list(fabric.devices)) == ([], [], ["leaf1", "spine1"])


def test_a_plan_links(tmp_path: Path) -> None:
    plan = "- {a: LEAF1:eth1, b: spine1.dc1:Eth1, cable_m: 30, speed_gbps: 400, rail: 3}\n"
    fabric = joined(device("leaf1", port()), device("spine1", port()), plan=plan, tmp_path=tmp_path)
    (link,) = fabric.links
    assert links(fabric) == [("leaf1 Eth1", "spine1 Eth1", "PLAN")]
    assert (link.cable_m, link.speed_gbps, link.rail, link.assumed) == (30.0, 400.0, 3, False)
    assert fabric.link_of("spine1", "Eth1") is link
    assert str(fabric.peer("spine1", "Eth1")) == "leaf1 Eth1"


@pytest.mark.parametrize("both", [False, True])
def test_lldp_links_from_one_side_or_both(both: bool) -> None:
    back = [("leaf1", "Eth1")] if both else []
    fabric = joined(
        device("leaf1", port(heard=[("spine1", "Eth2")])),
        device("spine1", port("Eth2", heard=back)),
    )
    assert links(fabric) == [("leaf1 Eth1", "spine1 Eth2", "LLDP")]
    assert [(w.src.files[0].name, w.position) for w in fabric.links[0].where] == (
        [("leaf1.cfg", 3), ("spine1.cfg", 3)] if both else [("leaf1.cfg", 3)]
    )


def test_a_neighbour_table_links() -> None:
    fabric = joined(
        device("leaf1", port(table=[("spine1", "Eth2")])), device("spine1", port("Eth2"))
    )
    assert links(fabric) == [("leaf1 Eth1", "spine1 Eth2", "NEIGHBOR_TABLE")]


def test_a_neighbour_that_is_not_here_links_nothing() -> None:
    leaf = device(
        "leaf1", port(heard=[("spine9", "Eth2")]), port("Eth3", heard=[("spine1", "Eth9")])
    )
    fabric, _ = planned(leaf, device("spine1", port("Eth2")))
    assert (links(fabric), conflicts(fabric)) == ([], [])


def test_a_device_that_hears_itself_links_nothing() -> None:
    fabric = joined(device("leaf1", port(heard=[("leaf1", "Eth2")]), port("Eth2")))
    assert links(fabric) == []


def test_two_neighbours_on_one_port_do_not_contradict_each_other() -> None:
    """The firmware of a NIC and its host both send LLDP."""
    mac = "b8:3f:d2:00:00:01"
    fabric = joined(
        device(
            "leaf1",
            port(heard=[("", mac), ("gpu1", "ens1")]),
            port("Eth2", heard=[("nic7", "p0"), ("gpu1", "ens2")]),
        ),
        device("gpu1", port("ens1", aliases=(mac,)), port("ens2")),
    )
    assert links(fabric) == [
        ("gpu1 ens1", "leaf1 Eth1", "LLDP"),
        ("gpu1 ens2", "leaf1 Eth2", "LLDP"),
    ]
    assert conflicts(fabric) == []
    two = joined(
        device("leaf1", port(heard=[("gpu1", "ens1"), ("gpu2", "ens1")])),
        device("gpu1", port("ens1")),
        device("gpu2", port("ens1")),
    )
    assert (links(two), conflicts(two)) == ([("gpu1 ens1", "leaf1 Eth1", "LLDP")], [])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10.0.0.0/31", "10.0.0.1/31"),
        ("10.0.0.254/31", "10.0.0.255/31"),
        ("10.0.0.5/30", "10.0.0.6/30"),
        ("2001:db8::/127", "2001:db8::1/127"),
        ("2001:db8::a/127", "2001:DB8:0::b/127"),
    ],
)
def test_two_addresses_of_a_small_network_link(one: str, other: str) -> None:
    fabric = joined(
        device("leaf1", port(addresses=("192.168.0.1/24", one))),
        device("spine1", port(addresses=(other,))),
    )
    assert links(fabric) == [("leaf1 Eth1", "spine1 Eth1", "ADDRESS")]
    (link,) = fabric.links
    assert not link.assumed
    assert [(w.src.files[0].name, w.position) for w in link.where] == [("leaf1.cfg", 2)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10.0.0.1/31", "10.0.0.2/31"),
        ("10.0.0.1/30", "10.0.0.4/30"),
        ("10.0.0.1/31", "10.0.0.1/31"),  # the same twice
        ("10.0.0.1/24", "10.0.0.2/24"),
        ("10.0.0.0/31", "10.0.0.1/30"),
        ("10.0.0.300/31", "10.0.0.301/31"),
        ("x.0/31", "y.1/31"),
        ("2001:db8::1/127", "2001:db8::2/127"),
        ("fe80::g/127", "fe80::h/127"),
        ("::ffff:10.0.0.0/31", "::ffff:10.0.0.1/31"),
        ("/31", "/31"),
    ],
)
def test_other_addresses_do_not(one: str, other: str) -> None:
    fabric = joined(device("a", port(addresses=(one,))), device("b", port(addresses=(other,))))
    assert links(fabric) == []


def test_a_small_network_of_three_links_nobody() -> None:
    ends = [
        device(n, port(addresses=(f"10.0.0.{1 + number % 2}/30",)))
        for number, n in enumerate("abc")
    ]
    assert links(joined(*ends)) == []


def test_a_network_that_is_used_twice_is_told_apart_by_vrf() -> None:
    def end(name: str, address: str, vrf: str | None) -> object:
        return device(name, port(addresses=(address,), vrf=vrf))

    once = joined(end("a", "10.0.0.0/31", "roce"), end("b", "10.0.0.1/31", None))  # type: ignore[arg-type]
    assert links(once) == [("a Eth1", "b Eth1", "ADDRESS")]  # a name of its own on each side
    twice = joined(
        *(end(n, f"10.0.0.{k % 2}/31", "red" if k < 2 else "blue") for k, n in enumerate("abcd"))  # type: ignore[arg-type]
    )
    reused = "REUSED_ADDRESS"
    assert links(twice) == [("a Eth1", "b Eth1", reused), ("c Eth1", "d Eth1", reused)]
    assert all(link.assumed for link in twice.links)


def test_addresses_of_what_has_no_cable_link_nothing() -> None:
    for kind in (InterfaceKind.LOOPBACK, InterfaceKind.VLAN, InterfaceKind.LAG):
        fabric = joined(
            device("a", port(addresses=("10.0.0.0/31",), kind=kind)),
            device("b", port(addresses=("10.0.0.1/31",), kind=kind)),
        )
        assert links(fabric) == []


def test_two_ports_of_one_device_are_not_linked_by_address() -> None:
    fabric = joined(
        device("a", port(addresses=("10.0.0.0/31",)), port("Eth2", addresses=("10.0.0.1/31",)))
    )
    assert links(fabric) == []


@pytest.mark.parametrize(
    "description",
    [
        "spine1 Eth7",
        "to SPINE1:eth7",
        "P2P_spine1_Eth7",
        "spine1.dc1.example.com - Eth7 (rail 3)",
        "[spine1|Eth7] 400G",
        "link=\"spine1\" port='Ethernet 7'",
    ],
)
def test_a_description_that_names_a_device_and_a_port_links(description: str) -> None:
    fabric = joined(
        device("leaf1", port(description=description)),
        device("spine1", port("Eth7", aliases=("Ethernet7",)), port("Eth8")),
    )
    assert links(fabric) == [("leaf1 Eth1", "spine1 Eth7", "DESCRIPTION")]
    assert fabric.links[0].assumed


@pytest.mark.parametrize(
    "description",
    [
        "spine1",
        "Eth7",
        "spine1 Eth9",
        "spine1 Eth7 Eth8",
        "spine1 or spine2 Eth7",
        "leaf1 Eth1",
        "uplink",
        "",
        "spine1Eth7",
    ],
)
def test_a_description_that_is_not_clear_links_nothing(description: str) -> None:
    fabric, _ = planned(
        device("leaf1", port(description=description)),
        device("spine1", port("Eth7"), port("Eth8")),
        device("spine2", port("Eth7")),
    )
    assert links(fabric) == []


def test_a_name_with_a_mark_in_it_is_found_in_a_description() -> None:
    fabric = joined(
        device("leaf_1", port(description="to spine_1 Eth7")), device("spine_1", port("Eth7"))
    )
    assert links(fabric) == [("leaf_1 Eth1", "spine_1 Eth7", "DESCRIPTION")]


def test_descriptions_that_deny_each_other_link_nothing() -> None:
    fabric = joined(
        device("leaf1", port(description="spine1 Eth7")),
        device("leaf2", port(description="spine1 Eth7")),  # copied and not changed
        device("leaf3", port(description="spine1 Eth8")),
        device("spine1", port("Eth7"), port("Eth8", description="leaf1 Eth1")),
    )
    assert (links(fabric), conflicts(fabric)) == ([], [])
    agreed = joined(
        device("leaf1", port(description="spine1 Eth7")),
        device("spine1", port("Eth7", description="leaf1 Eth1")),
    )
    assert links(agreed) == [("leaf1 Eth1", "spine1 Eth7", "DESCRIPTION")]


def test_links_do_not_depend_on_the_order_of_devices() -> None:
    def devices() -> list[object]:
        return [
            device("b", port(heard=[("a", "Eth1")])),
            device("c", port(description="b Eth1")),
            device("a", port(addresses=("10.0.0.0/31",))),
        ]

    one, _ = build_fabric(devices())  # type: ignore[arg-type]
    other, _ = build_fabric(devices()[::-1])  # type: ignore[arg-type]
    assert links(one) == links(other) == [("a Eth1", "b Eth1", "LLDP")]
    assert list(one.devices) == list(other.devices) == ["a", "b", "c"]


def test_many_proofs_of_one_link_are_not_all_kept() -> None:
    heard = [("spine1", "Eth1")] * 9
    fabric = joined(device("leaf1", port(heard=heard)), device("spine1", port()))
    (link,) = fabric.links
    assert (link.known_from, len(link.where)) == (LinkSource.LLDP, 4)


@pytest.mark.parametrize("by", ["table", "heard", "plan"])
def test_a_cable_that_two_switches_share_has_two_legs(by: str, tmp_path: Path) -> None:
    says = {by: [("gpu1", "eth0")]} if by != "plan" else {}
    plan = "- [tor1:Eth1, gpu1:eth0]\n- [tor2:Eth1, gpu1:eth0]\n" if by == "plan" else "[]\n"
    tors = [device(name, port(**says)) for name in ("tor1", "tor2")]
    devices = (*tors, device("gpu1", port("eth0"), role=Role.HOST))
    for tor, other in zip(tors, ("tor2", "tor1"), strict=True):
        fabric, _ = planned(*devices, plan=plan, tmp_path=tmp_path)
        assert [(str(link.a), str(link.b)) for link in fabric.links] == [("gpu1 eth0", "tor1 Eth1")]
        tor.interfaces["Eth1"].shared_with = other
    fabric = joined(*devices, plan=plan, tmp_path=tmp_path)
    assert [(str(link.a), str(link.b)) for link in fabric.links] == [
        ("gpu1 eth0", "tor1 Eth1"),
        ("gpu1 eth0", "tor2 Eth1"),
    ]
    assert conflicts(fabric) == []
    assert str(fabric.peer("gpu1", "eth0")) == "tor1 Eth1"
    assert [str(fabric.peer(name, "Eth1")) for name in ("tor1", "tor2")] == ["gpu1 eth0"] * 2

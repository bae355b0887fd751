from __future__ import annotations

from pathlib import Path

import pytest

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
    fabric = joined(
        device("leaf1", port(heard=[("spine9", "Eth2")]), port("Eth3", heard=[("spine1", "Eth9")])),
        device("spine1", port("Eth2")),
    )
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
    assert link.assumed
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
    assert links(twice) == [("a Eth1", "b Eth1", "ADDRESS"), ("c Eth1", "d Eth1", "ADDRESS")]


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
    fabric = joined(
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


def full(tmp_path: Path, *sources: str) -> tuple[list[tuple[str, str, str]], list[tuple[str, ...]]]:
    """leaf1 Eth1, to which each source gives a peer of its own."""
    tmp_path.mkdir(exist_ok=True)
    fabric, unresolved = planned(
        device(
            "leaf1",
            port(
                heard=[("by-lldp", "e")] if "lldp" in sources else [],
                table=[("by-table", "e")] if "table" in sources else [],
                addresses=("10.0.0.0/31",) if "address" in sources else (),
                description="by-description e" if "description" in sources else None,
            ),
        ),
        device("by-plan", port("e")),
        device("by-lldp", port("e")),
        device("by-table", port("e")),
        device("by-address", port("e", addresses=("10.0.0.1/31",))),
        device("by-description", port("e")),
        plan="- [leaf1:Eth1, by-plan:e]\n" if "plan" in sources else "",
        tmp_path=tmp_path,
    )
    assert unresolved == []
    return links(fabric), conflicts(fabric)  # type: ignore[return-value]


ORDER = ("plan", "lldp", "table", "address", "description")


def test_the_most_trusted_wins_and_only_statements_contradict(tmp_path: Path) -> None:
    stated = {"plan": "PLAN", "lldp": "LLDP", "table": "NEIGHBOR_TABLE"}
    names = {**stated, "address": "ADDRESS", "description": "DESCRIPTION"}
    for number, trusted in enumerate(ORDER):
        for doubted in ORDER[number + 1 :]:
            found, contradicting = full(tmp_path / f"{trusted}-{doubted}", trusted, doubted)
            a, b = sorted(["leaf1 Eth1", f"by-{trusted} e"])
            assert found == [(a, b, names[trusted])]
            expected = (
                [
                    (
                        "leaf1 Eth1",
                        stated[trusted],
                        f"by-{trusted} e",
                        stated[doubted],
                        f"by-{doubted} e",
                    )
                ]
                if trusted in stated and doubted in stated
                else []
            )
            assert contradicting == expected


def test_all_at_once(tmp_path: Path) -> None:
    found, contradicting = full(tmp_path / "x", *ORDER)
    assert found == [("by-plan e", "leaf1 Eth1", "PLAN")]
    assert contradicting == [
        ("leaf1 Eth1", "PLAN", "by-plan e", "LLDP", "by-lldp e"),
        ("leaf1 Eth1", "PLAN", "by-plan e", "NEIGHBOR_TABLE", "by-table e"),
    ]


def test_what_both_ends_hear_is_one_conflict_with_all_its_lines(tmp_path: Path) -> None:
    """Two cables swapped: the plan says 1-1 and 2-2, LLDP at all four ports 1-2 and 2-1."""
    fabric = joined(
        device("leaf1", port("e1", heard=[("spine1", "e2")]), port("e2", heard=[("spine1", "e1")])),
        device("spine1", port("e1", heard=[("leaf1", "e2")]), port("e2", heard=[("leaf1", "e1")])),
        plan="- [leaf1:e1, spine1:e1]\n- [leaf1:e2, spine1:e2]\n",
        tmp_path=tmp_path,
    )
    assert links(fabric) == [("leaf1 e1", "spine1 e1", "PLAN"), ("leaf1 e2", "spine1 e2", "PLAN")]
    assert conflicts(fabric) == [
        ("leaf1 e1", "PLAN", "spine1 e1", "LLDP", "spine1 e2"),
        ("leaf1 e2", "PLAN", "spine1 e2", "LLDP", "spine1 e1"),
    ]
    first = fabric.conflicts[0]
    assert [w.src.files[0].name for w in first.where] == ["leaf1.cfg", "spine1.cfg", "links.yaml"]
    assert [w.position for w in first.where[:2]] == [3, 13]


def test_the_end_that_is_taken_is_the_one_in_conflict(tmp_path: Path) -> None:
    fabric = joined(
        device("leaf1", port(heard=[("spine1", "e1")])),
        device("leaf2", port()),
        device("spine1", port("e1")),
        plan="- [leaf2:Eth1, spine1:e1]\n",
        tmp_path=tmp_path,
    )
    assert conflicts(fabric) == [("spine1 e1", "PLAN", "leaf2 Eth1", "LLDP", "leaf1 Eth1")]


GONE = (
    "no configuration was read of gone0, gone1, gone2, gone3, gone4 and 2 more; "
    "their links are left out"
)


def test_a_plan_that_speaks_of_what_is_not_there_says_so(tmp_path: Path) -> None:
    lines = [
        "- [leaf1:Eth1, spine1:Eth9]",
        "- [leaf1:Eth1, leaf1:eth1]",
        "- [leaf1:Eth1, spine1:Eth1]",
    ]
    lines += [f"- [leaf1:Eth1, gone{n}:Eth1]" for n in range(7)]
    fabric, unresolved = planned(
        device("leaf1", port()), device("spine1", port()), plan="\n".join(lines), tmp_path=tmp_path
    )
    assert links(fabric) == [("leaf1 Eth1", "spine1 Eth1", "PLAN")]
    assert [entry.text for entry in unresolved] == [
        "spine1 has no port Eth9",
        "leaf1 Eth1 cannot be linked to itself",
        GONE,
    ]


def test_a_port_is_missing_where_its_device_was_read_whole(tmp_path: Path) -> None:
    part = device("spine2", port())
    part.partial = True
    fabric, unresolved = planned(
        device("leaf1", port()), device("spine1", port()), part, device("empty"),
        plan="".join(f"- [leaf1:Eth1, {name}:Eth9]\n" for name in ("spine1", "spine2", "empty")),
        tmp_path=tmp_path,
    )  # fmt: skip
    assert [(item.device, item.port) for item in fabric.missing] == [("spine1", "Eth9")]
    assert [(entry.text.split()[0], entry.judged) for entry in unresolved] == [
        ("spine1", True),
        ("spine2", False),
        ("empty", False),
    ]


def test_a_plan_that_gives_a_port_twice_says_so(tmp_path: Path) -> None:
    fabric, unresolved = planned(
        device("leaf1", port()),
        device("spine1", port(), port("Eth2")),
        plan="- [leaf1:Eth1, spine1:Eth1]\n- [spine1:Eth1, leaf1:Eth1]\n- [leaf1:Eth1, spine1:Eth2]\n",
        tmp_path=tmp_path,
    )
    assert links(fabric) == [("leaf1 Eth1", "spine1 Eth1", "PLAN")]
    (entry,) = unresolved
    assert entry.text == (
        "left out: leaf1 Eth1 to spine1 Eth2, since before it leaf1 Eth1 goes to spine1 Eth1"
    )
    assert entry.where.src.paths[entry.where.position - (1 << 30)] == (0, (2,))


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

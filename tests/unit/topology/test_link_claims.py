"""Claims about links that contradict each other, or speak of what is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.model.device import Device
from roce_lint.model.fabric import LinkSource
from roce_lint.model.interface import AGAIN
from roce_lint.text.source import SourceFile
from roce_lint.topology.links import build_fabric
from tests.unit.topology.making import conflicts, device, joined, links, planned, port


def full(tmp_path: Path, *sources: str) -> tuple[list[tuple[str, str, str]], list[tuple[str, ...]]]:
    """leaf1 Eth1, with a different peer from each source."""
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
    """Two swapped cables: the plan has 1-1 and 2-2, LLDP at all four ports 1-2 and 2-1."""
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


GONE = "no configuration for gone0, gone1, gone2, gone3, gone4 and 2 more; their links are ignored"


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
    *told, last = unresolved
    assert [entry.text for entry in told] == ["leaf1 Eth1 cannot be linked to itself", GONE]
    assert last.device == "spine1"
    assert "has no port Eth9, which the cable plan names" in last.text


def test_a_port_is_missing_where_its_device_was_read_whole(tmp_path: Path) -> None:
    part = device("spine2", port())
    part.partial = True
    fabric, unresolved = planned(
        device("leaf1", port()), device("spine1", port()), part, device("empty"),
        plan="".join(f"- [leaf1:Eth1, {name}:Eth9]\n" for name in ("spine1", "spine2", "empty")),
        tmp_path=tmp_path,
    )  # fmt: skip
    assert [(item.device, item.port) for item in fabric.missing] == [("spine1", "Eth9")]
    assert [(entry.text.split()[0], entry.device) for entry in unresolved] == [
        ("spine2", ""),
        ("empty", ""),
        ("spine1", "spine1"),
    ]


NAMED = ("Ethernet1/1", "Ethernet1/2")
"""The ports that the text of a leaf has left."""


@pytest.mark.parametrize(
    ("given", "source"),
    [
        ({"heard": [("leaf1.example.net", "Ethernet1/31")]}, LinkSource.LLDP),
        ({"table": [("leaf1", "Ethernet1/31")]}, LinkSource.NEIGHBOR_TABLE),
        ({"description": "to leaf1 Ethernet1/31"}, LinkSource.DESCRIPTION),
        ({"heard": [("leaf1", "0011.2233.4455")]}, None),
        ({"heard": [("leaf1", "512", "uplink")]}, None),
        ({"heard": [("leaf1", "mgmt0")]}, None),
        ({"heard": [("leaf2", "Ethernet1/31")]}, None),
        ({"heard": [("spine1", "Ethernet1/31")]}, None),
        ({"heard": [("leaf1", "Ethernet1/31")], "enabled": False}, None),
        ({"description": "was leaf1 once"}, None),
    ],
)  # fmt: skip
def test_a_port_that_a_neighbour_names_and_a_whole_device_lacks(
    given: dict[str, object], source: LinkSource | None
) -> None:
    spine = device("spine1", port("Eth1", **given), port("Ethernet1/9"))
    fabric, unresolved = build_fabric([device("leaf1", *map(port, NAMED)), spine])
    found = [(each.device, each.port, each.named_by, each.near) for each in fabric.missing]
    near = ("spine1", "Eth1")
    assert found == ([("leaf1", "Ethernet1/31", source, near)] if source else [])
    assert [entry.device for entry in unresolved] == (["leaf1"] if source else [])


def test_a_part_of_a_device_lacks_nothing_and_a_known_link_names_its_port() -> None:
    heard = port("Eth1", heard=[("leaf1", "Ethernet1/31")])
    part = device("leaf1", *map(port, NAMED))
    part.partial = True
    assert build_fabric([part, device("spine1", heard)])[0].missing == []
    linked = port(heard=[("leaf1", "Ethernet1/2")], table=[("leaf1", "Ethernet1/31")])
    assert joined(device("leaf1", *map(port, NAMED)), device("spine1", linked)).missing == []


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
        "ignored: leaf1 Eth1 to spine1 Eth2, because leaf1 Eth1 goes to spine1 Eth1"
    )
    assert entry.where.src.keys_of(entry.where.position) == (0, (2,))


def outputs(*heard: tuple[str, str], apart: bool) -> Device:
    """A leaf whose port heard several, in one output or in one each."""
    leaf = device("leaf1", port("Eth1", heard=heard))
    for number in range(1, len(heard)):
        leaf.src.add(SourceFile.of(f"{number}.txt", "\n" * 40), "lldp")
    for number, neighbor in enumerate(leaf.interfaces["Eth1"].neighbors if apart else ()):
        neighbor.at[""] = leaf.src.files[number].first + 3
    return leaf


@pytest.mark.parametrize("apart", [False, True], ids=["one output", "one each"])
def test_two_neighbours_of_one_port_contradict_each_other_in_two_outputs(apart: bool) -> None:
    leaf = outputs(("gpu1", "ens1"), ("gpu1", "ens2"), apart=apart)
    fabric = joined(leaf, device("gpu1", port("ens1"), port("ens2")))
    assert links(fabric) == [("gpu1 ens1", "leaf1 Eth1", "LLDP")]
    told = [("leaf1 Eth1", "LLDP", "gpu1 ens1", "LLDP", "gpu1 ens2")]
    assert conflicts(fabric) == (told if apart else [])


def test_the_two_ends_hear_different_neighbours() -> None:
    host = device(
        "gpu1", port("ens1", heard=[("leaf2", "Eth1")]), port("ens2", heard=[("leaf1", "Eth1")])
    )
    leaf = device("leaf1", port("Eth1", heard=[("gpu1", "ens1")]))
    fabric = joined(host, leaf, device("leaf2", port("Eth1")))
    assert conflicts(fabric) == [("leaf1 Eth1", "LLDP", "gpu1 ens2", "LLDP", "gpu1 ens1")]
    assert links(fabric) == [
        ("gpu1 ens1", "leaf2 Eth1", "LLDP"),
        ("gpu1 ens2", "leaf1 Eth1", "LLDP"),
    ]


def test_two_outputs_that_agree(tmp_path: Path) -> None:
    """The same neighbour in brief and in detail, beside one that only one of them shows."""
    leaf = outputs(("gpu1", "ens1"), ("gpu1", "ens2"), apart=True)
    first = leaf.interfaces["Eth1"].neighbors[0]
    first.at[AGAIN] = leaf.src.files[1].first + 1
    assert conflicts(joined(leaf, device("gpu1", port("ens1"), port("ens2")))) == []

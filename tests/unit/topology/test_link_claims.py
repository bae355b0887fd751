"""Claims about links that contradict each other, or speak of what is not there."""

from __future__ import annotations

from pathlib import Path

from tests.unit.topology.making import conflicts, device, joined, links, planned, port


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

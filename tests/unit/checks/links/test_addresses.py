"""Links that addresses know: shut at one end, in two subnets, and written down wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings

PORT = {
    "eos": (
        (
            "interface {name}\n   mtu 9214\n   no switchport\n{shut}   description {text}\n"
            "   ip address {address}\n   service-profile ROCE\n!\n"
        ),
        "Ethernet{n}/1",
        "   shutdown\n",
    ),
    "nxos": (
        (
            "interface {name}\n  no switchport\n  mtu 9216\n  description {text}\n"
            "  ip address {address}\n  priority-flow-control mode on\n"
            "  service-policy type qos input IN\n  {shut}\n"
        ),
        "Ethernet1/{n}",
        "shutdown",
    ),
}
HEAD = {
    "eos": "! Command: show running-config\n! device: {host} (DCS-7060X6-64PE, EOS-4.33.1F)\n"
    "hostname {host}\n!\nqos profile ROCE\n   qos trust dscp\n   priority-flow-control on\n"
    "   priority-flow-control priority 3 no-drop\n!\n",
    "nxos": "!Command: show running-config\nversion 10.4(3) Bios:version 05.50\nhostname {host}\n"
    "class-map type qos match-any ROCE\n  match dscp 26\npolicy-map type qos IN\n  class ROCE\n"
    "    set qos-group 3\npolicy-map type network-qos NQ\n  class type network-qos c-8q-nq3\n"
    "    pause pfc-cos 3\nsystem qos\n  service-policy type network-qos NQ\n",
}

Port = tuple[str, str]
"""Address and description."""


def box(nos: str, host: str, *ports: Port, shut: tuple[int, ...] = ()) -> str:
    form, name, down = PORT[nos]
    up = "no shutdown" if nos == "nxos" else ""
    return HEAD[nos].format(host=host) + "".join(
        form.format(
            name=name.format(n=n),
            address=address,
            text=text or "-",
            shut=down if n in shut else up,
        )
        for n, (address, text) in enumerate(ports, start=1)
    )


def judge(folder: Path, links: str = "", **files: str) -> Report:
    for name, text in files.items():
        (folder / f"{name}.cfg").write_text(text)
    if links:
        (folder / "links.yaml").write_text(links)
    return run(Request((str(folder),), jobs=1, cache=False), Settings())


def found(report: Report, *rules: str) -> list[tuple[str, str, str]]:
    """Severity, rule and device of the findings of some rules."""
    chosen = rules or ("LNK008", "LNK009", "LNK010")
    return [(f.severity.label, f.rule, f.device) for f in report.findings if f.rule in chosen]


NOS = pytest.mark.parametrize("nos", sorted(PORT))
EDGE = ("10.9.9.0/31", "")


@NOS
@pytest.mark.parametrize(
    ("leaf", "spine", "expected"),
    [
        ((1,), (), [("warning", "LNK008", "leaf1")]),
        ((), (1,), [("warning", "LNK008", "spine1")]),
        ((1,), (1,), []),
        ((), (), []),
    ],
)
def test_one_end_is_shut(
    tmp_path: Path,
    nos: str,
    leaf: tuple[int, ...],
    spine: tuple[int, ...],
    expected: list[tuple[str, str, str]],
) -> None:
    report = judge(
        tmp_path,
        leaf1=box(nos, "leaf1", ("10.0.0.1/31", ""), EDGE, shut=leaf),
        spine1=box(nos, "spine1", ("10.0.0.0/31", ""), shut=spine),
    )
    assert found(report) == expected


@NOS
@pytest.mark.parametrize(
    ("leaf", "spine", "wrong"),
    [
        ("10.0.0.1/31", "10.0.0.0/31", False),
        ("10.0.7.1/31", "10.0.0.0/31", True),
        ("10.0.0.5/30", "10.0.0.2/30", True),
        ("10.0.0.1/24", "10.0.0.2/30", False),  # the prefixes overlap: they can speak
        ("192.0.2.1/32", "10.0.0.0/31", False),  # an address of the box, lent to the port
    ],
)
def test_two_subnets(tmp_path: Path, nos: str, leaf: str, spine: str, wrong: bool) -> None:
    port = PORT[nos][1].format(n=1)
    report = judge(
        tmp_path,
        links=f"- ['leaf1:{port}', 'spine1:{port}']\n",
        leaf1=box(nos, "leaf1", (leaf, "")),
        spine1=box(nos, "spine1", (spine, "")),
    )
    assert found(report) == ([("warning", "LNK009", "leaf1")] if wrong else [])


@NOS
def test_descriptions_count_where_both_ends_agree(tmp_path: Path, nos: str) -> None:
    port = PORT[nos][1].format(n=1)
    boxes = {
        "leaf1": box(nos, "leaf1", ("10.0.7.1/31", f"spine1 {port}")),
        "spine1": box(nos, "spine1", ("10.0.0.0/31", f"leaf1 {port}")),
    }
    (finding,) = (f for f in judge(tmp_path, **boxes).findings if f.rule == "LNK009")
    assert any("assumed" in note or "descriptions" in note for note in finding.notes)
    boxes["spine1"] = box(nos, "spine1", ("10.0.0.0/31", ""))
    assert found(judge(tmp_path, **boxes), "LNK009") == []


def swapped(nos: str, plan: tuple[str, str]) -> tuple[str, dict[str, str]]:
    first, second = (PORT[nos][1].format(n=n) for n in (1, 2))
    boxes = {
        "spine1": box(nos, "spine1", ("10.0.1.0/31", ""), ("10.0.2.0/31", "")),
        "leaf1": box(nos, "leaf1", ("10.0.1.1/31", "")),
        "leaf2": box(nos, "leaf2", ("10.0.2.1/31", "")),
    }
    links = (
        f"- ['spine1:{first}', '{plan[0]}:{first}']\n- ['spine1:{second}', '{plan[1]}:{first}']\n"
    )
    return links, boxes


@NOS
def test_a_plan_with_two_leaves_exchanged(tmp_path: Path, nos: str) -> None:
    links, boxes = swapped(nos, ("leaf2", "leaf1"))
    report = judge(tmp_path, links=links, **boxes)
    assert found(report) == [("warning", "LNK010", "spine1")]
    assert report.fabric is not None
    first = PORT[nos][1].format(n=1)
    peer = report.fabric.peer("spine1", first)
    assert peer is not None
    assert peer.key == ("leaf1", first)


@NOS
def test_a_plan_that_agrees(tmp_path: Path, nos: str) -> None:
    links, boxes = swapped(nos, ("leaf1", "leaf2"))
    assert found(judge(tmp_path, links=links, **boxes)) == []


@NOS
def test_one_mistyped_address_does_not_move_a_planned_cable(tmp_path: Path, nos: str) -> None:
    links, boxes = swapped(nos, ("leaf1", "leaf2"))
    boxes["leaf2"] = box(nos, "leaf2", ("10.0.7.1/31", ""))
    report = judge(tmp_path, links=links, **boxes)
    assert [entry[1] for entry in found(report)] == ["LNK009"]


@NOS
def test_where_no_link_fits_the_addresses_say_nothing(tmp_path: Path, nos: str) -> None:
    """They were replaced before the files were handed on."""
    links, boxes = swapped(nos, ("leaf1", "leaf2"))
    for n in (1, 2):
        boxes[f"leaf{n}"] = box(nos, f"leaf{n}", (f"10.8.{n}.1/31", ""))
    assert found(judge(tmp_path, links=links, **boxes)) == []

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.errors import LinksError
from roce_lint.text.excerpts import Excerpts
from roce_lint.topology import plan_file
from roce_lint.topology.plan_file import PlannedLink, read_plan


def plan(tmp_path: Path, text: str | bytes, name: str = "links.yaml") -> list[PlannedLink]:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_plan(path, name)


def refusal_of(tmp_path: Path, text: str | bytes, name: str = "links.yaml") -> str:
    with pytest.raises(LinksError) as raised:
        plan(tmp_path, text, name)
    return str(raised.value)


HEAD = "a_device,a_port,b_device,b_port"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("links.yaml", "# the plan\n- [leaf1:Ethernet1/1, spine1:Ethernet3/1]\n- {a: leaf1:e2, b: s2:e3, cable_m: 2.5, speed_gbps: 400, rail: 7}\n"),
        ("links.yml", "\ufeff- - leaf1:Ethernet1/1\n  - spine1:Ethernet3/1\n-\n  a: 'leaf1: e2'\n  b: s2:e3\n  rail: 07\n  cable_m: 2.5\n  speed_gbps: 4e2\n"),
        ("links.csv", f"{HEAD},cable_m,speed_gbps,rail\nleaf1,Ethernet1/1,spine1,Ethernet3/1,,,\nleaf1,e2,s2,e3,2.5,400,7\n"),
        ("LINKS.CSV", f'\ufeffrail,note,{HEAD},cable_m,speed_gbps\r\n,x,leaf1,Ethernet1/1,spine1,Ethernet3/1,,\r\n7,,leaf1, e2,s2,"e3",2.5,400\r\n,,,,,,,\r\n'),
    ],
)  # fmt: skip
def test_all_forms_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    one, two = plan(tmp_path, text, name)
    assert (one.a, one.b) == (("leaf1", "Ethernet1/1"), ("spine1", "Ethernet3/1"))
    assert (one.cable_m, one.speed_gbps, one.rail) == (None, None, None)
    assert (two.a, two.b) == (("leaf1", "e2"), ("s2", "e3"))
    assert (two.cable_m, two.speed_gbps, two.rail) == (2.5, 400.0, 7)


def test_every_link_has_its_line(tmp_path: Path) -> None:
    links = plan(tmp_path, "# plan\n\n- [a:1, b:1]\n-\n  a: c:1\n  b: d:1\n")
    links += plan(tmp_path, f"{HEAD}\na,1,b,1\n\nc,1,d,1\n", "links.csv")
    places = [Excerpts().locate(link.where) for link in links]
    assert [(place.file, place.line) for place in places] == [
        ("links.yaml", 3), ("links.yaml", 5), ("links.csv", 2), ("links.csv", 4),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "[]\n"])
def test_a_plan_may_be_empty(tmp_path: Path, text: str) -> None:
    assert plan(tmp_path, text) == []
    assert plan(tmp_path, f"{HEAD}\n", "links.csv") == []


def test_a_port_may_hold_colons(tmp_path: Path) -> None:
    (link,) = plan(tmp_path, "- ['node1:et-0/0/1:0', 'node2:b8:3f:d2:00:00:01']\n")
    assert (link.a, link.b) == (("node1", "et-0/0/1:0"), ("node2", "b8:3f:d2:00:00:01"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("links: []\n", "links.yaml: must be a list of links"),
        ("just text\n", "links.yaml: must be a list of links"),
        ("- [a:1, b:1]\n- [a:1]\n", "links.yaml:2: expected [device:port, device:port] or {a: device:port, b: device:port}"),
        ("- [a:1, b:1, c:1]\n", "links.yaml:1: expected [device:port, device:port] or {a: device:port, b: device:port}"),
        ("- a:1 b:1\n", "links.yaml:1: expected [device:port, device:port] or {a: device:port, b: device:port}"),
        ("- {a: 'x:1'}\n", "links.yaml:1: expected [device:port, device:port] or {a: device:port, b: device:port}"),
        ("- [a1, b:1]\n", "links.yaml:1: 'a1' is not device:port"),
        ("- [':1', b:1]\n", "links.yaml:1: ':1' is not device:port"),
        ("- ['a: ', b:1]\n", "links.yaml:1: 'a: ' is not device:port"),
        ("- [[a, '1'], b:1]\n", "links.yaml:1: \"['a', '1']\" is not device:port"),
        ("#\n- {a: 'x:1', b: 'y:1', cabel_m: 3, length: 2}\n", "links.yaml:2: unknown key: cabel_m, length"),
        ("- {a: 'x:1', b: 'y:1', cable_m: long}\n", "links.yaml:1: cable_m: 'long' is not a number of 0 or more"),
        ("- {a: 'x:1', b: 'y:1', cable_m: -1}\n", "links.yaml:1: cable_m: '-1' is not a number of 0 or more"),
        ("- {a: 'x:1', b: 'y:1', cable_m: nan}\n", "links.yaml:1: cable_m: 'nan' is not a number of 0 or more"),
        ("- {a: 'x:1', b: 'y:1', speed_gbps: inf}\n", "links.yaml:1: speed_gbps: 'inf' is not a number of 0 or more"),
        ("- {a: 'x:1', b: 'y:1', rail: 1.5}\n", "links.yaml:1: rail: '1.5' is not a number of 0 or more"),
        ("- {a: 'x:1', b: 'y:1', rail: [1]}\n", "links.yaml:1: rail: \"['1']\" is not a number of 0 or more"),
        ("- {a: 'x:1', b: 'y:1', a: 'z:1'}\n", 'links.yaml:1: "a" comes again; the last one counts'),
        ("- [a:1, b:1]\n---\n- [a:2, b:2]\n", "links.yaml: must be one document"),
        ("- !!python/object:os.system [a:1, b:1]\n", "links.yaml:1: "),
        ("- [a:1, b:1\n", "links.yaml:2: "),
        ("- [a:1, \0]\n", "links.yaml:1: not valid YAML"),
        (b"- [a:1, b:1]\n- [\xff:1, b:2]\n", "links.yaml:2: is not UTF-8"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_list_is_told_with_its_line(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    found = refusal_of(tmp_path, text)
    assert found == message if not message.endswith((" ", "YAML")) else found.startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "links.csv:1: columns are missing: a_device, a_port, b_device, b_port"),
        ("a_device,a_port,b_device\n", "links.csv:1: columns are missing: b_port"),
        ("leaf1,e1,spine1,e1\n", "links.csv:1: columns are missing: a_device, a_port, b_device, b_port"),
        (f"{HEAD}\nleaf1,e1,spine1\n", "links.csv:2: 'spine1:' is not device:port"),
        (f"{HEAD}\na,1,b,1\n,e1,spine1,e2\n", "links.csv:3: ':e1' is not device:port"),
        (f"{HEAD},rail\na,1,b,1,x\n", "links.csv:2: rail: 'x' is not a number of 0 or more"),
        (f"{HEAD},cable_m\n,,,,5\n", "links.csv:2: ':' is not device:port"),
        (f"{HEAD}\n" + "x" * 200_000, "links.csv:2: field larger than field limit (131072)"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table_is_told_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    assert refusal_of(tmp_path, text, "links.csv") == message


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    lines = ["- &a0 [x:1, y:1]"] + [
        f"- &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)
    ]
    assert "holds more than" in refusal_of(tmp_path, "\n".join(lines))


def test_what_nests_for_ever_is_refused(tmp_path: Path) -> None:
    assert "nests deeper" in refusal_of(tmp_path, "[" * 100_000)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(LinksError, match=r"^plan: cannot be read: No such file or directory$"):
        read_plan(tmp_path / "gone.yaml", "plan")
    with pytest.raises(LinksError, match=r"^plan: cannot be read: Is a directory$"):
        read_plan(tmp_path, "plan")


def test_an_endless_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_file, "SIZE_LIMIT", 1 << 20)
    with pytest.raises(LinksError, match="larger than 1 MiB"):
        read_plan(Path(os.devnull).with_name("zero"), "plan")


@given(st.text(max_size=200))
def test_no_text_makes_it_fail_otherwise(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    for name in ("links.yaml", "links.csv"):
        path = tmp_path_factory.getbasetemp() / name
        path.write_text(text, encoding="utf-8", newline="")
        try:
            read_plan(path, name)
        except LinksError as error:
            place = error.location
            assert place is not None
            assert place.startswith(name)

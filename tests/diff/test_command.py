"""`roce-lint diff`: sides, filters, formats, exit statuses and wrong use."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from roce_lint.pipeline.comparison import ComparisonOptions, compare
from roce_lint.pipeline.request import Request
from roce_lint.report.difference import as_lines
from roce_lint.report.selection import Options
from roce_lint.settings import Settings
from tests.metamorphic.snapshot import sample

LEAF = """\
! Command: show running-config
! device: {name} (DCS-7060DX5-64S, EOS-4.30.1F)
hostname {name}
!
interface Ethernet1/1
   description {peer} {port}
   mtu {mtu}
   no switchport
   ip address {address}
!
end
"""


def leaf(name: str, mtu: int = 9214, peer: str = "leaf2", port: str = "Ethernet1/1") -> str:
    address = "10.0.0.0/31" if name == "leaf1" else "10.0.0.1/31"
    return LEAF.format(name=name, mtu=mtu, peer=peer, port=port, address=address)


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    made = []
    for side in "ab":
        folder = tmp_path / side
        folder.mkdir()
        (folder / "leaf1.cfg").write_text(leaf("leaf1"))
        (folder / "leaf2.cfg").write_text(leaf("leaf2", peer="leaf1"))
        made.append(folder)
    return made[0], made[1]


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["diff", *map(str, words)])


def entries(*words: object) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(run(*words, "--format", "json").stdout)["entries"]
    return found


def test_no_difference_prints_nothing(sides: tuple[Path, Path]) -> None:
    found = run(*sides)
    assert (found.exit_code, found.stdout, found.stderr) == (0, "", "")


def test_one_value(sides: tuple[Path, Path]) -> None:
    (sides[1] / "leaf1.cfg").write_text(leaf("leaf1", 1500))
    found = run(*sides)
    assert found.exit_code == 1
    places = [f"{mark} {side}/leaf1.cfg:7" for mark, side in zip("-+", sides, strict=True)]
    assert found.stdout == (
        "leaf1 Ethernet1/1\n"
        "    ip_mtu: 9214 -> 1500\n"
        f"    {places[0]}    {places[1]}\n"
        f"    {'  mtu 9214':<{len(places[0])}}      mtu 1500\n"
    )
    (entry,) = entries(*sides)
    assert entry["paths"] == ["leaf1 interfaces[Ethernet1/1].ip_mtu"]
    assert entry["values"] == [{"field": "ip_mtu", "a": "9214", "b": "1500"}]
    for side, folder, text in zip("ab", sides, ("mtu 9214", "mtu 1500"), strict=True):
        (line,) = entry[side]  # type: ignore[misc]
        assert (line["file"], line["line"], line["text"].strip()) == (
            f"{folder}/leaf1.cfg", 7, text,
        )  # fmt: skip


def test_a_terminal_may_be_narrow(sides, monkeypatch) -> None:
    """Then the lines of both sides are below each other; in a wide one nothing is cut."""
    (sides[1] / "leaf1.cfg").write_text(leaf("leaf1", 1500))
    monkeypatch.chdir(sides[0].parent)
    requests = tuple(Request(paths=(side,)) for side in "ab")
    found = compare(requests, (Settings(), Settings()), ComparisonOptions())  # type: ignore[arg-type]
    for columns, wanted in (
        (36, [f"    {m} {n}/leaf1.cfg:7    {t}" for m, n, t in (("-", "a", "mtu 9214"),
                                                                 ("+", "b", "mtu 1500"))]),
        (46, ["    - a/leaf1.cfg:7    + b/leaf1.cfg:7", "      mtu 9214           mtu 1500"]),
    ):  # fmt: skip
        options = Options(cwd=".", color=True, width=columns)
        assert [item.text for item in as_lines(found, options)][2:] == wanted, columns


def test_single_files_and_the_path_as_it_was_given(sides, monkeypatch) -> None:
    (sides[1] / "leaf1.cfg").write_text(leaf("leaf1", 1500))
    monkeypatch.chdir(sides[0].parent)
    found = run("a/leaf1.cfg", "./b/leaf1.cfg")
    assert "- a/leaf1.cfg:7" in found.stdout
    assert "+ b/leaf1.cfg:7" in found.stdout


def test_an_archive_is_a_side(sides: tuple[Path, Path], tmp_path: Path) -> None:
    (sides[1] / "leaf1.cfg").write_text(leaf("leaf1", 1500))
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as packed:
        packed.add(sides[1], "snap")
    (entry,) = entries(sides[0], tmp_path / "b.tar.gz")
    (line,) = entry["b"]  # type: ignore[misc]
    assert line["file"].endswith("b.tar.gz!snap/leaf1.cfg")


def test_the_same_difference_on_many_is_one_entry(sides: tuple[Path, Path]) -> None:
    for name, peer in (("leaf1", "leaf2"), ("leaf2", "leaf1")):
        (sides[1] / f"{name}.cfg").write_text(leaf(name, 1500, peer))
    (entry,) = entries(*sides)
    assert entry["devices"] == ["leaf1", "leaf2"]
    assert [len(entry[side]) for side in "ab"] == [2, 2]  # type: ignore[arg-type]
    assert "2 devices: leaf1, leaf2" in run(*sides).stdout


def test_filters(sides: tuple[Path, Path]) -> None:
    for name, peer in (("leaf1", "leaf2"), ("leaf2", "leaf1")):
        (sides[1] / f"{name}.cfg").write_text(leaf(name, 1500, peer))
    (entry,) = entries(*sides, "--device", "leaf2")
    assert entry["devices"] == ["leaf2"]
    assert run(*sides, "--device", "leef2").exit_code == 2
    assert "leaf2" in run(*sides, "--device", "leef2").stderr
    assert run(*sides, "--role", "spine").exit_code == 2


def test_devices_and_ports_on_one_side_alone(sides: tuple[Path, Path]) -> None:
    (sides[1] / "leaf2.cfg").unlink()
    (sides[1] / "leaf3.cfg").write_text(leaf("leaf3"))
    text = leaf("leaf1").replace("end\n", "interface Ethernet2/1\n   mtu 9214\n!\nend\n")
    (sides[1] / "leaf1.cfg").write_text(text)
    found = run(*sides)
    assert found.exit_code == 1
    assert "leaf2\n    the device: gone\n" in found.stdout
    assert "leaf3\n    the device: new\n" in found.stdout
    assert [e["paths"] for e in entries(*sides)] == [
        ["leaf1 interfaces[Ethernet2/1]"], ["leaf2"], ["leaf3"],
    ]  # fmt: skip


def test_a_renamed_device(sides: tuple[Path, Path]) -> None:
    (sides[1] / "leaf1.cfg").write_text(leaf("leaf1", 1500).replace("leaf1", "edge1"))
    (entry,) = entries(*sides, "--match", "leaf1=edge1")
    assert entry["device"] == "leaf1"
    assert run(*sides, "--match", "leaf1").exit_code == 2
    assert run(*sides, "--match", "leaf1=nobody").exit_code == 2
    assert run(*sides, "--match", "leaf1=edge1", "--match", "leaf2=edge1").exit_code == 2


def test_neighbours_of_a_renamed_device(tmp_path: Path) -> None:
    """They call it by its new name: the cable is the same."""
    for side, name in (("a", "leaf1"), ("b", "edge1")):
        (tmp_path / side).mkdir()
        for file in ("leaf1.cfg", "spine1.json", "spine2.cfg", "spine2-lldp.txt"):
            text = sample("clean-fabric")[f"switches/{file}"]
            (tmp_path / side / file).write_text(text.replace("leaf1", name))
    found = entries(tmp_path / "a", tmp_path / "b", "--match", "leaf1=edge1")
    fields = {value["field"] for entry in found for value in entry["values"]}  # type: ignore[attr-defined]
    assert fields == {"description"}
    found = entries(tmp_path / "a", tmp_path / "b", "--match", "leaf1=edge1", "--device", "spine2")
    assert [entry["devices"] for entry in found] == [["spine2"]]


def test_sides_without_a_common_device(sides: tuple[Path, Path]) -> None:
    found = run(sides[0] / "leaf1.cfg", sides[1] / "leaf2.cfg")
    assert found.exit_code == 2
    assert "leaf1" in found.stderr
    assert "leaf2" in found.stderr


def test_a_side_that_cannot_be_read(sides: tuple[Path, Path]) -> None:
    """The rest is compared, and a device that was not read is not gone."""
    (sides[1] / "leaf1.cfg").write_text(leaf("leaf1", 1500))
    (sides[1] / "leaf3.json").write_text('{"PORT": {"Ethernet0": {"mtu": "9100"')
    found = run(*sides)
    assert found.exit_code == 3
    assert "ip_mtu: 9214 -> 1500" in found.stdout
    assert f"{sides[1]}/leaf3.json" in found.stderr
    empty = sides[0].parent / "empty"
    empty.mkdir()
    assert run(sides[0], empty).exit_code == 3
    assert run(sides[0], sides[0] / "nothing").exit_code == 2


@pytest.mark.parametrize("left", [b"\0\1\2" * 400, b"", b"nothing that anybody knows\n"])
def test_a_file_that_nobody_knows_any_more_is_no_device_that_is_gone(
    sides: tuple[Path, Path], left: bytes
) -> None:
    (sides[1] / "leaf1.cfg").write_text(leaf("leaf1", 1500))
    (sides[1] / "leaf2.cfg").write_bytes(left)
    found = run(*sides)
    assert found.exit_code == 3
    assert "ip_mtu: 9214 -> 1500" in found.stdout
    assert "gone" not in found.stdout
    assert f"{sides[1]}/leaf2.cfg" in found.stderr
    assert "on the other side it describes leaf2" in found.stderr


def test_a_device_whose_file_has_another_name_now_is_gone(sides: tuple[Path, Path]) -> None:
    (sides[1] / "leaf2.cfg").write_text(leaf("leaf9"))
    found = run(*sides)
    assert found.exit_code == 1
    assert "the device: gone" in found.stdout


def test_links_of_either_plan(sides: tuple[Path, Path]) -> None:
    plan = "- {{a: leaf1:Ethernet1/1, b: leaf2:Ethernet1/1, cable_m: {}}}\n"
    for side, metres in zip(sides, (5, 300), strict=True):
        (side / "links.yaml").write_text(plan.format(metres))
    (entry,) = entries(*sides)
    assert entry["paths"] == ["leaf1 links[Ethernet1/1].cable_m"]
    assert entry["values"] == [{"field": "links[Ethernet1/1].cable_m", "a": "5 m", "b": "300 m"}]
    (line,) = entry["b"]  # type: ignore[misc]
    assert (line["file"], line["line"]) == (f"{sides[1]}/links.yaml", 1)
    (sides[1] / "links.yaml").unlink()
    values = [e["values"] for e in entries(*sides)]
    assert values == [[{"field": "links[Ethernet1/1].cable_m", "a": "5 m", "b": None}]]


def test_a_link_on_one_side_alone(sides: tuple[Path, Path]) -> None:
    for side in sides:
        for name in ("leaf1", "leaf2"):
            bare = leaf(name).replace("   description leaf2 Ethernet1/1\n", "")
            (side / f"{name}.cfg").write_text("\n".join(
                line for line in bare.split("\n") if "ip address" not in line))  # fmt: skip
    (sides[0] / "links.yaml").write_text("- [leaf1:Ethernet1/1, leaf2:Ethernet1/1]\n")
    (entry,) = entries(*sides)
    assert entry["values"] == [
        {"field": "link to leaf2 Ethernet1/1", "a": "there", "b": "not there"}
    ]
    assert "link to leaf2 Ethernet1/1: gone" in run(*sides).stdout


def test_what_only_one_side_states(sides: tuple[Path, Path]) -> None:
    text = leaf("leaf1").replace("   no switchport\n", "   no switchport\n   no shutdown\n")
    (sides[1] / "leaf1.cfg").write_text(text)
    assert run(*sides).exit_code == 0
    found = run(*sides, "--stated")
    assert found.exit_code == 1
    assert "enabled: yes, stated on one side only" in found.stdout


def test_findings_that_b_introduces(sides: tuple[Path, Path]) -> None:
    (sides[1] / "leaf1.cfg").write_text(leaf("leaf1", 1500))
    found = json.loads(run(*sides, "--findings", "--format", "json").stdout)["findings"]
    assert [f["rule"] for f in found["gone"]] == []
    rules = {f["rule"] for f in found["new"]}
    back = json.loads(run(*sides[::-1], "--findings", "--format", "json").stdout)["findings"]
    assert {f["rule"] for f in back["gone"]} == rules
    assert f"new findings: {len(found['new'])}" in run(*sides, "--findings").stdout


def test_markdown(sides: tuple[Path, Path]) -> None:
    (sides[1] / "leaf1.cfg").write_text(leaf("leaf1", 1500))
    found = run(*sides, "--format", "markdown")
    assert "| leaf1 Ethernet1/1 | ip\\_mtu: 9214 -&gt; 1500 |" in found.stdout
    assert run(sides[0], sides[0], "--format", "markdown").stdout == ""


PORT = """\
interface Ethernet{0}/1
   mtu {1}
   no switchport
!
"""


def test_lines_that_are_not_shown_are_counted(sides: tuple[Path, Path]) -> None:
    for side, mtu in zip(sides, (9214, 1500), strict=True):
        ports = "".join(PORT.format(number, mtu) for number in range(2, 66))
        text = leaf("leaf1").replace("end\n", f"{ports}end\n")
        (side / "leaf1.cfg").write_text(text)
    found = run(*sides)
    assert found.stdout.count("    - ") == found.stdout.count("    + ") == 3
    assert found.stdout.endswith("\n    and 61 more lines\n")
    assert "more lines" not in run(*sides, "-v").stdout
    assert found.stdout.splitlines()[1] == "    ip_mtu: 9214 -> 1500"
    table = run(*sides, "--format", "markdown").stdout
    assert table.count("<br>and 61 more |") == 2

"""`roce-lint trace`: every hop of a class with its lines, and where it breaks."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.cli.conftest import Run

CLEAN = str(ROOT / "sample_configs" / "clean-fabric")
BROKEN = str(ROOT / "sample_configs" / "broken-fabric")

pytestmark = pytest.mark.usefixtures("cached")


def test_a_class_that_holds(run: Run) -> None:
    done = run("trace", CLEAN, "--from", "gpu01:ens1f0np0", "--to", "gpu05:mlx5_0")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("gpu01 mlx5_0 to gpu05 mlx5_0: RoCE DSCP 26\n")
    assert done.stdout.rstrip().endswith("holds on 2 paths")
    rows = [line.split() for line in done.stdout.splitlines() if line[:1].isdigit()]
    hops = [row for row in rows if len(row) > 4 and row[1].startswith(("gpu", "leaf", "spine"))]
    assert [row[1] for row in hops[:5]] in (
        ["gpu01", "leaf1", "spine1", "leaf3", "gpu05"],
        ["gpu01", "leaf1", "spine2", "leaf3", "gpu05"],
    )


def test_a_class_that_breaks_names_hop_line_and_rule(run: Run) -> None:
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0")
    done = run("trace", BROKEN, *words)
    assert done.exit_code == 1
    assert "switches/leaf1.cfg:9: error MAP002 leaf1 Ethernet1/1 " in done.stdout
    assert re.search(r"spine1\.json:\d+: error MAP001 spine1 Ethernet0 ", done.stdout)
    last = done.stdout.rstrip().splitlines()[-1]
    assert last.startswith("broken on 2 of 2 paths: first at hop 2, leaf1 Ethernet1/1 > Ethernet3")
    # Ethernet32/1 stops for priority 4 alone: what its neighbour pauses of this class runs on.
    assert last.endswith("(MAP002, PFC001)")


def test_a_fault_of_the_other_direction_is_not_in_the_way(run: Run) -> None:
    words = ("--from", "gpu05:mlx5_0", "--to", "gpu01:mlx5_0")
    done = run("trace", BROKEN, *words)
    # leaf1 Ethernet1/1 would misread what gpu01 sends; nothing arrives there on this way.
    assert "MAP002 leaf1 Ethernet1/1" not in done.stdout


def test_the_way_back_follows_cnp(run: Run) -> None:
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0", "--reverse")
    done = run("trace", CLEAN, *words)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("gpu05 mlx5_0 to gpu01 mlx5_0: CNP DSCP 48\n")


def test_faults_of_the_data_are_not_in_the_way_of_cnps(run: Run) -> None:
    words = ("--from", "gpu08:mlx5_0", "--to", "gpu03:mlx5_0")
    there, back = run("trace", BROKEN, *words), run("trace", BROKEN, *words, "--reverse")
    # spine2 marks the queue of RoCE with thresholds that cannot work; CNPs use another queue.
    assert "error ECN003 spine2 queue 3" in there.stdout
    assert "ECN003" not in back.stdout
    assert "CLS003" not in back.stdout
    assert (there.exit_code, back.exit_code) == (1, 0)
    assert "holds on 2 paths" in back.stdout


def test_a_fault_of_two_classes_is_in_the_way_of_each(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    shutil.copytree(ROOT / "tests" / "fabrics" / "two-roce-classes" / "fabric", folder)
    leaf = folder / "switches" / "leaf1.cfg"
    leaf.write_text(leaf.read_text().replace("qos trust dscp", "qos trust cos"))
    done = run("trace", str(folder), "--from", "gpu1", "--to", "gpu2")
    assert done.exit_code == 1
    verdicts = [text for text in done.stdout.splitlines() if text.startswith(("broken", "holds"))]
    assert (
        verdicts
        == ["broken on 2 of 2 paths: first at hop 2, leaf1 Ethernet1/1 > Ethernet32/1 (MAP002)"] * 2
    )


def test_json_says_the_same(run: Run) -> None:
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0", "--format", "json")
    data = json.loads(run("trace", BROKEN, *words).stdout)
    assert data["schema"] == "roce-lint/trace/1"
    (trace,) = data["traces"]
    assert (trace["class"], trace["dscp"], trace["broken"], trace["paths"]) == (
        "RoCE DSCP 26", 26, True, 2,
    )  # fmt: skip
    hop = trace["ways"][0]["hops"][1]
    assert hop["ports"].startswith("leaf1 Ethernet1/1 > ")
    assert hop["tc"]["value"] == "1"
    assert hop["tc"]["places"][0]["file"] == "switches/leaf1.cfg"
    assert hop["tc"]["places"][0]["line"] == 9
    assert {finding["rule"] for finding in hop["findings"]} >= {"MAP002"}


def test_any_code_point_can_be_followed(run: Run) -> None:
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0", "--dscp", "10")
    done = run("trace", CLEAN, *words)
    assert done.exit_code == 0
    assert "DSCP 10 (no RoCE class)" in done.stdout
    assert done.stdout.rstrip().endswith(
        "not judged: DSCP 10 belongs to no class; no other fault on 2 paths"
    )


def test_the_beginning_of_a_name_is_enough_for_a_class(run: Run) -> None:
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0")
    done = run("trace", CLEAN, *words, "--class", "cnp")
    assert done.stdout.startswith("gpu01 mlx5_0 to gpu05 mlx5_0: CNP DSCP 48\n")
    assert done.exit_code == 0


def test_what_is_wrong_with_the_queue_of_data_does_not_break_other_traffic(run: Run) -> None:
    words = ("--from", "gpu05:mlx5_1", "--to", "gpu06:mlx5_0")
    data, other = run("trace", BROKEN, *words), run("trace", BROKEN, *words, "--dscp", "10")
    assert "error ECN003 spine2 queue 3" in data.stdout
    assert "ECN003" not in other.stdout
    assert "warning LNK001 leaf3 Ethernet248" in other.stdout
    assert other.stdout.count("\n1 of 2 equal-cost paths:\n") == 2
    assert (data.exit_code, other.exit_code) == (1, 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--from", "gpu99", "--to", "gpu05"), "gpu99 has no RoCE NIC with a known link"),
        (
            ("--from", "server", "--to", "gpu05"),
            "(known: gpu01, gpu02, gpu03, gpu04, gpu05, gpu06, gpu07, gpu08 and 3 more)",
        ),
        (("--from", "gpu01:eth9", "--to", "gpu05"), "gpu01 has no RoCE NIC eth9"),
        (
            ("--from", "gpu01:mlx5_0", "--to", "gpu01:mlx5_0"),
            "sender and receiver are both gpu01 mlx5_0 (other NICs: mlx5_1)",
        ),
        (
            ("--from", "GPU01", "--to", "gpu05"),
            "GPU01 has no RoCE NIC with a known link (known: gpu01)",
        ),
        (("--from", "gpu01", "--to", ":mlx5_0"), "':mlx5_0' names no device"),
        (
            ("--from", "gpu01", "--to", "leaf1:Ethernet1/1"),
            "leaf1 is a switch: a trace runs from NIC to NIC (NICs behind it: gpu01 mlx5_0",
        ),
        (("--from", "gpu01", "--to", "gpu05", "--class", "x"), "no class is named 'x'"),
        (
            ("--from", "gpu01", "--to", "gpu05", "--class", ""),
            "several classes match '' (known: RoCE DSCP 26, CNP DSCP 48)",
        ),
        (
            ("--from", "gpu01", "--to", "gpu05", "--class", "x", "--dscp", "3"),
            "--class and --dscp exclude each other",
        ),
    ],
)
def test_wrong_use(run: Run, words: tuple[str, ...], said: str) -> None:
    done = run("trace", CLEAN, *words)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_finding_on_many_devices_is_told_of_the_one_at_the_hop(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    shutil.copytree(ROOT / "tests" / "fabrics" / "two-roce-classes" / "fabric", folder)
    for name in ("leaf1", "spine2"):
        leaf = folder / "switches" / f"{name}.cfg"
        leaf.write_text(leaf.read_text().replace("qos trust dscp", "qos trust cos"))
    words = ("--from", "gpu1", "--to", "gpu2")
    told = [
        re.sub(r"^(hop \d): .*/(\w+)\.cfg:\d+: error (\w+) (\w+) .*", r"\1 \2 \3 \4", line)
        for line in run("trace", str(folder), *words).stdout.splitlines()
        if re.match(r"hop \d: .*MAP002", line)
    ]
    assert set(told) == {"hop 2 leaf1 MAP002 leaf1", "hop 3 spine2 MAP002 spine2"}
    data = json.loads(run("trace", str(folder), *words, "--format", "json").stdout)
    hops = {h["ports"].split()[0]: h for h in data["traces"][0]["ways"][0]["hops"]}
    said = [f["message"].split()[0] for f in hops["spine2"]["findings"] if f["rule"] == "MAP002"]
    assert said == ["spine2"]


@pytest.mark.parametrize(
    ("host", "point", "hop"),
    [("gpu05", "np", 1), ("gpu05", "rp", 0), ("gpu01", "rp", 5), ("gpu01", "np", 0)],
)
def test_a_nic_that_does_not_answer_or_obey_is_told_on_the_way_back(
    run: Run, tmp_path: Path, host: str, point: str, hop: int
) -> None:
    """gpu01 sends data to gpu05: that has to send CNPs, and gpu01 to obey them."""
    folder = tmp_path / "in"
    shutil.copytree(ROOT / CLEAN, folder)
    path = folder / "hosts" / host / "ecn-ens1f0np0.txt"
    path.write_text(
        path.read_text().replace(f"roce_{point}/enable/3:1", f"roce_{point}/enable/3:0")
    )
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0")
    there, back = run("trace", str(folder), *words), run("trace", str(folder), *words, "--reverse")
    for done in (there, back):
        found = {text[:5] for text in done.stdout.splitlines() if "warning NIC007" in text}
        at = hop if done is back or not hop else 6 - hop
        assert found == ({f"hop {at}"} if hop else set())


def test_hosts_that_are_cabled_to_each_other(run: Run, tmp_path: Path) -> None:
    for name in ("gpu01", "gpu02"):
        shutil.copytree(ROOT / "sample_configs/clean-fabric/hosts" / name, tmp_path / name)
        (tmp_path / name / "lldpcli.json").unlink(missing_ok=True)
    (tmp_path / "links.yaml").write_text("- [gpu01:ens1f0np0, gpu02:ens1f0np0]\n")
    done = run("trace", str(tmp_path), "--from", "gpu01", "--to", "gpu02")
    assert (done.exit_code, done.stderr.strip()) == (
        2,
        ("roce-lint: gpu01 ens1f0np0 is cabled to gpu02 ens1f0np0 (a trace runs through switches)"),
    )


@pytest.fixture
def without_spines(tmp_path: Path) -> Path:
    """The clean fabric, of whose spines no configuration was read."""
    folder = tmp_path / "fabric"
    shutil.copytree(CLEAN, folder, ignore=shutil.ignore_patterns("spine*", "leaf[2456]*"))
    return folder


def test_where_nothing_is_known_of_the_way_that_is_said(run: Run, without_spines: Path) -> None:
    leaf = without_spines / "switches" / "leaf1.cfg"
    leaf.write_text(leaf.read_text().replace("description spine", "description "))
    words = ("--from", "gpu01", "--to", "gpu05")
    done = run("trace", str(without_spines), *words)
    assert done.exit_code == 2
    assert "gpu01 and gpu05 have no NICs in one RoCE network" in done.stderr
    assert "the peer of leaf1 Ethernet31/1, leaf1 Ethernet32/1" in done.stderr


def test_the_way_goes_on_through_a_switch_that_a_plan_names(run: Run, without_spines: Path) -> None:
    plan = (
        "- [leaf1:Ethernet31/1, spine1:Ethernet0]",
        "- [leaf1:Ethernet32/1, spine2:Ethernet1/1]",
        "- [leaf3:Ethernet240, spine1:Ethernet16]",
        "- [leaf3:Ethernet248, spine2:Ethernet3/1]",
    )
    (without_spines / "links.yaml").write_text("\n".join(plan) + "\n")
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0")
    done = run("trace", str(without_spines), *words)
    assert done.exit_code == 0, done.stderr
    rows = [line.split("26 ")[0].split() for line in done.stdout.splitlines() if line[:1] == "3"]
    assert sorted(rows) == [
        ["3", "spine1", "Ethernet0", ">", "Ethernet16"],
        ["3", "spine2", "Ethernet1/1", ">", "Ethernet3/1"],
    ]
    assert "hop 3: missing: the configuration of spine1" in done.stdout
    assert done.stdout.rstrip().endswith("input is missing, no fault found")
    judged = run("check", str(without_spines))
    assert judged.exit_code == 0
    assert ", spine1, spine2: needed for" in judged.stderr


def test_a_fault_on_the_way_to_a_missing_switch_is_found(run: Run, without_spines: Path) -> None:
    plan = "- [leaf1:Ethernet31/1, spine1:Ethernet0]\n- [leaf3:Ethernet240, spine1:Ethernet16]\n"
    (without_spines / "links.yaml").write_text(plan)
    leaf = without_spines / "switches" / "leaf1.cfg"
    text = leaf.read_text()
    begin = text.index("profile ROCE-FABRIC")
    broken = text[begin:].replace("priority 3 no-drop", "priority 5 no-drop", 1)
    leaf.write_text(text[:begin] + broken)
    line = text[: begin + text[begin:].index("priority 3 no-drop")].count("\n") + 1
    done = run("check", str(without_spines), "--format", "json")
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["rule"] == "PFC001"
    assert (finding["locations"][0]["file"], finding["locations"][0]["line"]) == (
        "switches/leaf1.cfg", line,
    )  # fmt: skip
    way = [hop["device"] for hop in finding["impact"]["path"]]
    assert way == ["gpu05", "leaf3", "spine1", "leaf1", "gpu01"]


def test_switches_alone_are_followed_between_edge_ports(run: Run) -> None:
    folder = str(ROOT / "tests" / "fabrics" / "switches-only" / "fabric")
    words = ("--from", "leaf1:Ethernet1/1", "--to", "leaf1:Ethernet2/1")
    done = run("trace", folder, *words)
    assert done.exit_code == 0
    assert done.stdout.startswith("leaf1 Ethernet1/1 to leaf1 Ethernet2/1: RoCE DSCP 26")
    away = run("trace", folder, "--from", "leaf1", "--to", "leaf2")
    assert away.exit_code == 2
    assert "is known (no known link between switches:" in away.stderr


@pytest.mark.parametrize(
    ("words", "column", "behind"),
    [
        # what a line states counts, and not what the mode beside it would imply
        (("leaf6", "swp1"), "ecn", ["min-threshold: 500000", "max-threshold: 3000000"]),
        # a NIC pauses the priority itself: the row that says which
        (("gpu01", "ens1f0np0"), "sent", ["enabled     0   0   0   1   0   0   0   0"]),
    ],
)
def test_the_lines_behind_a_cell_are_those_that_decide_it(
    run: Run, words: tuple[str, str], column: str, behind: list[str]
) -> None:
    device, port = words
    asked = ("show", CLEAN, "--device", device, "--port", port, "--format", "json")
    data = json.loads(run(*asked).stdout)
    (row,) = [row for row in data["rows"] if row["dscp"] == "24-31"]
    assert [place["text"].strip() for place in row[column]["places"]] == behind


def _line_of(file: Path, text: str) -> int:
    return file.read_text().splitlines().index(text) + 1


def test_cnp_in_the_bulk_queue_is_told_at_the_hop_that_does_it(run: Run) -> None:
    # The port ignores the code point: MAP002 says so of the data, and no rule of the CNP beside it.
    words = ("--from", "gpu05:mlx5_0", "--to", "gpu01:mlx5_0", "--reverse")
    done = run("trace", BROKEN, *words)
    assert done.exit_code == 0
    line = _line_of(Path(BROKEN) / "switches" / "leaf1.cfg", "   qos trust cos")
    said = f"switches/leaf1.cfg:{line}: warning CLS004 leaf1 "
    at = [text for text in done.stdout.splitlines() if said in text]
    assert all("DSCP 48" in text and "queue 1" in text for text in at)
    assert len(at) == 2  # one on each of two ways
    assert all(text.startswith("hop 2: ") for text in at)
    assert done.stdout.rstrip().splitlines()[-1] == (
        "holds on 2 paths, 2 warnings on the path: CLS004 at hop 2, LNK001 at hop 4"
    )
    data = json.loads(run("trace", BROKEN, *words, "--format", "json").stdout)
    hops = data["traces"][0]["ways"][0]["hops"]
    assert [[f["rule"] for f in hop["findings"]] for hop in hops][:2] == [[], ["CLS004"]]


def _clean_with(folder: Path, name: str, old: str, new: str) -> tuple[str, Path]:
    shutil.copytree(CLEAN, folder)
    file = folder / "switches" / name
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    return str(folder), file


@pytest.mark.parametrize(
    ("tc", "rule", "words"),
    [
        ("3", "error CLS002", "TC 3, "),
        ("1", "warning CLS004", "queue 1, "),
    ],
)
def test_what_a_rule_says_of_cnp_is_not_said_twice(
    run: Run, tmp_path: Path, tc: str, rule: str, words: str
) -> None:
    folder, file = _clean_with(
        tmp_path / "in", "leaf1.cfg", "qos map dscp 48 to traffic-class 6",
        f"qos map dscp 48 to traffic-class {tc}",
    )  # fmt: skip
    ends = ("--from", "gpu05:mlx5_0", "--to", "gpu01:mlx5_0", "--reverse")
    done = run("trace", folder, *ends)
    where = f"{file.name}:{_line_of(file, f'qos map dscp 48 to traffic-class {tc}')}: {rule} leaf1"
    found = [text for text in done.stdout.splitlines() if " CLS00" in text and "hop" in text]
    ways = done.stdout.count("equal-cost paths") or 1
    assert len([text for text in found if text.startswith("hop ")]) == ways
    assert all(where in text and words in text for text in found if text.startswith("hop "))
    assert done.exit_code == (1 if "error" in rule else 0)


def test_a_rule_that_is_not_wanted_is_not_told_of_cnp(run: Run, tmp_path: Path) -> None:
    settings = tmp_path / "mine.toml"
    settings.write_text('ignore = ["CLS004"]\n')
    words = ("--from", "gpu05:mlx5_0", "--to", "gpu01:mlx5_0", "--reverse")
    done = run("trace", BROKEN, *words, "--config", str(settings))
    assert done.stdout.rstrip().splitlines()[-1] == (
        "holds on 2 paths, 1 warning on the path: LNK001 at hop 4"
    )


def test_an_ignored_line_about_cnp_is_not_told(run: Run, tmp_path: Path) -> None:
    folder, _ = _clean_with(
        tmp_path / "in", "leaf1.cfg", "qos map dscp 48 to traffic-class 6",
        "!! roce-lint: ignore CLS004 -- known\nqos map dscp 48 to traffic-class 1",
    )  # fmt: skip
    words = ("--from", "gpu05:mlx5_0", "--to", "gpu01:mlx5_0", "--reverse")
    done = run("trace", folder, *words)
    assert done.stdout.rstrip().splitlines()[-1] == "holds on 2 paths"


def test_cnp_that_nothing_holds_up_is_not_warned_of(run: Run) -> None:
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0", "--reverse")
    assert run("trace", CLEAN, *words).stdout.rstrip().splitlines()[-1] == "holds on 2 paths"


def test_show_and_trace_name_the_broken_stages_of_a_port(run: Run) -> None:
    asked = ("show", BROKEN, "--device", "leaf1", "--port", "Ethernet1/1")
    data = json.loads(run(*asked, "--format", "json").stdout)["broken"]
    of_data = [each for each in data if each["class"] == "RoCE DSCP 26"]
    assert [(each["stage"], each["rules"], each["follows"]) for each in of_data] == [
        ("trust", ["MAP002"], False),
        ("code point", ["MAP001"], True),
        ("lossless", ["PFC001"], True),
        ("marking", ["ECN001"], True),
    ]
    assert of_data[0]["places"][0]["text"].strip() == "qos trust cos"
    text = run(*asked).stdout
    assert ": trust: leaf1 Ethernet1/1 " in text
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0", "--format", "json")
    hops = json.loads(run("trace", BROKEN, *words).stdout)["traces"][0]["ways"][0]["hops"]
    at_leaf = [each["stage"] for each in hops[1]["broken"] if each["port"] == "leaf1 Ethernet1/1"]
    assert at_leaf == ["trust", "code point", "lossless"]  # it does not leave by this port

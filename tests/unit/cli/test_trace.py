"""`roce-lint trace`: every hop of a class with its lines, and where it breaks."""

from __future__ import annotations

import json

import pytest

from tests.conftest import ROOT
from tests.unit.cli.conftest import Run

CLEAN = str(ROOT / "sample_configs" / "clean-fabric")
BROKEN = str(ROOT / "sample_configs" / "broken-fabric")


def test_a_class_that_holds(run: Run) -> None:
    done = run("trace", CLEAN, "--from", "gpu01:ens1f0np0", "--to", "gpu05:mlx5_0", "--no-cache")
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
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0", "--no-cache")
    done = run("trace", BROKEN, *words)
    assert done.exit_code == 1
    assert "switches/leaf1.cfg:9: error MAP002 leaf1 Ethernet1/1 classifies" in done.stdout
    assert "switches/spine1.json:248: error MAP001 spine1 Ethernet0 puts DSCP 26" in done.stdout
    last = done.stdout.rstrip().splitlines()[-1]
    assert last.startswith("broken on 2 of 2 paths: first at hop 2, leaf1 Ethernet1/1 > Ethernet3")
    assert last.endswith("(MAP002)")


def test_a_fault_of_the_other_direction_is_not_in_the_way(run: Run) -> None:
    words = ("--from", "gpu05:mlx5_0", "--to", "gpu01:mlx5_0", "--no-cache")
    done = run("trace", BROKEN, *words)
    # leaf1 Ethernet1/1 would misread what gpu01 sends; nothing arrives there on this way.
    assert "MAP002 leaf1 Ethernet1/1" not in done.stdout


def test_the_way_back_follows_cnp(run: Run) -> None:
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0", "--reverse", "--no-cache")
    done = run("trace", CLEAN, *words)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("gpu05 mlx5_0 to gpu01 mlx5_0: CNP DSCP 48\n")


def test_json_says_the_same(run: Run) -> None:
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0", "--format", "json", "--no-cache")
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
    words = ("--from", "gpu01:mlx5_0", "--to", "gpu05:mlx5_0", "--dscp", "10", "--no-cache")
    done = run("trace", CLEAN, *words)
    assert done.exit_code == 0
    assert "DSCP 10, which no class has" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--from", "gpu99", "--to", "gpu05"), "no RoCE NIC with a known link is on gpu99"),
        (("--from", "gpu01:eth9", "--to", "gpu05"), "gpu01 has no RoCE NIC called eth9"),
        (("--from", "gpu01:mlx5_0", "--to", "gpu01:mlx5_0"), "have no NICs in one RoCE network"),
        (("--from", "gpu01", "--to", "gpu05", "--class", "x"), "no class is called 'x'"),
        (
            ("--from", "gpu01", "--to", "gpu05", "--class", "x", "--dscp", "3"),
            "--class and --dscp exclude each other",
        ),
    ],
)
def test_wrong_use(run: Run, words: tuple[str, ...], said: str) -> None:
    done = run("trace", CLEAN, *words, "--no-cache")
    assert done.exit_code == 2
    assert said in done.stderr

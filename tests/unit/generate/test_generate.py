"""`generate`: output is written, read back unchanged, and without findings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from operator import itemgetter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from tests.sampling import sample, sampled


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)), prog_name="roce-lint")


@pytest.fixture
def intent(root: Path, tmp_path: Path) -> Path:
    return shutil.copy(root / "sample_configs/intents/sonic.yaml", tmp_path / "intent.yaml")


def files(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


@pytest.mark.parametrize("speed", sampled([100, 200, 400, 800], 3))
def test_what_is_written_is_ready_and_does_not_drift(
    intent: Path, tmp_path: Path, speed: int
) -> None:
    text = intent.read_text().replace("speed_gbps: 400", f"speed_gbps: {speed}")
    intent.write_text(text)
    out = tmp_path / "out"
    done = run("generate", intent, "-o", out, "--check")
    assert done.exit_code == 0, done.output
    assert "READY: all 56 " in done.stderr
    checked = run("check", out, "--strict", "--fail-on", "info", "--no-cache")
    assert checked.exit_code == 0, checked.output
    drift = run("diff", intent, out, "--no-cache")
    assert (drift.exit_code, drift.stdout) == (0, ""), drift.output


def test_one_intent_gives_the_same_bytes(intent: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert run("generate", intent, "-o", tmp_path / name).exit_code == 0
    one = files(tmp_path / "one")
    assert one == files(tmp_path / "two")
    assert run("generate", intent, "-o", tmp_path / "leaf", "--device", "leaf1").exit_code == 0
    assert files(tmp_path / "leaf")["configs/leaf1.json"] == one["configs/leaf1.json"]
    listed = json.loads(one["manifest.json"])["files"]
    assert listed.keys() == one.keys() - {"manifest.json"}


def test_only_what_was_made_here_gives_way(intent: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("generate", intent, "-o", out).exit_code == 0
    intent.write_text(intent.read_text().replace("mtu: 9100", "mtu: 9000"))
    assert run("generate", intent, "-o", out).exit_code == 0
    leaf = out / "configs/leaf1.json"
    assert '"mtu": "9000"' in leaf.read_text()
    leaf.write_text("edited")
    refused = run("generate", intent, "-o", out)
    assert refused.exit_code == 2, refused.output
    assert leaf.read_text() == "edited"
    (out / "mine.txt").write_text("kept")
    assert run("generate", intent, "-o", out, "--force").exit_code == 0
    assert '"mtu": "9000"' in leaf.read_text()
    assert (out / "mine.txt").read_text() == "kept"
    assert sorted(f.name for f in tmp_path.iterdir()) == ["intent.yaml", "out"]


def test_a_system_that_is_not_printed_does_not_stop_the_others(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("generate", root / "sample_configs/intents/mixed-vendors.yaml", "-o", out)
    assert done.exit_code == 3
    assert (
        "not rendered: Junos and Junos Evolved is designed, and not printed yet (spine1)"
        in done.stderr
    )
    assert (out / "configs/leaf3.json").exists()
    left = json.loads((out / "manifest.json").read_text())["not_rendered"]
    assert ["spine1"] in left.values()


@pytest.mark.parametrize(
    "name", ["../leaf{n}", "leaf{n}\\n no shutdown", "leaf{n}; reload", "{{ 7 * 7 }}", "leaf{m}"]
)
def test_a_hostile_intent_writes_nothing(intent: Path, tmp_path: Path, name: str) -> None:
    intent.write_text(intent.read_text().replace("name: leaf{n}", f'name: "{name}"'))
    done = run("generate", intent, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert "intent.yaml:" in done.stderr
    assert [f.name for f in tmp_path.iterdir()] == ["intent.yaml"]


def test_the_part_of_roce_is_part_of_the_whole(intent: Path, tmp_path: Path) -> None:
    for part in ("all", "roce"):
        run("generate", intent, "-o", tmp_path / part, "--part", part, "--device", "leaf1")
    whole, roce = (
        json.loads((tmp_path / part / "configs/leaf1.json").read_text()) for part in ("all", "roce")
    )
    assert "PORT" not in roce
    assert "INTERFACE" not in roce
    for table, rows in roce.items():
        for key, row in rows.items():
            assert row.items() <= whole[table][key].items()


BY_ITSELF = {
    # The switch does the same where nothing is stated.
    "BUFFER_PROFILE|pg_lossless_400000_3m_profile|xon",
    "BUFFER_PROFILE|pg_lossless_400000_30m_profile|xon",
    "PFC_WD|Ethernet0|action",
    "SCHEDULER|weight.40|type",
    "SCHEDULER|weight.60|type",
    "TC_TO_QUEUE_MAP|ROCE|0",
    # What holds then is not documented: not known, which is no difference.
    "PFC_WD|GLOBAL|POLL_INTERVAL",
    "TC_TO_PRIORITY_GROUP_MAP|ROCE|0",
    "TC_TO_PRIORITY_GROUP_MAP|ROCE|6",
}
"""Fields of the part of RoCE whose absence nothing finds, by the reason."""


@pytest.mark.parametrize("one_in", [12, pytest.param(1, marks=pytest.mark.deep)])
def test_each_value_of_the_part_of_roce_counts(intent: Path, one_in: int, tmp_path: Path) -> None:
    """Without any one field of a port, or of a shared object, the fabric drifts or has findings.
    The rows of one port represent all ports: they are printed identically. `buffer_model` is the
    platform's default.

    The rows of one port stand for those of all: they are printed alike. `buffer_model` is what
    the switch does by itself.
    """
    out = tmp_path / "out"
    run("generate", intent, "-o", out)
    leaf = out / "configs/leaf1.json"
    whole = json.loads(leaf.read_text())
    roce = {
        "MAP_PFC_PRIORITY_TO_QUEUE", "PORT_QOS_MAP", "WRED_PROFILE", "SCHEDULER", "QUEUE",
        "BUFFER_PG", "BUFFER_PROFILE", "PFC_WD", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP",
    }  # fmt: skip
    every = [
        (table, key, field)
        for table in sorted(roce)
        for key, row in whole[table].items()
        if not key.startswith("Ethernet") or key.partition("|")[0] == "Ethernet0"
        for field in row
    ]
    found, tried = set(), set()
    for table, key, field in sample(every, one_in, itemgetter(0), name="|".join):
        tried.add(f"{table}|{key}|{field}")
        row = {name: value for name, value in whole[table][key].items() if name != field}
        leaf.write_text(json.dumps({**whole, table: {**whole[table], key: row}}))
        if run("diff", intent, out, "--no-cache").exit_code:
            continue
        if run("check", out, "--strict", "--fail-on", "info", "--no-cache").exit_code == 0:
            found.add(f"{table}|{key}|{field}")
    assert found == (BY_ITSELF if one_in == 1 else BY_ITSELF & tried), "\n".join(found)


TOOLS = ("ip", "mlnx_qos", "cma_roce_mode", "cma_roce_tos")


def test_the_script_of_a_host_runs(intent: Path, tmp_path: Path) -> None:
    """In a shell, with stand-ins that record their calls, and files in place of those of the
    kernel; a second run has the same result.
    """
    run("generate", intent, "-o", tmp_path / "out", "--device", "gpu01")
    made = tmp_path / "out/configs/gpu01/roce-setup.sh"
    assert os.access(made, os.X_OK)
    script = made.read_text()
    tools, kernel = tmp_path / "tools", tmp_path / "kernel"
    tools.mkdir()
    for name in TOOLS:
        tool = tools / name
        tool.write_text(f'#!/bin/sh\necho "{name} $*" >> "{tmp_path}/calls"\n')
        tool.chmod(0o755)
    for line in script.splitlines():
        if line.startswith("echo "):
            place = kernel / line.rpartition(" > /")[2]
            place.parent.mkdir(parents=True, exist_ok=True)
    text = script.replace(" > /sys/", f" > {kernel}/sys/")
    states = []
    for _ in range(2):
        environment = {"PATH": f"{tools}{os.pathsep}/usr/bin:/bin"}
        subprocess.run(["/bin/sh", "-c", text], check=True, env=environment, timeout=60)
        states.append(files(kernel))
    assert states[0] == states[1]
    assert states[0]["sys/class/net/ens1f0np0/ecn/roce_np/cnp_dscp"] == b"48\n"
    assert states[0]["sys/class/net/ens2f0np0/device/infiniband/mlx5_1/tc/1/traffic_class"] == (
        b"106\n"
    )
    calls = (tmp_path / "calls").read_text().splitlines()
    half = len(calls) // 2
    assert calls[:half] == calls[half:]
    assert "mlnx_qos -i ens1f0np0 --pfc 0,0,0,1,0,0,0,0" in calls
    assert "cma_roce_tos -d mlx5_1 -t 106" in calls

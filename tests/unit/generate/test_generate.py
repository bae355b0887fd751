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
from roce_lint.errors import RenderError
from roce_lint.nos.base import Nos, RenderedFiles, RenderRequest
from roce_lint.nos.printer import render
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


def test_a_device_that_is_not_printed_does_not_stop_the_others(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(nos: Nos, asked: RenderRequest) -> RenderedFiles:
        if nos.name == "nxos":
            raise RenderError("no templates")
        return render(nos, asked)

    monkeypatch.setattr("roce_lint.generate.render", refuse)
    out = tmp_path / "out"
    done = run("generate", root / "sample_configs/intents/two-vendors.yaml", "-o", out)
    assert done.exit_code == 3
    assert "not rendered: no templates (spine1, spine2)" in done.stderr
    assert (out / "configs/leaf1.cfg").exists()
    left = json.loads((out / "manifest.json").read_text())["not_rendered"]
    assert left == {"no templates": ["spine1", "spine2"]}


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
    "PFC_WD|Ethernet0|action",
    "SCHEDULER|weight.40|type",
    "SCHEDULER|weight.60|type",
    # What holds then is not documented: not known, which is no difference.
    "TC_TO_PRIORITY_GROUP_MAP|ROCE|6",
}
"""Fields of the part of RoCE whose absence nothing finds, by the reason."""


@pytest.mark.parametrize("one_in", [24, pytest.param(1, marks=pytest.mark.deep)])
def test_each_value_of_the_part_of_roce_counts(intent: Path, one_in: int, tmp_path: Path) -> None:
    """Without any one field of a port, or of a shared object, the fabric drifts or has findings.
    The rows of one port represent all ports: they are printed identically. `buffer_model` is the
    platform's default.
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


TOOLS = ("bnxt_setupcc.sh", "dcb", "ethtool", "mlnx_qos", "modprobe", "nicctl", "rmdir")


@pytest.mark.parametrize(
    ("family", "rdma", "call"),
    [
        ("nvidia", "mlx5_1", "mlnx_qos -i ens2f0np0 --pfc 0,0,0,1,0,0,0,0"),
        (
            "broadcom",
            "bnxt_re1",
            "bnxt_setupcc.sh -d bnxt_re1 -i ens2f0np0 -m 3 -r 3 -s 26 -c 2 -p 48 -C 1 -b 60 -u 4",
        ),
        ("intel", "rocep1s0", "dcb pfc set dev ens2f0np0 prio-pfc all:off 3:on"),
        ("amd", "ionic_1", "nicctl update qos pfc --priority 3 --no-drop enable"),
    ],
)
def test_the_script_of_a_host_runs(
    intent: Path, tmp_path: Path, family: str, rdma: str, call: str
) -> None:
    """In a shell, with stand-ins that record their calls, and files in place of those of the
    kernel; a second run has the same result.
    """
    text = (
        intent.read_text()
        .replace("nvidia", family)
        .replace("mlx5_{r}", rdma.replace("1", "{r}", 1))
    )
    intent.write_text(text.replace("pfc_priority: 6", "pfc_priority: 2"))
    done = run("generate", intent, "-o", tmp_path / "out", "--device", "gpu01")
    assert done.exit_code == (3 if family == "intel" else 0), done.output
    made = tmp_path / "out/configs/gpu01/roce-setup.sh"
    assert os.access(made, os.X_OK)
    tools, kernel = tmp_path / "tools", tmp_path / "kernel"
    script = made.read_text().replace("/sys/", f"{kernel}/sys/")
    tools.mkdir()
    for name in TOOLS:
        tool = tools / name
        tool.write_text(f'#!/bin/sh\necho "{name} $*" >> "{tmp_path}/calls"\n')
        tool.chmod(0o755)
    for line in script.splitlines():
        place = Path(line.removesuffix(" > /dev/null").rpartition(" ")[2])
        if line.startswith("ls "):
            place.mkdir(parents=True)
        elif line.startswith(("echo ", "grep ")):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("\tfw_service_prof_type_sup : 1\n")
    states = []
    for _ in range(2):
        environment = {"PATH": f"{tools}{os.pathsep}/usr/bin:/bin"}
        subprocess.run(["/bin/sh", "-c", script], check=True, env=environment, timeout=60)
        states.append(files(kernel))
    assert states[0] == states[1]
    assert states[0][f"sys/kernel/config/rdma_cm/{rdma}/ports/1/default_roce_tos"] == b"106\n"
    if family == "nvidia":
        assert states[0]["sys/class/net/ens1f0np0/ecn/roce_np/cnp_dscp"] == b"48\n"
        assert states[0]["sys/class/infiniband/mlx5_1/tc/1/traffic_class"] == b"106\n"
    calls = (tmp_path / "calls").read_text().splitlines()
    half = len(calls) // 2
    assert calls[:half] == calls[half:]
    assert call in calls
    (kernel / f"sys/class/net/ens2f0np0/device/infiniband/{rdma}").rmdir()
    with pytest.raises(subprocess.CalledProcessError):  # another device is behind the interface
        subprocess.run(["/bin/sh", "-c", script], check=True, env=environment, timeout=60)


def test_a_template_of_the_site(intent: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "sonic").mkdir(parents=True)
    template = site / "sonic" / "system.j2"
    template.write_text('{{ row("DEVICE_METADATA", "localhost", hostname=d.hostname, type="X") }}')
    out = tmp_path / "out"
    done = run("generate", intent, "-o", out, "--templates", site, "--device", "leaf1")
    assert '"type": "X"' in (out / "configs/leaf1.json").read_text(), done.output
    (tmp_path / "other" / "sonik").mkdir(parents=True)
    wrong = run("generate", intent, "-o", tmp_path / "no", "--templates", tmp_path / "other")
    assert wrong.exit_code == 2
    assert "no system is called sonik" in wrong.stderr
    shutil.rmtree(tmp_path / "other")
    hostile = tmp_path / "hostile/sonic/render/system.j2"
    hostile.parent.mkdir(parents=True)
    hostile.write_text("{% include '/etc/passwd' %}")
    refused = run("generate", intent, "-o", tmp_path / "other", "--templates", tmp_path / "hostile")
    assert refused.exit_code == 2, refused.output
    assert "templates/sonic/render/system.j2" in refused.stderr
    assert not (tmp_path / "other").exists()


def test_the_readme_states_how_files_are_applied(intent: Path, tmp_path: Path) -> None:
    run("generate", intent, "-o", tmp_path / "out")
    text = (tmp_path / "out/README.md").read_text()
    assert "## SONiC" in text
    assert "sudo config load NAME.json -y" in text
    assert "`roce-setup.sh` | `/usr/local/sbin/`" in text


def test_processes_give_the_same_bytes(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    intent = root / "sample_configs/intents/two-tiers.yaml"
    made = {}
    for name, fewest in (("one", 1000), ("many", 2)):
        monkeypatch.setattr("roce_lint.generate.PARALLEL_FROM", fewest)
        monkeypatch.setattr("roce_lint.generate.processors", lambda: 2)
        run("generate", intent, "-o", tmp_path / name)
        made[name] = files(tmp_path / name)
    assert made["one"] == made["many"]

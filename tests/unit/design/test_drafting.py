"""The intent of a fabric that exists: a design can be made of it, and is what is there."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from roce_lint.catalog.refusals import Refusal
from roce_lint.cli.main import cli
from roce_lint.design.drafting.draft import Draft
from roce_lint.design.drafting.intent_draft import _take_all_out
from roce_lint.text.excerpts import Excerpts


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)), prog_name="roce-lint")


def drafted(path: Path, out: Path, *more: object) -> dict[str, Any]:
    done = run("intent", "--from", path, "-o", out, *more)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = yaml.safe_load(out.read_text())
    return found


@pytest.fixture
def golden(root: Path, tmp_path: Path) -> Path:
    """A generated fabric, of which all is known."""
    out = tmp_path / "golden"
    assert run("generate", root / "sample_configs/intents/sonic.yaml", "-o", out).exit_code == 0
    return out


def test_what_was_generated_is_drafted_and_generated_again(golden: Path, tmp_path: Path) -> None:
    made = drafted(golden, tmp_path / "intent.yaml")
    assert made["classes"]["roce"]["pfc_priority"] == 3
    assert made["hosts"]["gpu"]["count"] == 4
    assert "overrides" not in made or all("ports" in each for each in made["overrides"].values())
    out = tmp_path / "again"
    assert run("generate", tmp_path / "intent.yaml", "-o", out, "--check").exit_code == 0
    drift = run("diff", tmp_path / "intent.yaml", golden, "--no-cache")
    assert (drift.exit_code, drift.stdout) == (0, ""), drift.output
    back = run("diff", out, golden, "--no-cache")
    assert (back.exit_code, back.stdout) == (0, ""), back.output


def test_what_one_port_does_is_an_override_with_its_line(golden: Path, tmp_path: Path) -> None:
    leaf = golden / "configs/leaf1.json"
    text = leaf.read_text()
    changed = text.replace('"mtu": "9100"', '"mtu": "4200"', 1)
    assert changed != text
    leaf.write_text(changed)
    line = changed[: changed.index('"mtu": "4200"')].count("\n") + 1
    out = tmp_path / "intent.yaml"
    made = drafted(golden, out)
    ports = made["overrides"]["leaf1"]["ports"]
    assert [port["mtu"] for port in ports.values() if "mtu" in port] == [4200]
    assert f"mtu configs/leaf1.json:{line}" in out.read_text()
    drift = run("diff", out, golden, "--no-cache")
    assert (drift.exit_code, drift.stdout) == (0, ""), drift.output


def test_the_sample_fabric_differs_in_what_is_listed(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "intent.yaml"
    fabric = root / "sample_configs/clean-fabric"
    made = drafted(fabric, out)
    assert len(made["fabric"]["devices"]) == 8
    assert len(made["fabric"]["links"]) == 34
    assert {each["family"] for each in made["hosts"].values()} == {
        "nvidia", "broadcom", "intel", "amd",
    }  # fmt: skip
    judged = run("intent", out)
    assert judged.exit_code == 0, judged.output
    listed = out.read_text().partition("# Not covered by a key")[2]
    drift = run("diff", out, fabric, "--no-cache", "--format", "json").stdout
    names = re.findall(r'"name": "([a-z_]+)"', drift)
    assert set(names) <= set(re.findall(r"[a-z_]+", listed)), (names, listed)


def test_systems_of_a_mixed_fabric_keep_their_values(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "intent.yaml"
    made = drafted(root / "sample_configs/clean-fabric", out)
    systems = {each["system"] for each in made["marking"] if "system" in each}
    assert systems == {"cumulus", "nxos", "sonic"}
    assert made["classes"]["roce"]["systems"]["cumulus"] == {"share_percent": 50}
    assert made["overrides"]["gpu10"]["classes"] == {"cnp": {"share_percent": 10}}
    assert "# hosts/gpu11/nicctl-qos.txt:28" in out.read_text()
    drift = run("diff", out, root / "sample_configs/clean-fabric", "--no-cache", "--format", "json")
    names = set(re.findall(r'"name": "([a-z_]+)"', drift.stdout))
    assert not names & {"kmin", "kmax", "pmax_percent", "scheduler", "polling_ms", "detection_ms"}


def test_thresholds_of_one_port_are_an_override(golden: Path, tmp_path: Path) -> None:
    leaf = golden / "configs/leaf1.json"
    tables = json.loads(leaf.read_text())
    profile = tables["QUEUE"]["Ethernet0|3"]["wred_profile"]
    tables["WRED_PROFILE"]["OTHER"] = {
        **tables["WRED_PROFILE"][profile], "green_max_threshold": "9000000",
    }  # fmt: skip
    tables["QUEUE"]["Ethernet0|3"]["wred_profile"] = "OTHER"
    leaf.write_text(json.dumps(tables, indent=4))
    out = tmp_path / "intent.yaml"
    made = drafted(golden, out)
    override = made["overrides"]["leaf1"]["ports"]["Ethernet0"]["marking"]
    assert override == [{"kmin_bytes": 2000000, "kmax_bytes": 9000000, "pmax_percent": 20}]
    drift = run("diff", out, golden, "--no-cache")
    assert (drift.exit_code, drift.stdout) == (0, ""), drift.output


@pytest.mark.parametrize("name", ["leaf1.cfg", "leaf3.json", "leaf5.conf", "leaf6.yaml"])
def test_one_file_of_one_device_is_enough(root: Path, tmp_path: Path, name: str) -> None:
    made = drafted(root / "sample_configs/clean-fabric/switches" / name, tmp_path / "intent.yaml")
    (device,) = made["fabric"]["devices"].values()
    assert device["ports"]
    assert (
        run(
            "intent", tmp_path / "intent.yaml", "--device", name.split(".", maxsplit=1)[0]
        ).exit_code
        == 0
    )


def test_a_fabric_with_faults_is_drafted_with_them(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "intent.yaml"
    made = drafted(root / "sample_configs/broken-fabric", out)
    assert all(e["kmin_bytes"] <= e["kmax_bytes"] for e in made["marking"] if "kmin_bytes" in e)
    assert run("intent", out).exit_code == 1


def test_what_is_refused_is_taken_out_entry_by_entry() -> None:
    ends = [{"a": f"leaf{n}:Ethernet1", "b": "spine1:Ethernet1"} for n in range(5)]
    draft = Draft(Excerpts(), {"fabric": {"links": list(ends)}})
    faults = [Refusal(("fabric", "links", n, key), "no") for n in (1, 3) for key in ("a", "b")]
    assert _take_all_out(draft, faults)
    assert draft.tree["fabric"]["links"] == [ends[0], ends[2], ends[4]]
    assert not _take_all_out(draft, [Refusal(("classes", "roce"), "no")])
    assert not _take_all_out(draft, [Refusal((), "no"), Refusal(("fabric", "links", 0), "no")])


def test_a_cable_plan_is_heard(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "configs"
    file.mkdir()
    for name in ("leaf1.cfg", "spine2.cfg"):
        shutil.copy(root / "sample_configs/clean-fabric/switches" / name, file)
    plan = tmp_path / "links.yaml"
    plan.write_text('- {a: "leaf1:Ethernet31/1", b: "spine2:Ethernet6/1", cable_m: 17}\n')
    made = drafted(file, tmp_path / "intent.yaml", "--links", plan)
    assert {"a": "leaf1:Ethernet31/1", "b": "spine2:Ethernet6/1", "speed_gbps": 400,
            "cable_m": 17} in made["fabric"]["links"]  # fmt: skip


def test_what_cannot_be_designed_is_told(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "intent.yaml"
    done = run(
        "intent", "--from", root / "sample_configs/clean-fabric/switches/leaf2.cfg", "-o", out
    )
    assert done.exit_code == 3
    assert "unknown speed of 6 of its ports" in out.read_text()
    assert run("intent", "--from", out, "-o", out).exit_code == 2
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run("intent", "--from", empty).exit_code == 2

"""The planted faults of the broken sample, fixed."""

from __future__ import annotations

import difflib
import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import Result

from roce_lint.fix.offers import Answer
from tests.conftest import Golden
from tests.fix.conftest import SAMPLES, Command

pytestmark = pytest.mark.xdist_group("fix of the broken sample")

SAMPLE = SAMPLES / "broken-fabric"
REVIEWED = Path(__file__).with_name("broken-fabric.diff")

LEFT = {("LNK001", "leaf3"), ("MAP001", "leaf5")}
"""A cable, and a port whose classifier another port of the switch uses with another profile."""

LIVE = "NIC014"
"""The rule on settings that run on a host and differ from its files: the model of the files stays."""

HOSTS = {"gpu02", "gpu06", "gpu07", "gpu09", "gpu10", "gpu11"}
"""Hosts with a fault: their files are output of commands, so that commands alone fix them."""


def diff_of(out: Path) -> str:
    lines: list[str] = []
    for file in sorted((out / "configs").rglob("*")):
        if file.is_file():
            name = file.relative_to(out / "configs").as_posix()
            before = (SAMPLE / name).read_text().splitlines(keepends=True)
            after = file.read_text().splitlines(keepends=True)
            lines += difflib.unified_diff(before, after, name, name, n=0)
    return "".join(line for line in lines if not line.startswith("@@"))


def plan_of(out: Path) -> dict[str, list[dict[str, object]]]:
    plan: dict[str, list[dict[str, object]]] = json.loads((out / "plan.json").read_text())
    return plan


def test_the_diff_is_the_reviewed_one(broken: tuple[Result, Path], golden: Golden) -> None:
    golden.check(REVIEWED, diff_of(broken[1]))


def test_nearly_all_findings_are_fixed_and_the_rest_is_named(broken: tuple[Result, Path]) -> None:
    plan = plan_of(broken[1])
    fixed = [each for fix in plan["fixes"] for each in fix["findings"]]
    assert len(fixed) >= 23
    assert {each["device"] for each in fixed} >= HOSTS
    assert {(each["rule"], each["device"]) for each in plan["manual"]} == LEFT
    assert all(each["reason"] for each in plan["manual"])
    assert "Manual work" in (broken[1] / "plan.md").read_text()


def test_hosts_get_commands_with_their_rollback(broken: tuple[Result, Path]) -> None:
    for folder in ("commands", "rollback"):
        texts = {file.stem: file.read_text() for file in (broken[1] / folder).iterdir()}
        assert texts.keys() >= HOSTS
        assert all(texts[host].strip() for host in HOSTS)


def test_the_corrected_tree_has_no_finding_that_was_offered_and_no_new_one(
    command: Command, broken: tuple[Result, Path], tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(SAMPLE, tree)
    shutil.copytree(broken[1] / "configs", tree, dirs_exist_ok=True)
    before = json.loads(command("check", str(SAMPLE), "--format", "json", "--no-cache").stdout)
    after = json.loads(command("check", str(tree), "--format", "json", "--no-cache").stdout)
    plan = plan_of(broken[1])
    mended = {
        each["fingerprint"]
        for fix in plan["fixes"]
        for each in fix["findings"]
        if each["device"] not in HOSTS
    }
    mended -= {each["fingerprint"] for each in plan["manual"]}
    known = {each["fingerprint"] for each in before["findings"]}
    left = {each["fingerprint"]: each["occurrences"][0]["device"] for each in after["findings"]}
    assert mended <= known
    assert not mended & left.keys()
    assert left.keys() <= known
    assert set(left.values()) == {device for _, device in LEFT} | HOSTS
    assert after["summary"]["verdict"] == "not-ready"  # the cable of leaf3, and the hosts


def test_with_the_commands_on_the_hosts_only_what_is_left_is_found(answer: Answer) -> None:
    found = {(f.rule, f.device) for f in answer.after.report.findings if f.rule != LIVE}
    assert found == LEFT
    assert answer.after.report.verdict.broken < answer.before.report.verdict.broken / 10


def test_fixing_again_and_again_changes_no_file(
    broken: tuple[Result, Path], command: Command, tmp_path: Path
) -> None:
    """A port of leaf5 has an offer once its other ports are right."""
    tree = tmp_path / "tree"
    shutil.copytree(SAMPLE, tree)
    shutil.copytree(broken[1] / "configs", tree, dirs_exist_ok=True)
    command("fix", str(tree), "--disruptive", "--write")
    done = command("fix", str(tree), "--disruptive")
    assert "--- a/" not in done.stdout
    assert "MAP001 leaf5" not in done.output


def test_nothing_of_the_sample_was_touched(broken: tuple[Result, Path], command: Command) -> None:
    assert broken[0].exit_code == 1
    done = command("fix", str(SAMPLE), "--select", "MTU001", "--disruptive", "--device", "leaf2")
    assert "-  mtu 1500\n+  mtu 9216\n" in done.stdout
    assert done.stdout.count("\n--- a/") == 1


def test_the_core_is_changed_first_and_no_step_is_worse_than_before(
    broken: tuple[Result, Path],
) -> None:
    waves = plan_of(broken[1])["waves"]
    assert list(dict.fromkeys(wave["role"] for wave in waves)) == ["spine", "leaf", "host"]
    assert waves[0]["devices"] == ["spine1", "spine2"]
    assert {each["rule"] for wave in waves for each in wave["worse"]} <= {LIVE}


def test_the_manifest_has_the_hash_of_every_file(broken: tuple[Result, Path]) -> None:
    listed = json.loads((broken[1] / "manifest.json").read_text())["files"]
    found = {
        str(file.relative_to(broken[1])): sha256(file.read_bytes()).hexdigest()
        for file in broken[1].rglob("*")
        if file.is_file() and file.name != "manifest.json"
    }
    assert listed == found
    assert {"README.md", "plan.md", "plan.json", "configs/switches/leaf3.json"} <= found.keys()

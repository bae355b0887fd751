"""The planted faults of the broken sample, fixed."""

from __future__ import annotations

import difflib
import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import Result

from tests.conftest import Golden
from tests.fix.conftest import SAMPLES, Command

pytestmark = pytest.mark.xdist_group("fix of the broken sample")

SAMPLE = SAMPLES / "broken-fabric"
REVIEWED = Path(__file__).with_name("broken-fabric.diff")

LEFT = {
    # Of hosts nothing but what commands print is there.
    "gpu02", "gpu06", "gpu07", "gpu09", "gpu10", "gpu11",
    # No equals agree on what is missing there, or another address would have to change.
    "leaf1", "leaf2", "leaf3", "leaf4", "leaf5", "leaf6", "spine1", "spine2",
}  # fmt: skip


def diff_of(out: Path) -> str:
    lines: list[str] = []
    for file in sorted((out / "configs").rglob("*")):
        if file.is_file():
            name = file.relative_to(out / "configs").as_posix()
            before = (SAMPLE / name).read_text().splitlines(keepends=True)
            after = file.read_text().splitlines(keepends=True)
            lines += difflib.unified_diff(before, after, name, name, n=0)
    return "".join(line for line in lines if not line.startswith("@@"))


def test_the_diff_is_the_reviewed_one(broken: tuple[Result, Path], golden: Golden) -> None:
    golden.check(REVIEWED, diff_of(broken[1]))


def test_the_corrected_tree_has_no_finding_that_was_offered_and_no_new_one(
    broken: tuple[Result, Path], command: Command, tmp_path: Path
) -> None:
    done, out = broken
    tree = tmp_path / "tree"
    shutil.copytree(SAMPLE, tree)
    shutil.copytree(out / "configs", tree, dirs_exist_ok=True)
    before = json.loads(command("check", str(SAMPLE), "--format", "json", "--no-cache").stdout)
    after = json.loads(command("check", str(tree), "--format", "json", "--no-cache").stdout)
    plan = json.loads((out / "plan.json").read_text())
    mended = {each["fingerprint"] for fix in plan["fixes"] for each in fix["findings"]}
    mended -= {each["fingerprint"] for each in plan["manual"]}
    known = {each["fingerprint"] for each in before["findings"]}
    now = {each["fingerprint"] for each in after["findings"]}
    assert mended <= known
    assert not mended & now
    assert now <= known
    assert len(mended) >= 6
    assert done.exit_code == 1  # of hosts there are errors still


def test_what_is_left_is_told_with_its_reason(broken: tuple[Result, Path]) -> None:
    plan = json.loads((broken[1] / "plan.json").read_text())
    assert {each["device"] for each in plan["manual"]} == LEFT
    assert all(each["reason"] for each in plan["manual"])
    text = (broken[1] / "plan.md").read_text()
    assert "Manual work" in text


def test_fixing_again_changes_nothing(
    broken: tuple[Result, Path], command: Command, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(SAMPLE, tree)
    shutil.copytree(broken[1] / "configs", tree, dirs_exist_ok=True)
    done = command("fix", str(tree), "--disruptive")
    assert done.stdout == ""


def test_nothing_of_the_sample_was_touched(broken: tuple[Result, Path], command: Command) -> None:
    assert broken[0].exit_code == 1
    done = command("fix", str(SAMPLE), "--select", "MTU001", "--disruptive", "--device", "leaf2")
    assert "-  mtu 1500\n+  mtu 9216\n" in done.stdout
    assert done.stdout.count("\n--- a/") == 1


def test_the_core_is_changed_first_and_no_step_is_worse_than_before(
    broken: tuple[Result, Path],
) -> None:
    waves = json.loads((broken[1] / "plan.json").read_text())["waves"]
    assert [wave["role"] for wave in waves] == ["spine", "leaf"]
    assert waves[0]["devices"] == ["spine1"]
    assert [wave["worse"] for wave in waves] == [[], []]


def test_the_manifest_has_the_hash_of_every_file(broken: tuple[Result, Path]) -> None:
    listed = json.loads((broken[1] / "manifest.json").read_text())["files"]
    found = {
        str(file.relative_to(broken[1])): sha256(file.read_bytes()).hexdigest()
        for file in broken[1].rglob("*")
        if file.is_file() and file.name != "manifest.json"
    }
    assert listed == found
    assert {"README.md", "plan.md", "plan.json", "configs/switches/leaf3.json"} <= found.keys()

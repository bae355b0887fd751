"""`pytest --roce-lint PATH`, run as a user runs it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import roce_lint

SAMPLES = "sample_configs"


def _run(root: Path, folder: Path, *words: str) -> tuple[int, str]:
    command = [
        sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "roce_lint.pytest_plugin",
        "--rootdir", str(folder), *words,
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False, timeout=300, env=_environment(root),
    )  # fmt: skip
    return done.returncode, done.stdout


def _environment(root: Path) -> dict[str, str]:
    import os  # noqa: PLC0415

    # Without what is installed: the plugin is named, so that it is not loaded twice.
    return {**os.environ, "PYTHONPATH": str(root), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def test_each_rule_on_each_device_is_a_test(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "configs"
    broken = root / SAMPLES / "broken-fabric"
    shutil.copytree(broken / "hosts" / "gpu02", path / "hosts" / "gpu02")
    for name in ("leaf2.cfg", "spine2.cfg"):
        shutil.copy(broken / "switches" / name, path)
    status, out = _run(root, tmp_path, "-q", "-rf", f"--roce-lint={path}")
    report = roce_lint.load(path).check()
    wanted = {
        f"{finding.rule}[{here.device}]"
        for finding in report.findings
        if finding.severity is roce_lint.Severity.ERROR
        for here in finding.occurrences
    }
    assert status == 1, out
    assert set(re.findall(r"^FAILED \S*?::?([A-Z]{3}\d{3}\[[^\]]+\])", out, re.MULTILINE)) == wanted
    devices = {device.name for device in report.devices}
    passed, failed, skipped = (
        int(found.group(1)) if (found := re.search(rf"(\d+) {word}", out)) else 0
        for word in ("passed", "failed", "skipped")
    )
    assert failed == len(wanted)
    assert passed + failed + skipped == 1 + len(report.rules) * len(devices)
    one = report.findings[0]
    assert one.location is not None
    assert f"{one.location.file}:{one.location.line}" in out


def test_a_clean_fabric_passes(root: Path, tmp_path: Path) -> None:
    path = root / SAMPLES / "clean-fabric"
    status, out = _run(
        root, tmp_path, "-q", f"--roce-lint={path}", "--roce-lint-fail-on", "warning",
        "--roce-lint-select", "PFC",
    )  # fmt: skip
    assert status == 0, out
    assert "failed" not in out


def test_what_cannot_be_read_fails(root: Path, tmp_path: Path) -> None:
    (tmp_path / "leaf.cfg").write_bytes(b"\x00\x01\x02" * 100)
    status, out = _run(root, tmp_path, "-q", f"--roce-lint={tmp_path}")
    assert status == 1, out
    assert "no configuration was found" in out


def test_wrong_use_is_told(root: Path, tmp_path: Path) -> None:
    status, out = _run(root, tmp_path, "-q", "--roce-lint=nowhere")
    assert status == pytest.ExitCode.USAGE_ERROR, out
    assert "no such file or folder" in out


def test_without_the_option_nothing_is_added(root: Path, tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text("def test_x():\n    pass\n")
    status, out = _run(root, tmp_path, "-q")
    assert (status, "1 passed" in out) == (0, True), out


@pytest.fixture
def mild(root: Path, tmp_path: Path) -> Path:
    """A broken fabric whose own settings and comments hide its faults."""
    folder = tmp_path / "configs"
    folder.mkdir()
    for name in ("leaf2.cfg", "spine2.cfg"):
        shutil.copy(root / SAMPLES / "broken-fabric" / "switches" / name, folder)
    (folder / "roce-lint.toml").write_text('ignore = ["MTU", "PFC", "ECN", "BUF", "MAP", "CLS"]\n')
    return folder


def test_what_the_tree_says_to_be_judged_mildly_is_told(root: Path, mild: Path) -> None:
    _, out = _run(root, mild.parent, "-q", f"--roce-lint={mild}")
    assert "weakened by the checked tree" in out
    assert "these rules are not checked" in out
    assert "MTU001[" not in out


@pytest.mark.parametrize("trusted", [False, pytest.param(True, marks=pytest.mark.deep)])
def test_isolated_hears_nothing_of_the_tree(root: Path, mild: Path, trusted: bool) -> None:
    own = mild.parent / "own.toml"
    own.write_text("")
    how = f"--roce-lint-trusted-config={own}" if trusted else "--roce-lint-isolated"
    status, out = _run(root, mild.parent, "-q", "-rf", f"--roce-lint={mild}", how)
    assert status == 1, out
    assert "MTU001[" in out
    assert "weakened by" not in out


def test_settings_of_the_tree_are_not_trusted(root: Path, mild: Path) -> None:
    status, out = _run(
        root, mild.parent, "-q", f"--roce-lint={mild}",
        f"--roce-lint-trusted-config={mild / 'roce-lint.toml'}",
    )  # fmt: skip
    assert status == pytest.ExitCode.USAGE_ERROR, out
    assert "is inside the checked tree" in out

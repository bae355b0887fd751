"""A green run is a claim: if nothing could be checked, no run ends with status 0 and READY."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from tests.conftest import ROOT

HEAD = "! device: leaf1 (DCS-7060X5-64S, EOS-4.32.2F)\n!\nhostname leaf1\n!\n"
QOS = "qos map dscp 26 to traffic-class 3\n!\nqos profile ROCE\n   qos trust dscp\n"
PORT = "interface Ethernet1\n   mtu 9214\n"
WORDS = "".join(f"   make-roce-fast level {number}\n" for number in range(60))

FOLDERS: dict[str, dict[str, str]] = {
    "nothing": {},
    "nonsense": {"x.txt": "hello world\n", "y.cfg": "lorem ipsum\n"},
    "documents": {"README.md": "# configurations\n"},
    "no interface": {"leaf1.cfg": f"{HEAD}{QOS}end\n"},
    "no line understood": {"leaf1.cfg": f"! device: x (DCS-7060X5-64S, EOS-4.32.2F)\n{WORDS}"},
    "few lines understood": {"leaf1.cfg": f"{HEAD}interface Ethernet1\n{WORDS}!\nend\n"},
    "no QoS": {"leaf1.cfg": f"{HEAD}{PORT}!\nend\n"},
}
INCOMPLETE = set(FOLDERS) - {"no QoS"}


def check(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(cli, ["check", str(folder), "--no-cache", *options])


def silent(done: Result) -> bool:
    """Whether a run passes for a clean bill of health."""
    return done.exit_code == 0 and "READY" in done.output


@pytest.mark.parametrize("name", FOLDERS)
def test_a_fabric_that_could_not_be_checked_is_never_ready(name: str, tmp_path: Path) -> None:
    for file, text in FOLDERS[name].items():
        (tmp_path / file).write_text(text)
    done = check(tmp_path)
    assert not silent(done)
    assert done.output.splitlines()[-1].startswith("NOT PROVED: no pair was judged")
    assert done.exit_code == (3 if name in INCOMPLETE else 0)
    for demand in (["--require", "ready"], ["--require", "proved"], ["--require-coverage", "1%"]):
        assert check(tmp_path, *demand).exit_code == 3
    assert check(tmp_path, "--strict").exit_code == 3


def test_hosts_alone_are_not_ready(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sample_configs/clean-fabric/hosts", tmp_path / "hosts")
    assert not silent(check(tmp_path))
    assert check(tmp_path, "--require", "ready").exit_code == 3


def test_switches_that_only_mark_are_not_ready(tmp_path: Path) -> None:
    """ECN marking alone does not prove that the traffic is RoCE."""
    shutil.copytree(ROOT / "tests/fabrics/ecn-only/fabric/switches", tmp_path / "switches")
    assert not silent(check(tmp_path))
    assert check(tmp_path, "--require", "ready").exit_code != 0


def test_a_clean_fabric_is_ready_and_a_broken_one_is_not() -> None:
    clean, broken = (ROOT / "sample_configs" / f"{name}-fabric" for name in ("clean", "broken"))
    demands = ("--require", "ready", "--require-coverage", "100%", "--strict")
    assert check(clean, *demands).exit_code == 0
    assert check(clean).output.splitlines()[-1].startswith("READY: all 462 NIC pairs judged")
    assert check(broken, "--fail-on", "never", "--require", "ready").exit_code == 1
    assert check(broken, "--fail-on", "never", "--require-coverage", "50").exit_code == 0
    assert check(broken, "--fail-on", "never", "--require-coverage", "99.9%").exit_code == 3


def test_deselected_rules_make_it_not_proved() -> None:
    clean = ROOT / "sample_configs/clean-fabric"
    some = check(clean, "--select", "MTU")
    assert "NOT PROVED" in some.output
    assert "rules (deselected)" in some.output
    part = check(clean, "--device", "leaf1")
    assert "missing: the other devices (only some were selected)" in part.output


@pytest.mark.parametrize("wrong", ["101%", "-1", "half", "", "1e1"])
def test_a_coverage_that_is_no_percentage_is_wrong_use(wrong: str, tmp_path: Path) -> None:
    assert check(tmp_path, "--require-coverage", wrong).exit_code == 2

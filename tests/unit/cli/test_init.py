"""`init`: its summary of a folder; its files are valid and do not change the result."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from roce_lint.settings import load


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)))


@pytest.fixture
def fabric(root: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "configs"
    shutil.copytree(root / "sample_configs" / "clean-fabric", folder)
    return folder


def judged(folder: Path) -> dict[str, Any]:
    report = json.loads(run("check", folder, "--format", "json", "--no-cache").stdout)
    return {key: report[key] for key in ("findings", "unknowns", "summary")}


def test_what_is_found_is_said_and_written(fabric: Path) -> None:
    (fabric / "links.yaml").unlink(missing_ok=True)
    before = judged(fabric)
    done = run("init", fabric, "--no-cache")
    assert done.exit_code == 0, done.stderr
    assert "  leaf: leaf1-" in done.stdout
    assert "from LLDP" in done.stdout
    assert f"written: {fabric}/roce-lint.toml, {fabric}/links.yaml" in done.stdout
    assert load(fabric / "roce-lint.toml").fail_on == "error"
    assert judged(fabric) == before


def test_what_is_only_assumed_is_a_comment(root: Path, tmp_path: Path) -> None:
    for name, peer in (("leaf1", "spine1"), ("spine1", "leaf1")):
        text = (
            f"! device: {name} (DCS-7060X6-64PE, EOS-4.33.1F)\nhostname {name}\n"
            f"interface Ethernet1\n   description {peer} Ethernet1\n   no switchport\n"
            "   ip address 10.0.0.0/24\nend\n"
        )
        (tmp_path / f"{name}.cfg").write_text(text)
    assert "1 from descriptions only" in run("init", tmp_path, "--no-cache").stdout
    text = (tmp_path / "links.yaml").read_text()
    assert yaml.safe_load(text) == []
    entry = '- ["leaf1:Ethernet1", "spine1:Ethernet1"]'
    assert f"# {entry}\n" in text
    assert yaml.safe_load(text.replace("# - [", "- [").replace("[]", "")) == [
        ["leaf1:Ethernet1", "spine1:Ethernet1"]
    ]


def test_files_that_are_there_stay(fabric: Path) -> None:
    (fabric / "roce-lint.toml").write_text('fail-on = "warning"\n')
    done = run("init", fabric, "--no-cache")
    assert "exists and is not changed" in done.stderr
    assert load(fabric / "roce-lint.toml").fail_on == "warning"
    assert run("init", fabric, "--no-cache", "--force").exit_code == 0
    assert load(fabric / "roce-lint.toml").fail_on == "error"


@pytest.mark.parametrize(
    ("name", "said"), [("none", "is not a folder"), ("empty", "no configuration")]
)
def test_nothing_to_begin_with(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    done = run("init", tmp_path / name)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not list((tmp_path / "empty").iterdir())

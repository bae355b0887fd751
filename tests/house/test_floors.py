"""The floors hold: who may import whom is a contract in pyproject.toml, checked here."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.house.listing import ROOT


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    # The command adds the working directory to the path, so `folder` is what is looked at.
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )


def contracts() -> list[dict[str, object]]:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return config["tool"]["importlinter"]["contracts"]


def test_the_contracts_are_kept() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """An empty one: every floor of the contract with one module and no imports."""
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    floors = next(c for c in contracts() if c["type"] == "layers")
    names = " ".join(floors["layers"]).replace("|", " ").replace("(", " ").replace(")", " ")
    for name in names.split():
        package = tmp_path / "roce_lint" / name
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
    (tmp_path / "roce_lint" / "__init__.py").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("text", "import roce_lint.model", "A floor imports only from floors below"),
        ("nos", "import roce_lint.analysis", "A floor imports only from floors below"),
        ("newcomer", "", "A floor imports only from floors below"),
        ("checks", "import roce_lint.nos", "Checks are vendor-neutral"),
        ("analysis", "import roce_lint.engine", "A floor imports only from floors below"),
        ("model", "import pydantic", "pydantic stays at the borders"),
        ("loading", "import yaml", "PyYAML has one home"),
        ("pull", "import netmiko", "netmiko has one home"),
        ("report", "import click", "click has one home"),
        ("pipeline", "import rich.table", "rich has one home"),
        ("loading", "import sqlite3", "sqlite3 has one home"),
        ("generate", "import jinja2", "Jinja has one home"),
        ("text", "import ttp", "TTP has one home"),
    ],
)
def test_a_breach_is_noticed(house: Path, module: str, line: str, contract: str) -> None:
    package = house / "roce_lint" / module
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text(f"{line}\n")
    done = lint_imports(house)
    assert done.returncode == 1
    assert f"{contract} BROKEN" in done.stdout, done.stdout + done.stderr


def test_a_library_may_be_used_at_home(house: Path) -> None:
    for home, line in (
        ("text/extract", "import ttp"),
        ("text/tree", "import yaml"),
        ("text/template", "import jinja2"),
        ("pull/ssh", "import netmiko"),
        ("cli/check", "import click, rich.progress"),
        ("report/text", "import rich.console"),
        ("loading/cache", "import sqlite3"),
        ("catalog/hardware", "import pydantic"),
    ):
        (house / "roce_lint" / f"{home}.py").write_text(f"{line}\n")
    done = lint_imports(house)
    assert done.returncode == 0, done.stdout + done.stderr

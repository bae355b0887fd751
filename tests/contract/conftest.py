"""Installs to look at: of the wheel, of the checkout, each in an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

WHERE = "from roce_lint.resources import resource_dir as r; print(r('rules'), r('templates'))"


@dataclass(frozen=True)
class Place:
    """An environment with roce-lint in it, used from a folder that has nothing to do with us."""

    bin: Path
    elsewhere: Path

    def run(self, program: str, *args: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment; nothing of ours may reach it by the side door."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COVERAGE"))}
        return subprocess.run(
            [self.bin / program, *args],
            cwd=self.elsewhere,
            env=clean,
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def resources(self) -> list[Path]:
        """Source of rules and templates of this install."""
        done = self.run("python", "-c", WHERE)
        assert done.returncode == 0, done.stderr
        return [Path(folder) for folder in done.stdout.split()]


def call(*args: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *args],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout


def place(folder: Path, *requirement: str | Path) -> Place:
    """An empty environment with one thing installed in it."""
    # The installer of this environment serves the new one, which so stays empty but for us.
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    call("pip", "--python", python, "install", "--quiet", "--no-compile", *requirement)
    (folder / "elsewhere").mkdir()
    return Place(folder / "venv" / "bin", folder / "elsewhere")


@pytest.fixture(scope="session")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    call("build", "--wheel", "--outdir", folder, root)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    return place(tmp_path_factory.mktemp("installed"), wheel)

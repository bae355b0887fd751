"""Both kinds of install work: the wheel carries rules and templates, a checkout uses its own."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

# One worker does all of it: the installs are shared, and two at a time would be slower.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]

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
        """Where this install takes rules and templates from."""
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


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    call("build", "--wheel", "--outdir", folder, root)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    return place(tmp_path_factory.mktemp("installed"), wheel)


def test_the_wheel_carries_every_rule_and_template(root: Path, wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("rules", "templates"):
        files = {
            path.relative_to(root).as_posix()
            for path in (root / folder).rglob("*")
            if path.is_file()
        }
        assert files != set()
        assert {f"roce_lint/_data/{name}" for name in files} <= names
    assert "roce_lint/py.typed" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {"roce_lint"}


def test_the_wheel_uses_what_it_carries(installed: Place) -> None:
    rules, templates = installed.resources()
    packed = installed.bin.parent / "lib"
    assert rules.is_relative_to(packed)
    assert templates.is_relative_to(packed)
    assert rules.parent.name == templates.parent.name == "_data"


def test_the_wheel_judges_the_clean_fabric(root: Path, installed: Place) -> None:
    done = installed.run("roce-lint", "check", str(root / "sample_configs" / "clean-fabric"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_explains_a_rule(root: Path, installed: Place) -> None:
    done = installed.run("roce-lint", "explain", "MTU001")
    assert done.returncode == 0, done.stderr
    (page,) = (root / "rules").rglob("MTU001-*.md")
    title = next(line for line in page.read_text().splitlines() if line.startswith("# "))
    assert title.removeprefix("# ") in " ".join(done.stdout.split())


def test_an_editable_install_uses_the_checkout(root: Path, tmp_path: Path) -> None:
    editable = place(tmp_path, "--no-deps", "--editable", root)
    assert editable.resources() == [root / "rules", root / "templates"]

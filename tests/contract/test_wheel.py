"""Both kinds of install work: the wheel carries rules and templates, a checkout uses its own."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from tests.contract.conftest import Place, place

# One worker does all of it: the installs are shared, and two at a time would be slower.
pytestmark = [pytest.mark.deep, pytest.mark.xdist_group("wheel")]


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


def test_the_wheel_finds_the_faults_of_the_broken_fabric(root: Path, installed: Place) -> None:
    sample = root / "sample_configs" / "broken-fabric"
    done = installed.run("roce-lint", "check", str(sample), "--format", "concise")
    assert done.returncode == 1, done.stdout + done.stderr
    kept = (root / "tests" / "fabrics" / "broken-fabric.text.txt").read_text()
    found, expected = (
        set(re.findall(r"broken-fabric/(\S+:\d+: \w+ [A-Z]{3}\d+)", text))
        for text in (done.stdout, kept)
    )
    assert found == expected


def test_the_wheel_writes_the_page(root: Path, installed: Place) -> None:
    sample = str(root / "sample_configs" / "clean-fabric")
    done = installed.run("roce-lint", "check", sample, "--format", "html")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("<!DOCTYPE html>")
    css = (root / "templates" / "report" / "html" / "page.css").read_text()
    assert f"<style>{css}</style>" in done.stdout


def test_the_wheel_explains_a_rule(root: Path, installed: Place) -> None:
    done = installed.run("roce-lint", "explain", "MTU001")
    assert done.returncode == 0, done.stderr
    (page,) = (root / "rules").rglob("MTU001-*.md")
    title = next(line for line in page.read_text().splitlines() if line.startswith("# "))
    assert title.removeprefix("# ") in " ".join(done.stdout.split())


def test_an_editable_install_uses_the_checkout(root: Path, tmp_path: Path) -> None:
    editable = place(tmp_path, "--no-deps", "--editable", root)
    assert editable.resources() == [root / "rules", root / "templates"]

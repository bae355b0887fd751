"""Scaffolded files work unchanged, and existing files stay untouched."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roce_lint.dev.__main__ import main
from roce_lint.dev.scaffold import new_nos, new_rule, skeleton
from roce_lint.errors import RoceLintError

COPIED = ("roce_lint", "templates", "rules", "docs", "tests", "sample_configs")
PLACES = ["docs/nos/", "roce_lint/nos/", "rules/platforms/", "templates/", "tests/nos/"]


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A copy of the tree in which things may be made."""
    skip = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        shutil.copytree(root / name, tmp_path / name, ignore=skip)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(root / name, tmp_path / name)
    return tmp_path


def digests(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def passes(root: Path, *words: str) -> None:
    clean = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=root, check=False, capture_output=True, text=True,
        env=clean,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.deep
@pytest.mark.parametrize("name", ["acme", "zed9"])
def test_a_new_nos_works_and_edits_nothing(checkout: Path, name: str) -> None:
    before = digests(checkout)
    made = new_nos(checkout, name, "Acme OS", "! acme-os 4")
    after = digests(checkout)
    assert {path: after[path] for path in before} == before
    assert sorted(set(after) - set(before)) == made
    assert sorted({place for place in PLACES for path in made if path.startswith(place)}) == PLACES
    assert all(f"{name}/" in path or path.endswith((f"{name}.md", f"{name}.toml")) for path in made)
    passes(checkout, "pytest", "-p", "no:cacheprovider", f"tests/nos/{name}")
    new = [path for path in made if path.endswith(".py")]
    passes(checkout, "ruff", "check", "--no-cache", *new)
    passes(checkout, "ruff", "format", "--no-cache", "--check", *new)
    sample = f"tests/nos/{name}/leaf/running-config.cfg"
    passes(checkout, "roce_lint", "check", "--no-cache", sample)
    (checkout / f"tests/nos/{name}/leaf/model.json").unlink(missing_ok=True)
    rewritten = ("--rewrite", "tests/nos/test_cases.py", "-k", f"{name}/")
    passes(checkout, "pytest", "-p", "no:cacheprovider", *rewritten)
    assert (checkout / f"tests/nos/{name}/leaf/states.txt").read_text() == ""
    passes(checkout, "roce_lint.dev", "nos")
    own = f"{name} or several_have"
    passes(
        checkout, "pytest", "-p", "no:cacheprovider", "-k", own,
        "tests/unit/loading/test_apart.py", "tests/house/test_nos_pages.py", "tests/nos",
    )  # fmt: skip


@pytest.mark.deep
def test_a_new_rule_works_and_edits_nothing_by_hand(checkout: Path) -> None:
    before = digests(checkout)
    made = new_rule(checkout, "MTU099", "port-without-description")
    assert made == [
        "roce_lint/checks/mtu/port_without_description.py",
        "rules/mtu/MTU099-port-without-description.md",
    ]
    after = digests(checkout)
    assert {path: after[path] for path in before} == before
    passes(checkout, "pytest", "-p", "no:cacheprovider", "--rewrite", "tests/rules", "-k", "MTU099")
    passes(checkout, "ruff", "check", "--no-cache", made[0])
    passes(checkout, "ruff", "format", "--no-cache", "--check", made[0])


@pytest.mark.parametrize("name", ["", "Acme", "9box", "a/b", "../x", "with-hyphen", "a" * 30])
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(RoceLintError, match="cannot name a NOS"):
        new_nos(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("rule", "name", "says"),
    [
        ("MTU1", "too-small", "not a rule id"),
        ("mtu001", "too-small", "not a rule id"),
        ("XYZ001", "too-small", "XYZ is not a rule family: MTU, MAP, "),
        ("MTU098", "single", "cannot name a rule"),
        ("MTU098", "../../x-y", "cannot name a rule"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(tmp_path: Path, rule: str, name: str, says: str) -> None:
    with pytest.raises(RoceLintError, match=says):
        new_rule(tmp_path, rule, name)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    new_nos(tmp_path, "acme")
    page = tmp_path / "docs/nos/acme.md"
    page.write_text("mine")
    with pytest.raises(RoceLintError, match="already exists"):
        new_nos(tmp_path, "acme")
    assert page.read_text() == "mine"
    new_rule(tmp_path, "MTU098", "too-odd")
    for rule, name in (("MTU098", "other-name"), ("PFC098", "too-odd")):
        with pytest.raises(RoceLintError, match=r"MTU098-too-odd\.md already exists"):
            new_rule(tmp_path, rule, name)


def test_a_rule_goes_where_its_family_is(root: Path, tmp_path: Path) -> None:
    (tmp_path / "rules" / "buffers").mkdir(parents=True)
    (tmp_path / "rules" / "buffers" / "BUF001-a-b.md").touch()
    assert new_rule(tmp_path, "BUF098", "too-odd")[-1] == "rules/buffers/BUF098-too-odd.md"


def test_the_command_says_what_it_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new-nos", "acme"], tmp_path) == 0
    assert "roce_lint/nos/acme/normalize.py" in capsys.readouterr().out.splitlines()
    assert main(["new-nos", "acme"], tmp_path) == 2
    assert capsys.readouterr().err.endswith(" already exists\n")


def test_every_skeleton_begins_with_its_path() -> None:
    for kind in ("nos", "rule"):
        found = skeleton(kind)
        assert found != []
        assert all("/" in path and " " not in path and text for path, text in found)

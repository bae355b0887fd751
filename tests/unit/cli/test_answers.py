"""Answers that are kept: an equal run writes the same bytes, and nothing else is an equal run."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roce_lint.cli import answers
from roce_lint.cli.judging import judge
from roce_lint.engine.finding import Diagnostic
from roce_lint.loading import contents
from roce_lint.loading.cache import FILE
from tests.bench import write_files
from tests.small_fabrics.made import made
from tests.unit.cli.conftest import Run

LEAF = "leaf1"


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Path]:
    """The checks of the test, with a cache of its own and files that count as old."""
    done: list[Path] = []

    def spy(*given: Any, **named: Any) -> Any:
        done.append(Path.cwd())
        return judge(*given, **named)

    monkeypatch.setattr(answers, "judge", spy)
    monkeypatch.setattr(contents, "ROUNDED", -1e9)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return done


@pytest.fixture
def fabric(site: Path) -> Path:
    """A folder of configurations; the file of a leaf, from which a line is missing."""
    fabric = made("eos", hosts=True)
    write_files(fabric.texts, site / "configs")
    leaf = site / "configs" / fabric.files[LEAF]
    lines = leaf.read_text().splitlines(keepends=True)
    leaf.write_text("".join(line for line in lines if "no-drop" not in line))
    return leaf


def test_an_equal_run_writes_the_same_without_a_check(
    run: Run, checks: list[Path], fabric: Path
) -> None:
    args = ("check", "configs", "--output", "json=report.json", "--output", "html=page.html")
    first = run(*args, "--write-baseline", "known.json")
    files = {name: Path(name).read_bytes() for name in ("report.json", "page.html", "known.json")}
    for name in files:
        Path(name).unlink()
    again = run(*args, "--write-baseline", "known.json")
    assert len(checks) == 1
    assert first.exit_code == again.exit_code == 1
    assert first.stdout
    assert (again.stdout, again.stderr) == (first.stdout, first.stderr)
    assert {name: Path(name).read_bytes() for name in files} == files


def _touch_same_size(leaf: Path) -> None:
    """Another digit, with the size and the time of before."""
    state, text = leaf.stat(), leaf.read_text()
    leaf.write_text(text.replace("9214", "9114"))
    os.utime(leaf, ns=(state.st_atime_ns, state.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "a digit": _touch_same_size,
    "renamed": lambda leaf: leaf.rename(leaf.with_name("other.cfg")),
    "removed": lambda leaf: leaf.unlink(),
    "added": lambda leaf: (leaf.parent / "new.cfg").write_bytes(leaf.read_bytes()),
    "skipped by name": lambda leaf: (leaf.parent / "notes.md").write_text("notes"),
    "cable plan": lambda leaf: (leaf.parent / "links.csv").write_text("a,b\n"),
    "settings": lambda leaf: (leaf.parent / "roce-lint.toml").write_text('ignore = ["MTU"]\n'),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_is_another_run(run: Run, checks: list[Path], fabric: Path, change: str) -> None:
    before = {path: path.read_bytes() for path in fabric.parent.iterdir()}
    first = run("check", "configs")
    CHANGES[change](fabric)
    changed = run("check", "configs")
    assert len(checks) == 2
    assert changed.output == run("check", "configs", "--no-cache").output
    for path in [*fabric.parent.iterdir()]:
        path.unlink()
    for path, data in before.items():
        path.write_bytes(data)
    checks.clear()
    assert run("check", "configs").output == first.output
    assert not checks  # changed back


@pytest.mark.parametrize(
    "other",
    [
        ("--format", "json"), ("--select", "MTU"), ("--device", LEAF), ("--strict",),
        ("--today", "2031-01-01"), ("--color", "always"), ("-j", "1"), ("--no-cache",),
        ("--rules", "configs"),
    ],
)  # fmt: skip
def test_other_options_are_another_run(
    run: Run, checks: list[Path], fabric: Path, other: tuple[str, ...]
) -> None:
    run("check", "configs")
    run("check", "configs", *other)
    assert len(checks) == 2


@pytest.mark.parametrize("given", ["intent", "baseline", "links"])
def test_files_beside_the_configurations_count(
    run: Run, checks: list[Path], fabric: Path, given: str
) -> None:
    texts = {
        "intent": ("intent.yaml", "name: a\n", "name: b\n"),
        "baseline": ("known.json", "", ""),
        "links": ("plan.csv", "a_device,a_port,b_device,b_port\n", "a_device,a_port\n"),
    }
    name, before, after = texts[given]
    if given == "baseline":
        run("check", "configs", "--write-baseline", name)
        before = Path(name).read_text()
        after = before.replace("fingerprint", "fingerprints")
    Path(name).write_text(before)
    run("check", "configs", f"--{given}", name)
    checks.clear()
    Path(name).write_text(after)
    run("check", "configs", f"--{given}", name)
    assert len(checks) == 1


def test_a_folder_whose_name_is_no_text(run: Run, checks: list[Path], fabric: Path) -> None:
    odd = os.fsdecode(b"f\xff")
    Path("configs").rename(odd)
    first = run("check", odd)
    assert "NOT" in first.stderr
    assert run("check", odd).output == first.output
    assert len(checks) == 1


def test_a_link_that_leads_elsewhere_is_another_run(
    run: Run, checks: list[Path], fabric: Path, tmp_path: Path
) -> None:
    link = Path("configs", "more.cfg")
    link.symlink_to(tmp_path)
    first = run("check", "configs", "-v")
    link.unlink()
    link.symlink_to(fabric.parent)
    assert run("check", "configs", "-v").output != first.output
    assert len(checks) == 2


def test_a_bundle_is_hashed_whole(run: Run, checks: list[Path], fabric: Path) -> None:
    assert run("read", "configs", "-o", "pod.roce").exit_code == 0
    first = run("check", "pod.roce")
    assert run("check", "pod.roce").output == first.output
    assert len(checks) == 1
    fabric.write_text(fabric.read_text().replace("9214", "9114"))
    assert run("read", "configs", "-o", "pod.roce").exit_code == 0
    run("check", "pod.roce")
    assert len(checks) == 2


def test_files_that_change_during_the_check_or_just_before(
    run: Run, checks: list[Path], fabric: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "ROUNDED", 2.0)
    run("check", "configs")
    run("check", "configs")
    assert len(checks) == 2  # they are younger than the clock of a file system is exact
    monkeypatch.setattr(contents, "ROUNDED", 0.0)

    def changing(*given: Any, **named: Any) -> Any:
        done = judge(*given, **named)
        (fabric.parent / "late.cfg").write_text("hostname late\n")
        return done

    monkeypatch.setattr(answers, "judge", changing)
    run("check", "configs")
    (fabric.parent / "late.cfg").unlink()
    checks.clear()
    monkeypatch.setattr(answers, "judge", lambda *_, **__: checks.append(fabric) or (0, None))
    assert run("check", "configs").exception  # it was not kept, so the check is called
    assert len(checks) == 1


def test_an_answer_that_is_damaged_or_of_another_run_is_not_used(
    run: Run, checks: list[Path], fabric: Path, tmp_path: Path
) -> None:
    first = run("check", "configs")
    run("check", "configs", "--strict")
    with sqlite3.connect(tmp_path / "cache" / "roce-lint" / FILE) as base:
        rows = base.execute("SELECT key, device FROM devices ORDER BY rowid DESC LIMIT 2")
        (strict, its), (plain, own) = rows.fetchall()
        base.execute("UPDATE devices SET device = ? WHERE key = ?", (its, plain))
        base.execute("UPDATE devices SET device = ? WHERE key = ?", (own[:-1], strict))
    checks.clear()
    assert run("check", "configs").output == first.output
    run("check", "configs", "--strict")
    assert len(checks) == 2


@pytest.mark.parametrize("kind", answers.CHANCE)
def test_what_failed_by_chance_is_tried_again(
    run: Run, checks: list[Path], fabric: Path, asked: dict[str, Any], kind: str
) -> None:
    asked["report"].diagnostics = [Diagnostic("leaf1.cfg", kind, "by chance")]
    run("check", "configs")
    run("check", "configs")
    assert len(checks) == 2


def test_a_report_that_could_not_be_written_is_tried_again(
    run: Run, checks: list[Path], fabric: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/nowhere/summary.md")
    assert "cannot be written" in run("check", "configs").stderr
    assert "cannot be written" in run("check", "configs").stderr
    assert len(checks) == 2

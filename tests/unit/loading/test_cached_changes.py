"""Runs with a cache after changes of a fabric: the same bytes as without one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roce_lint.loading import pool
from roce_lint.loading.group import Group
from roce_lint.loading.pool import Read, read_group
from roce_lint.pipeline import Request, run
from roce_lint.report import Options, render
from roce_lint.settings import Settings
from tests.bench import Files, write_files
from tests.fabrics.mixed import KINDS
from tests.sampling import sampled
from tests.small_fabrics.made import made

LEAF = "leaf1"


def _states(files: Files, leaf: str) -> Iterator[tuple[str, Files]]:
    """A fabric after each of some changes of one file, with its name."""
    lines = files[leaf].splitlines(keepends=True)
    middle = len(lines) // 2
    changed = "".join((*lines[:middle], *lines[middle + 1 :]))
    yield "as it was", files
    yield "a line less", files | {leaf: changed}
    yield "changed back", files
    others = {name: text for name, text in files.items() if name != leaf}
    yield "renamed", others | {f"other-{leaf}": files[leaf]}
    yield "removed", others
    yield "added again", files


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The devices that are read while the test runs, with a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    seen: list[str] = []

    def spy(group: Group, **given: Any) -> Read:
        seen.append(group.device)
        return read_group(group, **given)

    monkeypatch.setattr(pool, "read_group", spy)
    return seen


@pytest.mark.parametrize("nos", sampled(KINDS, 4))
def test_the_same_bytes_after_every_change(tmp_path: Path, nos: str, reads: list[str]) -> None:
    fabric = made(nos, hosts=True)
    leaf, folder = fabric.files[LEAF], tmp_path / "lab"

    def report(files: Files, *, cache: bool) -> str:
        shutil.rmtree(folder, ignore_errors=True)
        write_files(files, folder)
        found = run(Request((str(folder),), cache=cache), Settings())
        return render("json", found, Options(cwd=str(folder), verbose=True, show_unknown=True))

    plain = {name: report(files, cache=False) for name, files in _states(fabric.texts, leaf)}
    reads.clear()
    for name, files in _states(fabric.texts, leaf):
        assert report(files, cache=True) == plain[name], name
    once = {*fabric.files, *fabric.hosts} - {LEAF}
    assert sorted(reads) == sorted([*once, LEAF, LEAF, LEAF])  # as it was, changed, and renamed

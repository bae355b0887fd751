"""Identifying formats in several processes gives the same result as in one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roce_lint.loading import pool
from roce_lint.loading.discover import FoundFile, discover
from roce_lint.loading.intake import FileRule, Intake, take
from roce_lint.loading.pool import take_all
from tests.unit.loading.making import PAUSE, eos, nxos, put, tar

# Newer Pythons warn of a fork next to the threads of a test runner.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

FILES = {
    "a/leaf1.cfg": eos("leaf1"),
    "a/leaf2.cfg": nxos("leaf2", time="Wed Oct  7 06:12:58 2026"),
    "b/ethtool-a.txt": PAUSE.format(port="ens1"),
    "b/readme.md": "nothing\n",
    "b/odd.cfg": "what is this\n",
    "b/spoilt.txt": b"interface Ethernet1\n   mtu \xff\n\x00\x01\x02",
    "c/left.cfg": eos("left"),
    "c/renamed.cfg": eos(None),
}
RULES = (FileRule("c/left*", ignore=True), FileRule("c/ren*", device="leaf9", role="spine"))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[FoundFile]:
    """The files; a worker gets three of them at a time."""
    monkeypatch.setattr(pool, "PARALLEL_FROM", 2)
    monkeypatch.setattr(pool, "FILES_AT_ONCE", 3)
    return discover((str(put(tmp_path, FILES)),)).files


def taken(files: list[FoundFile], jobs: int) -> tuple[list[tuple[object, ...]], list[int]]:
    ticks: list[int] = []
    found = []
    for one in take_all(files, RULES, jobs, ticks.append):
        parts = [
            (p.name, p.path, p.identity, p.sha256, p.hostname, p.written, p.given, p.role)
            for p in one.parts
        ]
        found.append((parts, one.diagnostics, len(one.skipped)))
    return found, ticks


def test_workers_say_of_files_what_one_process_says(files: list[FoundFile]) -> None:
    here, one_by_one = taken(files, 1)
    there, in_chunks = taken(files, 2)
    assert there == here
    assert sum(len(parts) for parts, _, _ in here) == 4  # type: ignore[arg-type]
    assert one_by_one == [1] * len(files)
    assert (sum(in_chunks), max(in_chunks)) == (len(files), 3)


def test_a_file_that_ends_its_process_is_told_and_the_others_are_taken(
    files: list[FoundFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    def deadly(file: FoundFile, rules: tuple[FileRule, ...]) -> Intake:
        if file.leaf == "leaf2.cfg":
            os._exit(9)
        return take(file, rules)

    here, _ = taken(files, 1)
    monkeypatch.setattr(pool, "take", deadly)
    there, _ = taken(files, 2)
    at = [file.leaf for file in files].index("leaf2.cfg")
    parts, (remark,), skipped = there[at]
    assert (parts, skipped) == ([], 0)
    assert (remark.file, remark.kind, remark.incomplete) == ("a/leaf2.cfg", "unreadable", True)
    assert remark.message == "identifying its format ended the process (out of memory?)"
    assert there[:at] + there[at + 1 :] == here[:at] + here[at + 1 :]


def test_archives_and_standard_input_stay_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: list[FoundFile]
) -> None:
    put(tmp_path, {"d/more.tar": tar({"leaf3.cfg": eos("leaf3")})})
    monkeypatch.setattr(pool, "spread", None)  # calling it would fail
    found, _ = taken(discover((str(tmp_path),)).files, 2)
    assert [part[0] for parts, _, _ in found for part in parts][-1] == "d/more.tar!leaf3.cfg"  # type: ignore[attr-defined]

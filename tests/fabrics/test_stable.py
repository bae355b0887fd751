"""Breaking one box of three or more never changes what is taken for RoCE."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.fabrics.mixed import KINDS
from tests.fabrics.stable import believed, breakings, files_of, write
from tests.rules.examples import Example, examples

FABRICS = [
    *sorted((ROOT / "tests" / "fabrics").glob("*/fabric")),
    ROOT / "sample_configs" / "clean-fabric",
]

FEW = 6
"""Breakings of each box that are tried at every run."""


def unstable(folder: Path, file: Path, seed: int, most: int | None) -> list[tuple[str, object]]:
    """Breakings of one file after which something else is taken for RoCE."""
    sound, before = believed(folder), file.read_text()
    found: list[tuple[str, object]] = []
    try:
        for broken in breakings(before, seed, most):
            file.write_text(broken.text)
            told = believed(folder)
            if told != sound:
                found.append((f"{file.name} {broken}", told))
    finally:
        file.write_text(before)
    return found


@pytest.mark.parametrize("size", [3, 4, 9])
@pytest.mark.parametrize("nos", KINDS)
def test_one_system(tmp_path: Path, nos: str, size: int) -> None:
    files = write(tmp_path / "fabric", [nos] * size)
    assert believed(tmp_path / "fabric") != ()
    assert unstable(tmp_path / "fabric", files["leaf1"], size, FEW) == []


@pytest.mark.slow
@pytest.mark.parametrize("box", ["leaf1", "spine1"])
@pytest.mark.parametrize("nos", KINDS)
def test_one_system_every_line(tmp_path: Path, nos: str, box: str) -> None:
    files = write(tmp_path / "fabric", [nos] * 3)
    assert unstable(tmp_path / "fabric", files[box], 0, None) == []


@pytest.mark.parametrize("size", [2, *range(3, 8), 40])
def test_one_leaf_and_one_spine_lose_nothing(tmp_path: Path, size: int) -> None:
    """Of two boxes nothing tells which is wrong: the class that was there is among those told."""
    folder = tmp_path / "fabric"
    files = write(folder, ["nxos"] * size)
    file = files["leaf1"]
    file.write_text(file.read_text().replace("match dscp 26", "match dscp 27"))
    expected = ("RoCE DSCP 26",)
    assert believed(folder) == expected


@pytest.mark.parametrize("hosts", [True, False])
@pytest.mark.parametrize("fabric", FABRICS, ids=lambda folder: folder.parent.name)
def test_sound_fabrics(tmp_path: Path, fabric: Path, hosts: bool) -> None:
    out = () if hosts else ("hosts",)
    folder = shutil.copytree(fabric, tmp_path / "fabric", ignore=shutil.ignore_patterns(*out))
    switches = files_of(folder)
    assert len(switches) > 2
    assert believed(folder) != ()
    for number, file in enumerate(switches):
        assert unstable(folder, file, number, 1) == []


@pytest.mark.slow
@pytest.mark.parametrize("fabric", FABRICS, ids=lambda folder: folder.parent.name)
def test_sound_fabrics_at_length(tmp_path: Path, fabric: Path) -> None:
    ignored = shutil.ignore_patterns("hosts")
    folder = shutil.copytree(fabric, tmp_path / "fabric", ignore=ignored)
    for number, file in enumerate(files_of(folder)):
        assert unstable(folder, file, number, 60) == []


@pytest.mark.parametrize("size", [4, 13, 40])
def test_systems_beside_each_other(tmp_path: Path, size: int) -> None:
    """A leaf of every system in turn, of which the first is broken."""
    order = list(KINDS)
    files = write(tmp_path / "fabric", [order[n % len(order)] for n in range(size)])
    for number, name in enumerate(["leaf1", "leaf2", "spine1"]):
        assert unstable(tmp_path / "fabric", files[name], number, 4) == []


@pytest.mark.slow
@pytest.mark.parametrize("example", examples("good", "fixed"), ids=str)
def test_fabrics_of_the_pages(tmp_path: Path, example: Example) -> None:
    """Of four boxes and more, the first is broken."""
    example.write(tmp_path)
    boxes = [file for file in files_of(tmp_path) if file.suffix not in (".yaml", ".toml")]
    if len(boxes) > 3:
        assert unstable(tmp_path, boxes[0], 1, 3) == []

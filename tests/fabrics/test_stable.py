"""Breaking one device of three or more never changes the inferred RoCE classes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import Files, edit, files_below
from tests.conftest import ROOT
from tests.fabrics.mixed import KINDS
from tests.fabrics.stable import believed, build, switches, unstable
from tests.rules.examples import Example, examples

FABRICS = [
    *sorted((ROOT / "tests" / "fabrics").glob("*/fabric")),
    ROOT / "sample_configs" / "clean-fabric",
]

FEW = 6
"""Changes per device in every run."""


@pytest.mark.parametrize("size", [3, pytest.param(4, marks=pytest.mark.deep), 9])
@pytest.mark.parametrize("nos", KINDS)
def test_one_system(nos: str, size: int) -> None:
    files = build([nos] * size)
    assert believed(files) != ()
    assert unstable(files, switches(files)["leaf1"], size, FEW) == []


@pytest.mark.deep
@pytest.mark.parametrize("box", ["leaf1", "spine1"])
@pytest.mark.parametrize("nos", KINDS)
def test_one_system_every_line(nos: str, box: str) -> None:
    files = build([nos] * 3)
    assert unstable(files, switches(files)[box], 0, None) == []


@pytest.mark.parametrize("size", [2, *range(3, 8), 40])
def test_one_leaf_and_one_spine_lose_nothing(size: int) -> None:
    """Of two devices it is unclear which is wrong: the previous class is among those reported."""
    files = edit(build(["nxos"] * size), "switches/leaf1.cfg", ("match dscp 26", "match dscp 27"))
    assert believed(files) == ("RoCE DSCP 26-27" if size == 2 else "RoCE DSCP 26",)


@pytest.mark.parametrize("hosts", [True, False])
@pytest.mark.parametrize("fabric", FABRICS, ids=lambda folder: folder.parent.name)
def test_sound_fabrics(fabric: Path, hosts: bool) -> None:
    files = sound(fabric, hosts=hosts)
    names = switches(files).values()
    assert len(names) > 2
    assert believed(files) != ()
    for number, name in enumerate(names):
        assert unstable(files, name, number, 1) == []


@pytest.mark.deep
@pytest.mark.parametrize("fabric", FABRICS, ids=lambda folder: folder.parent.name)
def test_sound_fabrics_at_length(fabric: Path) -> None:
    files = sound(fabric, hosts=False)
    for number, name in enumerate(switches(files).values()):
        assert unstable(files, name, number, 60) == []


def sound(fabric: Path, *, hosts: bool) -> Files:
    return {
        name: text
        for name, text in files_below(fabric).items()
        if hosts or not name.startswith("hosts/")
    }


@pytest.mark.parametrize("size", [4, 13, 40])
def test_systems_beside_each_other(size: int) -> None:
    """A leaf of every system in turn, of which the first is broken."""
    order = list(KINDS)
    files = build([order[n % len(order)] for n in range(size)])
    for number, name in enumerate(["leaf1", "leaf2", "spine1"]):
        assert unstable(files, switches(files)[name], number, 4) == []


@pytest.mark.deep
@pytest.mark.parametrize("example", examples("good", "fixed"), ids=str)
def test_fabrics_of_the_pages(tmp_path: Path, example: Example) -> None:
    """Of four devices and more, the first is broken."""
    example.write(tmp_path)
    files = files_below(tmp_path)
    boxes = [name for name in switches(files).values() if not name.endswith((".yaml", ".toml"))]
    if len(boxes) > 3:
        assert unstable(files, boxes[0], 1, 3) == []

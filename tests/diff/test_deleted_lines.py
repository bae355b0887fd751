"""Each generated line that changes the meaning of a device is missed by `diff` when deleted.

unseen.toml lists the others, by device: lines that say what holds anyway, or what no intent states.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from roce_lint.analysis.drift import drift
from roce_lint.cli.main import cli
from roce_lint.model.device import Device
from roce_lint.pipeline.designing import design_fabric
from tests.bench import Files, files_below, load
from tests.sampling import sample
from tests.unit.design.wished import changed, small, written

INTENTS = Path(__file__).parents[2] / "sample_configs" / "intents"
LEFT = {"aoscx": 64, "iosxr": 64}
"""Differences at most of systems that leave out a value: port speed, marking probability."""

UNSEEN = tomllib.loads((Path(__file__).parent / "unseen.toml").read_text())
"""Reasons by pattern and device. A pattern is a line below its headers, or a path into a tree."""

SAMPLES = ("aoscx", "comware", "esonic", "iosxr", "junos", "os10", "srlinux", "vrp")
"""Systems with the intent of their sample."""

DEVICES = dict.fromkeys(("eos", "nxos", "sonic", "cumulus", *SAMPLES), "leaf1") | {"host": "gpu1"}
PATHS: dict[str, dict[str, Any]] = {
    "eos": {"max_paths": 16},
    "nxos": {"max_paths": 16},
    "sonic": {"l4_ports": True},
    "cumulus": {"l4_ports": True, "max_paths": 16},
}


def wished(kind: str) -> dict[str, Any]:
    """An intent whose values are not the defaults of the system."""
    nos = "eos" if kind == "host" else kind
    wish = changed(small(nos), "balancing", PATHS[nos])
    wish = changed(changed(wish, "classes.cnp.dscp", [46]), "classes.cnp.pfc_priority", 5)
    for buffer in wish.get("buffers", ()):
        buffer["alpha"] = 1
    wish["mtu"] = 9000
    for tier in ("leaf", "spine") if nos == "cumulus" else ():
        wish = changed(wish, f"fabric.{tier}.release", "5.13.0")
    return wish


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)), prog_name="roce-lint")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    @cache
    def make(kind: str) -> tuple[Device, Files]:
        folder, name = tmp_path_factory.mktemp(kind), DEVICES[kind]
        intent = INTENTS / f"{kind}.yaml" if kind in SAMPLES else written(folder, wished(kind))
        out = folder / "out"
        done = run("generate", intent, "-o", out, "--device", name)
        assert done.exit_code == 0 or kind in SAMPLES, done.output
        files = files_below(out / "configs")
        return design_fabric(str(intent)).fabric.devices[name], files

    return make


def test_a_host_without_markings_is_not_proved(tmp_path: Path) -> None:
    """Its NICs stay in the pairs, and `diff` names it when its folder is gone."""
    intent, out = written(tmp_path, wished("cumulus")), tmp_path / "out"
    run("generate", intent, "-o", out)
    ready = ("check", out, "--intent", intent, "--no-cache", "--require", "ready")
    assert "READY: all 56 NIC pairs" in run(*ready).stderr
    script = out / "configs/gpu1/roce-setup.sh"
    kept = [line for line in script.read_text().splitlines(True) if "/infiniband/mlx5" not in line]
    script.write_text("".join(kept))
    done = run(*ready)
    assert done.exit_code != 0
    assert "30 of 56 NIC pairs judged" in done.stderr
    assert "the RoCE settings of gpu1 mlx5_0 and gpu1 mlx5_1 (26 pairs)" in done.stderr
    assert "nics[mlx5_0].traffic_class: 106 -> unset" in run("diff", intent, out).stdout
    shutil.rmtree(script.parent)
    assert "gpu1\n    the device: gone" in run("diff", intent, out).stdout
    assert "30 of 56 NIC pairs judged" in run(*ready).stderr


def deletions(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Each line or entry of a file, and the text without it and what is below it."""
    if name.endswith(".json") or (name.endswith(".yaml") and "/" not in name):
        tree = yaml.safe_load(text)
        write = json.dumps if name.endswith(".json") else yaml.safe_dump
        for path in _paths(tree):
            yield "|".join(map(str, path)), write(_without(tree, path))
        return
    lines = text.splitlines()
    depths = [len(line) - len(line.lstrip()) for line in lines]
    above: dict[int, str] = {}
    for number, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith(("!", "#")):
            continue
        above = {depth: each for depth, each in above.items() if depth < depths[number]}
        above[depths[number]] = line.strip()
        below = number + 1
        while below < len(lines) and depths[below] > depths[number]:
            below += 1
        yield " / ".join(above.values()), "\n".join([*lines[:number], *lines[below:], ""])


def _paths(tree: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items if isinstance(tree, (dict, list)) else ():
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from _paths(value, (*path, key))


def _without(tree: Any, path: tuple[str | int, ...]) -> Any:
    """The tree without an entry, and without what is empty then."""
    first, *rest = path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    inner = {key: _without(value, (*rest,)) if rest and key == first else value
             for key, value in items if rest or key != first}  # fmt: skip
    kept = {key: value for key, value in inner.items() if key != first or value not in ({}, [])}
    return kept if isinstance(tree, dict) else [*kept.values()]


@pytest.mark.parametrize("one_in", [9, pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize("kind", DEVICES)
def test_a_deleted_line_is_missed(kind: str, one_in: int, generated: Any) -> None:
    golden, files = generated(kind)
    whole = load(files).devices[0]
    before = {(each.path, each.b) for each in drift(golden, whole)}
    assert len(before) <= LEFT.get(kind, 0)
    places = [
        (f"{name.rpartition('/')[2]}: {place}" if kind == "host" else place, name, text)
        for name, old in files.items()
        for place, text in deletions(name, old)
    ]
    tried = sample(places, one_in, name=lambda each: each[0])
    unseen = []
    for place, name, text in tried:
        devices = load({**files, name: text}).devices
        if devices and devices[0].hostname == golden.hostname:
            now = {(each.path, each.b) for each in drift(golden, devices[0])}
            unseen += [place] if now <= before else []
    excused = UNSEEN["all"] | UNSEEN[kind]
    assert len(tried) > 1
    assert [each for each in unseen if not any(fnmatchcase(each, p) for p in excused)] == []
    if one_in == 1:
        idle = [p for p in UNSEEN[kind] if not any(fnmatchcase(each, p) for each in unseen)]
        assert idle == [], "seen, so no exception is needed"

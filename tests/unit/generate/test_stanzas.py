"""`generate` for systems configured in stanzas: written, read back, checked, and every line
counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from tests.sampling import sample, sampled
from tests.unit.design.wished import changed, small, written

SYSTEMS = ("eos", "nxos")


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)), prog_name="roce-lint")


def wished(nos: str, speed: int = 400) -> dict[str, Any]:
    """A small fabric that uses all paths; without lengths of cables: for which of them the headroom
    of a platform suffices is not always documented.
    """
    made = changed(small(nos, speed=speed), "balancing", {"max_paths": 16})
    for tier in ("fabric.leaf", "hosts.gpu"):
        made = changed(made, f"{tier}.cable_m", None)
    return made


def ecn_only(wish: dict[str, Any]) -> dict[str, Any]:
    made = changed(changed(wish, "classes.roce.lossless", False), "mode", "ecn-only")
    return changed(made, "watchdog", None)


def generated(folder: Path, wish: dict[str, Any], *words: str) -> Path:
    """The folder with what is generated; nothing may be left out or refused."""
    done = run("generate", written(folder, wish), "-o", folder / "out", *words)
    assert done.exit_code == 0, done.output
    return folder / "out"


def require_ready_without_drift(folder: Path, wish: dict[str, Any]) -> None:
    out = generated(folder, wish, "--check")
    checked = run("check", out, "--strict", "--fail-on", "info", "--no-cache")
    assert checked.exit_code == 0, checked.output
    assert "Not checked" not in checked.output
    assert "unrecognised" not in checked.output
    drift = run("diff", folder / "intent.yaml", out, "--no-cache")
    assert (drift.exit_code, drift.stdout) == (0, ""), drift.output


@pytest.mark.parametrize(
    "system",
    sampled(product(SYSTEMS, (100, 200, 400, 800)), 4, itemgetter(0), itemgetter(1)),
    ids=str,
)
def test_lossless_at_every_speed(system: tuple[str, int], tmp_path: Path) -> None:
    require_ready_without_drift(tmp_path, wished(*system))


@pytest.mark.parametrize("nos", SYSTEMS)
def test_ecn_only(nos: str, tmp_path: Path) -> None:
    require_ready_without_drift(tmp_path, ecn_only(wished(nos)))


@pytest.mark.parametrize("nos", SYSTEMS)
def test_links_of_ipv6(nos: str, tmp_path: Path) -> None:
    wish = changed(wished(nos), "addressing.links", "fd00:0:1::/64")
    require_ready_without_drift(tmp_path, wish)


def test_two_vendors(root: Path, tmp_path: Path) -> None:
    text = (root / "sample_configs/intents/two-vendors.yaml").read_text("utf-8")
    require_ready_without_drift(tmp_path, yaml.safe_load(text))


QUEUES = "policy-map type queuing 400G / class type queuing c-out-8q-q"
BUFFERS = "policy-map type network-qos golden / class type network-qos c-8q-nq"

BY_ITSELF: dict[str, set[str]] = {
    "nxos": {
        # What NX-OS does by default with packets that no class takes.
        "policy-map type qos golden / class class-default",
        "policy-map type qos golden / class class-default / set qos-group 0",
        # How packets are served that are in no class of the intent is not compared.
        f"{QUEUES}-default",
        f"{QUEUES}-default / bandwidth remaining percent 40",
        *(f"{QUEUES}{unused}" for unused in (1, 2, 4, 5, 7)),
        *(f"{QUEUES}{unused} / bandwidth remaining percent 0" for unused in (1, 2, 4, 5, 7)),
        # Sizes of buffers that hold no RoCE.
        *(f"{BUFFERS}{lossy}" for lossy in ("6", "-default")),
        *(f"{BUFFERS}{lossy} / mtu 9100" for lossy in ("6", "-default")),
    },
    "eos": {
        # What EOS does by default.
        "qos map dscp 26 to traffic-class 3",
        "qos map dscp 48 to traffic-class 6",
        "qos profile 400G / uc-tx-queue 6",
        "qos profile 400G / uc-tx-queue 6 / priority strict",
        "qos map traffic-class 0 to tx-queue 0",
        "interface / qos trust dscp",
        # What holds then is not documented: not known, which is no difference.
        "priority-flow-control pause watchdog default polling-interval 0.1",
        "priority-flow-control pause watchdog default recovery-time 0.2",
        # How packets are served that are in no class of the intent is not compared.
        "qos profile 400G / uc-tx-queue 0 / no priority",
    },
}
"""Lines of the part of RoCE whose absence nothing finds, by the reason."""


def without_each(text: str, roce: str) -> Iterator[tuple[str, str]]:
    """The text without one line of the RoCE part and the lines below it, for each line; the first
    port represents all.
    """
    lines, wanted = text.splitlines(), roce.splitlines()
    seen: set[str] = set()
    above: dict[int, str] = {}
    for number, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        above = {at: header for at, header in above.items() if at < depth}
        place = " / ".join([*above.values(), line.strip()])
        above[depth] = line.strip()
        alike = " ".join(word for word in place.split() if not word.startswith("Ethernet"))
        if line not in wanted or line.startswith(("!", "interface ")) or alike in seen:
            continue
        seen.add(alike)
        below = number + 1
        while below < len(lines) and len(lines[below]) - len(lines[below].lstrip()) > depth:
            below += 1
        yield alike, "\n".join([*lines[:number], *lines[below:]]) + "\n"


@pytest.mark.parametrize("one_in", [6, pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize("nos", SYSTEMS)
def test_each_line_of_the_part_of_roce_counts(nos: str, one_in: int, tmp_path: Path) -> None:
    """Without any one line the fabric drifts from the intent, or is not clean."""
    out = generated(tmp_path, wished(nos))
    intent, leaf = tmp_path / "intent.yaml", out / "configs/leaf1.cfg"
    run("generate", intent, "-o", tmp_path / "roce", "--part", "roce", "--device", "leaf1")
    roce = (tmp_path / "roce/configs/leaf1.cfg").read_text()
    unseen, tried = set(), set()
    every = without_each(leaf.read_text(), roce)
    for place, text in sample(every, one_in, lambda each: each[0].split()[0], name=itemgetter(0)):
        tried.add(place)
        leaf.write_text(text)
        if run("diff", intent, out, "--no-cache").exit_code:
            continue
        strict = ("--strict", "--fail-on", "info", "--intent", intent, "--no-cache")
        if run("check", out, *strict).exit_code == 0:
            unseen.add(place)
    assert len(tried) > 15 // one_in
    assert unseen == (BY_ITSELF[nos] if one_in == 1 else BY_ITSELF[nos] & tried)

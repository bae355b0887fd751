"""`generate` for systems configured in stanzas: written, read back, checked, and every line
counts.
"""

from __future__ import annotations

from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from tests.sampling import sampled
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
    wish = changed(wish, "addressing.hosts", "fd00:0:2::/64")
    require_ready_without_drift(tmp_path, wish)


def test_two_vendors(root: Path, tmp_path: Path) -> None:
    text = (root / "sample_configs/intents/two-vendors.yaml").read_text("utf-8")
    require_ready_without_drift(tmp_path, yaml.safe_load(text))

"""Cumulus Linux is printed: what was wished is read back, and the published schema knows it."""

from __future__ import annotations

import importlib
import re
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from tests.sampling import sample, sampled
from tests.unit.design.wished import small

RELEASES = ["5.13.0", "5.16.1"]
"""One with the words before 5.15, and one with those since."""


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)), prog_name="roce-lint")


def wished(speed: int = 400, release: str = "5.13.0", **more: Any) -> dict[str, Any]:
    made = small("cumulus", speed=speed)
    made["balancing"] = {"l4_ports": True, "max_paths": 16}
    for tier in ("leaf", "spine"):
        made["fabric"][tier]["release"] = release
    return made | more


def generated(made: dict[str, Any], folder: Path, *options: str) -> Path:
    file, out = folder / "intent.yaml", folder / "out"
    file.write_text(yaml.safe_dump(made))
    done = run("generate", file, "-o", out, *options)
    assert done.exit_code == 0, done.output
    return out


def require_ready_without_drift(out: Path) -> None:
    checked = run("check", out, "--strict", "--fail-on", "info", "--no-cache")
    assert checked.exit_code == 0, checked.output
    assert "READY" in checked.stderr
    drift = run("diff", out.parent / "intent.yaml", out, "--no-cache")
    assert (drift.exit_code, drift.stdout) == (0, ""), drift.output


@pytest.mark.parametrize(
    "switch",
    sampled(product((100, 200, 400, 800), RELEASES), 4, itemgetter(0), itemgetter(1)),
    ids=str,
)
def test_what_is_written_is_ready_and_does_not_drift(
    tmp_path: Path, switch: tuple[int, str]
) -> None:
    require_ready_without_drift(generated(wished(*switch), tmp_path))


OTHERWISE: dict[str, dict[str, Any]] = {
    "marked and not paused": {
        "mode": "ecn-only", "watchdog": None,
        "classes": {
            "roce": {"dscp": [24], "lossless": False, "marked": True, "share_percent": 70},
            "cnp": {"flow": "cnp", "dscp": [46], "lossless": False, "marked": False,
                    "strict": True},
        },
    },
    "another priority, and two that are paused": {
        "classes": {
            "roce": {"dscp": [26, 30], "pfc_priority": 4, "lossless": True, "marked": True,
                     "share_percent": 40},
            "storage": {"flow": "storage", "dscp": [18], "pfc_priority": 2, "lossless": True,
                        "marked": True, "share_percent": 30},
            "cnp": {"flow": "cnp", "dscp": [48], "lossless": False, "marked": False,
                    "strict": True},
        },
    },
    "addresses of IPv6": {
        "addressing": {"links": "fd00:0:1::/112", "loopbacks": "fd00:0:2::/112",
                       "hosts": "fd00:0:3::/112"},
    },
    "sessions by port": {
        "addressing": {"links": "unnumbered", "loopbacks": "10.255.0.0/24"},
    },
}  # fmt: skip


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", OTHERWISE)
def test_other_wishes_are_read_back(tmp_path: Path, name: str, release: str) -> None:
    made = wished(release=release)
    for key, value in OTHERWISE[name].items():
        made.pop(key, None)
        if value is not None:
            made[key] = value
    out = generated(made, tmp_path)
    drift = run("diff", tmp_path / "intent.yaml", out, "--no-cache")
    assert (drift.exit_code, drift.stdout) == (0, ""), drift.output


def test_ports_of_another_speed_have_a_profile(tmp_path: Path) -> None:
    made = wished()
    made["hosts"]["gpu"]["speed_gbps"] = 200
    made["fabric"]["leaf"]["down"]["speed_gbps"] = 200
    low = {"kmin_bytes": 500_000, "kmax_bytes": 2_000_000, "pmax_percent": 10}
    made["marking"] = [{"speed_gbps": 200, **low}, *made["marking"]]
    out = generated(made, tmp_path)
    require_ready_without_drift(out)
    text = (out / "configs/leaf1.yaml").read_text()
    assert "profile: ROCE-" in text


@pytest.mark.parametrize("part", ["all", "roce"])
@pytest.mark.parametrize("release", RELEASES)
def test_the_published_schema_knows_every_word(tmp_path: Path, release: str, part: str) -> None:
    short = "_".join(release.split(".")[:2])
    pytest.importorskip("nvueschema", reason="the published schema is no dependency")
    model = importlib.import_module(f"nvueschema.models.v{short}").NvueConfig
    out = generated(wished(release=release), tmp_path, "--part", part)
    loader = type("Loader", (yaml.SafeLoader,), {"yaml_implicit_resolvers": {}})
    for name, rows in yaml.SafeLoader.yaml_implicit_resolvers.items():
        loader.yaml_implicit_resolvers[name] = [r for r in rows if not r[0].endswith(":bool")]
    _, said = yaml.load((out / "configs/leaf1.yaml").read_text(), loader)  # noqa: S506
    known = model.model_validate(said["set"]).model_dump(by_alias=True, exclude_unset=True)
    assert not list(lost(said["set"], known))


def lost(given: Any, known: Any, path: str = "") -> Any:
    """The keys that a model did not take over: it leaves unknown ones out."""
    if isinstance(given, dict) and isinstance(known, dict):
        names = {str(key): value for key, value in known.items()}
        for key, value in given.items():
            if str(key) not in names:
                yield f"{path}/{key}"
            else:
                yield from lost(value, names[str(key)], f"{path}/{key}")


def test_commands_say_what_the_file_says(tmp_path: Path) -> None:
    out = generated(wished(), tmp_path, "--commands")
    assert len(list((out / "commands").iterdir())) == 4
    require_ready_without_drift(out)  # commands are passed over
    alone = tmp_path / "alone"
    alone.mkdir()
    for file in (out / "commands").iterdir():
        (alone / file.name).write_text(file.read_text().partition("\n")[2])
    switches = tmp_path / "switches"
    switches.mkdir()
    for file in out.glob("configs/*.yaml"):
        (switches / file.name).write_text(file.read_text())
    same = run("diff", alone, switches, "--no-cache")
    assert (same.exit_code, same.stdout) == (0, ""), same.output


NOT_MISSED = {
    "ecn: enable": "a queue that is listed marks",
    "red: disable": "a queue does not drop before it is full",
    "mode: (dwrr|lossless)": "they hold where nothing is said",
    "enable: on": "`roce` and what stands below it switch it on",
    "polling-interval: 100|robustness: 3": "they hold where nothing is said",
    "bw-percent: 40": "the class of what nobody names has what the others leave",
    "switch-priority": "how a code point is served that no class names is not compared",
    "cable-length": "the length is a wish of the cable, and compared with the plan of cables",
}
"""Lines that no drift misses, and why."""


@pytest.mark.parametrize("one_in", [6, pytest.param(1, marks=pytest.mark.deep)])
def test_every_line_of_qos_matters(tmp_path: Path, one_in: int) -> None:
    """Removing a line causes drift, except for lines that restate defaults."""
    out = generated(wished(), tmp_path)
    leaf = out / "configs/leaf1.yaml"
    lines = leaf.read_text().splitlines()
    begin, end = lines.index("    qos:"), lines.index("    router:")
    unnoticed = []
    values = [number for number in range(begin + 1, end) if not lines[number].endswith(":")]
    for number in sample(values, one_in, name=lambda number: f"{number} {lines[number]}"):
        leaf.write_text("\n".join([*lines[:number], *lines[number + 1 :]]) + "\n")
        if run("diff", tmp_path / "intent.yaml", out, "--no-cache").exit_code == 0:
            unnoticed.append(lines[number].strip())
    assert [line for line in unnoticed if not any(re.match(p, line) for p in NOT_MISSED)] == []
    assert len(unnoticed) < 20


def test_without_a_release_the_words_are_not_known(tmp_path: Path) -> None:
    made = wished(release="")
    file = tmp_path / "intent.yaml"
    file.write_text(yaml.safe_dump(made))
    done = run("generate", file, "-o", tmp_path / "out")
    assert done.exit_code == 3
    assert "release: not known" in done.stderr

"""A package of a third party brings a NOS and a rule; nothing of ours is edited."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.conftest import Place, call

PLUGIN = Path(__file__).parent / "plugin"

CONFIG = "# made\nacme-os 4\nsystem-name leaf1\nport p1\n  mtu 9000\nport p2\n  up\n  colour red\n  frob\n"

Run = Callable[..., subprocess.CompletedProcess[str]]


def install(folder: Path, entry_points: dict[str, dict[str, str]] | None = None) -> None:
    """Lay the package out as an installer does; `entry_points` instead of its own."""
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shutil.copytree(PLUGIN / "acme_roce", folder / "acme_roce")
    info = folder / f"acme_roce-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = []
    for group, points in (entry_points or project["entry-points"]).items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def run(tmp_path: Path, root: Path) -> Run:
    """Run roce-lint with the package on the path, from elsewhere, with a cache of its own."""
    (tmp_path / "site").mkdir()
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "switch.conf").write_text(CONFIG)
    env = {
        **os.environ,
        "PYTHONPATH": f"{tmp_path / 'site'}{os.pathsep}{root}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }

    def roce_lint(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "roce_lint", *words],
            cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip

    return roce_lint


def judged(done: subprocess.CompletedProcess[str]) -> list[tuple[str, str, int, str]]:
    """The findings of the rule, and the device that was read."""
    report = json.loads(done.stdout)
    assert [(d["name"], d["nos"]) for d in report["devices"]] == [("leaf1", "acme")]
    # Settings that say how files are read are told, as what a stranger could bring.
    assert [d for d in report["diagnostics"] if d["kind"] != "weakened-by"] == []
    return [
        (f["rule"], f["severity"], f["locations"][0]["line"], f["message"])
        for f in report["findings"]
        if f["rule"] != "SRC001"
    ]


FOUND = [("ACM001", "warning", 6, "leaf1 p2 states no MTU")]


def test_without_the_package_nobody_knows_the_file(run: Run) -> None:
    done = run("check", "lab/switch.conf")
    assert done.returncode == 3
    assert "lab/switch.conf: unknown-format: no reader recognises it" in done.stderr


def test_its_configuration_is_recognised_and_its_rule_reports(run: Run, tmp_path: Path) -> None:
    install(tmp_path / "site")
    for _ in range(2):  # the second time from the cache
        done = run("check", "lab", "--format", "json", "--fail-on", "warning")
        assert done.returncode == 1, done.stderr
        assert judged(done) == FOUND
    assert (tmp_path / "cache" / "roce-lint").is_dir()
    (shape,) = (f for f in json.loads(done.stdout)["findings"] if f["rule"] == "SRC001")
    assert (shape["locations"][0]["line"], shape["locations"][0]["text"]) == (9, "frob")


def test_a_changed_reader_is_not_answered_from_the_cache(run: Run, tmp_path: Path) -> None:
    install(tmp_path / "site")
    assert judged(run("check", "lab", "--format", "json")) == FOUND
    template = tmp_path / "site" / "acme_roce" / "templates" / "parse" / "port.ttp"
    template.write_text(template.read_text().replace('re("up")', 're("shining")'))
    assert judged(run("check", "lab", "--format", "json")) == []


def test_its_files_are_known_by_command_and_setting(run: Run, tmp_path: Path) -> None:
    install(tmp_path / "site")
    text = CONFIG.replace("acme-os 4\n", "")
    (tmp_path / "lab" / "switch.conf").write_text(f"# command: acmectl dump  host: leaf1\n{text}")
    assert judged(run("check", "lab", "--format", "json")) == FOUND
    (tmp_path / "lab" / "switch.conf").write_text(f"#\n{text}")
    (tmp_path / "lab" / "roce-lint.toml").write_text('[files."*.conf"]\nnos = "acme"\n')
    assert judged(run("check", "lab", "--format", "json")) == FOUND


def test_its_rule_is_listed_explained_selected_and_waived(run: Run, tmp_path: Path) -> None:
    install(tmp_path / "site")
    assert "ACM001" in run("rules").stdout
    explained = run("explain", "mtu-left-to-the-release")
    assert (explained.returncode, explained.stderr) == (0, "")
    assert "Acme OS 4 and 5 differ in their default." in explained.stdout
    chosen = run("check", "lab", "--format", "json", "--select", "ACM")
    assert [f["rule"] for f in json.loads(chosen.stdout)["findings"]] == ["ACM001"]
    ignored = run("check", "lab", "--format", "json", "--ignore", "ACM001")
    assert judged(ignored) == []


def test_its_device_is_shown(run: Run, tmp_path: Path) -> None:
    install(tmp_path / "site")
    done = run("show", "lab", "--device", "leaf1", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "9000" in done.stdout


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (
            {"roce_lint.nos": {"acme": "acme_gone:NOS"}},
            "the plug-in acme (acme_gone:NOS) cannot be loaded: No module named 'acme_gone'",
        ),
        (
            {"roce_lint.nos": {"acme": "acme_roce:GONE"}},
            "the plug-in acme (acme_roce:GONE) cannot be loaded: module 'acme_roce' has no attribute 'GONE'",
        ),
        (
            {"roce_lint.nos": {"acme": "acme_roce:normalize"}},
            "a NOS must be a roce_lint.nos.base.Nos, not function (entry point acme_roce:normalize)",
        ),
        (
            {"roce_lint.nos": {"a": "acme_roce:NOS", "b": "acme_roce:NOS"}},
            "two packages declare the NOS 'acme' (entry point acme_roce:NOS)",
        ),
        (
            {"roce_lint.rules": {"acme": "acme_gone:PAGES"}},
            "the plug-in acme (acme_gone:PAGES) cannot be loaded: No module named 'acme_gone'",
        ),
    ],
)
def test_a_package_that_is_wrong_is_told(
    run: Run, tmp_path: Path, points: dict[str, dict[str, str]], message: str
) -> None:
    install(tmp_path / "site", points)
    done = run("check", "lab")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"roce-lint: {message}\n")


def test_the_examples_of_its_page_hold(run: Run, tmp_path: Path) -> None:
    """Tests of our own pages apply to pages of other packages."""
    install(tmp_path / "site")
    bad, fixed = (tmp_path / word for word in ("bad", "fixed"))
    page = (PLUGIN / "acme_roce" / "pages" / "ACM001-mtu-left-to-the-release.md").read_text()
    blocks = page.split("```acme ")[1:]
    for folder, block in zip((bad, fixed), blocks, strict=True):
        folder.mkdir()
        (folder / "leaf1.conf").write_text(block.split("\n", 1)[1].split("```")[0])
    assert [line for _, _, line, _ in judged(run("check", "bad", "--format", "json"))] == [5]
    assert judged(run("check", "fixed", "--format", "json")) == []


@pytest.mark.deep
@pytest.mark.xdist_group("wheel")
def test_it_works_beside_the_wheel(installed: Place, tmp_path: Path) -> None:
    python = installed.bin / "python"
    call("pip", "--python", python, "install", "--quiet", "--no-deps", "--no-compile", PLUGIN)
    try:
        (tmp_path / "switch.conf").write_text(CONFIG)
        done = installed.run("roce-lint", "check", str(tmp_path), "--format", "json", "--no-cache")
        assert done.returncode == 0, done.stderr
        assert judged(done) == FOUND
    finally:
        call("pip", "--python", python, "uninstall", "--quiet", "--yes", "acme-roce")

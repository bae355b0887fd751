"""The commands of docs/first-hour.md do what the document says."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

import pytest

from tests.command import ended

PAGE = "docs/first-hour.md"


def steps(text: str) -> list[tuple[str, str]]:
    """Each command with the line below it (empty where there is none)."""
    found = []
    for block in re.findall(r"^```\n(\$ .*?)^```", text, re.MULTILINE | re.DOTALL):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, said = step.rstrip("\n").partition("\n")
            found.append((command, said))
    return found


def run(command: str, folder: Path) -> tuple[int, str]:
    """Run a step; roce-lint in this process, everything else by a shell."""
    words = shlex.split(command)
    given = dict(word.split("=", 1) for word in takewhile(lambda word: "=" in word, words))
    if words[len(given)] == "roce-lint":
        done = ended(*words[len(given) + 1 :], cwd=folder, NO_COLOR="1", **given)
        return done.returncode, done.output
    return by_shell(command, folder)


def by_shell(command: str, folder: Path) -> tuple[int, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env={**os.environ, "PATH": path, "NO_COLOR": "1"},
        check=False, text=True, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.returncode, done.stdout


@pytest.mark.parametrize("how", [run, pytest.param(by_shell, marks=pytest.mark.deep)])
def test_every_step_ends_as_it_says(
    root: Path, tmp_path: Path, how: Callable[[str, Path], tuple[int, str]]
) -> None:
    shutil.copytree(root / "sample_configs", tmp_path / "sample_configs")
    done_steps = steps((root / PAGE).read_text(encoding="utf-8"))
    assert len(done_steps) >= 20
    for command, said in done_steps:
        status, output = how(command, tmp_path)
        assert status in (0, 1), (command, output)
        for line in said.splitlines():
            assert line in output.splitlines(), (command, output[-2000:])
    assert (tmp_path / "fabric" / "roce-lint.toml").is_file()
    assert "Since fabric.json" in (tmp_path / "fabric.html").read_text()

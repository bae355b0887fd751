"""The commands of docs/first-hour.md do what the document says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PAGE = "docs/first-hour.md"


def steps(text: str) -> list[tuple[str, str]]:
    """Each command with the line below it (empty where there is none)."""
    found = []
    for block in re.findall(r"^```\n(\$ .*?)^```", text, re.MULTILINE | re.DOTALL):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, said = step.rstrip("\n").partition("\n")
            found.append((command, said))
    return found


def test_every_step_ends_as_it_says(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "sample_configs", tmp_path / "sample_configs")
    bin_folder = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    done_steps = steps((root / PAGE).read_text(encoding="utf-8"))
    assert len(done_steps) >= 20
    for command, said in done_steps:
        done = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env=env, check=False, text=True, timeout=120,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode in (0, 1), (command, done.stdout)
        for line in said.splitlines():
            assert line in done.stdout.splitlines(), (command, done.stdout[-2000:])
    assert (tmp_path / "fabric" / "roce-lint.toml").is_file()
    assert "Since fabric.json" in (tmp_path / "fabric.html").read_text()

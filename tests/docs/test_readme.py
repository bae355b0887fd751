"""The README shows what the commands really print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


def _printed(root: Path, *words: str) -> str:
    """Both streams of roce-lint, as a terminal shows them, without colour."""
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "roce_lint", *words]
    done = subprocess.run(
        command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False, timeout=120,
    )  # fmt: skip
    return done.stdout + f"roce-lint: exit status {done.returncode}\n"


def _between(text: str, marker: str) -> str:
    found = re.search(rf"<!-- {marker} -->\n```\n(.*?)```\n<!-- /{marker} -->", text, re.DOTALL)
    if found is None:
        pytest.fail(f"README.md has no block between <!-- {marker} --> and <!-- /{marker} -->")
    return found.group(1)


def test_the_demo_is_what_the_command_prints(root, golden):
    golden.check(
        root / "docs" / "demo.txt", _printed(root, "check", "sample_configs/broken-fabric")
    )


def test_the_readme_shows_the_end_of_the_demo(root):
    shown = _between((root / "README.md").read_text(encoding="utf-8"), "demo")
    assert (root / "docs" / "demo.txt").read_text(encoding="utf-8").endswith(shown)


def test_the_readme_shows_the_table_of_a_port(root):
    shown = _between((root / "README.md").read_text(encoding="utf-8"), "port")
    printed = _printed(
        root, "show", "sample_configs/clean-fabric", "--device", "leaf2", "--port", "Ethernet1/1"
    )
    assert printed.startswith(shown)


def test_the_readme_shows_a_traced_class(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    printed = _printed(
        root, "trace", "sample_configs/broken-fabric", "--from", "gpu01", "--to", "gpu05"
    )
    assert printed.startswith(_between(text, "trace"))
    assert printed.endswith(_between(text, "trace-end"))

"""docs/collect.md names for every system the commands that its reader asks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roce_lint.loading.identify import is_command
from roce_lint.nos.registry import all_nos


def named(root: Path) -> set[str]:
    """All commands in the table of switches."""
    text = (root / "docs/collect.md").read_text().split("## Hosts")[0]
    rows = [line for line in text.splitlines() if line.startswith("| ")][2:]
    cells = [re.split(r"(?<!\\)\|", row)[2] for row in rows]
    return {found.replace("\\|", "|") for cell in cells for found in re.findall(r"`([^`]+)`", cell)}


@pytest.mark.parametrize("name", [name for name in all_nos() if name != "linux"])
def test_what_is_to_be_run(root: Path, name: str) -> None:
    wanted = {source.run for source in all_nos()[name].sources if source.run}
    assert wanted
    assert wanted <= named(root)


def test_nothing_else_is_named(root: Path) -> None:
    runs = {source.run for nos in all_nos().values() for source in nos.sources}
    assert named(root) <= runs
    assert all(is_command(command) for command in named(root))

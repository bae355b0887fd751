"""Limits of a platform are on its page as in its table, and the readers use the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roce_lint.nos.refusals import Limit, Words
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import Confidence
from tests.conftest import ROOT

HEADING = "## What the device refuses"
SYSTEMS = sorted(name for name, nos in all_nos().items() if nos.limits)


def rows(page: Path) -> dict[str, tuple[str, str]]:
    """Permitted values by setting on a page, with their source."""
    section = page.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    cells = (re.split(r" *\| *", line) for line in section.splitlines() if line.startswith("| "))
    return {each[1]: (each[2], each[3]) for each in cells if each[1] != "setting"}


def in_words(limit: Limit) -> str:
    if isinstance(limit, Words):
        return ", ".join(f"`{word}`" for word in limit.words)
    return limit.takes


@pytest.mark.parametrize("nos", SYSTEMS)
def test_the_page_has_the_table(nos: str) -> None:
    told = rows(ROOT / "docs" / "nos" / f"{nos}.md")
    limits = all_nos()[nos].limits
    assert {what: takes for what, (takes, _) in told.items()} == {
        what: in_words(limit) for what, limit in limits.items()
    }
    for what, (_, by) in told.items():
        doubted = limits[what].confidence is Confidence.UNCONFIRMED
        assert ("(unconfirmed)" in by) is doubted, what
        assert len(by) > 3, what


def test_there_are_tables() -> None:
    assert len(SYSTEMS) > 10

"""The index of rules is generated from the rule pages: `python -m roce_lint.dev rules` writes
it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roce_lint.dev.nos_pages import FAMILIES, INDEX, generate_files, update
from roce_lint.engine.page import load_pages
from tests.house.listing import ROOT


def test_the_index_is_up_to_date() -> None:
    index = (ROOT / INDEX).read_text(encoding="utf-8")
    assert index == generate_files(ROOT)[INDEX], "`python -m roce_lint.dev rules` writes it anew"


def test_every_rule_is_in_the_index() -> None:
    pages = load_pages([ROOT / "rules"])
    assert {page.family for page in pages} <= set(FAMILIES)
    index = generate_files(ROOT)[INDEX]
    for page in pages:
        assert index.count(f"[{page.id}](") == 2, page.id


def test_every_link_leads_somewhere() -> None:
    for name, text in generate_files(ROOT).items():
        for target in text.split("](")[1:]:
            link = target.partition(")")[0]
            assert ((ROOT / name).parent / link).is_file(), link


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Two rules."""
    for name in ("mtu/MTU002-mtu-differs-on-link.md", "pfc/PFC001-pfc-off-on-class-path.md"):
        (tmp_path / "rules" / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / "rules" / name, tmp_path / "rules" / name)
    return tmp_path


def test_what_is_stale_is_noticed_and_mended(checkout: Path) -> None:
    assert update(checkout, generate_files(checkout)) == [INDEX]
    assert update(checkout, generate_files(checkout)) == []
    page = checkout / "rules/mtu/MTU002-mtu-differs-on-link.md"
    page.write_text(page.read_text().replace("severity: error", "severity: info"))
    assert update(checkout, generate_files(checkout)) == [INDEX]
    assert update(checkout, generate_files(checkout)) == []


def test_the_command_wants_to_know_what_to_make() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "roce_lint.dev"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "required: command" in done.stderr

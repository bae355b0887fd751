"""The rule reference is what the rule pages say: `python -m roce_lint.dev rules` writes it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roce_lint.dev.reference import FAMILIES, FOLDER, FRONT, generated, stale, write
from roce_lint.engine.page import load_pages
from tests.house.listing import ROOT


def test_the_reference_is_up_to_date() -> None:
    assert stale(ROOT) == [], "`python -m roce_lint.dev rules` writes it anew"


def test_every_rule_is_in_every_index() -> None:
    pages = load_pages([ROOT / "rules"])
    assert {page.family for page in pages} <= set(FAMILIES)
    made = generated(ROOT)
    for name in ("rules/README.md", f"{FOLDER}/README.md"):
        for page in pages:
            assert made[name].count(f"[{page.id}](") == (2 if name.startswith(FOLDER) else 1)


def test_every_link_leads_somewhere() -> None:
    made = generated(ROOT)
    for name, text in made.items():
        if name == FRONT:
            continue
        for target in text.split("](")[1:]:
            link = target.partition(")")[0]
            if "://" in link or not link.endswith(".md"):
                continue
            path = (ROOT / name).parent / link
            assert path.is_file() or path.resolve().relative_to(ROOT).as_posix() in made, link


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Two rules, and a README that has room for their table."""
    for name in ("mtu/MTU002-mtu-differs-on-link.md", "pfc/PFC001-pfc-off-on-class-path.md"):
        (tmp_path / "rules" / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / "rules" / name, tmp_path / "rules" / name)
    (tmp_path / FRONT).write_text("# x\n\n<!-- rules -->\nold\n<!-- /rules -->\n\nmore\n")
    return tmp_path


def test_what_is_stale_is_noticed_and_mended(checkout: Path) -> None:
    every = [
        "README.md",
        "docs/rules/MTU002-mtu-differs-on-link.md",
        "docs/rules/PFC001-pfc-off-on-class-path.md",
        "docs/rules/README.md",
        "rules/README.md",
    ]
    assert stale(checkout) == every
    assert write(checkout) == every
    assert stale(checkout) == []
    (checkout / "docs/rules/XXX001-gone.md").write_text("of a rule that is gone")
    page = checkout / "rules/mtu/MTU002-mtu-differs-on-link.md"
    page.write_text(page.read_text().replace("severity: error", "severity: info"))
    late = [name for name in every if "PFC" not in name]
    assert write(checkout) == sorted([*late, "docs/rules/XXX001-gone.md"])
    assert write(checkout) == []


def test_the_front_page_keeps_its_own_words(checkout: Path) -> None:
    write(checkout)
    text = (checkout / FRONT).read_text()
    assert text.startswith("# x\n\n<!-- rules -->\n| rule | severity | finds |\n")
    assert text.endswith("|\n<!-- /rules -->\n\nmore\n")
    assert "old" not in text
    assert "[MTU002](docs/rules/MTU002-mtu-differs-on-link.md) | error |" in text


def test_a_front_page_without_marks_stays(checkout: Path) -> None:
    (checkout / FRONT).write_text("# x\n")
    write(checkout)
    assert (checkout / FRONT).read_text() == "# x\n"


def test_examples_are_captioned(checkout: Path) -> None:
    text = generated(checkout)["docs/rules/MTU002-mtu-differs-on-link.md"]
    assert " bad file=" not in text
    assert "(wrong, line " in text


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

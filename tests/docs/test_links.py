"""Documents are found from the index, and lead to files and formats that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roce_lint.report import FORMATS

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def documents(root: Path) -> list[Path]:
    return [*sorted((root / "docs").glob("*.md")), root / "README.md"]


def targets(path: Path) -> list[Path]:
    found = LINK.findall(path.read_text(encoding="utf-8"))
    return [(path.parent / name).resolve() for name in found if "://" not in name]


def test_every_link_leads_somewhere(root: Path) -> None:
    broken = [(p.name, t) for p in documents(root) for t in targets(p) if not t.exists()]
    assert broken == []


def test_the_index_lists_every_document(root: Path) -> None:
    listed = set(targets(root / "docs" / "README.md"))
    missing = [p.name for p in documents(root) if p.name != "README.md" and p not in listed]
    assert missing == []


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_explained(root: Path, name: str) -> None:
    assert f"\n| `{name}` |" in (root / "docs" / "formats.md").read_text(encoding="utf-8")

"""What users read keeps to docs/style.md: none of the turns that its list refuses is left."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.conftest import ROOT
from tests.house.listing import read, under

GUIDE = "docs/style.md"
_ROW = re.compile(r"^\| ([^|]+) \| [^|]+ \|$", re.MULTILINE)

LEFT = {("page.py", "how to put it right")}
"""Said to nobody: the heading by which pages of an earlier version are known."""

# It records what was decided and changed, in the words of its day.
HISTORY = ("docs/adr/",)


@cache
def refused() -> list[str]:
    """The turns that the guide refuses, in lower case."""
    return [
        turn.strip().lower()
        for turn in _ROW.findall(read(GUIDE))
        if turn.strip() not in ("not", "---")
    ]


def said(path: Path) -> Iterator[str]:
    """The strings of a module that are no docstrings: what it may say to somebody."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in silent
        ):
            yield node.value


def faults(text: str) -> list[str]:
    folded = " ".join(text.lower().split())
    return [turn for turn in refused() if turn in folded]


def test_the_list_is_read() -> None:
    assert {"would settle", ": not known is", "--help tells"} <= set(refused())
    assert len(refused()) >= 20


def test_modules_say_none_of_it() -> None:
    found = [
        (path.name, turn)
        for path in sorted((ROOT / "roce_lint").rglob("*.py"))
        for text in said(path)
        for turn in faults(text)
    ]
    assert [each for each in found if each not in LEFT] == []


def test_pages_and_documents_say_none_of_it() -> None:
    names = [
        "README.md",
        "CONTRIBUTING.md",
        *under("templates/report", suffix=".j2"),
        *under("templates/report", suffix=".js"),
        *under("docs", suffix=".md"),
        *under("rules", suffix=".md"),
    ]
    found = [
        (name, turn)
        for name in names
        if name != GUIDE and not name.startswith(HISTORY)
        for turn in faults(read(name))
    ]
    assert found == []


def test_a_turn_is_noticed_over_the_end_of_a_line(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text('"""Nothing would settle it."""\nx = f"{1} would\\n settle it"\n')
    assert [faults(text) for text in said(module)] == [["would settle"]]

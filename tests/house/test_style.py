"""Messages, documents, docstrings and names follow docs/style.md."""

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
"""Never shown: the heading of pages of an earlier version."""

# It records decisions and changes in the words of their day.
HISTORY = ("docs/adr/",)

RELATIVE = re.compile(r"(What|Which|Who|Whose|Where|How|That)\b")
PERSONAL = re.compile(r"_?(see_that|tells?|told|said|says?)(_|$)")


@cache
def refused() -> list[str]:
    """Phrases that the guide refuses, in lower case."""
    rows = _ROW.findall(read(GUIDE).partition("\n## Phrases\n")[2])
    return [phrase.strip().lower() for phrase in rows if phrase.strip() not in ("not", "---")]


def messages_in(path: Path) -> Iterator[str]:
    """Strings of a module that are not docstrings: possible messages."""
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
    return [phrase for phrase in refused() if phrase in folded]


def dialect(path: Path) -> Iterator[str]:
    """Docstrings that begin with a relative word, and names that treat data as a person."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            line = getattr(node, "lineno", 1)
            if RELATIVE.match(text):
                yield f"{line}: {text.splitlines()[0]}"
            if PERSONAL.match(getattr(node, "name", "")):
                yield f"{line}: NAME {node.name}"


def test_the_list_is_read() -> None:
    assert {"would settle", ": not known is", "--help tells"} <= set(refused())
    assert 70 <= len(refused()) == len(set(refused()))


def test_messages_have_no_refused_phrase() -> None:
    found = [
        (path.name, phrase)
        for path in sorted((ROOT / "roce_lint").rglob("*.py"))
        for text in messages_in(path)
        for phrase in faults(text)
    ]
    assert [each for each in found if each not in LEFT] == []


def test_pages_and_documents_have_no_refused_phrase() -> None:
    names = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "benchmarks/README.md",
        *under("templates/report", suffix=".j2"),
        *under("templates/report", suffix=".js"),
        *under("docs", suffix=".md"),
        *under("rules", suffix=".md"),
    ]
    found = [
        (name, phrase)
        for name in names
        if name != GUIDE and not name.startswith(HISTORY)
        for phrase in faults(read(name))
    ]
    assert found == []


def test_docstrings_begin_with_a_noun_or_a_verb() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{each}"
        for folder in ("roce_lint", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for each in dialect(path)
    ]
    assert not found, "\n".join(found)


def test_a_phrase_is_found_across_lines(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text('"""Nothing would settle it."""\nx = f"{1} would\\n settle it"\n')
    assert [faults(text) for text in messages_in(module)] == [["would settle"]]


def test_dialect_is_found(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text(
        '"""Whether it holds."""\n\n\nclass Port:\n    """What is told."""\n\n'
        '    def _see_that_it_is(self):\n        """Whatever."""\n\n\ndef said():\n    pass\n'
    )
    assert sorted(dialect(module)) == [
        "11: NAME said",
        "4: What is told.",
        "7: NAME _see_that_it_is",
    ]

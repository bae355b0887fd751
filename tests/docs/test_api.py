"""The examples of docs/api.md do what the page says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import roce_lint


def test_the_examples_of_the_page_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    page = root / "docs" / "api.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert (failed, tried > 15) == (0, True)


def test_the_page_names_all_tables_and_options(root: Path) -> None:
    text = (root / "docs" / "api.md").read_text(encoding="utf-8")
    for name in roce_lint.TABLES:
        assert f"'{name}'" in text
    options = roce_lint.load.__annotations__.keys() - {"paths", "return"}
    assert {name for name in options if not re.search(rf"`{name}`", text)} == set()


def test_every_public_name_is_there() -> None:
    for name in roce_lint.__all__:
        assert getattr(roce_lint, name) is not None

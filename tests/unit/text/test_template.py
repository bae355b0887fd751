"""Templates: strict about missing values, shut in, and escaping where HTML is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.text import template
from roce_lint.text.template import render_report


def test_html_is_escaped_and_markdown_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "page.html.j2").write_text("{{ x | twice }}")
    (folder / "page.md.j2").write_text("{{ x | twice }}")
    monkeypatch.setattr(template, "resource_dir", lambda name: tmp_path)
    filters = {"twice": lambda text: text * 2}
    assert render_report("page.html.j2", {"x": "<"}, filters) == "&lt;&lt;"
    assert render_report("page.md.j2", {"x": "<"}, filters) == "<<"

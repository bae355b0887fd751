"""Templates: strict about missing values, shut in, and escaping where HTML is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.errors import RenderError
from roce_lint.text import template
from roce_lint.text.template import render_config, render_report


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "eos" / "render"
    made.mkdir(parents=True)
    return made


def written(folder: Path, text: str) -> str:
    (folder / "interface.j2").write_text(text)
    return "interface.j2"


def test_configuration_is_written_as_it_stands(folder: Path) -> None:
    name = written(folder, "interface {{ name }}\n{% if mtu %}\n   mtu {{ mtu }}\n{% endif %}\n")
    assert render_config(folder, name, {"name": "Et1<&>", "mtu": 9214}) == (
        "interface Et1<&>\n   mtu 9214\n"
    )


@pytest.mark.parametrize(
    ("text", "location", "message"),
    [
        ("mtu {{ mtu }}\n", "eos/render/interface.j2", "'mtu' is undefined"),
        ("a\n{% if %}\n", "eos/render/interface.j2:2", "Expected an expression, got 'end of statement block'"),
        ("{{ name.__class__.__mro__ }}", "eos/render/interface.j2", "access to attribute '__class__' of 'str' object is unsafe."),
    ],
)  # fmt: skip
def test_what_cannot_be_rendered_is_refused(
    folder: Path, text: str, location: str, message: str
) -> None:
    with pytest.raises(RenderError) as caught:
        render_config(folder, written(folder, text), {"name": "Et1"})
    assert (caught.value.location, caught.value.message) == (location, message)


def test_a_template_cannot_change_what_it_is_given(folder: Path) -> None:
    name = written(folder, "{{ ports.append(1) }}")
    with pytest.raises(RenderError, match="access to attribute 'append'"):
        render_config(folder, name, {"ports": []})


def test_a_missing_template_is_refused(folder: Path) -> None:
    with pytest.raises(RenderError, match=r"^eos/render/qos\.j2: there is no such template$"):
        render_config(folder, "qos.j2", {})


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

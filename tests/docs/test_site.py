"""The documentation site: every page is in its menu, and it builds without a warning."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roce_lint.cli.main import COMMANDS
from roce_lint.dev.site import write_site
from roce_lint.report.wording import address
from tests.rules.examples import pages

LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="module")
def settings(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(root, tmp_path_factory.mktemp("site") / "site")


def menu_files(entry: Any) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    return [
        name
        for part in (entry.values() if isinstance(entry, dict) else entry)
        for name in menu_files(part)
    ]


def test_every_page_is_in_the_menu(settings: Path) -> None:
    source = settings.parent / "source"
    listed = set(menu_files(json.loads(settings.read_text(encoding="utf-8"))["nav"]))
    assert all((source / name).is_file() for name in listed)
    assert {f"docs/command/{name}.md" for name in COMMANDS} <= listed
    assert {
        Path(page.path).relative_to(page.path.split("rules/")[0]).as_posix() for page in pages()
    } <= listed
    written = {path.relative_to(source).as_posix() for path in source.rglob("*.md")}
    assert {name for name in written - listed if not name.endswith("README.md")} == set()


def test_every_link_leads_somewhere(settings: Path) -> None:
    broken = [
        (path.name, name)
        for path in settings.parent.rglob("source/**/*.md")
        for name in LINK.findall(outside_fences(path.read_text(encoding="utf-8")))
        if not (path.parent / name).exists()
    ]
    assert broken == []


def outside_fences(text: str) -> str:
    return re.sub(
        r"`[^`\n]+`", "", re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    )


def test_help_url_names_a_page_of_the_site(settings: Path) -> None:
    page = pages()[0]
    place = address("https://docs.example/rules/{path}.md", page)
    assert (settings.parent / "source" / place.removeprefix("https://docs.example/")).is_file()


@pytest.mark.deep
def test_it_builds_without_a_warning(settings: Path) -> None:
    pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(settings)],
        capture_output=True, text=True, env={"NO_MKDOCS_2_WARNING": "1", "PATH": ""}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    built = settings.parent / "html"
    for name in ("index.html", "rules/index.html", "docs/nos/eos.html", "docs/command/check.html"):
        assert (built / name).is_file()
    for page in pages():
        place = address("https://docs.example/rules/{path}.html", page)
        assert (built / place.removeprefix("https://docs.example/")).is_file()

"""Sources of the documentation site: documents, rule pages, a page per command, and the menu."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any

from roce_lint.cli.main import cli
from roce_lint.engine.page import add_captions

SETTINGS = "mkdocs.yml"
"""Settings of the site that are kept by hand; the menu is added to them."""

_LINK = re.compile(r"\[(?P<text>[^\]\n]+)\]\((?P<target>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")
_FILES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE")
_FOLDERS = ("docs", "rules")
_FIRST = ("first-hour.md", "collect.md", "commands.md", "settings.md", "troubleshooting.md")
"""Documents at the top of the menu, in the order in which a new user needs them."""


def write_site(root: Path, folder: Path) -> Path:
    """Write the sources of the site below `folder`, which is replaced.

    Files keep their places relative to each other, so that links between them stay valid.

    Returns:
        The settings file for `mkdocs build`.
    """
    source = folder / "source"
    shutil.rmtree(folder, ignore_errors=True)
    source.mkdir(parents=True)
    for name in _FILES:
        shutil.copy(root / name, source / name)
    for name in _FOLDERS:
        shutil.copytree(root / name, source / name)
    _write_commands(source / "docs" / "command")
    for path in sorted(source.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if text.startswith("---\n"):  # a rule page: its front matter is for programs
            text = add_captions(text.split("---\n", 2)[2])
        path.write_text(_LINK.sub(partial(_resolve, page=path), text), encoding="utf-8")
    settings = {"INHERIT": str(root / SETTINGS), "docs_dir": str(source), "nav": _menu(source)}
    settings["site_dir"] = str(folder / "html")
    (folder / SETTINGS).write_text(json.dumps(settings, indent=1), encoding="utf-8")
    return folder / SETTINGS


def _write_commands(folder: Path) -> None:
    """A page per command: its help, as a terminal of 100 columns shows it."""
    folder.mkdir()
    root = cli.context_class(cli, info_name="roce-lint", terminal_width=100)
    for name in cli.list_commands(root):
        command = cli.get_command(root, name)
        if command is not None:
            shown = cli.context_class(command, parent=root, info_name=name, terminal_width=100)
            text = f"# roce-lint {name}\n\n```text\n{command.get_help(shown)}\n```\n"
            (folder / f"{name}.md").write_text(text, encoding="utf-8")


def _resolve(link: re.Match[str], page: Path) -> str:
    """A link that the site can follow: a folder has an index, other files of the checkout none."""
    target = page.parent / link["target"]
    if target.is_dir():
        index = target / "README.md"
        if not index.exists():
            index.write_text(_index(target), encoding="utf-8")
        return f"[{link['text']}]({link['target'].rstrip('/')}/README.md)"
    return link[0] if target.exists() else link["text"]


def _index(folder: Path) -> str:
    rows = [f"- [{_title(path)}]({path.name})" for path in _pages(folder)]
    return "\n".join([f"# {folder.name}", "", *rows, ""])


def _pages(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.md") if path.name != "README.md")


def _title(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    title = next(line[2:] for line in text.splitlines() if line.startswith("# "))
    return f"{page.name[:6]}: {title}" if page.parent.parent.name == "rules" else title


def _menu(source: Path) -> list[dict[str, Any]]:
    docs, rules = source / "docs", source / "rules"

    def entries(pages: list[Path]) -> list[dict[str, str]]:
        return [{_title(page): page.relative_to(source).as_posix()} for page in pages]

    documents = sorted(_pages(docs), key=lambda page: (page.name not in _FIRST, page.name))
    families = [
        {folder.name: entries(found)}
        for folder in sorted(rules.iterdir())
        if (found := _pages(folder))
    ]
    return [
        {"Home": "README.md"},
        {"Documents": entries(documents)},
        {"Commands": entries(_pages(docs / "command"))},
        {"Rules": [{"All rules": "rules/README.md"}, *families]},
        {"Systems": entries(_pages(docs / "nos"))},
        {
            "Development": [
                *entries([source / name for name in _FILES[1:4]]),
                *entries(_pages(docs / "adr")),
            ]
        },
    ]

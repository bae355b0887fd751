"""Files and modules named in documents exist."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

OTHERS = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "rules/README.md",
)
"""Documents besides docs/*.md; docs/adr is history."""

_FENCE = re.compile(r"^(`{3,}).*?^\1", re.MULTILINE | re.DOTALL)
_FOLDERS = "benchmarks|docs|roce_lint|rules|sample_configs|templates|tests"
_FILE = re.compile(rf"(?<![\w./*>-])(?:(?:{_FOLDERS})/[\w./<>*{{}}-]*|[\w/<>*]+\.py\b)")
_MODULE = re.compile(r"\b(?:roce_lint|tests)(?:\.\w+)+")
_PLACEHOLDER = re.compile(r"[<>*{}]|MTU098")  # that rule is the scaffold of CONTRIBUTING.md
_EVERYWHERE = {"conftest.py", "normalize.py"}  # one per package


def documents(root: Path) -> list[str]:
    return [*sorted(f"docs/{path.name}" for path in (root / "docs").glob("*.md")), *OTHERS]


def names_in(text: str) -> list[str]:
    prose = _FENCE.sub("", text)
    files = {name.rstrip(".") for name in _FILE.findall(prose)}
    modules = {name for name in _MODULE.findall(prose) if not name.endswith((".md", ".py"))}
    return sorted(name for name in files | modules if not _PLACEHOLDER.search(name))


def exists(root: Path, name: str, folder: Path | None = None) -> bool:
    """Whether a name is a file (of the checkout, the document's folder, or the only one of that
    name in the package) or can be imported.
    """
    if "/" not in name and not name.endswith(".py"):
        return is_importable(name)
    if name in _EVERYWHERE or any((base / name).exists() for base in (root, folder or root)):
        return True
    return (root / "roce_lint" / name).exists() or len(list((root / "roce_lint").rglob(name))) == 1


def is_importable(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    try:
        if hasattr(import_module(module), attribute):
            return True
        import_module(name)
    except ImportError:
        return False
    return True


def test_every_name_leads_to_a_file(root: Path) -> None:
    dead = [
        (document, name)
        for document in documents(root)
        for name in names_in((root / document).read_text(encoding="utf-8"))
        if not exists(root, name, (root / document).parent)
    ]
    assert not dead, dead


def test_the_floors_are_those_of_the_contract(root: Path) -> None:
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["id"] == "floors")
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", text, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(len(layers), 0, -1))
    assert [set(re.findall(r"\w+", names)) for _, names in rows] == [
        set(re.findall(r"\w+", layer)) for layer in layers
    ]


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("`analysis/walk.py`, `walk.py`, `tests/docs/test_names.py`", []),
        ("(roce_lint/analysis/stages.py), `rules/pfc` and `roce_lint.engine.fold`", []),
        ("`roce_lint.load` and `python -m roce_lint.dev nos`", []),
        ("`docs/nos/<nos>.md`, `rules/{page}`, `templates/eos/*`", []),
        ("```\n$ roce_lint/gone.py\n```\n", []),
        ("`analysis/gone.py`", ["analysis/gone.py"]),
        ("`hosts.py`", ["hosts.py"]),  # several modules
        (
            "`roce_lint.engine.gone` and `templates/gone`",
            ["roce_lint.engine.gone", "templates/gone"],
        ),
    ],
)
def test_missing_names_are_found(root: Path, text: str, dead: list[str]) -> None:
    assert [name for name in names_in(text) if not exists(root, name)] == dead

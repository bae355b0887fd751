"""docs/settings.md has every key, default and variable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from roce_lint.cli.help import VARIABLES, variable_of
from roce_lint.settings import (
    CatalogSettings,
    FileSettings,
    LimitSettings,
    RuleSettings,
    Settings,
    Waiver,
    load,
)

TABLES: dict[str, tuple[str, type[BaseModel] | None]] = {
    "files": ('files."GLOB".', FileSettings),
    "roles": ('roles."GLOB"', None),
    "rules": ("rules.ID.", RuleSettings),
    "waivers": ("waiver.", Waiver),
    "catalog": ("catalog.", CatalogSettings),
    "limits": ("limits.", LimitSettings),
}


def keys() -> Iterator[str]:
    for name in Settings.model_fields:
        prefix, model = TABLES.get(name, (name.replace("_", "-"), None))
        fields = model.model_fields if model is not None else [""]
        yield from (prefix + each.replace("_", "-") for each in fields)


def rows(root: Path) -> dict[str, str]:
    text = (root / "docs" / "settings.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `([^`]+)` \| [^|]+ \| ([^|]+) \|", text, re.MULTILINE))


def test_every_key_is_described(root: Path) -> None:
    assert list(rows(root)) == list(keys())


def test_defaults_of_limits_are_those_of_the_model(root: Path) -> None:
    found = rows(root)
    for name, value in LimitSettings().model_dump().items():
        assert found[f"limits.{name.replace('_', '-')}"] == f"`{value:g}`"


def test_the_example_has_every_key_and_loads(root: Path, tmp_path: Path) -> None:
    text = (root / "docs" / "settings.md").read_text(encoding="utf-8")
    example = text.partition("<!-- example -->\n```toml\n")[2].partition("```")[0]
    path = tmp_path / "roce-lint.toml"
    path.write_text(example, encoding="utf-8")
    settings = load(path)
    assert settings.model_fields_set == set(Settings.model_fields)
    for key in keys():
        assert re.search(rf'(?m)^"?{re.escape(key.rpartition(".")[2])}', example) or "GLOB" in key


def test_every_variable_is_listed(root: Path) -> None:
    text = (root / "docs" / "settings.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(ROCE_LINT_\w+)` \| `--([a-z-]+)`", text, re.MULTILINE)
    assert listed == [(variable_of(name), name) for name in VARIABLES]

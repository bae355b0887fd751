"""Rules, fields and modules named in docs/class-walk.md exist."""

from __future__ import annotations

import re

from roce_lint.engine.page import load_pages
from roce_lint.report.json_model import schema
from roce_lint.resources import resource_dir
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "class-walk.md").read_text("utf-8")

_RULE = re.compile(r"\b[A-Z]{3}\d{3}\b")
_MODULE = re.compile(r"`(?:analysis/)?(\w+)\.py`")


def test_the_rules_it_names_exist() -> None:
    known = {page.id for page in load_pages([resource_dir("rules")])}
    named = set(_RULE.findall(PAGE))
    assert {"MAP001", "PFC002", "MAP011", "PFC012", "CLS024"} <= named
    assert named - known == set()


def test_the_modules_and_fields_it_names_exist() -> None:
    modules = {path.stem for path in (ROOT / "roce_lint" / "analysis").glob("*.py")}
    named = set(_MODULE.findall(PAGE))
    assert {"walk", "impact", "witness"} <= named <= modules
    fields = schema()["$defs"]["Impact"]["properties"].keys()
    assert {"pairs_broken", "pairs_first", "path"} <= fields


def test_it_is_linked() -> None:
    for page in ("docs/README.md", "docs/architecture.md"):
        assert "class-walk.md)" in (ROOT / page).read_text("utf-8")

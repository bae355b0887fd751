"""docs/intent.md and docs/profiles.md say what the schema says, and their examples are right."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from roce_lint.catalog.plan_schema import ClassSchema, MarkingSchema, PlanSchema
from roce_lint.catalog.profiles import files, profile
from roce_lint.cli.main import cli
from roce_lint.intent.document import schema
from roce_lint.intent.read import read_intent
from tests.conftest import Golden


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)


def test_every_key_is_explained(root: Path) -> None:
    text = (root / "docs/intent.md").read_text()
    for model in (PlanSchema, ClassSchema, MarkingSchema):
        for key in model.model_fields:
            assert re.search(rf"^(\| |## .*)`{key}`", text, re.MULTILINE), key


def test_every_example_is_an_intent(root: Path, tmp_path: Path) -> None:
    examples = blocks(root / "docs/intent.md", "yaml")
    assert len(examples) > 4
    for number, text in enumerate(examples):
        path = tmp_path / f"{number}.yaml"
        path.write_text(text)
        read_intent(path)
        jsonschema.Draft202012Validator(schema()).validate(yaml.safe_load(text))


def test_the_published_schema_is_the_one_in_use(golden: Golden, root: Path) -> None:
    printed = CliRunner().invoke(cli, ["intent", "--schema"])
    assert printed.exit_code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(printed.stdout))
    golden.check(root / "docs" / "intent.schema.json", printed.stdout)


@pytest.mark.parametrize("wrong", [{"clases": {}}, {"classes": {"a": {"dscp": [64]}}}])
def test_what_is_refused_is_refused_by_the_schema_too(wrong: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema()).validate(wrong)


def test_every_profile_is_listed(root: Path) -> None:
    text = (root / "docs/profiles.md").read_text()
    for name, path in files().items():
        data = tomllib.loads(path.read_text())
        assert f"| `{name}` | {data['name']}: {data['description']} |" in text


def test_the_example_of_an_own_profile(root: Path, tmp_path: Path) -> None:
    _settings, own = blocks(root / "docs/profiles.md", "toml")
    (tmp_path / "pod.toml").write_text(own)
    assert [c.dscps for c in profile("pod", [tmp_path]).classes] == [(26,), (48,)]


def test_the_command_asks_for_something() -> None:
    done = CliRunner().invoke(cli, ["intent"])
    assert done.exit_code == 2
    assert "--schema" in done.stderr

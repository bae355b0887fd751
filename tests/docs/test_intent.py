"""docs/intent.md and docs/profiles.md say what the schema says, and their examples are right."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from roce_lint.catalog.plan_schema import Strict
from roce_lint.catalog.profiles import files, profile
from roce_lint.cli.main import cli
from roce_lint.intent import fabric
from roce_lint.intent import schema as intent
from roce_lint.intent.read import read_whole
from roce_lint.intent.schema import IntentSchema, json_schema
from roce_lint.topology.plan_file import read_plan
from tests.conftest import Golden


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)


def models_of(module: ModuleType) -> list[type[Strict]]:
    return [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Strict)
    ]


def test_every_key_is_explained(root: Path) -> None:
    text = (root / "docs/intent.md").read_text()
    for model in (IntentSchema, *models_of(fabric), *models_of(intent)):
        for key in model.model_fields:
            assert re.search(rf"^(\| [^|]*|## .*)`{key}`", text, re.MULTILINE), (model, key)


def test_every_example_is_an_intent(root: Path, tmp_path: Path) -> None:
    examples = blocks(root / "docs/intent.md", "yaml")
    assert len(examples) > 4
    for number, text in enumerate(examples):
        path = tmp_path / f"{number}.yaml"
        path.write_text(text)
        read_whole(path)
        jsonschema.Draft202012Validator(json_schema()).validate(yaml.safe_load(text))


def test_the_published_schema_is_the_one_in_use(golden: Golden, root: Path) -> None:
    printed = CliRunner().invoke(cli, ["intent", "--schema"])
    assert printed.exit_code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(printed.stdout))
    golden.check(root / "docs" / "intent.schema.json", printed.stdout)


@pytest.mark.parametrize("wrong", [{"clases": {}}, {"classes": {"a": {"dscp": [64]}}}])
def test_what_is_refused_is_refused_by_the_schema_too(wrong: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(json_schema()).validate(wrong)


def test_every_profile_is_listed(root: Path) -> None:
    text = (root / "docs/profiles.md").read_text()
    for name, path in files().items():
        data = tomllib.loads(path.read_text())
        assert f"| `{name}` | {data['name']}: {data['description']} |" in text


def test_the_example_of_an_own_profile(root: Path, tmp_path: Path) -> None:
    _settings, own = blocks(root / "docs/profiles.md", "toml")
    (tmp_path / "pod.toml").write_text(own)
    assert [c.dscps for c in profile("pod", [tmp_path]).classes] == [(26,), (48,)]


def test_every_sample_fits_the_schema(root: Path) -> None:
    samples = list((root / "sample_configs/intents").glob("*.yaml"))
    assert len(samples) > 9
    for path in samples:
        jsonschema.Draft202012Validator(json_schema()).validate(yaml.safe_load(path.read_text()))


def test_the_command_designs_and_judges(root: Path) -> None:
    path = root / "sample_configs/intents/two-tiers.yaml"
    done = CliRunner().invoke(cli, ["intent", str(path)])
    assert done.exit_code == 0
    assert done.stdout.startswith("Two tiers, 32 hosts: 38 devices, 128 links\n")
    assert "READY: all 4,032 NIC pairs" in done.stderr


def test_the_command_shows_a_device_and_cables(root: Path, tmp_path: Path) -> None:
    path = str(root / "sample_configs/intents/two-tiers.yaml")
    shown = CliRunner().invoke(cli, ["intent", path, "--device", "leaf2"])
    assert "BGP to 10.0.0.32, AS 65100" in shown.stdout
    links = tmp_path / "links.yaml"
    links.write_text(CliRunner().invoke(cli, ["intent", path, "--links"]).stdout)
    assert len(read_plan(links, "links.yaml")) == 128
    lost = CliRunner().invoke(cli, ["intent", path, "--device", "leaf9"])
    assert (lost.exit_code, "did you mean leaf" in lost.stderr) == (2, True)


def test_a_wish_that_cannot_be_met_ends_with_2(root: Path, tmp_path: Path) -> None:
    text = (root / "sample_configs/intents/two-tiers.yaml").read_text()
    path = tmp_path / "intent.yaml"
    path.write_text(text.replace("mtu: 9214", "mtu: 65535").replace("nos: eos", "nos: nxos", 1))
    done = CliRunner().invoke(cli, ["intent", str(path)])
    assert done.exit_code == 2
    assert f"{path}:43: nxos takes 576 to 9216 bytes, found 65535" in done.stderr


def test_the_command_asks_for_something() -> None:
    done = CliRunner().invoke(cli, ["intent"])
    assert done.exit_code == 2
    assert "--schema" in done.stderr

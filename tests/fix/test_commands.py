"""Fixes as commands for running devices, with rollback."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from roce_lint.nos.base import FileEdit
from roce_lint.nos.sonic.commands import commands
from tests.fix.conftest import SAMPLES, Command
from tests.unit.text.test_json_patch import patched

pytestmark = pytest.mark.xdist_group("fix of the broken sample")

SWITCHES = SAMPLES / "broken-fabric" / "switches"


def steps_of(text: str) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = json.loads(
        text.split("<<'PATCH'\n")[1].split("\nPATCH\n", maxsplit=1)[0]
    )
    return steps


@pytest.mark.parametrize("name", ["leaf3", "spine1"])
def test_the_patch_makes_the_corrected_file_and_the_rollback_the_first(
    broken: tuple[Result, Path], name: str
) -> None:
    out = broken[1]
    before = json.loads((SWITCHES / f"{name}.json").read_text())
    after = json.loads((out / "configs" / "switches" / f"{name}.json").read_text())
    assert before != after
    there = steps_of((out / "commands" / f"{name}.txt").read_text())
    back = steps_of((out / "rollback" / f"{name}.txt").read_text())
    assert patched(before, there) == after
    assert patched(after, back) == before


def test_the_patch_has_the_changed_fields_alone(broken: tuple[Result, Path]) -> None:
    steps = steps_of((broken[1] / "commands" / "spine1.txt").read_text())
    assert [(each["op"], each["path"].rsplit("/", 1)[1], each["value"]) for each in steps] == [
        ("replace", "Ethernet8", "40m")
    ]


def test_the_commands_are_a_script_and_no_configuration(
    broken: tuple[Result, Path], command: Command
) -> None:
    files = [*(broken[1] / "commands").iterdir(), *(broken[1] / "rollback").iterdir()]
    assert {file.name for file in files} == {"leaf3.txt", "spine1.txt"}
    for file in files:
        assert file.read_text().startswith("# Commands of roce-lint, no configuration\n")
        subprocess.run(["bash", "-n", str(file)], check=True)
    done = command("check", str(broken[1]), "--format", "json", "--no-cache")
    read = [name for each in json.loads(done.stdout)["devices"] for name in each["files"]]
    assert sorted(read) == sorted(
        f"configs/switches/{file.name}" for file in (broken[1] / "configs" / "switches").iterdir()
    )


def test_devices_without_commands_are_named(broken: tuple[Result, Path]) -> None:
    text = (broken[1] / "README.md").read_text()
    assert "corrected file of leaf2, leaf4: no commands are known" in text


@pytest.mark.parametrize(
    "before",
    [
        {"PORT|Ethernet0": {"mtu": "1500"}},
        {"localhost": {"PORT": {"Ethernet0": {"mtu": "1500"}}}, "asic0": {}},
        {"DEVICE_METADATA": {"localhost": {"asic_name": "asic0"}}, "PORT": {}},
    ],
)
def test_what_has_other_paths_on_the_switch_has_no_patch(before: dict[str, Any]) -> None:
    after = json.dumps({**before, "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}}})
    assert commands(FileEdit(json.dumps(before), after)) == ""
    assert commands(FileEdit("{}", after)) == ""

"""Options of all commands: one meaning each, groups, examples, variables, former spellings."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from roce_lint.cli.check import command as check
from roce_lint.cli.help import VARIABLES, Command, Option, examples_of, rows, variable_of
from roce_lint.cli.main import COMMANDS, cli
from tests.conftest import ROOT
from tests.unit.cli.conftest import Run

BY_CONTRACT = {
    "--output": "folder, file, or report",
    "--format": "the formats of the command",
    "--from": "trace: sender; intent: folder",
}
"""Options whose value differs between commands."""


def commands() -> Iterator[tuple[str, click.Command]]:
    root = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(root, name)
        assert command is not None
        yield name, command


def shown() -> Iterator[tuple[str, click.Option]]:
    for name, command in commands():
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                yield name, parameter


def kind(option: click.Option) -> object:
    if isinstance(option.type, click.Choice):
        return tuple(option.type.choices)
    return option.type.name


def test_an_option_has_one_meaning() -> None:
    meanings = defaultdict(set)
    for _, option in shown():
        text = re.sub(r" +\[default: [^]]*\]$", "", option.help or "")
        for spelling in option.opts:
            meanings[spelling].add((kind(option), option.metavar, option.multiple, text))
    several = {name for name, found in meanings.items() if len(found) > 1}
    assert several - {"-o"} == set(BY_CONTRACT)


def test_output_is_written_and_nothing_else() -> None:
    outputs = [option for _, option in shown() if "--output" in option.opts]
    assert len(outputs) >= 6
    for option in outputs:
        assert option.opts == ["-o", "--output"]
        assert option.metavar in ("DIR", "FILE", "FORMAT=FILE")
        assert (option.help or "").startswith("Write ")


def test_every_option_is_described_in_the_table() -> None:
    used = {option.opts[-1][2:] for _, option in shown()}
    assert used | {"help"} == set(rows())
    assert all(isinstance(option, Option) for _, option in shown())


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_groups_examples_and_a_document(run: Run, name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert isinstance(command, Command)
    document, examples = examples_of(name)
    assert (ROOT / document).is_file()
    assert len(examples) in ((2, 3) if name == "man" else (3,))
    text = run(name, "-h").stdout
    assert text.endswith(f"\nMore: {document}\n")
    assert "Options:" not in text
    for group in command.groups(click.Context(command)):
        assert f"\n{group}:\n" in text
    for example in examples:
        assert f"  {example}\n" in text
        words = shlex.split(example.partition(" > ")[0], comments=False)
        if words[:2] == ["roce-lint", name] and name != "rules":
            command.make_context(name, words[2:])


def test_help_of_check_fits_a_screen(run: Run) -> None:
    lines = run("check", "--help").stdout.splitlines()
    assert len(lines) <= 61
    assert max(map(len, lines)) <= 80


FORMER = {
    "pull": ["-j", "9", "--limit", "leaf*", "--set", "all", "--nos", "eos"],
    "audit": ["--sessions", "9", "--baseline", "old", "--from", "new"],
    "intent": ["--device", "leaf1"],
}


@pytest.mark.parametrize("name", FORMER)
def test_former_spellings_work_and_are_not_shown(run: Run, name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    operands = ["x", "-o", "y"] if name == "pull" else ["x"]
    params = command.make_context(name, [*operands, *FORMER[name]]).params
    given = {
        "pull": {"connections": 9, "device": ("leaf*",), "collect": "all", "default_nos": "eos"},
        "audit": {"connections": 9, "previous": "old", "snapshot": "new"},
        "intent": {"device": "leaf1"},
    }[name]
    assert {key: params[key] for key in given} == given
    listed = {word for word in run(name, "--help").stdout.split() if word.startswith("-")}
    assert not listed & {"--limit", "--set", "--nos", "--sessions", "--baseline"}


@pytest.mark.parametrize("name", ["trace", "show", "fix", "whatif", "init"])
def test_the_path_defaults_to_the_current_folder(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    path = next(each for each in command.params if each.name == "path")
    assert path.default == "."


def test_a_variable_sets_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCE_LINT_FAIL_ON", "warning")
    monkeypatch.setenv("ROCE_LINT_SELECT", "MTU,PFC")
    monkeypatch.setenv("ROCE_LINT_STRICT", "1")
    params = check.make_context("check", []).params
    assert (params["fail_on"], params["select"], params["strict"]) == (
        "warning", ("MTU,PFC",), True,
    )  # fmt: skip
    params = check.make_context("check", ["--fail-on", "info"]).params
    assert params["fail_on"] == "info"


def test_a_wrong_variable_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCE_LINT_FAIL_ON", "sometimes")
    result = run("check", "configs")
    assert result.exit_code == 2
    assert "ROCE_LINT_FAIL_ON" in result.stderr


def test_variables_belong_to_options_that_exist() -> None:
    used = {option.envvar for _, option in shown()} - {None}
    assert used == {variable_of(name) for name in VARIABLES}


def test_a_variable_is_a_source_of_settings(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCE_LINT_PROFILE", "nvidia-roce")
    text = run("check", "configs", "--show-settings").stdout
    assert '"profile": "ROCE_LINT_PROFILE"' in text


def test_settings_in_pyproject_do_not_weaken_a_trusted_run(run: Run) -> None:
    Path("configs/pyproject.toml").write_text('[tool.roce-lint]\nfail-on = "never"\n')
    plain = run("check", "configs", "--show-settings")
    assert '"fail-on": "configs/pyproject.toml:2"' in plain.stdout
    isolated = run("check", "configs", "--show-settings", "--isolated")
    assert '"fail-on": "default"' in isolated.stdout
    trusted = run("check", "configs", "--trusted-config", "configs/pyproject.toml")
    assert trusted.exit_code == 2
    assert "is inside the checked folder" in trusted.stderr

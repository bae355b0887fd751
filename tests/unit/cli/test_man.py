"""The manual page: all commands and options, and roff that a formatter takes."""

from __future__ import annotations

import re
import subprocess

import click
import pytest

from roce_lint.cli.main import COMMANDS, cli
from roce_lint.cli.man import escape_roff, manual
from tests.parts import part
from tests.unit.cli.conftest import Run


def test_every_command_and_option_is_in_it(run: Run) -> None:
    text = run("man").stdout.replace("\\-", "-")
    ctx = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(ctx, name)
        assert command is not None
        assert f'.SS "{name} ' in text
        for parameter in command.params:
            for option in parameter.opts if isinstance(parameter, click.Option) else ():
                assert option in text, (name, option)
    for title in ("NAME", "SYNOPSIS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES"):
        assert f".SH {title}\n" in text


def test_no_text_is_a_request(run: Run) -> None:
    known = {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I"}
    lines = run("man").stdout.splitlines()
    assert {line.split()[0] for line in lines if line.startswith((".", "'"))} <= known
    assert escape_roff(".so /etc/passwd") == "\\&.so /etc/passwd"
    assert escape_roff("a\\fBb-c") == "a\\efBb\\-c"


@pytest.mark.deep
def test_a_formatter_has_nothing_to_say() -> None:
    done = subprocess.run(
        [part("groff"), "-man", "-Tutf8", "-ww"],
        input=manual(cli), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert re.search(r"roce.lint \S+ .*User Commands|User Commands", done.stdout)

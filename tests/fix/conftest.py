"""One run of `fix` over the broken sample, shared by many tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli

SAMPLES = Path(__file__).parents[2] / "sample_configs"

Command = Callable[..., Result]


@pytest.fixture(scope="session")
def command() -> Command:
    """Run roce-lint in this process."""

    def run(*args: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(cli, list(args), prog_name="roce-lint", input=stdin)

    return run


@pytest.fixture(scope="session")
def broken(command: Command, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """The result of `fix -o` for the broken sample, and its files."""
    out = tmp_path_factory.mktemp("fix") / "out"
    done = command("fix", str(SAMPLES / "broken-fabric"), "--disruptive", "-o", str(out))
    return done, out

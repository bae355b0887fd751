"""One run of `fix` over the broken sample, shared by many tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roce_lint.cli import fix
from roce_lint.cli.fix import find_fixes
from roce_lint.cli.main import cli
from roce_lint.fix.offers import Answer
from roce_lint.pipeline import Request, Run

SAMPLES = Path(__file__).parents[2] / "sample_configs"

Command = Callable[..., Result]


@pytest.fixture(scope="session")
def command() -> Command:
    """Run roce-lint in this process."""

    def run(*args: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(cli, list(args), prog_name="roce-lint", input=stdin)

    return run


@pytest.fixture(scope="session")
def fixed(
    command: Command, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Result, Path, Answer]:
    """The result of `fix -o` for the broken sample, its files, and the fixes in memory."""
    out, found = tmp_path_factory.mktemp("fix") / "out", list[Answer]()

    def find(run: Run, chosen: Request) -> Answer:
        found.append(find_fixes(run, chosen))
        return found[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fix, "find_fixes", find)
        done = command("fix", str(SAMPLES / "broken-fabric"), "--disruptive", "-o", str(out))
    return done, out, found[0]


@pytest.fixture(scope="session")
def broken(fixed: tuple[Result, Path, Answer]) -> tuple[Result, Path]:
    """The result of `fix -o` for the broken sample, and its files."""
    return fixed[:2]


@pytest.fixture(scope="session")
def answer(fixed: tuple[Result, Path, Answer]) -> Answer:
    """The fixes for the broken sample."""
    return fixed[2]

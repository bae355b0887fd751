"""A command line whose runs give reports made by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from roce_lint import pipeline
from roce_lint.cli.main import cli
from roce_lint.engine.waivers import Accept
from roce_lint.pipeline import runner
from tests.unit.report.sample import report

Run = Callable[..., Result]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a folder of configurations, and nobody's environment."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "configs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


@pytest.fixture
def run(site: Path) -> Run:
    """Run the command in the site."""

    def invoke(*args: str, stdin: bytes = b"") -> Result:
        return CliRunner().invoke(cli, list(args), input=stdin, prog_name="roce-lint")

    return invoke


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replace the pipeline; put `report` (or an `error`) in, find `request` and `settings`."""
    seen: dict[str, Any] = {"report": report(), "error": None}

    def pretend(request: object, settings: object, accept: Accept | None = None) -> pipeline.Report:
        seen.update(request=request, settings=settings)
        if seen["error"] is not None:
            raise seen["error"]
        made: pipeline.Report = seen["report"]
        if accept is not None:
            made.findings = accept(made.findings)
        return made

    monkeypatch.setattr(runner, "run", pretend)
    return seen

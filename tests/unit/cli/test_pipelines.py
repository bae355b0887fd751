"""In a job of a hosted pipeline: its format, its summary, and what it could not show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Run

Asked = dict[str, Any]


def test_ci_alone_changes_nothing(run: Run, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("check", "configs")
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("GITHUB_ACTIONS", "false")
    again = run("check", "configs")
    assert (again.stdout, again.stderr) == (plain.stdout, plain.stderr)
    assert plain.stdout.startswith("configs/leaf1.cfg:455: error")


@pytest.mark.parametrize(
    ("variable", "begins"), [("GITHUB_ACTIONS", "::error "), ("GITLAB_CI", "[\n  {")]
)
def test_a_service_gets_its_format(
    run: Run, asked: Asked, monkeypatch: pytest.MonkeyPatch, variable: str, begins: str
) -> None:
    monkeypatch.setenv(variable, "true")
    assert run("check", "configs").stdout.startswith(begins)
    assert run("check", "configs", "--format", "text").stdout.startswith("configs/leaf1.cfg")


def test_what_is_written_into_a_file_is_not_printed(
    run: Run, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITLAB_CI", "true")
    done = run("check", "configs", "--output", "gitlab=quality.json")
    assert done.stdout.startswith("configs/leaf1.cfg")
    assert json.loads(Path("quality.json").read_text())


def test_the_summary_of_a_step_is_added_to(
    run: Run, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n")
    run("check", "configs")
    text = Path("summary.md").read_text()
    assert text.startswith("before\n")
    assert "NOT READY" in text
    run("check", "configs", "--output", "markdown=own.md")
    assert Path("summary.md").read_text() == text
    monkeypatch.delenv("GITHUB_ACTIONS")
    run("check", "configs")
    assert Path("summary.md").read_text() == text


def test_a_summary_that_cannot_be_written_is_said(
    run: Run, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/such/summary.md")
    done = run("check", "configs")
    assert "summary.md: cannot be written: No such file or directory" in done.stderr
    assert done.exit_code == 1


@pytest.mark.parametrize(("name", "told"), [("sarif", True), ("github", True), ("json", False)])
def test_files_outside_are_warned_of(
    run: Run, asked: Asked, monkeypatch: pytest.MonkeyPatch, site: Path, name: str, told: bool
) -> None:
    asked["report"].base = str(site / "configs")
    (site / "other").mkdir()
    monkeypatch.chdir(site / "other")
    done = run("check", "../configs", "--format", name)
    assert ("outside the working directory" in done.stderr) is told
    monkeypatch.chdir(site)
    assert "outside of" not in run("check", "configs", "--format", name).stderr


def test_an_address_without_a_place_for_the_rule_is_refused(run: Run, asked: Asked) -> None:
    done = run("check", "configs", "--help-url", "https://x.site/rules")
    assert done.exit_code == 2
    assert "--help-url https://x.site/rules: must be a URL with {id}" in done.stderr
    log = run("check", "configs", "--format", "sarif", "--help-url", "https://x.site/{id}").stdout
    rules = json.loads(log)["runs"][0]["tool"]["driver"]["rules"]
    assert rules[0]["helpUri"] == f"https://x.site/{rules[0]['id']}"

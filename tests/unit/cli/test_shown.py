"""Filters, counts by rule, files and settings; hidden findings still count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.unit.cli.conftest import Run

Asked = dict[str, Any]
BROKEN = str(ROOT / "sample_configs" / "broken-fabric")


@pytest.mark.parametrize(
    ("words", "rules"),
    [
        ([], ["MTU001", "PFC002", "PFC002", "NIC003"]),
        (["--min-severity", "warning"], ["MTU001", "PFC002", "PFC002"]),
        (["--min-severity", "error"], ["MTU001"]),
        (["--min-confidence", "high"], ["MTU001", "PFC002", "NIC003"]),
        (["--min-confidence", "low"], ["MTU001", "PFC002", "PFC002", "NIC003"]),
        (["--min-severity", "error", "--min-confidence", "high"], ["MTU001"]),
    ],
)
def test_findings_are_filtered(run: Run, asked: Asked, words: list[str], rules: list[str]) -> None:
    done = run("check", "configs", "--format", "json", *words)
    data = json.loads(done.stdout)
    assert [finding["rule"] for finding in data["findings"]] == rules
    told = [item["message"] for item in data["diagnostics"] if item["kind"] == "left-out"]
    assert len(told) == (len(rules) < 4)
    if told:
        assert told[0].startswith(" ".join(words[:2]))
        assert "not shown" in told[0]
        assert "left-out" in done.stderr


def test_what_is_not_shown_counts_all_the_same(run: Run, asked: Asked) -> None:
    asked["report"].diagnostics = []
    words = ("check", "configs", "--fail-on", "info", "-q", "--min-severity", "error")
    asked["report"].findings = [f for f in asked["report"].findings if f.rule == "NIC003"]
    done = run(*words)
    assert (done.stdout, done.exit_code) == ("", 1)
    run(*words, "--write-baseline", "known.json")
    assert "NIC003" in Path("known.json").read_text()


def test_rules_are_counted(run: Run, asked: Asked) -> None:
    done = run("check", "configs", "--statistics")
    assert done.stdout == (
        "1  info     NIC003 cnp-priority-default: 2 ports on 1 spine\n"
        "1  warning  PFC002 pause-not-honoured: 160 ports on 5 leaves\n"
        "1  error    MTU001 mtu-too-small-for-class: 1 port on 1 leaf\n"
    )
    assert done.exit_code == 1


def test_files_are_listed(run: Run) -> None:
    done = run("check", BROKEN, "--show-files")
    lines = done.stdout.splitlines()
    assert any(line.endswith("switches/leaf1.cfg: leaf1 (eos)") for line in lines)
    Path("configs", "notes.md").write_text("# notes\n")
    done = run("check", "configs", "--show-files")
    assert "configs/notes.md: skipped: " in done.stdout


def test_settings_are_shown_as_they_hold(run: Run, site: Path) -> None:
    (site / "configs" / "roce-lint.toml").write_text('ignore = ["SRC001"]\nprofile = "site"\n')
    done = run("check", "configs", "--show-settings", "--select", "MTU,PFC", "--profile", "other")
    data = json.loads(done.stdout)
    assert (data["ignore"], data["select"]) == (["SRC001"], ["MTU", "PFC"])
    assert (data["profile"], data["fail-on"]) == ("other", "error")
    assert done.stderr == "roce-lint: settings: configs/roce-lint.toml\n"
    assert done.exit_code == 0
    assert data["sources"] == dict.fromkeys(data.keys() - {"sources"}, "default") | {
        "ignore": "configs/roce-lint.toml:1", "select": "--select", "profile": "--profile",
    }  # fmt: skip
    isolated = run("check", "configs", "--show-settings", "--isolated")
    assert json.loads(isolated.stdout)["ignore"] == []
    assert "no roce-lint.toml or pyproject.toml" in isolated.stderr

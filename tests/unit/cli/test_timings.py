"""`check --timings`: where the time went, beside an answer that is the same."""

from __future__ import annotations

import re

from click.testing import CliRunner

from roce_lint.cli.main import cli
from tests.conftest import ROOT

SAMPLE = str(ROOT / "sample_configs" / "broken-fabric")
ROW = re.compile(r"^  (\S.*?|  [A-Z]{3}\d{3}) +(\d+\.\d\d) +(\d+\.\d\d)$", re.MULTILINE)


def test_the_phases_add_up_and_the_answer_is_the_same() -> None:
    words = ["check", SAMPLE, "--no-cache", "--format", "json", "-j", "1"]
    plain = CliRunner().invoke(cli, words)
    timed = CliRunner().invoke(cli, [*words, "--timings"])
    assert (timed.exit_code, timed.stdout) == (plain.exit_code, plain.stdout)
    rows = {name: float(seconds) for name, seconds, _ in ROW.findall(timed.stderr)}
    rules = {name for name in rows if name.startswith(" ")}
    assert len(rules) == 5
    assert {"reading devices", "judging", "reporting", "the rest"} < rows.keys()
    whole = rows.pop("all")
    assert abs(whole - sum(own for name, own in rows.items() if name not in rules)) < 0.1
    assert rows["reading devices"] > 0
    assert sum(rows[name] for name in rules) <= rows["judging"] + 0.05
    assert "timings" not in plain.stderr

"""Selecting or ignoring one rule never silences another.

A rule that reports with all rules on, as a finding or folded into one, reports when it is selected
alone; and a folded finding reappears if the rule of its cause is ignored, or a baseline contains
the cause alone. A finding that is waived, or ignored on its line, is accepted with all that is
folded into it.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from roce_lint.engine.baseline import Baseline, KnownCause, baseline_text, read_baseline
from roce_lint.engine.finding import Finding
from roce_lint.engine.waivers import Accept, waive
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings, load
from tests.conftest import ROOT
from tests.rules.examples import CRASHES, Example, cases, examples, report_of

OF_RUNS = {*CRASHES, "SRC005"}
"""Rules about the run itself, which depend on the selection."""

BROKEN = ROOT / "sample_configs" / "broken-fabric"


def judged(
    folder: Path,
    *,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    accept: Accept | None = None,
) -> Report:
    intent, settings = folder / "intent.yaml", folder / "roce-lint.toml"
    request = Request(
        (str(folder),),
        jobs=1,
        cache=False,
        intent=str(intent) if intent.exists() else None,
        select=select,
        ignore=ignore,
    )
    site = load(settings) if settings.exists() else Settings()
    return run(request, site, accept=accept)


def counted_rules(report: Report) -> set[str]:
    """Rules with a finding that counts, alone or folded into another."""
    counted = (f for f in report.findings if f.suppressed is None)
    return {rule for f in counted for rule in (f.rule, *f.also)} - OF_RUNS


def waiving(rule: str) -> Accept:
    settings = Settings.model_validate({"waiver": [{"rule": rule, "reason": "by a test"}]})
    return lambda found: waive(found, settings, date(2027, 1, 1)).findings


def knowing(rule: str) -> Accept:
    """Baseline with the findings of one rule only."""

    def marked(found: list[Finding]) -> list[Finding]:
        known = {
            f.fingerprint.partition("#")[0]: KnownCause(
                rule, frozenset(o.device for o in f.occurrences)
            )
            for f in found
            if f.rule == rule
        }
        return Baseline("known.json", known).apply(found)

    return marked


def check_each_rule(folder: Path, whole: Report) -> None:
    for rule in sorted(counted_rules(whole)):
        assert rule in counted_rules(judged(folder, select=(rule,))), (
            f"{rule} alone reports nothing"
        )
    for cause in sorted({f.rule for f in whole.findings if f.also}):
        taken = {rule for f in whole.findings if f.rule == cause for rule in f.also} - OF_RUNS
        left = counted_rules(judged(folder, ignore=(cause,)))
        assert taken - {cause} <= left, f"without {cause} no rule reports {taken - left}"
        report = judged(folder, accept=knowing(cause))
        left, folded = (
            counted_rules(report),
            {r for f in report.findings if f.suppressed for r in f.also},
        )
        assert taken - {cause} <= left, (
            f"{cause} is in the baseline, and no rule reports {taken - left}"
        )
        assert not folded - {cause}, f"{folded} is known with {cause}"
        report = judged(folder, accept=waiving(cause))
        new = {f.rule for f in report.findings if f.suppressed is None} - OF_RUNS
        assert new <= {f.rule for f in whole.findings} - {cause}, f"{cause} is waived"


@pytest.mark.parametrize("example", cases(examples("bad"), 4))
def test_of_an_example(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path)
    check_each_rule(tmp_path, report_of(example))


@pytest.mark.deep
def test_of_a_whole_fabric() -> None:
    check_each_rule(BROKEN, judged(BROKEN))


TAKING = ("MAP001-bad", "MAP002-bad", "MAP004-bad", "MAP004-bad-profile")
"""Examples of rules that cover their consequences, on systems with ! comments."""


def causes() -> list[Example]:
    return [example for example in examples("bad") if str(example) in TAKING]


@pytest.mark.parametrize("example", causes(), ids=str)
def test_ignored_on_its_line(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path)
    whole = report_of(example)
    (cause,) = [f for f in whole.findings if f.rule == example.rule]
    place = cause.location
    assert place is not None
    assert cause.also
    file = tmp_path / place.file
    lines = file.read_text().splitlines()
    lines[place.line - 1] += f" !! roce-lint: ignore {cause.rule} -- by a test"
    file.write_text("\n".join(lines) + "\n")
    left = judged(tmp_path)
    assert counted_rules(left) <= counted_rules(whole) - {cause.rule}
    assert [f.also for f in left.findings if f.suppressed] == [cause.also]


@pytest.mark.parametrize("example", causes(), ids=str)
def test_a_baseline_covers_all_findings(example: Example, tmp_path: Path) -> None:
    """A baseline covers all findings it was written from, folded ones included; an older file that
    lists only causes covers their consequences.
    """
    site, file = tmp_path / "site", tmp_path / "known.json"
    site.mkdir()
    example.write(site)
    findings: list[Finding] = []
    whole = judged(site, accept=lambda found: findings.extend(found) or found)
    file.write_text(baseline_text(findings))
    assert counted_rules(judged(site, accept=read_baseline(file).apply)) == set()
    old = re.sub(r'\n *"folded": true,', "", baseline_text(whole.findings))
    assert old != baseline_text(whole.findings)
    file.write_text(old)
    assert counted_rules(judged(site, accept=read_baseline(file).apply)) == set()

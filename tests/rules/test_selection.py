"""Choosing, ignoring or losing one rule never silences another: each is found by itself.

What a rule finds with all rules on, as a finding or taken into one, it finds when it is selected
alone; and what a finding has taken in stands for itself where the rule of that finding is ignored.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings, load
from tests.conftest import ROOT
from tests.rules.examples import CRASHES, Example, examples

OF_RUNS = {*CRASHES, "SRC005"}
"""About the run itself: which rules are judged is what they speak of."""

FAMILIES = ("MAP", "PFC", "ECN", "BUF", "CLS")
BROKEN = ROOT / "sample_configs" / "broken-fabric"


def judged(folder: Path, *, select: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> Report:
    intent, settings = folder / "intent.yaml", folder / "roce-lint.toml"
    request = Request(
        (str(folder),),
        jobs=1,
        cache=False,
        intent=str(intent) if intent.exists() else None,
        select=select,
        ignore=ignore,
    )
    return run(request, load(settings) if settings.exists() else Settings())


def told(report: Report) -> set[str]:
    """Rules that found something, alone or within another finding."""
    return {rule for f in report.findings for rule in (f.rule, *f.also)} - OF_RUNS


def is_found_by_each(folder: Path) -> None:
    whole = judged(folder)
    for rule in sorted(told(whole)):
        assert rule in told(judged(folder, select=(rule,))), f"{rule} alone says nothing"
    for cause in sorted({f.rule for f in whole.findings if f.also}):
        taken = {rule for f in whole.findings if f.rule == cause for rule in f.also} - OF_RUNS
        left = told(judged(folder, ignore=(cause,)))
        assert taken - {cause} <= left, f"without {cause} nobody says {taken - left}"


@pytest.mark.parametrize(
    "example", [e for e in examples("bad") if e.rule.startswith(FAMILIES)], ids=str
)
def test_of_a_class_on_a_port(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path)
    is_found_by_each(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "example", [e for e in examples("bad") if not e.rule.startswith(FAMILIES)], ids=str
)
def test_of_all_else(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path)
    is_found_by_each(tmp_path)


@pytest.mark.slow
def test_of_a_whole_fabric() -> None:
    is_found_by_each(BROKEN)

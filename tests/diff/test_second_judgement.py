"""Results reused by a second run equal those it would compute."""

from __future__ import annotations

from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from roce_lint.analysis.analyse import analyse
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.reuse import reuse_of
from roce_lint.pipeline import evaluation
from tests.conftest import ROOT
from tests.diff.test_whatif import answer
from tests.sampling import sampled

FABRICS = (
    ROOT / "sample_configs" / "clean-fabric",
    ROOT / "sample_configs" / "broken-fabric",
    ROOT / "tests" / "fabrics" / "switches-only",
    ROOT / "tests" / "fabrics" / "ecn-only",
    ROOT / "tests" / "fabrics" / "pfc-at-host-edge",
)
CHANGES = (
    "*:* speed=800G",
    "*1:* ip_mtu=1500",
    "*2:* pfc.generate=none",
    "*1:* pfc.generate=5",
    "*:* trust=none",
    "*2:* enabled=false",
    "*1:* tagged=true",
)


def alone(fabric: Any, plan: Any, _like: Any = None) -> Analysis:
    """An analysis that knows of no other."""
    return analyse(fabric, plan)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Record for each second run whether it reused results."""
    told: list[bool] = []

    def noting(fabric: Any, plan: Any, like: Any = None) -> Analysis:
        analysis = analyse(fabric, plan, like)
        if like is not None:
            earlier = reuse_of(analysis).earlier
            told.append(earlier is not None and bool(earlier.reported))
        return analysis

    monkeypatch.setattr(evaluation, "analyse", noting)
    return told


def name(case: tuple[Path, str]) -> str:
    return f"{case[0].name}-{case[1]}"


@pytest.mark.parametrize(
    "case", sampled(product(FABRICS, CHANGES), 9, itemgetter(0), itemgetter(1), name=name), ids=name
)
def test_it_finds_what_it_would_find_alone(
    case: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, change = case
    taken = answer(folder, "--set", change)
    monkeypatch.setattr(evaluation, "analyse", alone)
    assert answer(folder, "--set", change) == taken
    assert taken["changes"]


def test_it_takes_over_what_a_change_cannot_reach(asked: list[bool]) -> None:
    answer(FABRICS[0], "--set", "leaf1:* speed=800G")
    assert asked == [True]


def test_it_asks_everything_where_the_classes_are_others(asked: list[bool]) -> None:
    answer(FABRICS[2], "--set", "*:* pfc.generate=none")
    assert asked == [False]


def test_the_port_asked_first_may_be_the_changed_one() -> None:
    """Ports of a kind share an answer: the changed one has left the kind that it stood for."""
    found = answer(FABRICS[0], "--set", "leaf1:Ethernet1/1 pfc.generate=none")
    assert any("leaf1" in str(each["occurrences"]) for each in found["new"])

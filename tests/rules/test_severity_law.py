"""Severity law: an error requires stated lines and confirmed facts.

Two tests of every error of every example and test fabric. Its places are lines or confirmed
citations. And it remains an error without the values of unconfirmed defaults, so that a check
cannot use one and omit it from its places.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest

from roce_lint.engine.api import Fabric, Problem
from roce_lint.engine.finding import Certainty, Severity
from roce_lint.engine.fold import Raw
from roce_lint.engine.page import RulePage
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from roce_lint.text.source import Citation, Confidence, Origin, Where
from tests.conftest import ROOT
from tests.rules import law
from tests.rules.examples import Example, cases, checked, examples, examples_of, page_cases, pages
from tests.unit.checks.judging import judged, page_of
from tests.unit.fabric import UNCONFIRMED, default_map, lines_of, port, switch

FABRICS = [
    ROOT / "sample_configs" / "broken-fabric",
    *sorted((ROOT / "tests" / "fabrics").glob("*/fabric")),
]


def run_of(folder: Path) -> tuple[Report, list[Raw]]:
    """Report about a folder, and its unfolded problems."""
    intent = folder / "intent.yaml"
    request = Request(
        (str(folder),), jobs=1, cache=False, intent=str(intent) if intent.exists() else None
    )
    with law.recorded() as problems:
        return run(request, Settings()), problems


def faults(report: Report, problems: list[Raw]) -> list[str]:
    """Descriptions of errors that violate the law."""
    found = law.errors_of(problems)
    texts = [
        f"{raw.page.id} {raw.problem.message}: rests on {where.origin.value} {where.citation}"
        for raw in found
        for where in law.shaky(raw)
    ]
    fabric = deepcopy(report.fabric) if found else None
    if fabric is not None and law.forget_unconfirmed(fabric):
        left = law.errors_again(fabric)
        texts += [
            f"{raw.page.id} {raw.problem.message}: no error without the unconfirmed defaults"
            for raw in found
            if law.key(raw) not in left and raw.page.id[:3] != "SRC"
        ]
    return texts


@pytest.mark.parametrize("example", cases(examples("bad", "good", "fixed")))
def test_errors_of_the_examples(example: Example) -> None:
    assert faults(*checked(example)) == []


@pytest.mark.parametrize("folder", FABRICS, ids=lambda folder: f"{folder.parent.name}")
def test_errors_of_the_fabrics(folder: Path) -> None:
    assert faults(*run_of(folder)) == []


def test_there_are_errors_to_check() -> None:
    report, problems = run_of(FABRICS[0])
    assert len({law.key(raw) for raw in law.errors_of(problems)}) > 10
    assert report.fabric is not None
    assert law.forget_unconfirmed(report.fabric) > 0


@pytest.mark.parametrize("page", page_cases())
def test_a_page_of_severity_error_has_an_error(page: RulePage) -> None:
    near = [page, *(each for each in pages() if page.id in each.head.covers)]
    seen = (
        rule
        for each in near
        for example in examples_of(each)
        if example.word == "bad"
        for raw in law.errors_of(checked(example)[1])
        for rule in (raw.page.id, *raw.also)
    )
    assert page.severity is not Severity.ERROR or page.id in seen


# ------------------------------------------------------------------ self-tests


def raw(*places: Where) -> Raw:
    return Raw(page_of("MAP001"), Problem("m", "c", list(places)), Severity.ERROR, Certainty.HIGH)


def test_an_unconfirmed_place_is_detected() -> None:
    device = switch("leaf1")
    stated = device.where("")
    absent = device.where("model")
    confirmed = Where(device.src, 1, Origin.DEFAULT, Citation("it does", "docs/nos/made.md#x"))
    doubtful = replace(
        confirmed, citation=Citation("it may", "docs/nos/made.md#x", Confidence.UNCONFIRMED)
    )
    nameless = replace(confirmed, citation=None)
    assert law.shaky(raw(stated, confirmed)) == []
    assert law.shaky(raw(stated, absent, doubtful, nameless)) == []
    for place in (absent, doubtful, nameless):
        assert law.shaky(raw(place, stated)) == [place]
    both = raw(stated, doubtful)
    both.problem.compares = True
    assert law.shaky(both) == [doubtful]


def test_an_unconfirmed_value_is_removed() -> None:
    leaf = switch("leaf1", dscps={})
    for name in ("e1", "e2", "e3"):
        port(leaf, name)
    # The entry for DSCP 26 is an unconfirmed default: the finding is a warning.
    table = default_map(lines_of(leaf), {26: 3}, UNCONFIRMED)
    leaf.qos.classifiers["map"].dscp_to_tc = table
    port(leaf, "e4", pauses=(), stated=True)
    assert judged("PFC001", leaf).findings != []
    assert law.forget_unconfirmed(Fabric(devices={"leaf1": leaf})) == 1
    assert table.entries == {}
    assert judged("PFC001", leaf).findings == []

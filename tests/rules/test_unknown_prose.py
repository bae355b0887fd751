"""A page that says "Always decided" tells the truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.engine.run import BY_TAG, NO_CLASS
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from tests.conftest import ROOT
from tests.rules.examples import Example, cases, examples, pages, report_of

CLAIM = "Always decided"

FABRICS = [
    ROOT / "sample_configs" / "broken-fabric",
    *sorted((ROOT / "tests" / "fabrics").glob("*/fabric")),
]

SURE = {page.id for page in pages() if CLAIM in page.body}


def unsure(report: Report) -> list[tuple[str, str]]:
    """Rules that are said to know all, and what they do not know of a fabric, save that no class is
    known, or a line was not understood: then the engine says that the rule could not judge.
    """
    return [
        (u.rule, u.missing)
        for u in report.unknowns
        if u.rule in SURE and u.missing not in (NO_CLASS, BY_TAG)
        if not u.missing.endswith("which was not understood")
    ]


def test_there_are_pages_that_say_so() -> None:
    assert {"PFC004", "NIC013", "PFC020"} & SURE == {"PFC004", "NIC013"}


@pytest.mark.parametrize("folder", FABRICS, ids=lambda folder: folder.parent.name)
def test_no_fabric_says_otherwise(folder: Path) -> None:
    assert unsure(run(Request((str(folder),), jobs=1, cache=False), Settings())) == []


@pytest.mark.parametrize("example", cases(e for e in examples("bad") if e.rule in SURE))
def test_no_example_of_the_pages_says_otherwise(example: Example) -> None:
    assert unsure(report_of(example)) == []

"""Pages that claim never to report unknown keep the claim."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.engine.run import BY_TAG, NO_CLASS
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from tests.conftest import ROOT
from tests.rules.examples import Example, cases, examples, pages, report_of

CLAIMS = ("Never reports unknown",)

FABRICS = [
    ROOT / "sample_configs" / "broken-fabric",
    *sorted((ROOT / "tests" / "fabrics").glob("*/fabric")),
]

SURE = {page.id for page in pages() if any(claim in page.body for claim in CLAIMS)}


def unsure(report: Report) -> list[tuple[str, str]]:
    """Unknowns of rules with the claim, as rule and missing input. Unknown classes and lines that were
    not understood are left out: the engine reports those for any rule.
    """
    return [
        (u.rule, u.missing)
        for u in report.unknowns
        if u.rule in SURE and u.missing not in (NO_CLASS, BY_TAG)
        if not u.missing.startswith("the meaning of an unread line")
    ]


def test_some_pages_have_the_claim() -> None:
    assert {"PFC004", "NIC013", "PFC020"} & SURE == {"PFC004", "NIC013"}


@pytest.mark.parametrize("folder", FABRICS, ids=lambda folder: folder.parent.name)
def test_no_fabric_contradicts_the_claim(folder: Path) -> None:
    assert unsure(run(Request((str(folder),), jobs=1, cache=False), Settings())) == []


@pytest.mark.parametrize("example", cases(e for e in examples("bad") if e.rule in SURE))
def test_no_example_contradicts_the_claim(example: Example) -> None:
    assert unsure(report_of(example)) == []

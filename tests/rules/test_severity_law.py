"""The severity law: an error rests on stated lines and confirmed facts alone.

Two looks at every error of every example and every fabric of the tests. The places it names are
lines or confirmed citations. And it is still an error where everything is unknown that only an
unconfirmed default said, so that a check cannot rest on one and leave it out of its places.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roce_lint.engine.api import Fabric, Problem
from roce_lint.engine.finding import Certainty, Severity
from roce_lint.engine.fold import Raw
from roce_lint.pipeline import Request
from roce_lint.settings import Settings, load
from roce_lint.text.source import Citation, Confidence, Origin, Where
from tests.conftest import ROOT
from tests.rules import law
from tests.rules.examples import Example, examples, pages
from tests.rules.law import Errors
from tests.unit.checks.judging import judged, page_of
from tests.unit.fabric import UNCONFIRMED, default_map, lines_of, port, switch

FABRICS = [
    ROOT / "sample_configs" / "broken-fabric",
    *sorted((ROOT / "tests" / "fabrics").glob("*/fabric")),
]


@pytest.fixture
def errors(monkeypatch: pytest.MonkeyPatch) -> Errors:
    return Errors(monkeypatch)


def asked(folder: Path) -> tuple[Request, Settings]:
    intent, settings = folder / "intent.yaml", folder / "roce-lint.toml"
    request = Request(
        (str(folder),), jobs=1, cache=False, intent=str(intent) if intent.exists() else None
    )
    return request, load(settings) if settings.exists() else Settings()


def faults(errors: Errors, folder: Path) -> list[str]:
    """Errors that the law forbids, in words."""
    found, report = errors.of(*asked(folder))
    fabric = report.fabric
    told = [
        f"{raw.page.id} {raw.problem.message}: rests on {where.origin.value} {where.citation}"
        for raw in found
        for where in law.shaky(raw)
    ]
    if found and fabric is not None and law.forget_unconfirmed(fabric):
        left = errors.again(fabric)
        told += [
            f"{raw.page.id} {raw.problem.message}: no error without the unconfirmed defaults"
            for raw in found
            if law.key(raw) not in left and raw.page.id[:3] != "SRC"
        ]
    return told


@pytest.mark.parametrize("example", examples("bad", "good", "fixed"), ids=str)
def test_errors_of_the_examples(example: Example, tmp_path: Path, errors: Errors) -> None:
    example.write(tmp_path)
    assert faults(errors, tmp_path) == []


@pytest.mark.parametrize("folder", FABRICS, ids=lambda folder: f"{folder.parent.name}")
def test_errors_of_the_fabrics(folder: Path, errors: Errors) -> None:
    assert faults(errors, folder) == []


def test_there_is_something_to_look_at(tmp_path: Path, errors: Errors) -> None:
    found, report = errors.of(*asked(FABRICS[0]))
    fabric = report.fabric
    assert len({law.key(raw) for raw in found}) > 10
    assert fabric is not None
    assert law.forget_unconfirmed(fabric) > 0


def test_every_page_whose_severity_is_error_has_an_error_to_look_at(
    tmp_path: Path, errors: Errors
) -> None:
    seen = set()
    for example in examples("bad"):
        folder = tmp_path / str(example)
        folder.mkdir()
        example.write(folder)
        found, _ = errors.of(*asked(folder))
        seen |= {raw.page.id for raw in found} | {i for raw in found for i in raw.also}
    grave = {page.id for page in pages() if page.severity is Severity.ERROR}
    assert grave - seen == {"SRC900", "SRC901"}


# ------------------------------------------------------------------ what the looks would notice


def raw(*places: Where) -> Raw:
    return Raw(page_of("MAP001"), Problem("m", "c", list(places)), Severity.ERROR, Certainty.HIGH)


def test_a_place_that_does_not_hold_is_noticed() -> None:
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


def test_a_value_that_nobody_confirmed_is_forgotten() -> None:
    leaf = switch("leaf1", dscps={})
    for name in ("e1", "e2", "e3"):
        port(leaf, name)
    # What the map says of DSCP 26 is an unconfirmed default: the finding is a warning.
    table = default_map(lines_of(leaf), {26: 3}, UNCONFIRMED)
    leaf.qos.classifiers["map"].dscp_to_tc = table
    port(leaf, "e4", pauses=(), stated=True)
    assert judged("PFC001", leaf).findings != []
    assert law.forget_unconfirmed(Fabric(devices={"leaf1": leaf})) == 1
    assert table.entries == {}
    assert judged("PFC001", leaf).findings == []

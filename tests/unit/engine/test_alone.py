"""Checks that compare no ports are asked about the kinds of ports that have a fault, and no other:
they say what they would say if they were asked about every port.
"""

from __future__ import annotations

import pytest

from roce_lint import checks
from roce_lint.analysis.distinct import distinct, narrowed
from roce_lint.engine import registry
from roce_lint.engine.api import Given, Outcome, Problem
from roce_lint.engine.page import RulePage, load_pages
from roce_lint.engine.run import outcomes
from roce_lint.model.plan import RocePlan
from roce_lint.pipeline import Report, Request, run
from roce_lint.resources import resource_dir
from roce_lint.settings import Settings
from tests.conftest import ROOT

registry.import_checks(checks)
ALONE = [
    page
    for page in load_pages([resource_dir("rules")])
    if registry.get(page.head.check, page.path).alone
]


@pytest.fixture(scope="module")
def broken() -> Report:
    return run(Request((str(ROOT / "sample_configs" / "broken-fabric"),), jobs=1), Settings())


def told(found: list[Outcome]) -> list[tuple[str, str, tuple[str, ...]]]:
    return sorted(
        (o.message if isinstance(o, Problem) else o.missing, o.device, o.subjects) for o in found
    )


@pytest.mark.parametrize("page", ALONE, ids=lambda page: page.id)
def test_what_is_said_is_the_same(page: RulePage, broken: Report) -> None:
    check = registry.get(page.head.check, page.path)
    assert broken.fabric is not None
    assert broken.analysis is not None
    params = check.params() if check.params is not None else None
    given = Given(params, broken.fabric, broken.analysis, RocePlan())
    whole = list(check.function(broken.fabric, given))
    asked = list(outcomes(check, broken.fabric, given, distinct(broken.analysis)))
    assert told(asked) == told(whole)


def test_some_of_them_have_something_to_say(broken: Report) -> None:
    assert {"MAP001", "PFC001", "ECN001"} <= {page.id for page in ALONE}
    assert {"MAP001", "PFC001", "ECN001"} <= {finding.rule for finding in broken.findings}


def test_ports_of_other_kinds_are_left_out(broken: Report) -> None:
    analysis = broken.analysis
    assert analysis is not None
    first, count = max(analysis.kinds, key=lambda kind: kind[1])
    assert count > 1
    part = narrowed(analysis, [first.key])
    assert part is not None
    assert first.key in [port.key for port in part.ports]
    assert len(part.ports) == count
    assert part.port("spine1", "Ethernet0") is not None
    assert narrowed(analysis, [("nobody", "port")]) is None
    assert narrowed(analysis, []) is None

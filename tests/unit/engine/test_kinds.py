"""Port checks run on one port of every kind first, with the same outcomes as on every port."""

from __future__ import annotations

import pytest

from roce_lint import checks
from roce_lint.analysis.diagnosis import diagnose
from roce_lint.engine import registry
from roce_lint.engine.api import Given, Outcome, Problem
from roce_lint.engine.page import RulePage, load_pages
from roce_lint.engine.registry import Scope
from roce_lint.engine.run import outcomes
from roce_lint.model.plan import RocePlan
from roce_lint.pipeline import Report, Request, run
from roce_lint.resources import resource_dir
from roce_lint.settings import Settings
from tests.conftest import ROOT

registry.import_checks(checks)
OF_PORTS = [
    page
    for page in load_pages([resource_dir("rules")])
    if registry.get(page.head.check, page.path).scope in (Scope.PORT, Scope.CLASS_PORT)
]


@pytest.fixture(scope="module")
def broken() -> Report:
    return run(Request((str(ROOT / "sample_configs" / "broken-fabric"),), jobs=1), Settings())


def sorted_outcomes(
    found: list[Outcome], device: str = "", port: str = ""
) -> list[tuple[str, ...]]:
    return sorted(
        (
            o.message if isinstance(o, Problem) else o.missing,
            o.device or device,
            *(o.subjects or (port,)),
        )
        for o in found
    )


@pytest.mark.parametrize("page", OF_PORTS, ids=lambda page: page.id)
def test_what_is_said_is_the_same(page: RulePage, broken: Report) -> None:
    check = registry.get(page.head.check, page.path)
    assert broken.fabric is not None
    assert broken.analysis is not None
    analysis = broken.analysis
    params = check.params() if check.params is not None else None
    given = Given(params, broken.fabric, analysis, RocePlan())
    whole = []
    for port in analysis.ports:
        if check.scope is Scope.PORT:
            asked = list(check.function(port, given))
        else:
            asked = [
                outcome
                for traffic in analysis.data_classes
                for outcome in check.function(
                    traffic, port, diagnose(analysis, traffic, port), given
                )
            ]
        whole += sorted_outcomes(asked, *port.key)
    assert sorted_outcomes(list(outcomes(check, broken.fabric, given))) == sorted(whole)


def test_some_of_them_have_something_to_say(broken: Report) -> None:
    assert {"MAP001", "PFC001", "ECN001"} <= {page.id for page in OF_PORTS}
    assert {"MAP001", "PFC001", "ECN001"} <= {finding.rule for finding in broken.findings}


def test_more_than_one_port_is_of_a_kind(broken: Report) -> None:
    analysis = broken.analysis
    assert analysis is not None
    assert max(count for _, count in analysis.kinds) > 1
    assert sum(count for _, count in analysis.kinds) == len(analysis.ports)

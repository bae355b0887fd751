"""Running rules: scopes, parameters, severities, unknowns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import BaseModel, ConfigDict

from roce_lint.engine.api import (
    Problem,
    Severity,
    Unknown,
    device_check,
    fabric_check,
    link_check,
    object_check,
)
from roce_lint.engine.finding import Certainty
from roce_lint.engine.run import NO_PEER
from roce_lint.errors import RulePageError, SettingsError
from tests.unit.engine.rules import checks_of_this_test, judged, page, shown
from tests.unit.fabric import CONFIRMED, UNCONFIRMED, fabric, port, switch


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with checks_of_this_test():
        yield


def leaf(name: str = "leaf1", ports: int = 2):
    device = switch(name)
    for number in range(1, ports + 1):
        port(device, f"e{number}")
    return device


def test_a_device_check_sees_every_device_and_need_not_name_it() -> None:
    @device_check("test:check")
    def check(device, given):
        yield Problem(f"{device.hostname} is odd", "so what", [device.where()])

    found = judged(fabric(leaf("leaf1"), leaf("leaf2")), page()).findings
    assert [f.message for f in found] == ["leaf1 is odd"]  # one cause on two devices
    assert [o.device for o in found[0].occurrences] == ["leaf1", "leaf2"]


def test_a_fabric_check_is_called_once() -> None:
    calls = []

    @fabric_check("test:check")
    def check(fabric, given):
        calls.append(fabric)
        return ()

    made = fabric(leaf("leaf1"), leaf("leaf2"))
    judged(made, page())
    assert calls == [made]


def test_an_object_check_sees_each_object_with_its_ports() -> None:
    seen = []

    @object_check("test:check", over="egress")
    def check(bound, given):
        seen.append((bound.device.hostname, bound.name, bound.ports))
        yield Problem("a queue is odd", "so what", [bound.object.where()])

    device = leaf()
    device.qos.egress["unused"] = device.qos.egress["out"]
    found = judged(fabric(device), page()).findings
    assert seen == [("leaf1", "out", ("e1", "e2")), ("leaf1", "unused", ())]
    assert found[0].subjects == ("e1", "e2")


def test_a_link_check_says_once_that_ports_have_no_peer() -> None:
    @link_check("test:check")
    def check(link, given):
        yield Problem(f"{link.a} and {link.b} differ", "so what", [link.a.interface.where()])

    a, b = leaf("leaf1"), leaf("leaf2", ports=1)
    made = fabric(a, b, links=[((a, "e1"), (b, "e1"))])
    result = judged(made, page())
    assert [f.message for f in result.findings] == ["leaf1 e1 and leaf2 e1 differ"]
    assert result.findings[0].device == "leaf1"
    missing = {(u.device, u.subjects) for u in result.unknowns}
    assert missing == {("leaf1", ("e1", "e2")), ("leaf2", ("e1",))}  # the analysis knew no links
    assert {u.missing for u in result.unknowns} == {NO_PEER}


def test_unknowns_are_grouped_by_rule_device_and_what_is_missing() -> None:
    @fabric_check("test:check")
    def check(fabric, given):
        for device in fabric.devices.values():
            for name in ("e2", "e1", "e2"):
                place = device.interfaces[name].where()
                yield Unknown("the cable length", [place], device.hostname, (name,))
            yield Unknown("the speed", [], device.hostname, ("e1",))

    result = judged(fabric(leaf("leaf2"), leaf("leaf1")), page())
    assert [(u.rule, u.device, u.missing, u.subjects) for u in result.unknowns] == [
        ("TST001", "leaf1", "the cable length", ("e2", "e1")),
        ("TST001", "leaf1", "the speed", ("e1",)),
        ("TST001", "leaf2", "the cable length", ("e2", "e1")),
        ("TST001", "leaf2", "the speed", ("e1",)),
    ]
    first = result.unknowns[0].locations
    assert [place.file for place in first] == ["leaf1.cfg"]
    assert result.findings == []


def always(device, severity: Severity | None = None, assumed: str = "", field: str = "") -> None:
    @device_check("test:check")
    def check(device, given):
        yield Problem("odd", "so what", [device.where(field)], severity=severity, assumed=assumed)


@pytest.mark.parametrize(
    ("of_page", "of_check", "comes_out"),
    [
        ("error", None, "error"),
        ("error", Severity.WARNING, "warning"),
        ("warning", Severity.ERROR, "warning"),  # a check may lower, never raise
        ("info", Severity.WARNING, "info"),
    ],
)
def test_a_check_may_lower_the_severity_of_the_page(
    of_page: str, of_check: Severity | None, comes_out: str
) -> None:
    always(leaf(), of_check)
    found = judged(fabric(leaf()), page(severity=of_page)).findings
    assert [f.severity.label for f in found] == [comes_out]


def test_a_site_may_set_the_severity() -> None:
    always(leaf())
    found = judged(fabric(leaf()), page(), severities={"TST001": Severity.INFO}).findings
    assert [f.severity.label for f in found] == ["info"]


@pytest.mark.parametrize(
    ("citation", "severity", "certainty", "notes"),
    [
        (CONFIRMED, "error", Certainty.HIGH, ()),
        (
            UNCONFIRMED,
            "warning",
            Certainty.LOW,
            ("assumes an unconfirmed default (the platform may do it)",),
        ),
    ],
)
def test_an_unconfirmed_default_lowers_to_a_warning(
    citation, severity: str, certainty: Certainty, notes: tuple[str, ...]
) -> None:
    device = leaf()
    device.at["model"] = device.src.cite(citation)
    always(device, field="model")
    (found,) = judged(fabric(device), page()).findings
    assert (found.severity.label, found.confidence, found.notes) == (severity, certainty, notes)


def test_an_unconfirmed_default_among_the_evidence_lowers_nothing() -> None:
    device = leaf()
    device.at["model"] = device.src.cite(UNCONFIRMED)

    @device_check("test:check")
    def check(device, given):
        yield Problem("odd", "so what", [device.where(), device.where("model")])

    (found,) = judged(fabric(device), page()).findings
    assert (found.severity, found.confidence) == (Severity.ERROR, Certainty.HIGH)
    assert found.notes == (
        "holds for any value of an unconfirmed default (the platform may do it)",
    )


@pytest.mark.parametrize("how", ["several", "compares", "rests_on"])
def test_an_unconfirmed_default_that_decides_too_lowers_the_severity(how: str) -> None:
    device = leaf()
    device.at["model"] = device.src.cite(UNCONFIRMED)

    @device_check("test:check")
    def check(device, given):
        doubt = device.where("model")
        said = {how: (doubt,) if how == "rests_on" else True}
        yield Problem("odd", "so what", [device.where(), doubt], **said)

    (found,) = judged(fabric(device), page()).findings
    assert (found.severity, found.confidence) == (Severity.WARNING, Certainty.LOW)
    assert found.notes == ("assumes an unconfirmed default (the platform may do it)",)


def test_a_first_place_that_the_problem_does_not_rest_on_lowers_nothing() -> None:
    device = leaf()
    device.at["model"] = device.src.cite(UNCONFIRMED)

    @device_check("test:check")
    def check(device, given):
        yield Problem("odd", "so what", [device.where("model")], rests_on=())

    (found,) = judged(fabric(device), page()).findings
    assert found.severity is Severity.ERROR


def test_an_unconfirmed_default_does_not_raise_an_info() -> None:
    device = leaf()
    device.at["model"] = device.src.cite(UNCONFIRMED)
    always(device, field="model")
    (found,) = judged(fabric(device), page(severity="info")).findings
    assert found.severity is Severity.INFO


def test_an_assumption_is_said_and_lets_it_only_warn() -> None:
    always(leaf(), assumed="the link is assumed")
    (found,) = judged(fabric(leaf()), page()).findings
    assert (found.severity, found.confidence, found.notes) == (
        Severity.WARNING,
        Certainty.LOW,
        ("the link is assumed",),
    )


class Params(BaseModel):
    model_config = ConfigDict(extra="forbid")

    limit: int = 2


def test_parameters_come_from_the_page_and_the_settings_override_them() -> None:
    @device_check("test:check", params=Params)
    def check(device, given):
        yield Problem(f"limit {given.params.limit}", "so what", [])

    made = fabric(leaf())
    assert judged(made, page()).findings[0].message == "limit 2"
    assert judged(made, page(params="{limit: 3}")).findings[0].message == "limit 3"
    given = {"TST001": {"limit": 4}}
    assert judged(made, page(params="{limit: 3}"), params=given).findings[0].message == "limit 4"


def test_wrong_parameters_are_the_fault_of_who_gave_them() -> None:
    @device_check("test:check", params=Params)
    def check(device, given):
        return ()

    made = fabric(leaf())
    with pytest.raises(RulePageError, match=r"TST001\.md: parameters of TST001: limit: "):
        judged(made, page(params="{limit: many}"))
    with pytest.raises(SettingsError, match="parameters of TST001: limit: "):
        judged(made, page(), params={"TST001": {"limit": "many"}})
    with pytest.raises(SettingsError, match=r"TST001 has no parameter 'size' \(known: limit\)"):
        judged(made, page(), params={"TST001": {"size": 3}})


def test_a_rule_without_parameters_takes_none() -> None:
    always(leaf())
    with pytest.raises(SettingsError, match="TST001 takes no parameters, got limit"):
        judged(fabric(leaf()), page(), params={"TST001": {"limit": 1}})


def test_a_page_for_no_check_is_refused() -> None:
    with pytest.raises(RulePageError, match=r"TST001\.md: no check is named 'test:gone'"):
        judged(fabric(leaf()), page(check="test:gone"))


def test_one_check_may_serve_two_pages() -> None:
    always(leaf())
    pages = page("TST001"), page("TST002", severity="info")
    assert shown(judged(fabric(leaf()), *pages).findings) == [
        ("TST001", "error", "odd"),
        ("TST002", "info", "odd"),
    ]

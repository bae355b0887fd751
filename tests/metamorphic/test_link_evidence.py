"""Weaker evidence for a link never strengthens the verdict.

The synthetic fabrics are linked by a plan. Here LLDP outputs, addresses, or descriptions replace
it: then one of these is removed, or a fault is planted beside it.
"""

from __future__ import annotations

from functools import cache

import pytest

from roce_lint.engine.finding import Answer, Severity
from roce_lint.model.fabric import LinkSource
from roce_lint.pipeline import Report
from tests.bench import Files, check
from tests.fabrics.mixed import KINDS
from tests.fabrics.mixed_faults import FAULTS
from tests.fabrics.mixed_plant import Fault
from tests.metamorphic.evidence import (
    Describe,
    lldp_file,
    lldp_output,
    neighbors_of,
    without_plan_of_switches,
)
from tests.metamorphic.weaker import (
    FABRICS,
    device_of,
    fabric,
    forget_addresses,
    require_weaker,
    with_ports,
)
from tests.sampling import sampled

MADE = [name for name in FABRICS if not name.startswith("sample")]
SIDES = ["both", "leaves", "others"]
"""Devices with an LLDP output: all, or those at one end of each link."""


def kind_of(name: str) -> str:
    """System of a synthetic fabric."""
    return name.partition("/")[0]


def without_addresses(files: Files) -> Report:
    return with_ports(files, forget_addresses, lambda _device, _port: True)


@cache
def heard(name: str, side: str, *, plan: bool) -> Files:
    """A fabric whose links are known by LLDP, and by its plan."""
    outputs = {
        lldp_file(device): lldp_output(name, device)
        for device in neighbors_of(name)
        if side == "both" or device.startswith("leaf") is (side == "leaves")
    }
    files = {file: text for file, text in fabric(name).items() if plan or file != "links.yaml"}
    return files | outputs


@pytest.mark.parametrize("name", sampled(MADE, 12, lambda name: name.partition("/")[2]))
def test_links_are_known_by_lldp_alone(name: str) -> None:
    for side in SIDES:
        report = without_addresses(heard(name, side, plan=False))
        assert report.fabric is not None
        assert {link.known_from for link in report.fabric.links} == {LinkSource.LLDP}
        assert report.links == sum(map(len, neighbors_of(name).values())) // 2
        assert report.verdict == check(fabric(name)).verdict


@pytest.mark.parametrize(
    "case",
    sampled([(n, s) for n in MADE for s in SIDES], 12, lambda case: case[1]),
    ids="-".join,
)
def test_without_a_neighbor_or_an_lldp_output(case: tuple[str, str]) -> None:
    """A neighbour that the other end has too stays known; without both it is not READY."""
    name, side = case
    files = heard(name, side, plan=False)
    before = without_addresses(files).verdict
    for device, neighbors in neighbors_of(name).items():
        output = lldp_file(device)
        if output not in files:
            continue
        rest = [{file: text for file, text in files.items() if file != output}]
        rest += [{**files, output: lldp_output(name, device, port)} for port in neighbors]
        for less in rest:
            after = without_addresses(less).verdict
            # Without hosts, whether a port to nowhere is an edge is known on some systems alone.
            named = side == "both" or name.endswith("/hosts")
            require_weaker(before, after, named=named, lost=side != "both")
            assert after.answer is not Answer.READY or side == "both"


@pytest.mark.parametrize("name", sampled(MADE, 12, lambda name: name.partition("/")[2]))
def test_the_plan_and_lldp_confirm_each_other(name: str) -> None:
    """Without one neighbour, output or line of the plan the other still states the link."""
    files = heard(name, "both", plan=True)
    before = without_addresses(files).verdict
    lines = files["links.yaml"].splitlines(keepends=True)
    rest = [
        {**files, "links.yaml": "".join(line for line in lines if line != gone)} for gone in lines
    ]
    for device, neighbors in neighbors_of(name).items():
        output = lldp_file(device)
        rest.append({file: text for file, text in files.items() if file != output})
        rest += [{**files, output: lldp_output(name, device, port)} for port in neighbors]
    for less in rest:
        assert without_addresses(less).verdict == before


def by_certainty(name: str, files: Files) -> list[Report]:
    """Reports on a fabric whose switches are linked by a plan, by /31 addresses, and by
    descriptions; hosts are linked by the plan.
    """
    unplanned = without_plan_of_switches(files)
    return [
        check(files),
        check(unplanned),
        with_ports(unplanned, Describe(name), lambda _device, _port: True),
    ]


def errors(report: Report) -> set[tuple[str, str]]:
    """Rule and device of each error."""
    return {
        (finding.rule, place.device)
        for finding in report.findings
        if finding.severity is Severity.ERROR
        for place in finding.occurrences
    }


@pytest.mark.parametrize("name", sampled(MADE, 12))
def test_a_sound_fabric_has_no_error_at_any_certainty(name: str) -> None:
    for report in by_certainty(name, fabric(name)):
        assert errors(report) == set()
        assert report.verdict.pairs == check(fabric(name)).verdict.pairs


PLANTED = [
    (f"{kind}/{hosts}", fault)
    for hosts in ("hosts", "switches")
    for kind in KINDS
    for fault in FAULTS
    if fault.device == f"leaf-{kind}"
]


def spell(case: tuple[str, Fault]) -> str:
    return f"{case[0]}-{case[1]}"


@pytest.mark.parametrize(
    "case",
    sampled(PLANTED, 20, lambda case: case[1].rule, lambda case: kind_of(case[0]), name=spell),
    ids=spell,
)
def test_a_fault_on_a_link_that_is_less_certain(case: tuple[str, Fault]) -> None:
    """Errors may turn into warnings, and NOT READY into NOT PROVED: never the other way."""
    name, fault = case
    file = next(file for file in fabric(name) if device_of(file) == "leaf1")
    files, _ = fault.planted(fabric(name), file)
    planned, addressed, described = by_certainty(name, files)
    # Without a host, whether RoCE uses a port is assumed; much of AOS-CX is not confirmed.
    assert errors(planned) or name.endswith("/switches") or name.startswith("aoscx")
    assert errors(addressed) == errors(planned)
    assert errors(described) <= errors(addressed)
    for report in (planned, addressed, described):
        assert (report.verdict.answer is Answer.NOT_READY) == bool(errors(report))
        assert report.verdict.answer is not Answer.READY or not errors(planned)
    assert described.verdict.broken <= addressed.verdict.broken == planned.verdict.broken

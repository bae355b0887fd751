"""A fault of one switch in fabrics of every shape: at every tier and stage, for data and CNP, rule,
device and line are named, and the pairs equal a count over every path.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Any

import pytest

from roce_lint.analysis.paths import Paths
from roce_lint.engine.finding import Finding, Severity
from roce_lint.pipeline import Report
from tests.bench import Files, check
from tests.fabrics.mixed import KINDS
from tests.fabrics.mixed_faults import FAULTS
from tests.fabrics.mixed_plant import Fault, leaf
from tests.fabrics.shaped import NOSES, ROLES, build
from tests.sampling import sample
from tests.unit.analysis.clos import SHAPES
from tests.unit.analysis.test_impact import ways_of

OF_ALL_PORTS = ("class", "pause", "priority", "group", "queue", "stopped queue", "marking", "cnp")
"""Stages at which a line applies to all ports of a switch."""

MORE = [
    leaf("sonic", "", '"48": "6"', '"48": "3"', "CLS002", 0, stage="cnp"),
    leaf("sonic", "", '"48": "6"', '"48": "0"', "CLS004", 0, stage="cnp in bulk"),
    leaf("eos", "", "48 to traffic-class 6", "48 to traffic-class 1", "CLS004", 0,
         stage="cnp in bulk"),
    leaf("junos", "", "code-points 110000", "code-points 111000", "CLS004", 0,
         stage="cnp in bulk"),
    leaf("junos", "class CNP", "CNP queue-num 3", "CNP queue-num 4", "CLS002", 0, stage="cnp"),
]  # fmt: skip

BY_NOS: dict[str, list[Fault]] = {
    nos: [
        fault
        for fault in (*FAULTS, *MORE)
        if fault.device == f"leaf-{nos}"
        and (fault in MORE or fault.stage in OF_ALL_PORTS)
        and "Ethernet" not in fault.after
        and fault.after != "PORT_QOS_MAP"  # that is a line of one port
    ]
    for nos in NOSES
}

IF_ALONE = {
    "leaf-cumulus-PFC001-pause": ["CLS020", "PFC002"],  # hosts pause, and the network does not
    "leaf-cumulus-ECN001-marking": [],  # nothing marks
}
"""Findings where one switch is the whole network: there is no design to deviate from."""


@cache
def made(shape: str, first: int) -> tuple[Files, dict[str, str]]:
    return build(shape, first)


def grave(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.severity >= Severity.WARNING]


def by_hand(report: Report, device: str) -> tuple[int, int]:
    """Ordered pairs of NICs with an equal-cost path over a switch, and all of them."""
    analysis = report.analysis
    assert analysis is not None
    hit = every = 0
    for source, target in permutations(Paths(analysis).ends, 2):
        ways = ways_of(analysis, source, target)
        every += bool(ways)
        hit += any(port.startswith(f"{device} ") for way in ways for port in way)
    return hit, every


ROTATIONS = [0, *(pytest.param(n, marks=pytest.mark.deep) for n in range(1, len(NOSES)))]


@pytest.mark.parametrize("first", ROTATIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_is_sound_in_all_systems(shape: str, first: int) -> None:
    files, nos = made(shape, first)
    report = check(files, roles=ROLES)
    assert [(f.rule, f.message) for f in grave(report)] == []
    assert report.incomplete is False
    assert {d.name: d.nos for d in report.devices if d.role != "host"} == nos


@pytest.mark.parametrize(
    ("shape", "first", "one_in"),
    [
        *((shape, 0, 3) for shape in SHAPES),
        *(pytest.param(shape, 0, 1, marks=pytest.mark.deep) for shape in SHAPES),
        *(pytest.param("3-tier", n, 1, marks=pytest.mark.deep) for n in range(1, len(NOSES))),
    ],
)
def test_a_fault_of_one_switch_is_named_with_its_pairs(shape: str, first: int, one_in: int) -> None:
    files, nos = made(shape, first)
    sound = check(files, roles=ROLES)
    alone = len(nos) == 1 or shape == "rail-only"  # one switch is all the network
    wrong = []
    for device, system in nos.items():
        pairs = by_hand(sound, device)
        for fault in sample(BY_NOS[system], one_in):
            reported = found_of(files, device, fault)
            expected: object = (fault.rule, device, *pairs)
            if alone and str(fault) in IF_ALONE:
                reported, expected = [each[0] for each in reported], IF_ALONE[str(fault)]
            if reported != expected:
                wrong.append((device, str(fault), reported, expected))
    assert wrong == []


def found_of(files: Files, device: str, fault: Fault) -> Any:
    """Rule, device and pairs of the one finding, if it is on the line; else all findings."""
    name = f"switches/{device}.{KINDS[fault.device[5:]].suffix}"
    planted, line = fault.planted(files, name)
    found = grave(check(planted, roles=ROLES))
    if len(found) != 1:
        return [(f.rule, f.device, f.message) for f in found]
    (finding,) = found
    place = finding.location
    if place is None or (place.file, place.line) != (name, line):
        return finding.rule, place
    assert finding.pairs is not None
    assert [hop.device for hop in finding.path if hop.here] == [device]
    return finding.rule, finding.device, finding.pairs.hit, finding.pairs.all

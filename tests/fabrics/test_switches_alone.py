"""Folders of switches only: no markings are stated, and single faults are found all the same."""

from __future__ import annotations

import json
from functools import cache

import pytest

from roce_lint.engine.finding import Finding, Severity
from roce_lint.pipeline import Report
from tests.bench import check
from tests.fabrics.mixed import KINDS
from tests.fabrics.mixed_faults import FAULTS
from tests.fabrics.mixed_plant import Fault
from tests.fabrics.stable import build, switches

STAGES = ("class", "pause", "marking", "priority", "group", "queue")
OF_DATA = [f for f in FAULTS if f.stage in STAGES and f.device.startswith("leaf-")]
OF_CONTROL = [f for f in FAULTS if f.stage == "cnp" and f.device.startswith("leaf-")]
"""They map DSCP 48 to the class of RoCE. No host states that CNPs have it, but routing protocols
do."""


def grave(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.severity >= Severity.WARNING]


@cache
def sound(nos: str) -> Report:
    """The report on a spine and three leaves of a system."""
    return check(build([nos] * 4))


@pytest.mark.parametrize("nos", KINDS)
def test_a_sound_fabric_is_left_alone(nos: str) -> None:
    report = sound(nos)
    assert grave(report) == []
    assert [u for u in report.unknowns if "carry RoCE" in u.missing] == []


def planted(fault: Fault, device: str = "leaf2", size: int = 4) -> tuple[Report, int]:
    files = build([fault.device[5:]] * size)
    files, line = fault.planted(files, switches(files)[device])
    return check(files), line


@pytest.mark.parametrize("fault", OF_DATA, ids=str)
def test_a_fault_of_one_leaf_is_found_on_its_line(fault: Fault) -> None:
    report, line = planted(fault)
    found = [
        (finding.rule, finding.location.line if finding.location is not None else 0)
        for finding in grave(report)
    ]
    assert (fault.rule, line) in found
    assert {finding.device for finding in grave(report)} == {"leaf2"}
    assert [c.name for c in report.classes] == [c.name for c in sound(fault.device[5:]).classes]


@pytest.mark.parametrize("fault", OF_CONTROL, ids=str)
def test_network_control_in_the_class_of_roce_is_found(fault: Fault) -> None:
    report, line = planted(fault)
    (finding,) = grave(report)
    assert finding.location is not None
    assert (finding.rule, finding.device) == ("CLS025", "leaf2")
    assert finding.location.line == line


@pytest.mark.parametrize("nos", ["eos", "nxos", "junos", "cumulus", "os10", "comware"])
def test_two_devices_alone_are_not_compared(nos: str) -> None:
    """Of two that treat DSCP 48 differently, it is unclear which is odd."""
    for fault in OF_CONTROL:
        if fault.device == f"leaf-{nos}":
            report, _ = planted(fault, "leaf1", size=2)
            assert "CLS025" not in {f.rule for f in report.findings}


def test_systems_beside_each_other_are_compared_in_what_means_the_same() -> None:
    """Their default maps, schedulers and marks differ, and none of it is a finding."""
    report = check(build(["eos", *KINDS]))
    assert [(f.rule, f.message) for f in report.findings if f.rule == "CLS025"] == []
    assert grave(report) == []


TOR = """\
! Command: show running-config
! device: {name} (DCS-7060DX5-64S, EOS-4.32.2F)
!
hostname {name}
!
qos profile RDMA
   qos trust dscp
   !
   uc-tx-queue 5
      no priority
      bandwidth percent 55
{marking}!
interface Ethernet1/1
   mtu 9214
   no switchport
   service-profile RDMA
!
qos map dscp {dscp} to traffic-class 5
!
end
"""

MARKING = (
    "      random-detect ecn minimum-threshold 400 kbytes maximum-threshold 1600 kbytes"
    " max-mark-probability 10 weight 0\n"
)


@pytest.mark.parametrize(("dscp", "reported"), [(20, True), (12, False)])
def test_a_switch_that_protects_nothing_is_not_passed_over(dscp: int, reported: bool) -> None:
    """It classifies the DSCP of the others and marks nothing; no PFC anywhere, no known host or
    link.
    """
    others = ("tor1", "tor2", "tor4")
    files = {f"{name}.cfg": TOR.format(name=name, marking=MARKING, dscp=20) for name in others}
    files["tor3.cfg"] = TOR.format(name="tor3", marking="", dscp=dscp)
    report = check(files)
    assert grave(report) == []
    assert any("role of tor3 for RoCE" in str(word) for word in report.verdict.missing) is reported
    assert any(unknown.device == "tor3" for unknown in report.unknowns) is reported


@pytest.mark.parametrize(
    ("more", "dscps"), [(0, (26,)), (1, (26,)), (2, (24, 26)), (3, (24, 26)), (4, (24, 26))]
)
def test_ports_of_the_only_switch_that_differ_make_no_class(more: int, dscps: tuple[int]) -> None:
    """Some of four ports protect another DSCP, too."""
    maps = {"ROCE": {"0": "0", "26": "3"}, "OLD": {"0": "0", "24": "3", "26": "3"}}
    rows = {
        f"Ethernet{8 * n}": {
            "dscp_to_tc_map": "OLD" if n < more else "ROCE",
            "tc_to_pg_map": "ROCE",
            "pfc_enable": "3",
        }
        for n in range(4)
    }
    up = {"speed": "100000", "mtu": "9100", "admin_status": "up"}
    ports = {name: {"lanes": name[8:], **up} for name in rows}
    tables = {
        "DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "type": "ToRRouter"}},
        "PORT": ports,
        "DSCP_TO_TC_MAP": maps,
        "TC_TO_PRIORITY_GROUP_MAP": {"ROCE": {"0": "0", "3": "3"}},
        "PORT_QOS_MAP": rows,
    }
    report = check({"leaf1/config_db.json": json.dumps(tables, indent=2)})
    assert [each.dscps for each in report.classes] == [dscps]
    assert not any(f.rule == "MAP001" for f in report.findings if more < 2)

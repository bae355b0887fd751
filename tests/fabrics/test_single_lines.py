"""One line of a leaf of a second-tier system is changed or deleted: one finding, on that line.

Three leaves under two spines, a host at each. Unknown parts are reported as unknown, and nothing
else is found.
"""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Severity
from roce_lint.pipeline import Report
from tests.bench import Files, check, edit
from tests.fabrics.mixed import build
from tests.fabrics.mixed_plant import Fault, leaf

OTHERS = ("eos", "cumulus")

Edit = tuple[str, str]

NETWORK_QOS = (
    "policy-map type network-qos ROCE-NQ\n  class type network-qos c-8q-nq3",
    (
        "class-map type network-qos LOSSLESS\n  match qos-group 3\n"
        "policy-map type network-qos ROCE-NQ\n  class type network-qos LOSSLESS"
    ),
)
"""The class of the platform, and one of the user in its place."""


def at(
    nos: str, old: str, new: str, rule: str, named: str = "", after: str = "", stage: str = ""
) -> Fault:
    """A fault of a leaf; `named` is the text of the deciding line, if it is not the new one."""
    return leaf(nos, after, old, new, rule, None, named, stage=stage)


FOUND = [
    # Dell OS10: maps, classes of both kinds, queues, policies that no port applies.
    at("os10", " qos-group 3 dscp 26\n", "", "MAP001", "trust dscp-map", stage="gone"),
    at("os10", "qos-group 3 dscp 26", "qos-group 3 dscp 27", "MAP001"),
    at("os10", "qos-group 3 dscp 26", "qos-group 5 dscp 26", "MAP001", stage="other group"),
    at("os10", "qos-group 3 dscp 26", "qos-group 6 dscp 26", "MAP001", stage="class of CNP"),
    at("os10", "qos-group 6 dscp 48", "qos-group 6 dscp 49", "CLS004"),
    at("os10", "qos-group 6 dscp 48", "qos-group 3 dscp 48", "CLS002"),
    at("os10", "queue 3 qos-group 3", "queue 4 qos-group 3", "ECN001"),
    at("os10", "match qos-group 3", "match qos-group 4", "MAP001", stage="no-drop class"),
    at("os10", "match qos-group 3", "match qos-group 6", "MAP001", stage="pauses CNP"),
    at(
        "os10", " match qos-group 3\n", "", "MAP001", "class-map type network-qos",
        stage="no match",
    ),
    at("os10", "match queue 3", "match queue 4", "ECN001", stage="queuing class"),
    at("os10", " match queue 6\n", "", "SRC002", "class-map type queuing Q-CNP", stage="no match"),
    at("os10", "class NQ-RDMA", "class NQ-RDMAX", "MAP003"),
    at("os10", "pause-threshold 50", "pause-threshold 100", "BUF005"),
    at(
        "os10", " service-policy output type queuing ETS-RDMA\n", "", "ECN001",
        "interface ethernet1/1/2", "interface ethernet1/1/2", "no queues",
    ),
    # NX-OS: a class of its own for network-qos, and the numbers in the names of classes.
    at("nxos", "c-8q-nq3", "c-8q-nq4", "MAP001"),
    at("nxos", "c-out-8q-q3", "c-out-8q-q4", "ECN001"),
    at("nxos", "match dscp 48", "match dscp 49", "CLS004"),
    at("nxos", "set qos-group 3", "set qos-group 6", "MAP001", stage="unused class"),
    at("nxos", "set qos-group 3", "set qos-group 7", "MAP001", stage="class of CNP"),
    # AOS-CX
    at("aoscx", "map queue 3 local", "map queue 4 local", "ECN001", stage="map"),
    at("aoscx", "dwrr queue 3", "dwrr queue 4", "CLS006"),
    at("aoscx", "queue 3 action ecn", "queue 4 action ecn", "ECN001", stage="threshold"),
    at(
        "aoscx", "    queue 3 action ecn all threshold 400 kbytes\n", "", "ECN001",
        "qos threshold-profile", stage="gone",
    ),
    at("aoscx", "qos trust dscp", "qos trust dot1p", "SRC002", after="interface 1/1/1"),
    # Enterprise SONiC: maps that are defined nowhere, not bound, or lack an entry.
    at("esonic", "dscp 26 traffic-class 3", "dscp 26 traffic-class 1", "MAP001", stage="bulk"),
    at("esonic", "dscp 26 traffic-class 3", "dscp 26 traffic-class 6", "MAP001", stage="CNP"),
    at("esonic", "traffic-class 3 priority-group 3", "traffic-class 4 priority-group 3", "MAP001"),
    at(
        "esonic", " traffic-class 3 priority-group 3\n", "", "MAP001", "qos map tc-pg",
        stage="no group",
    ),
    at(
        "esonic", " pfc-priority 3 priority-group 3\n", "", "MAP001", "qos map pfc-priority-pg",
        stage="no priority",
    ),
    at("esonic", "pfc-priority 3 priority-group 3", "pfc-priority 4 priority-group 3", "MAP001"),
    at("esonic", "qos-map tc-pg ROCE", "qos-map tc-pg ROCEX", "MAP003"),
    at("esonic", "qos-map pfc-priority-queue ROCE", "qos-map pfc-priority-queue ROCEX", "MAP003"),
    at(
        "esonic", " qos-map pfc-priority-queue ROCE\n", "", "PFC002", "interface Eth 1/1",
        stage="not bound",
    ),
    at("esonic", " qos-map tc-pg ROCE\n", "", "MAP001", "interface Eth 1/1", stage="not bound"),
    at("esonic", " queue 3\n", " queue 4\n", "CLS006", after="qos scheduler-policy", stage="turn"),
    at("esonic", " queue 3 wred-policy", " queue 4 wred-policy", "ECN001"),
    # IOS-XR
    at("iosxr", "internal traffic-class 3", "internal traffic-class 4", "MAP001"),
    at("iosxr", "match traffic-class 3", "match traffic-class 4", "CLS006"),
    at("iosxr", " match traffic-class 3\n", "", "SRC002", "class-map match-any TC3"),
    at("iosxr", "set traffic-class 3", "set traffic-class 6", "MAP001", stage="class of CNP"),
    at("iosxr", "match dscp cs6", "match dscp cs5", "CLS004"),
    at("iosxr", " match dscp cs6\n", "", "SRC002", "class-map match-any CNP"),
    # SR Linux
    at("srlinux", "burst-size 52110640", "burst-size 0", "SRC002"),
    # CloudEngine and Comware
    at("vrp", "low-limit 100000", "low-limit 900000", "ECN003"),
    at("comware", "queue 3 ecn", "queue 4 ecn", "ECN002"),
    at("comware", "drop-level 2 low-limit 1000", "drop-level 2 low-limit 5000", "SRC002"),
]  # fmt: skip

UNKNOWN = [
    (at("os10", " queue 3 qos-group 3\n", "", "ECN001"), "the queue of the class"),
    (at("os10", " queue 6 qos-group 6\n", "", "CLS002"), "the queue of the class"),
    (
        at("aoscx", "qos dscp-map 26", "qos dscp-map 27", "MAP001"),
        "the class of a DSCP that the map of the port does not list",
    ),
    (
        at("comware", " qos wfq af3 group 1 byte-count 60\n", "", "CLS006"),
        "the platform's default share of a queue",
    ),
    (
        at("comware", " queue 3 drop-level 0", " queue 4 drop-level 0", "ECN003"),
        "the default ECN thresholds (the queue sets none)",
    ),
    (
        at("vrp", " ecn buffer-size low-limit 100000", " color green low-limit 10", "ECN003"),
        "the default ECN thresholds (the queue sets none)",
    ),
]

LEGAL = [
    # What the line says is what the switch does without it.
    at("os10", " qos-map traffic-class RDMA-QUEUES\n", "", "", after="interface ethernet1/1/1"),
    at("os10", " trust-map dscp RDMA-TRUST\n", "", "", after="interface ethernet1/1/1"),
    at("aoscx", "qos dscp-map 48 local-priority 6\n", "", ""),
    at("vrp", " trust upstream rdma\n", "", "", after="interface 400GE1/0/1"),
]


def fabric(nos: str, before: Edit | None = None) -> Files:
    """Leaves of a system and of the others, perhaps with another design of the first one."""
    files = build((nos, *OTHERS))
    return files if before is None else edit(files, f"switches/leaf-{nos}.cfg", before)


def grave(report: Report) -> list[tuple[str, str, int]]:
    return [
        (f.rule, f.location.file, f.location.line)
        for f in report.findings
        if f.severity >= Severity.WARNING and f.location is not None
    ]


def planted(fault: Fault, before: Edit | None = None) -> tuple[Report, list[tuple[str, str, int]]]:
    """The report on a fabric with the fault, and the expected findings."""
    files, _ = fault.planted(fabric(fault.device[5:], before))
    text = files[fault.file]
    blamed = text.index(fault.line or fault.new, text.index(fault.after) if fault.after else 0)
    line = text.count("\n", 0, blamed) + 1
    return check(files), [(fault.rule, fault.file, line)]


@pytest.mark.parametrize("fault", FOUND, ids=str)
def test_the_line_is_named_and_nothing_else(fault: Fault) -> None:
    report, expected = planted(fault)
    assert grave(report) == expected


@pytest.mark.parametrize(
    ("old", "new", "rule", "line"),
    [
        ("match qos-group 3", "match qos-group 4", "MAP001", "match qos-group 4"),
        ("  match qos-group 3\n", "", "PFC003", "class-map type network-qos"),
        ("pause pfc-cos 3", "pause pfc-cos 4", "PFC002", "pause pfc-cos 4"),
        ("network-qos LOSSLESS\n    mtu", "network-qos LOST\n    mtu", "MAP003", "qos LOST"),
    ],
)
def test_a_class_of_the_users_own_pauses(old: str, new: str, rule: str, line: str) -> None:
    report, expected = planted(at("nxos", old, new, rule, line), NETWORK_QOS)
    assert grave(report) == expected


@pytest.mark.parametrize(("fault", "missing"), UNKNOWN, ids=str)
def test_what_is_not_known_is_unknown(fault: Fault, missing: str) -> None:
    report, _ = planted(fault)
    assert grave(report) == []
    assert (fault.rule, missing, fault.device) in [
        (unknown.rule, unknown.missing, unknown.device) for unknown in report.unknowns
    ]


@pytest.mark.parametrize("fault", LEGAL, ids=str)
def test_what_the_switch_does_anyway_is_no_fault(fault: Fault) -> None:
    before, (report, _) = check(fabric(fault.device[5:])), planted(fault)
    assert grave(report) == grave(before) == []
    assert [(u.rule, u.missing) for u in report.unknowns] == [
        (u.rule, u.missing) for u in before.unknowns
    ]


def test_two_faults_of_one_policy_are_both_found() -> None:
    """PFC for a wrong class does not hide a wrong queue of the same policy."""
    before = ("match qos-group 3", "match qos-group 4")
    turned = at("os10", "match queue 6", "match queue 7", "CLS011")
    report, turn = planted(turned, before)
    _, wrong = planted(at("os10", *before, "MAP001"))
    assert grave(report) == wrong
    own = [f for f in report.findings if f.rule == "CLS011" and f.device == turned.device]
    assert [(f.rule, f.location.file, f.location.line) for f in own if f.location] == turn

"""One fault is one finding: a line of the clean fabric is made wrong by hand, and one rule reports
it.

Consequences of the fault (a queue without a share, PFC that the other end ignores) are folded into
the finding or left out, across ports and devices.
"""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Finding, Severity
from tests.bench import Files, check, edit, files_below
from tests.conftest import ROOT
from tests.fabrics.test_one_digit import (
    BNXT,
    BNXT_UNIT,
    CLEAN,
    CUMULUS,
    DCB_APP,
    DCQCN,
    ECN,
    EOS,
    EOS_MAPS,
    EOS_SPINE,
    FABRIC_PROFILE,
    GLOBAL,
    HOST_PROFILE,
    IRDMA,
    JUNOS,
    MLNX,
    NCCL,
    NICCLI,
    NICCTL,
    NICCTL_PORT,
    NXOS,
    OUT,
    OUT5,
    PFC_ROW,
    POLICY,
    PROFILE,
    SCHEDULERS,
    SONIC,
    SONIC_SPINE,
    Change,
)
from tests.rules.law import errors_of, recorded, shaky
from tests.sampling import sampled

LEAF_PORT = "interface Ethernet1/1\n"
TO_QUEUE = '"TC_TO_QUEUE_MAP"'
TO_GROUP = '"TC_TO_PRIORITY_GROUP_MAP"'
PORT_ROW = '"PORT_QOS_MAP": {'
ECN_ONLY = files_below(ROOT / "tests" / "fabrics" / "ecn-only" / "fabric")

MOVED_PAUSE = "      pfc:\n        default-global:\n          switch-priority:\n            '4': {}\n      roce:\n"
OTHER_MAP = (
    "      mapping:\n        default-global:\n          dscp:\n            '26':\n"
    "              switch-priority: 2\n      roce:\n"
)
OTHER_TRUST = "      mapping:\n        default-global:\n          trust: l2\n      roce:\n"
"""Statements on top of `qos roce` that override its implications."""

FAULTS = [
    # trust, maps and policies
    Change(EOS, HOST_PROFILE, "trust dscp", "trust cos", "MAP002"),
    Change(EOS, EOS_MAPS, "dscp 26 to traffic-class 3", "dscp 26 to traffic-class 1", "MAP001"),
    Change(EOS, EOS_MAPS, "48 to traffic-class 6", "48 to traffic-class 3", "CLS002"),
    Change(EOS, EOS_MAPS, "48 to traffic-class 6", "48 to traffic-class 1", "CLS004"),
    Change(EOS, LEAF_PORT, "   service-profile ROCE-HOST\n", "", "PFC001"),
    Change(EOS, LEAF_PORT, "ROCE-HOST", "ROCE-HSOT", "MAP003"),
    Change(NXOS, "class-map type qos match-all ROCE\n", "dscp 26", "dscp 24", "MAP001"),
    Change(NXOS, POLICY, "qos-group 5", "qos-group 4", "MAP001"),
    Change(NXOS, POLICY, "qos-group 0", "qos-group 5", "CLS003"),
    Change(NXOS, "system qos", "  service-policy type network-qos ROCE-NQ\n", "", "MAP004"),
    Change(NXOS, "system qos", "  service-policy type queuing output ROCE-OUT\n", "", "MAP004"),
    Change(NXOS, LEAF_PORT, "  service-policy type qos input ROCE-CLASSIFY\n", "", "MAP004"),
    Change(NXOS, LEAF_PORT, "ROCE-CLASSIFY", "ROCE-CLASSIFI", "MAP003"),
    Change(SONIC, '"DSCP_TO_TC_MAP"', '"26": "3"', '"26": "1"', "MAP001"),
    Change(SONIC, TO_QUEUE, '"3": "3"', '"3": "1"', "MAP006"),
    Change(SONIC, TO_QUEUE, '"6": "6"', '"6": "3"', "CLS002"),
    Change(SONIC, TO_QUEUE, '"1": "1"', '"1": "3"', "CLS003"),
    Change(SONIC, TO_GROUP, '"6": "0"', '"6": "3"', "CLS002"),
    Change(SONIC, TO_GROUP, '"1": "0"', '"1": "3"', "CLS003"),
    Change(SONIC, TO_GROUP, '"3": "3"', '"3": "0"', "MAP006"),
    Change(SONIC, '"MAP_PFC_PRIORITY_TO_QUEUE"', '"3": "3"', '"3": "2"', "MAP006"),
    Change(SONIC, PORT_ROW, 'tc_map": "AZURE"', 'tc_map": "AZUR"', "MAP003"),
    Change(SONIC_SPINE, '"DSCP_TO_TC_MAP"', '"26": "3"', '"26": "1"', "MAP001"),
    # PFC
    Change(EOS, HOST_PROFILE, "   priority-flow-control on\n", "", "PFC009"),
    Change(EOS, HOST_PROFILE, "   priority-flow-control priority 3 no-drop\n", "", "PFC003"),
    Change(EOS, FABRIC_PROFILE, "priority 3 no-drop", "priority 5 no-drop", "PFC001"),
    Change(EOS, "ip routing", "\nend", "\npriority-flow-control all off\nend", "PFC004"),
    Change(EOS_SPINE, FABRIC_PROFILE, "priority 3 no-drop", "priority 4 no-drop", "PFC001"),
    Change(NXOS, "", "pause pfc-cos 3", "pause pfc-cos 4", "PFC002"),
    Change(NXOS, "", "    pause pfc-cos 3\n", "", "PFC003"),
    Change(NXOS, LEAF_PORT, "mode on", "mode off", "PFC001"),
    Change(SONIC, PORT_ROW, 'pfc_enable": "3,4"', 'pfc_enable": "4"', "PFC001"),
    Change(SONIC_SPINE, PORT_ROW, 'pfc_enable": "3,4"', 'pfc_enable": "4"', "PFC001"),
    Change(MLNX, "", PFC_ROW, "enabled     0   0   0   0   1   0   0   0", "PFC001"),
    Change(MLNX, "", "trust state: dscp", "trust state: pcp", "MAP002"),
    # marking and queues
    Change(EOS, HOST_PROFILE, "uc-tx-queue 3", "uc-tx-queue 4", "ECN001"),
    Change(EOS, HOST_PROFILE, "random-detect ecn min", "random-detect drop min", "ECN002"),
    Change(NXOS, OUT, " ecn\n", "\n", "ECN002"),
    Change(NXOS, OUT5, "percent 60", "percent 0", "CLS006"),
    Change(SONIC, '"WRED_PROFILE"', "ecn_all", "ecn_none", "ECN002"),
    Change(SONIC, '"QUEUE": {', '"AZURE_LOSSLESS"', '"AZURE_LOSLESS"', "MAP003"),
    # MTU, links and hosts
    Change(EOS, "interface Ethernet31/1\n", "mtu 9214", "mtu 1500", "MTU001"),
    Change(NXOS, "interface Ethernet1/31\n", "mtu 9216", "mtu 1500", "MTU001"),
    Change(SONIC, '"PORT": {', '"mtu": "9100"', '"mtu": "1500"', "MTU001"),
    Change(SONIC, '"CABLE_LENGTH"', '"5m"', '"0m"', "BUF002"),
    Change(GLOBAL, "", "106", "26", "NIC001"),
    Change(NCCL, "", "TC=106", "TC=26", "NIC002"),
    Change(NCCL, "", "GID_INDEX=3", "GID_INDEX=2", "NIC005"),
    Change(ECN, "", "cnp_dscp:48", "cnp_dscp:26", "CLS002"),
    Change(ECN, "", "cnp_dscp:48", "cnp_dscp:0", "CLS004"),
    Change(ECN, "", "cnp_dscp:48", "cnp_dscp:8", "CLS004"),
    Change(GLOBAL, "", "tclass=106", "tclass=14", "NIC001"),  # a NIC's DCQCN is not for it
    Change(GLOBAL, "", "tclass=106", "tclass=160", "NIC001"),  # strict by default on some leaves
    Change(GLOBAL, "", "tclass=106", "tclass=194", "NIC001"),  # what all hosts send CNPs with
    Change(NXOS, OUT5, "minimum-threshold 950", "minimum-threshold 9500", "ECN003"),
    Change(NXOS, OUT5, "drop-probability 7", "drop-probability 0", "ECN003"),
    Change(ECN, "", "roce_rp/enable/3:1", "roce_rp/enable/3:0", "NIC007"),
    # Junos
    Change(JUNOS, "dscp ROCE {", "code-points 011010", "code-points 011000", "MAP001"),
    Change(JUNOS, "dscp ROCE {", "code-points 011010;", "code-points [ 011010 000000 ];", "CLS003"),
    Change(JUNOS, "dscp ROCE {", "code-points 110000", "code-points 110001", "CLS004"),
    Change(JUNOS, PROFILE, "code-point 011010", "code-point 011110", "MAP001"),
    Change(JUNOS, PROFILE, "flow-control-queue 4", "flow-control-queue 3", "MAP006"),
    Change(JUNOS, "forwarding-classes {", "pfc-priority 3", "pfc-priority 4", "PFC002"),
    Change(JUNOS, SCHEDULERS, "            explicit-congestion-notification;\n", "", "ECN002"),
    Change(JUNOS, "et-0/0/30 {", "mtu 9170", "mtu 1500", "MTU001"),
    # Cumulus
    Change(CUMULUS, "swp2:", "state: enable", "state: disable", "PFC020"),
    Change(CUMULUS, "      roce:", "mode: lossless", "mode: lossy", "PFC001"),
    Change(CUMULUS, "", "      roce:\n", MOVED_PAUSE, "PFC001"),
    Change(CUMULUS, "", "      roce:\n", OTHER_MAP, "MAP001"),
    Change(CUMULUS, "", "      roce:\n", OTHER_TRUST, "MAP002"),
    Change(CUMULUS, "swp1,3,31-32:", "mtu: 9216", "mtu: 1500", "MTU001"),
    # hosts of other makers, whose scripts still say it right
    Change(NICCLI, "", "PFC enabled: 3", "PFC enabled: 5", "PFC001"),
    Change(NICCLI, "APP#1", "Priority: 3", "Priority: 5", "MAP001"),
    Change(DCB_APP, "", "[26,3]", "[26,4]", "MAP001"),
    Change(IRDMA, "", "roce_dcqcn_enable:1", "roce_dcqcn_enable:0", "NIC007"),
    Change(NICCTL, "", "26 ==> priority : 3", "26 ==> priority : 2", "MAP001"),
    Change(NICCTL, "", "no-drop priorities    : 3", "no-drop priorities    : 5", "PFC001"),
    Change(NICCTL, "", "type         : DSCP", "type         : PCP", "MAP002"),
    Change(NICCTL_PORT, "TX pause", ": enabled", ": disabled", "PFC001"),
]

WITHOUT_PFC = [
    Change("switches/leaf1.cfg", "", "trust dscp", "trust cos", "MAP002"),
    Change("switches/leaf1.cfg", "", "uc-tx-queue 3", "uc-tx-queue 4", "ECN001"),
    Change("switches/leaf2.cfg", "", "match dscp 26", "match dscp 24", "MAP001"),
    Change("switches/leaf2.cfg", "", "  service-policy type qos input CLASSIFY\n", "", "MAP004"),
    Change("switches/leaf2.cfg", "", "  service-policy type queuing output QUEUES\n", "", "MAP004"),
    Change("switches/spine1.json", "", '"26": "3"', '"26": "0"', "MAP001"),
    Change("switches/spine1.json", "", '"dscp_to_tc_map": "ROCE",', "", "MAP004"),
]
"""The same in a design with ECN and without PFC: the DSCP is equally wrong."""


def reported(findings: list[Finding]) -> list[str]:
    return [f"{f.rule} {f.location} {f.message}" for f in findings]


def places(files: Files) -> list[tuple[str, tuple[str, ...], int]]:
    """Rule, folded rules and line of each finding."""
    findings = check(files).findings
    return [(f.rule, f.also, f.location.line if f.location else 0) for f in findings]


def one_finding(files: Files, change: Change) -> None:
    """The changed fabric has this one finding, and its severity obeys the law."""
    with recorded() as problems:
        findings = check(change.planted(files)[0]).findings
    assert [f.rule for f in findings] == [change.rule], reported(findings)
    assert [raw.page.id for raw in errors_of(problems) if shaky(raw)] == []


@pytest.mark.parametrize("change", sampled(FAULTS, 4, lambda c: c.rule), ids=str)
def test_one_fault_is_one_finding(change: Change) -> None:
    one_finding(CLEAN, change)


@pytest.mark.parametrize("change", WITHOUT_PFC, ids=str)
def test_one_fault_is_one_finding_without_pfc(change: Change) -> None:
    one_finding(ECN_ONLY, change)


def test_the_fabrics_are_clean() -> None:
    for files in (CLEAN, ECN_ONLY):
        assert check(files).findings == []


BUFFER_ROW = "buffer      0   0   0   1   0   0   0 "
SHARED_ROW = "buffer      0   0   0   1   0   0   1 "
LLDPAD_RUNS = "****** WARNING: lldpad service is running and may overwrite your settings ******\n\n"
CNP_ENTRY = """         APP#0:
          Priority: 6
          Sel: 5
          DSCP: 48

"""

FROM_THREADS = [
    # What hosts report in public threads (facts of the guides, not of a laboratory).
    Change(NCCL, "", "TC=106", "TC=26", "NIC002"),
    Change(NCCL, "", "==mlx5_0,mlx5_1", "==mlx5_0,mlx5_9", "NIC006"),
    Change(ECN, "", "cnp_dscp:48", "cnp_dscp:4", "CLS002"),
    Change(MLNX, "", PFC_ROW, "enabled     0   1   1   1   1   1   1   0", "PFC005"),
    Change(MLNX, "", PFC_ROW, "enabled     0   0   0   0   0   0   0   0", "PFC001"),
    Change(MLNX, "", "prio:4 dscp:", "prio:4 dscp:26,", "CLS010"),
    Change(MLNX, "", "29,28,27,26,25,24", "29,28,27,25,24", "MAP001"),
    Change(MLNX, "", "tsa: ets, bw: 50%", "tsa: ets, bw: 0%", "CLS006"),
    Change(MLNX, "", BUFFER_ROW, "buffer      0   0   0   0   0   0   0 ", "BUF007"),
    Change(MLNX, "", BUFFER_ROW, "buffer      0   0   0   2   0   0   0 ", "BUF007"),  # of 0 bytes
    Change(MLNX, "", BUFFER_ROW, SHARED_ROW, "BUF009"),
    Change(MLNX, "", "1048448,0", "90000,0", "BUF007"),
    Change(MLNX, "", "DCBX mode", LLDPAD_RUNS + "DCBX mode", "NIC009"),
    Change(MLNX, "", "prio:3 dscp:31", "prio:3 dscp:99", "SRC002"),
    Change(NCCL, "", "TC=106", 'TC="106"', "NIC003"),
    Change(NCCL, "", "TC=106", "TC=256", "SRC002"),
    Change(NCCL, "", "TC=106", "TC=106\nNCCL_IB_TC=96", "SRC003"),
    Change(NCCL, "", "==mlx5_0,", "=^mlx5_0,", "NIC006"),
    Change(NCCL, "", "NCCL_IB_TC", "NCCL_IB_DISABLE=1\nNCCL_IB_TC", "NIC006"),
    Change(NICCLI, "", CNP_ENTRY, "", "NIC014"),  # the unit makes it
    Change(NICCLI, "", "TC Bandwidth: 50% 50%", "TC Bandwidth: 100% 0%", "CLS006"),
    Change(NICCLI, "", "Priority: 6", "Priority: 3", "NIC008"),
    Change(BNXT, "", "ecn_enable:0x1", "ecn_enable:0x0", "NIC007"),  # it switches both points
    Change(BNXT, "", "cnp_prio:0x6", "cnp_prio:0x3", "NIC008"),
    Change(BNXT_UNIT, "", "-r 3", "-r 5", "NIC014"),
    Change(BNXT_UNIT, "", "-i ens1f0np0 ", "", "NIC003"),
    Change(BNXT_UNIT, "", "-i ens1f0np0", "-i eth7", "SRC002"),
    Change(NICCTL, "", "bitmap       : 0x8", "bitmap       : 0x0", "PFC001"),
    Change(DCQCN, "", "Enabled", "Disabled", "NIC007"),
]


@pytest.mark.parametrize("change", sampled(FROM_THREADS, 3, lambda c: c.rule), ids=str)
def test_one_fault_of_a_host_is_one_finding(change: Change) -> None:
    one_finding(CLEAN, change)


def test_rdma_cm_with_another_roce_version_than_on_equal_hosts() -> None:
    mode = "hosts/gpu01/cma_roce_mode-mlx5_0.txt"
    findings = check({**CLEAN, mode: "IB/RoCE v1\n"}).findings
    found = [(f.rule, f.location and f.location.file) for f in findings]
    assert found == [("NIC016", mode), ("NIC028", mode)]  # it differs, and does not cross a router


def test_two_faults_of_receive_buffers_are_two_findings() -> None:
    """The class has a separate buffer that is too small, and CNPs are in it as well."""
    files = edit(CLEAN, MLNX, ("1048448,0", "90000,0"), (BUFFER_ROW, SHARED_ROW))
    assert places(files) == [("BUF007", (), 14), ("BUF009", (), 19)]


def test_a_priority_left_in_the_buffer_of_others_is_one_finding_at_the_map() -> None:
    files = edit(CLEAN, MLNX, (BUFFER_ROW, BUFFER_ROW.replace("1", "0")))
    assert places(files) == [("BUF007", ("BUF009",), 19)]


def test_one_map_in_dcb_output_is_one_finding_as_well() -> None:
    """In JSON every priority has a separate place."""
    rows = [line for line in CLEAN[MLNX].split("\n") if "buffer" not in line.lower()]
    ends = '{"prio_buffer":[0,0,0,0,0,0,0,0],\n"buffer_size":[130944,1048448,0,0,0,0,0,0]}\n'
    files = {
        **CLEAN,
        MLNX: "\n".join(rows),
        "hosts/gpu01/dcb-buffer-ens1f0np0.json": ends,
    }
    assert places(files) == [("BUF007", ("BUF009",), 1)]


EVERYWHERE = [
    (SONIC, '"pfc_enable": "3,4"', '"pfc_enable": ""', ["PFC001"]),
    (EOS_SPINE, "   service-profile ROCE-FABRIC\n", "", ["MAP004"]),
    (NXOS, "  service-policy type network-qos ROCE-NQ\n", "", ["MAP004"]),
]
"""A file, the texts replaced everywhere in it, and the rules that report them."""


@pytest.mark.parametrize(("file", "old", "new", "rules"), EVERYWHERE)
def test_a_fault_of_all_ports_is_one_finding(
    file: str, old: str, new: str, rules: list[str]
) -> None:
    findings = check(edit(CLEAN, file, (old, new), every=True)).findings
    assert [f.rule for f in findings] == rules, reported(findings)


def test_a_table_of_bindings_that_is_misspelt_is_no_silence() -> None:
    """Nothing is bound, so nothing is protected; the unused maps are named as well."""
    findings = check(edit(CLEAN, SONIC, ('"PORT_QOS_MAP"', '"PORT_QOS_MAPS"'))).findings
    grave = [(f.rule, f.also) for f in findings if f.severity is Severity.ERROR]
    assert grave == [("MAP002", ("CLS004", "ECN001", "PFC001", "PFC002"))], reported(findings)

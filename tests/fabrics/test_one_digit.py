"""One digit or word of one line of the clean fabric is changed: a finding names that line.

Exceptions are in UNSEEN with the reason; a change that is now found has to move up.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from roce_lint.engine.finding import Finding
from tests.bench import Files, check
from tests.metamorphic.snapshot import sample
from tests.sampling import sampled

CLEAN = sample("clean-fabric")

EOS = "switches/leaf1.cfg"
EOS_SPINE = "switches/spine2.cfg"
NXOS = "switches/leaf2.cfg"
SONIC = "switches/leaf3.json"
SONIC_SPINE = "switches/spine1.json"
MLNX = "hosts/gpu01/mlnx_qos-ens1f0np0.txt"
ECN = "hosts/gpu01/ecn-ens1f0np0.txt"
NCCL = "hosts/gpu01/nccl.conf"
GLOBAL = "hosts/gpu01/traffic_class-mlx5_0.txt"
JUNOS = "switches/leaf5.conf"
CUMULUS = "switches/leaf6.yaml"
NICCLI = "hosts/gpu09/niccli-qos-1.txt"
BNXT = "hosts/gpu09/cc-bnxt_re0.txt"
BNXT_UNIT = "hosts/gpu09/roce-setup.service"
DCB_APP = "hosts/gpu10/dcb-app-ens1f0np0.json"
DCB_PFC = "hosts/gpu10/dcb-pfc-ens1f0np0.json"
IRDMA = "hosts/gpu10/irdma-cc.txt"
NICCTL = "hosts/gpu11/nicctl-qos.txt"
NICCTL_PORT = "hosts/gpu11/nicctl-port.txt"
DCQCN = "hosts/gpu11/nicctl-dcqcn.txt"

HOST_PROFILE = "qos profile ROCE-HOST\n"
FABRIC_PROFILE = "qos profile ROCE-FABRIC\n"
EOS_MAPS = "qos random-detect ecn allow"
NQ = "class type network-qos c-8q-nq5\n"
POLICY = "policy-map type qos ROCE-CLASSIFY\n"
OUT = "policy-map type queuing ROCE-OUT\n"
OUT5 = "class type queuing c-out-8q-q5\n"
GROUP = '"Ethernet0|3-4": {'
PFC_ROW = "enabled     0   0   0   1   0   0   0   0"
PROFILE = "    congestion-notification-profile {"
FABRIC_MAP = "    scheduler-maps {"
SCHEDULERS = "    schedulers {"


@dataclass(frozen=True)
class Change:
    """After the text `after`, the first `old` becomes `new`."""

    file: str
    after: str
    old: str
    new: str
    rule: str = ""  # the rule that names the line
    why: str = ""  # for UNSEEN: why no finding does

    def __str__(self) -> str:
        return f"{self.file.rsplit('/', 1)[-1]}: {self.old} -> {self.new}"

    def planted(self, files: Files) -> tuple[Files, int]:
        """The changed fabric and the number of the changed line."""
        text = files[self.file]
        at = text.index(self.old, text.index(self.after))
        after = text[:at] + self.new + text[at + len(self.old) :]
        assert after != text
        return {**files, self.file: after}, text.count("\n", 0, at) + 1


def c(file: str, after: str, old: str, new: str, rule: str) -> Change:
    return Change(file, after, old, new, rule)


SEEN = [
    c(EOS, "interface Ethernet1/1\n", "400g-8", "200g-8", "LNK011"),
    # EOS
    c(EOS, HOST_PROFILE, "trust dscp", "trust cos", "MAP002"),
    c(EOS, HOST_PROFILE, "priority-flow-control on", "priority-flow-control onn", "SRC001"),
    c(EOS, HOST_PROFILE, "priority 3 no-drop", "priority 2 no-drop", "PFC001"),
    c(EOS, FABRIC_PROFILE, "priority 3 no-drop", "priority 4 no-drop", "PFC001"),
    c(EOS, HOST_PROFILE, "timeout 0.2", "timeout 200", "SRC007"),  # milliseconds for seconds
    c(EOS, "interface Ethernet31/1\n", "10.0.1.3", "10.0.1.5", "LNK009"),
    c(EOS, HOST_PROFILE, "interval 0.1", "interval 0.9", "PFC022"),
    c(EOS, HOST_PROFILE, "uc-tx-queue 3", "uc-tx-queue 2", "ECN001"),
    c(EOS, HOST_PROFILE, "percent 60", "percent 0", "CLS006"),
    c(EOS, HOST_PROFILE, "minimum-threshold 2000", "minimum-threshold 20000", "ECN003"),
    c(EOS, HOST_PROFILE, "maximum-threshold 10000", "maximum-threshold 1000", "ECN003"),
    c(EOS, HOST_PROFILE, "random-detect ecn min", "random-detect drop min", "ECN002"),
    c(EOS, HOST_PROFILE, "priority strict", "priority strikt", "SRC001"),
    c(EOS, "interface Ethernet1/1\n", "mtu 9214", "mtu 1214", "MTU001"),
    c(EOS, "interface Ethernet31/1\n", "mtu 9214", "mtu 4014", "MTU001"),
    c(EOS, "interface Ethernet31/1\n", "mtu 9214", "mtu 8214", "MTU002"),
    c(EOS, "interface Ethernet31/1\n", "400g-8", "200g-4", "LNK002"),
    c(EOS, "interface Ethernet31/1\n", "reed-solomon", "fire-code", "LNK002"),
    c(EOS, "interface Ethernet1/1\n", "ROCE-HOST", "ROCE-HOTS", "MAP003"),
    c(EOS, EOS_MAPS, "26 to traffic-class 3", "26 to traffic-class 4", "MAP001"),
    c(EOS, EOS_MAPS, "48 to traffic-class 6", "48 to traffic-class 3", "CLS002"),
    c(EOS, "ip routing", "default timeout 0.2", "default timeout 200", "SRC007"),
    c(EOS_SPINE, "interface Ethernet1/1\n", "mtu 9214", "mtu 1500", "MTU001"),
    # NX-OS
    c(NXOS, NQ, "pfc-cos 3", "pfc-cos 4", "PFC002"),
    c(NXOS, "policy-map type network-qos", "c-8q-nq5", "c-8q-nq4", "MAP001"),
    c(NXOS, "class-map type qos match-all ROCE\n", "dscp 26", "dscp 24", "MAP001"),
    c(NXOS, POLICY, "qos-group 5", "qos-group 4", "MAP001"),
    c(NXOS, POLICY, "qos-group 7", "qos-group 5", "CLS002"),
    c(NXOS, POLICY, "qos-group 0", "qos-group 5", "CLS003"),
    c(NXOS, OUT, "c-out-8q-q5", "c-out-8q-q4", "ECN001"),
    c(NXOS, OUT5, "percent 60", "percent 0", "CLS006"),
    c(NXOS, OUT5, "minimum-threshold 950", "minimum-threshold 9500", "ECN003"),
    c(NXOS, OUT5, "maximum-threshold 3000", "maximum-threshold 300", "ECN003"),
    c(NXOS, OUT5, "drop-probability 7", "drop-probability 0", "ECN003"),
    c(NXOS, OUT5, "weight 0 ecn", "weight 0", "ECN002"),
    c(NXOS, "system qos", "network-qos ROCE-NQ", "network-qos ROCE-NX", "MAP003"),
    c(NXOS, "system qos", "output ROCE-OUT", "output ROCE-AUT", "MAP003"),
    c(NXOS, "copp profile", "watch-dog-interval on", "watch-dog-interval off", "PFC022"),
    c(NXOS, "interface Ethernet1/1\n", "mode on", "mode auto", "PFC007"),
    c(NXOS, "interface Ethernet1/1\n", "mode on", "mode off", "PFC001"),
    c(NXOS, "interface Ethernet1/1\n", "interval on", "interval off", "PFC020"),
    c(NXOS, "interface Ethernet1/1\n", "mtu 9216", "mtu 1216", "MTU001"),
    c(NXOS, "interface Ethernet1/31\n", "mtu 9216", "mtu 4116", "MTU001"),
    c(NXOS, "interface Ethernet1/1\n", "CLASSIFY", "CLASSIFI", "MAP003"),
    # SONiC
    c(SONIC, GROUP, "pg_lossless_400000_5m_profile", "ingress_lossy_profile", "BUF001"),
    c(SONIC, GROUP, "400000_5m", "400000_6m", "MAP003"),
    c(SONIC, '"Ethernet240|3-4": {', "400000_40m", "400000_5m", "BUF006"),
    c(SONIC, '"pg_lossless_400000_5m_profile": {', "lossless_pool", "loosless_pool", "MAP003"),
    c(SONIC, '"CABLE_LENGTH"', '"Ethernet0": "5m"', '"Ethernet0": "0m"', "BUF002"),
    c(SONIC, '"CABLE_LENGTH"', '"Ethernet0": "5m"', '"Ethernet0": "50m"', "BUF006"),
    c(SONIC, '"DSCP_TO_TC_MAP"', '"26": "3"', '"26": "2"', "MAP001"),
    c(SONIC, '"DSCP_TO_TC_MAP"', '"48": "6"', '"48": "3"', "CLS002"),
    c(SONIC, '"DSCP_TO_TC_MAP"', '"0": "1"', '"0": "3"', "CLS003"),
    c(SONIC, '"TC_TO_QUEUE_MAP"', '"3": "3"', '"3": "2"', "MAP006"),
    c(SONIC, '"TC_TO_PRIORITY_GROUP_MAP"', '"3": "3"', '"3": "0"', "MAP006"),
    c(SONIC, '"MAP_PFC_PRIORITY_TO_QUEUE"', '"3": "3"', '"3": "2"', "MAP006"),
    c(SONIC, '"PORT": {', '"mtu": "9100"', '"mtu": "1100"', "MTU001"),
    c(SONIC, '"PORT": {', '"speed": "400000"', '"speed": "200000"', "BUF006"),
    c(
        SONIC,
        '"PORT_QOS_MAP": {',
        '"dscp_to_tc_map": "AZURE"',
        '"dscp_to_tc_map": "AZUR"',
        "MAP003",
    ),
    c(SONIC, '"PORT_QOS_MAP": {', '"pfc_enable": "3,4"', '"pfc_enable": "4"', "PFC001"),
    c(SONIC, '"PORT_QOS_MAP": {', 'sw_enable": "3,4"', 'sw_enable": "4"', "PFC020"),
    c(SONIC, '"PORT_QOS_MAP": {', '"tc_to_pg_map": "AZURE"', '"tc_to_pg_map": "AZUR"', "MAP003"),
    c(SONIC, '"QUEUE": {', '"AZURE_LOSSLESS"', '"AZURE_LOSSLES"', "MAP003"),
    c(SONIC, '"WRED_PROFILE"', "ecn_all", "ecn_none", "ECN002"),
    c(SONIC, '"WRED_PROFILE"', '"green_min_threshold": "1', '"green_min_threshold": "3', "ECN003"),
    c(SONIC, '"WRED_PROFILE"', '"2097152"', '"2097"', "ECN003"),
    c(
        SONIC,
        '"WRED_PROFILE"',
        '"green_drop_probability": "5',
        '"green_drop_probability": "0',
        "ECN003",
    ),
    c(SONIC, '"WRED_PROFILE"', 'green_enable": "true', 'green_enable": "false', "ECN008"),
    c(SONIC, '"PFC_WD": {', 'detection_time": "200', 'detection_time": "20', "PFC022"),
    c(SONIC, '"DEVICE_NEIGHBOR": {', "ens1f0np0", "ens2f0np0", "LNK001"),
    c(SONIC_SPINE, '"CABLE_LENGTH"', '"40m"', '"0m"', "BUF002"),
    c(SONIC_SPINE, '"DSCP_TO_TC_MAP"', '"26": "3"', '"26": "5"', "MAP001"),
    c(SONIC_SPINE, '"PORT_QOS_MAP": {', '"pfc_enable": "3,4"', '"pfc_enable": "4"', "PFC001"),
    c(SONIC_SPINE, '"PORT": {', '"mtu": "9100"', '"mtu": "4100"', "MTU001"),
    # hosts
    c(MLNX, "", "trust state: dscp", "trust state: pcp", "MAP002"),
    c(MLNX, "", "prio:3 dscp:31", "prio:2 dscp:31", "MAP001"),
    c(MLNX, "", PFC_ROW, "enabled     0   0   0   0   0   0   0   0", "PFC001"),
    c(MLNX, "", PFC_ROW, "enabled     0   0   0   1   0   1   0   0", "PFC006"),
    c(MLNX, "tc: 3", "bw: 50%", "bw: 0%", "CLS006"),
    c(MLNX, "", "1048448,0", "448,0", "BUF007"),
    c(MLNX, "", "mode: OS", "mode: Firmware", "NIC009"),
    c(MLNX, "", "buffer      0   0   0   1 ", "buffer      0   0   0   0 ", "BUF007"),
    c(ECN, "", "roce_np/enable/3:1", "roce_np/enable/3:0", "NIC007"),
    c(ECN, "", "roce_rp/enable/3:1", "roce_rp/enable/3:0", "NIC007"),
    c(ECN, "", "cnp_dscp:48", "cnp_dscp:26", "CLS002"),
    c(GLOBAL, "", "tclass=106", "tclass=26", "NIC001"),
    c(GLOBAL, "", "tclass=106", "tclass=96", "NIC001"),
    c(NCCL, "", "NCCL_IB_TC=106", "NCCL_IB_TC=26", "NIC002"),
    c(NCCL, "", "GID_INDEX=3", "GID_INDEX=2", "NIC005"),
    c(NCCL, "", "mlx5_0,mlx5_1", "mlx5_0,mlx5_2", "NIC006"),
    c("hosts/gpu01/show_gids.txt", "mlx5_0\t1\t3", "v2", "v1", "NIC005"),
    c("hosts/gpu01/ip-link.json", '"ens1f0np0"', '"mtu": 9000', '"mtu": 9900', "SRC002"),
    c("hosts/gpu06/ip-link.json", '"ens1f0np0"', '"mtu": 4200', '"mtu": 9210', "SRC002"),
    c(
        "hosts/gpu01/ibv_devinfo.txt",
        "mlx5_0",
        "4096 (5)\n\t\t\tsm",
        "1024 (3)\n\t\t\tsm",
        "MTU007",
    ),
    c("hosts/gpu01/ethtool-a-ens1f0np0.txt", "", "RX:\t\toff", "RX:\t\ton", "PFC008"),
    c("hosts/gpu01/lldpcli.json", '"ens1f0np0"', "Ethernet1/1", "Ethernet2/1", "LNK001"),
    c("hosts/gpu01/rdma-link.json", "mlx5_0", "ens1f0np0", "ens2f0np0", "SRC002"),
    c("hosts/gpu01/rdma-link.json", "mlx5_0", '"ACTIVE"', '"DOWN"', "SRC002"),
    c(EOS, EOS_MAPS, "48 to traffic-class 6", "48 to traffic-class 0", "CLS011"),
    c(NXOS, OUT5, "minimum-threshold 950", "minimum-threshold 150", "ECN004"),
    c(SONIC, '"PORT": {', '"fec": "rs"', '"fec": "none"', "CLS012"),
    c(SONIC, '"PORT": {', '"up"', '"down"', "LNK004"),
    c(ECN, "", "cnp_dscp:48", "cnp_dscp:46", "CLS004"),
    c(ECN, "", "prio:6", "prio:3", "NIC016"),
    c(EOS, HOST_PROFILE, "3 no-drop", "3 drop", "PFC003"),
    c(NXOS, "match-all CNP\n", "dscp 48", "dscp 46", "CLS004"),
    c(SONIC, '"PFC_WD": {', '"action": "drop"', '"action": "alert"', "CLS012"),
    # Junos
    c(JUNOS, "et-0/0/30 {", "mtu 9216", "mtu 1514", "MTU001"),
    c(JUNOS, "et-0/0/0 {", "mtu 9170", "mtu 1500", "MTU001"),
    c(JUNOS, "dscp ROCE {", "code-points 110000", "code-points 110010", "CLS004"),
    c(JUNOS, "dscp ROCE {", "code-points 011010", "code-points 011000", "MAP001"),
    c(JUNOS, "forwarding-classes {", "pfc-priority 3", "pfc-priority 4", "PFC002"),
    c(JUNOS, "forwarding-classes {", " no-loss pfc", " pfc", "PFC003"),
    c(JUNOS, PROFILE, "code-point 011010", "code-point 011110", "MAP001"),
    c(JUNOS, PROFILE, "code-point 011 ", "code-point 111 ", "PFC002"),
    c(JUNOS, PROFILE, "flow-control-queue 4", "flow-control-queue 3", "MAP006"),
    c(JUNOS, "        et-* {", "profile ROCE;", "profile ROCEE;", "MAP003"),
    c(JUNOS, "        et-* {", "dscp ROCE;", "dscp ROCEE;", "MAP003"),
    c(JUNOS, FABRIC_MAP, "scheduler NO-LOSS", "scheduler NO-LOS", "MAP003"),
    c(JUNOS, SCHEDULERS, "strict-high", "low", "CLS011"),
    c(JUNOS, SCHEDULERS, "drop-profile ROCE-ECN", "drop-profile ROCE-ECM", "MAP003"),
    c(JUNOS, "ingress {", "percent 66", "percent 76", "BUF021"),
    # Cumulus
    c(CUMULUS, "      swp1,3,31-32:", "mtu: 9216", "mtu: 1216", "MTU001"),
    c(CUMULUS, "      swp2:", "state: enable", "state: disable", "PFC020"),
    c(CUMULUS, "    qos:\n      cong", "max-threshold: 3", "max-threshold: 0", "ECN003"),
    c(CUMULUS, "      roce:", "enable: on", "enable: off", "MAP002"),
    c(CUMULUS, "      roce:", "mode: lossless", "mode: lossy", "PFC001"),
    # hosts of other makers
    c(NICCLI, "", "PFC enabled: 3", "PFC enabled: 4", "PFC001"),
    c(NICCLI, "APP#1", "Priority: 3", "Priority: 4", "MAP001"),
    c(BNXT, "", "ecn_enable:0x1", "ecn_enable:0x0", "NIC007"),
    c(BNXT, "", "roce_prio:0x3", "roce_prio:0x4", "SRC002"),
    c(BNXT, "", "cnp_dscp:0x30", "cnp_dscp:0x1a", "CLS002"),
    c(BNXT_UNIT, "", "-r 3", "-r 4", "NIC014"),
    c(DCB_APP, "", "[26,3]", "[26,4]", "MAP001"),
    c(DCB_PFC, "", "false,true", "false,false", "PFC001"),
    c(IRDMA, "", "roce_dcqcn_enable:1", "roce_dcqcn_enable:0", "NIC007"),
    c(IRDMA, "", "roce_ena:1", "roce_ena:0", "NIC014"),
    c(
        NICCTL,
        "",
        "DSCP                      : 26 ==> priority : 3",
        "DSCP                      : 26 ==> priority : 0",
        "MAP001",
    ),
    c(NICCTL, "", "no-drop priorities    : 3", "no-drop priorities    : 5", "PFC001"),
    c(NICCTL, "", "type         : DSCP", "type         : PCP", "MAP002"),
    c(
        NICCTL_PORT,
        "",
        "Pause type                               : PFC",
        "Pause type                               : LINK",
        "PFC009",
    ),
    c(
        NICCTL_PORT,
        "",
        "TX pause                                 : enabled",
        "TX pause                                 : disabled",
        "PFC001",
    ),
    c(DCQCN, "", "Enabled", "Disabled", "NIC007"),
    c(DCQCN, "", "CNP                  : 48", "CNP                  : 26", "CLS002"),
]


def u(file: str, after: str, old: str, new: str, why: str) -> Change:
    return Change(file, after, old, new, why=why)


NO_EQUAL = "every value is legal, and no other switch of its kind is there to compare with"
PLATFORM_MAP = "the platform's own map does the same for DSCP 26, and nobody sends the other one"

UNSEEN = [
    u(EOS, HOST_PROFILE, "action drop", "action notify-only", "a legal choice"),
    u(EOS, HOST_PROFILE, "minimum-threshold 2000", "minimum-threshold 3000", NO_EQUAL),
    u(EOS, HOST_PROFILE, "max-mark-probability 20", "max-mark-probability 2", NO_EQUAL),
    u(EOS_SPINE, FABRIC_PROFILE, "minimum-threshold 2000", "minimum-threshold 200", NO_EQUAL),
    u(EOS, "interface Ethernet1/1\n", "ROCE-HOST", "ROCE-FABRIC", "both profiles treat RoCE alike"),
    u(EOS, EOS_MAPS, "dscp 26", "dscp 36", PLATFORM_MAP),
    u(EOS_SPINE, EOS_MAPS, "dscp 26", "dscp 24", PLATFORM_MAP),
    u(NXOS, NQ, "mtu 9216", "mtu 1500", "MTU004 says unknown: the series of the switch decides"),
    u(NXOS, OUT5, "percent 60", "percent 6", "every share above zero is legal"),
    u(NXOS, OUT, "priority level 1", "priority level 2", "still the highest there is"),
    u(SONIC, '"WRED_PROFILE"', '"1048576"', '"104857"', NO_EQUAL),
    u(SONIC, '"scheduler.1"', '"weight": "15"', '"weight": "1"', "every weight is legal"),
    u(MLNX, "", "Cable len: 5", "Cable len: 500", "the true length is not known"),
]


def naming(change: Change) -> tuple[set[str], list[Finding]]:
    """Rules whose findings have a place on the changed line; and all findings."""
    files, line = change.planted(CLEAN)
    findings = check(files).findings
    rules = {
        finding.rule
        for finding in findings
        for occurrence in finding.occurrences
        for place in occurrence.locations
        if (place.file, place.line) == (change.file, line)
    }
    return rules, findings


@pytest.mark.parametrize("change", sampled(SEEN, 5, lambda c: c.file, lambda c: c.rule), ids=str)
def test_the_changed_line_is_named(change: Change) -> None:
    rules, findings = naming(change)
    assert change.rule in rules, [(finding.rule, finding.message) for finding in findings]


@pytest.mark.parametrize("change", UNSEEN, ids=str)
def test_what_is_not_named_has_a_reason(change: Change) -> None:
    assert change.why != ""
    assert naming(change)[0] == set(), "found now: move it to SEEN"

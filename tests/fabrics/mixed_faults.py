"""Faults of one line on the fabric of every operating system, and what is to be said of each."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fabrics.mixed import KINDS, SPINES, leaf_of

ALL = 90
OUT = 9
BOTH = 18


@dataclass(frozen=True)
class Fault:
    """A change of one line of a switch, and what is to be said of it.

    `old` is replaced where it first stands behind `after`; the finding names the line of the new
    text, or that on which `line` first stands.
    """

    device: str
    after: str
    old: str
    new: str
    rule: str
    pairs: int | None
    line: str = ""
    stage: str = ""

    def __str__(self) -> str:
        return f"{self.device}-{self.rule}-{self.stage}"

    @property
    def file(self) -> str:
        kind = KINDS[SPINES[self.device] if self.device in SPINES else self.device[5:]]
        return f"switches/{self.device}.{kind.suffix}"

    def apply(self, text: str) -> tuple[str, int]:
        """The changed text, and the line on which the fault is expected."""
        begin = text.index(self.after) if self.after else 0
        place = text.index(self.old, begin)
        changed = text[:place] + self.new + text[place + len(self.old) :]
        named = changed.index(self.line) if self.line else place
        return changed, changed.count("\n", 0, named) + 1


def leaf(nos: str, *what: str, **how: object) -> Fault:
    return Fault(leaf_of(nos), *what, **how)  # type: ignore[arg-type]


FAULTS = [
    leaf(
        "eos",
        "",
        "dscp 26 to traffic-class 3",
        "dscp 26 to traffic-class 1",
        "MAP001",
        BOTH,
        stage="class",
    ),
    leaf("eos", "", "priority 3 no-drop", "priority 4 no-drop", "PFC001", BOTH, stage="pause"),
    leaf(
        "eos",
        "",
        "uc-tx-queue 3",
        "uc-tx-queue 2",
        "ECN001",
        BOTH,
        "qos profile ROCE",
        stage="queue",
    ),
    leaf("eos", "Ethernet2/1", "mtu 9214", "mtu 1500", "MTU001", BOTH, stage="mtu uplink"),
    leaf("eos", "", "48 to traffic-class 6", "48 to traffic-class 3", "CLS002", BOTH, stage="cnp"),
    leaf(
        "eos",
        "interface Ethernet1/1",
        "   service-profile ROCE\n",
        "",
        "PFC001",
        BOTH,
        "interface Ethernet1/1",
        stage="host port unbound",
    ),
    leaf(
        "nxos",
        "",
        "match dscp 26",
        "match dscp 24",
        "MAP001",
        BOTH,
        "set qos-group 0",
        stage="class",
    ),
    leaf("nxos", "", "pause pfc-cos 3", "pause pfc-cos 4", "PFC002", BOTH, stage="priority"),
    leaf(
        "nxos",
        "Ethernet1/1\n",
        "control mode on",
        "control mode off",
        "PFC001",
        BOTH,
        stage="pause at host",
    ),
    leaf(
        "nxos",
        "Ethernet1/2\n",
        "control mode on",
        "control mode off",
        "PFC001",
        BOTH,
        stage="pause at uplink",
    ),
    leaf("nxos", "", " weight 0 ecn", " weight 0", "ECN002", BOTH, stage="marking"),
    leaf("nxos", "Ethernet1/2\n", "mtu 9216", "mtu 1500", "MTU001", BOTH, stage="mtu"),
    leaf("nxos", "class CNP", "qos-group 7", "qos-group 3", "CLS002", BOTH, stage="cnp"),
    leaf("sonic", "", '"26": "3"', '"26": "1"', "MAP001", BOTH, stage="class"),
    leaf("sonic", "TC_TO_PRIORITY", '"3": "3"', '"3": "0"', "MAP006", BOTH, stage="group"),
    leaf(
        "sonic",
        "PORT_QOS_MAP",
        '"pfc_enable": "3"',
        '"pfc_enable": "4"',
        "PFC001",
        BOTH,
        stage="pause",
    ),
    leaf("sonic", "TC_TO_QUEUE", '"3": "3"', '"3": "1"', "MAP006", BOTH, stage="queue"),
    leaf(
        "sonic",
        "WRED",
        "ecn_all",
        "ecn_none",
        "ECN002",
        BOTH,
        '"wred_green_enable"',
        stage="marking",
    ),
    leaf(
        "junos",
        "",
        "code-points 011010",
        "code-points 011100",
        "MAP001",
        BOTH,
        "dscp ROCE {",
        stage="class",
    ),
    leaf(
        "junos",
        "",
        "no-loss pfc-priority 3",
        "no-loss pfc-priority 4",
        "PFC002",
        BOTH,
        stage="priority",
    ),
    leaf("junos", "input", "code-point 011010", "code-point 011100", "MAP001", BOTH, stage="pause"),
    leaf(
        "junos",
        "output {\n                ieee",
        "flow-control-queue 4",
        "flow-control-queue 3",
        "MAP006",
        BOTH,
        stage="stopped queue",
    ),
    leaf(
        "junos",
        "",
        "            explicit-congestion-notification;\n",
        "",
        "ECN002",
        BOTH,
        "drop-profile-map",
        stage="marking",
    ),
    leaf("junos", "et-0/0/1 ", "mtu 9170", "mtu 1500", "MTU001", BOTH, stage="mtu"),
    leaf("cumulus", "", "roce mode lossless", "roce mode lossy", "PFC001", BOTH, stage="pause"),
    leaf("cumulus", "swp2 link", "mtu 9216", "mtu 1500", "MTU001", BOTH, stage="mtu"),
    leaf("os10", "", "qos-group 3 dscp 26", "qos-group 1 dscp 26", "MAP001", BOTH, stage="class"),
    leaf("os10", "", "pfc-cos 3", "pfc-cos 4", "PFC002", BOTH, stage="priority"),
    leaf(
        "os10",
        "ethernet1/1/1\n",
        "control mode on",
        "control mode off",
        "PFC009",
        BOTH,
        stage="pause",
    ),
    leaf("os10", "", " random-detect ecn\n", "", "ECN002", BOTH, "wred RDMA-ECN", stage="marking"),
    leaf("os10", "ethernet1/1/2\n", "mtu 9216", "mtu 1500", "MTU001", BOTH, stage="mtu"),
    leaf(
        "esonic",
        "",
        "dscp 26 traffic-class 3",
        "dscp 26 traffic-class 1",
        "MAP001",
        BOTH,
        stage="class",
    ),
    leaf(
        "esonic",
        "Eth 1/1\n",
        " priority-flow-control priority 3\n",
        "",
        "PFC001",
        BOTH,
        "interface Eth 1/1",
        stage="pause",
    ),
    leaf("esonic", "", " ecn all\n", "", "ECN002", BOTH, "green", stage="marking"),
    leaf("esonic", "Eth 1/2\n", "mtu 9100", "mtu 1500", "MTU001", BOTH, stage="mtu"),
    leaf(
        "iosxr",
        "",
        "match dscp 26",
        "match dscp 24",
        "MAP001",
        BOTH,
        "set traffic-class 0",
        stage="class",
    ),
    leaf("iosxr", "E0/0/0/0", "control mode on", "control mode off", "PFC001", BOTH, stage="pause"),
    leaf("iosxr", "E0/0/0/1", "mtu 9216", "mtu 1500", "MTU001", BOTH, stage="mtu"),
    leaf(
        "srlinux",
        "",
        "dscp 26 forwarding-class fc3",
        "dscp 26 forwarding-class fc1",
        "MAP001",
        BOTH,
        stage="class",
    ),
    leaf(
        "srlinux",
        "",
        "pfc-pause-frame-priority 3",
        "pfc-pause-frame-priority 4",
        "PFC002",
        BOTH,
        stage="priority",
    ),
    leaf(
        "srlinux",
        "ethernet-1/1 pfc",
        "pfc-enable true",
        "pfc-enable false",
        "PFC001",
        BOTH,
        stage="pause",
    ),
    leaf("srlinux", "ethernet-1/2 sub", "ip-mtu 9000", "ip-mtu 1500", "MTU001", BOTH, stage="mtu"),
    leaf(
        "aoscx",
        "",
        "dscp-map 26 local-priority 3",
        "dscp-map 26 local-priority 1",
        "MAP001",
        BOTH,
        stage="class",
    ),
    leaf("aoscx", "1/1/1\n", "rxtx 3", "rxtx 4", "PFC001", BOTH, stage="pause"),
    leaf(
        "aoscx",
        "ROCE-ECN\n",
        "queue 3 action ecn",
        "queue 4 action ecn",
        "ECN001",
        BOTH,
        "apply qos threshold-profile",
        stage="marking",
    ),
    leaf("aoscx", "1/1/2\n", "ip mtu 9198", "ip mtu 1500", "MTU001", BOTH, stage="mtu"),
    Fault(
        "spine1",
        "",
        "dscp 26 to traffic-class 3",
        "dscp 26 to traffic-class 1",
        "MAP001",
        ALL,
        stage="class",
    ),
    Fault(
        "spine1",
        "interface Ethernet3/1",
        "mtu 9214",
        "mtu 1500",
        "MTU001",
        BOTH,
        stage="mtu to leaf 3",
    ),
    Fault("spine2", "", '"26": "3"', '"26": "1"', "MAP001", ALL, stage="class"),
    Fault(
        "spine2",
        '"PORT_QOS_MAP"',
        '"pfc_enable": "3"',
        '"pfc_enable": "4"',
        "PFC001",
        BOTH,
        stage="pause from first leaf",
    ),
]

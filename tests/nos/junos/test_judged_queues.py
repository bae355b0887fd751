"""Rules about queues, sizes, buffers, links and hosts on Junos: one leaf is broken at a time.

Each case lists all findings: severity, rule and the deciding line of the leaf. One cause is one
finding, except if it breaks two things with separate fixes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nos.junos.fabric import HOST, LEAF, OTHERS, Edit, add, cos, drop, judged, sub, summaries

LLDP = """\
# command: show lldp neighbors | no-more  host: leaf1
Local Interface    Parent Interface    Chassis Id          Port info          System Name
et-0/0/30          -                   0c:42:a1:01:00:01   et-0/0/1           spine2
"""
IP_LINK = """\
# command: ip -d link show  host: gpu1
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9300 qdisc mq state UP mode DEFAULT group default
    link/ether 0c:42:a1:01:00:01 brd ff:ff:ff:ff:ff:ff
"""
STORAGE = """\
classes:
  roce: {dscp: [26], lossless: true}
  storage: {dscp: [24], flow: storage}
"""

CHANNEL = {
    "links.yaml": HOST["links.yaml"].replace("spine2:et-0/0/0", "spine1:et-0/0/2"),
    "spine1.conf": OTHERS["spine1.conf"].replace("et-0/0/0 unit 0", "ae1 unit 0")
    + "".join(f"set interfaces et-0/0/{n} ether-options 802.3ad ae1\n" for n in (0, 2))
    + "set interfaces ae1 mtu 9216\nset class-of-service interfaces ae1 unit 0 classifiers dscp ROCE\n",
}
"""Both uplinks of the leaf end in one channel of one spine."""

HALF = "congestion-notification-profile HALF"
"""A profile without an input."""

VARIANTS: dict[str, tuple[list[Edit], list[str]]] = {
    "ECN001: no marking": (
        [drop("explicit-congestion"), drop("drop-profile")],
        ["error ECN001: schedulers DATA transmit-rate percent 60"],
    ),
    "ECN001: the scheduler map leaves the class out": (
        [drop("DATA scheduler DATA")],
        # The unused scheduler folds under its cause (MAP005).
        ["error ECN001: scheduler-maps FABRIC forwarding-class best-effort scheduler BULK"],
    ),
    "ECN002: a drop profile without ECN": (
        [drop("explicit-congestion")],
        [
            "error ECN002: schedulers DATA drop-profile-map loss-priority any protocol any drop-profile MARK"
        ],
    ),
    "ECN003: thresholds swapped": (
        [sub("fill-level 55", "fill-level 95")],
        ["error ECN003: drop-profiles MARK interpolate fill-level 95"],
    ),
    "ECN003: never marked": (
        [sub("drop-probability 100", "drop-probability 0")],
        ["warning ECN003: drop-profiles MARK interpolate drop-probability 0"],
    ),
    "ECN004: other thresholds than its equals": (
        [sub("fill-level 55", "fill-level 20")],
        ["warning ECN004: drop-profiles MARK interpolate fill-level 20"],
    ),
    "ECN006: one threshold": (
        [sub("fill-level 55", "fill-level 90"), sub("probability 0\n", "probability 100\n")],
        [
            "info ECN006: drop-profiles MARK interpolate fill-level 90",
            "warning ECN004: drop-profiles MARK interpolate fill-level 90",
        ],
    ),
    "ECN001: ECN without a drop profile": (
        [drop("DATA drop-profile-map")],
        ["error ECN001: schedulers DATA explicit-congestion-notification"],
    ),
    "MTU001: towards a host": (
        [sub("et-0/0/1 unit 0 family inet mtu 9170", "et-0/0/1 unit 0 family inet mtu 1500")],
        ["warning MTU001: interfaces et-0/0/1 unit 0 family inet mtu 1500"],
    ),
    "MTU001: the medium too small for its family": (
        [sub("et-0/0/1 mtu 9216", "et-0/0/1 mtu 1514")],
        [
            "error SRC007: interfaces et-0/0/1 unit 0 family inet mtu 9170",
            "warning MTU001: interfaces et-0/0/1 mtu 1514",
        ],
    ),
    "MTU001: the medium left at its default": (
        [drop("et-0/0/1 mtu 9216")],
        [
            "error SRC007: interfaces et-0/0/1 unit 0 family inet mtu 9170",
            "warning MTU001: interfaces et-0/0/1 description gpu2",
        ],
    ),
    "MTU001: between switches": (
        [sub("et-0/0/30 unit 0 family inet mtu 9170", "et-0/0/30 unit 0 family inet mtu 1500")],
        ["error MTU001: interfaces et-0/0/30 unit 0 family inet mtu 1500"],
    ),
    "MTU002: below 9000 at one end": (
        [sub("et-0/0/30 unit 0 family inet mtu 9170", "et-0/0/30 unit 0 family inet mtu 8900")],
        ["error MTU002: interfaces et-0/0/30 unit 0 family inet mtu 8900"],
    ),
    "MTU004: headroom for shorter packets": (
        [sub("code-point 011010 pfc", "code-point 011010 pfc mru 1500")],
        [
            "warning MTU004: congestion-notification-profile PAUSE input dscp code-point 011010 pfc mru 1500"
        ],
    ),
    "MTU006: one port differs": (
        [sub("et-0/0/1 unit 0 family inet mtu 9170", "et-0/0/1 unit 0 family inet mtu 9100")],
        ["info MTU006: interfaces et-0/0/1 unit 0 family inet mtu 9100"],
    ),
    "BUF020: no headroom": (
        [
            sub("headroom percent 24", "headroom percent 0"),
            sub(
                "ingress buffer-partition lossless percent 66",
                "ingress buffer-partition lossless percent 90",
            ),
        ],
        ["error BUF020: shared-buffer ingress buffer-partition lossless-headroom percent 0"],
    ),
    "BUF020: no lossless buffer": (
        [
            sub(
                "ingress buffer-partition lossless percent 66",
                "ingress buffer-partition lossless percent 0",
            ),
            sub("headroom percent 24", "headroom percent 90"),
        ],
        ["error BUF020: shared-buffer ingress buffer-partition lossless percent 0"],
    ),
    "BUF021: ingress below 100": (
        [sub("headroom percent 24", "headroom percent 14")],
        [
            "error BUF021: shared-buffer ingress buffer-partition lossless percent 66",
            "error BUF021: shared-buffer ingress buffer-partition lossless-headroom percent 14",
            "error BUF021: shared-buffer ingress buffer-partition lossy percent 10",
        ],
    ),
    "BUF021: egress above 100": (
        [
            sub(
                "egress buffer-partition lossless percent 66",
                "egress buffer-partition lossless percent 96",
            )
        ],
        [
            "error BUF021: shared-buffer egress buffer-partition lossless percent 96",
            "error BUF021: shared-buffer egress buffer-partition lossy percent 10",
        ],
    ),
    "CLS003: unmarked traffic in the lossless class": (
        [
            sub("low code-points 011010", "low code-points [ 000000 011010 ]"),
            cos("congestion-notification-profile PAUSE input dscp code-point 000000 pfc"),
        ],
        [
            "warning CLS003: classifiers dscp ROCE forwarding-class DATA loss-priority low code-points [ 000000 011010 ]"
        ],
    ),
    "CLS005: strict": (
        [sub("DATA transmit-rate percent 60", "DATA priority strict-high")],
        ["warning CLS005: schedulers DATA priority strict-high"],
    ),
    "CLS006: no share": (
        [sub("DATA transmit-rate percent 60", "DATA transmit-rate percent 0")],
        ["error CLS006: schedulers DATA transmit-rate percent 0"],
    ),
    "CLS007: shares above 100": (
        [sub("DATA transmit-rate percent 60", "DATA transmit-rate percent 80")],
        ["warning CLS007: schedulers DATA transmit-rate percent 80"],
    ),
    "CLS009: a shaper of the queue": (
        [cos("schedulers DATA shaping-rate 100g")],
        ["warning CLS009: schedulers DATA shaping-rate 100g"],
    ),
    "CLS009: an exact rate": (
        [sub("rate percent 60", "rate percent 60 exact")],
        ["warning CLS009: schedulers DATA transmit-rate percent 60 exact"],
    ),
    "CLS009: a shaper of the port": (
        [cos("interfaces et-0/0/1 shaping-rate 100g")],
        ["warning CLS009: interfaces et-0/0/1 shaping-rate 100g"],
    ),
    "CLS022: a rewrite into the code point of RoCE": (
        [
            cos(
                "rewrite-rules dscp R forwarding-class best-effort loss-priority low code-point 011010",
                "interfaces et-* unit * rewrite-rules dscp R",
            )
        ],
        [
            "warning CLS022: rewrite-rules dscp R forwarding-class best-effort loss-priority low code-point 011010"
        ],
    ),
    "LNK002: speed": (
        [sub("et-0/0/30 speed 400g", "et-0/0/30 speed 100g")],
        ["error LNK002: interfaces et-0/0/30 speed 100g"],
    ),
    "LNK002: FEC": (
        [sub("et-0/0/30 ether-options fec fec91", "et-0/0/30 ether-options fec none")],
        ["error LNK002: interfaces et-0/0/30 ether-options fec none"],
    ),
    "LNK005: cable length": (
        [sub("cable-length 40", "cable-length 5")],
        ["warning LNK005: congestion-notification-profile PAUSE input cable-length 5"],
    ),
}

WITH_HOST: dict[str, tuple[list[Edit], dict[str, str], list[str]]] = {
    "CLS001: storage in the lossless class": (
        [
            sub("low code-points 011010", "low code-points [ 011000 011010 ]"),
            cos("congestion-notification-profile PAUSE input dscp code-point 011000 pfc"),
        ],
        {"intent.yaml": STORAGE},
        [
            "error CLS001: classifiers dscp ROCE forwarding-class DATA loss-priority low code-points [ 011000 011010 ]"
        ],
    ),
    "CLS002: CNPs in the class of the data": (
        [sub("CNP loss-priority", "DATA loss-priority")],
        {},
        [
            "error CLS002: classifiers dscp ROCE forwarding-class DATA loss-priority low code-points 110000"
        ],
    ),
    "CLS002: CNPs in the queue of the data": (
        [sub("CNP queue-num 3", "CNP queue-num 4")],
        {},
        ["error CLS002: forwarding-classes class CNP queue-num 4"],
    ),
    "CLS002: CNPs in a class that is paused": (
        [
            sub("CNP queue-num 3", "CNP queue-num 3 no-loss pfc-priority 5"),
            cos(
                "congestion-notification-profile PAUSE input dscp code-point 110000 pfc",
                "congestion-notification-profile PAUSE output ieee-802.1 code-point 101 flow-control-queue 3",
            ),
        ],
        {},
        [
            "error CLS002: classifiers dscp ROCE forwarding-class CNP loss-priority low code-points 110000"
        ],
    ),
    "CLS004: CNPs behind bulk traffic": (
        [sub("CNP loss-priority", "best-effort loss-priority")],
        {},
        [
            "warning CLS004: classifiers dscp ROCE forwarding-class best-effort loss-priority low code-points 110000"
        ],
    ),
    "CLS011: CNPs by share": (
        [drop("CNP priority strict-high")],
        {},
        ["info CLS011: schedulers CNP transmit-rate percent 5"],
    ),
    "LNK001: LLDP against the plan": (
        [],
        {"leaf1/lldp.txt": LLDP},
        ["error LNK001: leaf1/lldp.txt"],
    ),
    "PFC003: members of a channel": (
        [
            sub("et-0/0/30 unit 0", "ae1 unit 0"),
            sub("et-0/0/30 mtu", "ae1 mtu"),
            add(
                "interfaces et-0/0/30 ether-options 802.3ad ae1",
                "interfaces et-0/0/31 ether-options 802.3ad ae1",
            ),
            drop("et-0/0/31 unit"),
            drop("et-0/0/31 mtu"),
            drop("et-0/0/31 description"),
            cos(
                "interfaces ae1 unit 0 classifiers dscp ROCE",
                f"{HALF} output ieee-802.1 code-point 011 flow-control-queue 4",
                "interfaces et-0/0/31 congestion-notification-profile HALF",
            ),
        ],
        CHANNEL,
        # The profile without an input is the cause, not the line that binds it.
        [f"error PFC003: {HALF} output ieee-802.1 code-point 011 flow-control-queue 4"],
    ),
    "LNK004: a planned port that is off": (
        [add("interfaces et-0/0/30 disable")],
        {},
        ["warning LNK004: interfaces et-0/0/30 disable"],
    ),
    "MTU003: a host sends more": (
        [],
        {"gpu1/ip_link.txt": IP_LINK},
        ["warning MTU003: gpu1/ip_link.txt"],
    ),
    "NIC001: a host marks otherwise": (
        [],
        {"gpu1/nccl.conf": "NCCL_IB_TC=96\n"},
        ["warning NIC001: gpu1/nccl.conf"],
    ),
    "PFC006: a priority that no RoCE class uses": (
        [
            cos(
                "forwarding-classes class Y queue-num 5 no-loss pfc-priority 5",
                "classifiers dscp ROCE forwarding-class Y loss-priority low code-points 101010",
                "congestion-notification-profile PAUSE input dscp code-point 101010 pfc",
                "congestion-notification-profile PAUSE output ieee-802.1 code-point 101 flow-control-queue 5",
            )
        ],
        {},
        # The DSCP that leads there is the difference to all others.
        [
            "warning CLS025: classifiers dscp ROCE forwarding-class Y loss-priority low code-points 101010"
        ],
    ),
    "SRC004: two configurations of the leaf": (
        [],
        {"old/leaf1.conf.save": LEAF.replace("9170", "9000")},
        ["warning SRC004: system host-name leaf1"],
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_bad_leaf(tmp_path: Path, name: str) -> None:
    edits, expected = VARIANTS[name]
    report, lines = judged(tmp_path, *edits)
    assert summaries(report, lines) == expected
    assert report.diagnostics == []


@pytest.mark.parametrize("name", WITH_HOST)
def test_a_bad_leaf_or_host(tmp_path: Path, name: str) -> None:
    edits, more, expected = WITH_HOST[name]
    report, lines = judged(tmp_path, *edits, more={**HOST, **more})
    assert summaries(report, lines) == expected
    kinds = [entry.kind for entry in report.diagnostics]
    assert kinds == (["two-configs", "links"] if name.startswith("SRC004") else [])


@pytest.mark.parametrize("part", ["lossless", "lossless-headroom", "lossy"])
def test_a_part_of_the_buffer_without_a_share_is_not_known(tmp_path: Path, part: str) -> None:
    line = f"shared-buffer ingress buffer-partition {part} percent"
    report, _ = judged(tmp_path, drop(line))
    assert report.findings == []
    (found,) = [each for each in report.unknowns if each.rule == "BUF021"]
    assert (found.device, found.missing) == (
        "leaf1",
        "the shares of buffer partitions without a configured share",
    )


def test_a_buffer_that_states_no_share_at_all_is_the_platforms(tmp_path: Path) -> None:
    report, _ = judged(tmp_path, drop("shared-buffer ingress"))
    assert [each for each in report.unknowns if each.rule == "BUF021"] == []


def test_a_part_with_too_much_is_not_also_unknown(tmp_path: Path) -> None:
    edits = [
        drop("ingress buffer-partition lossy percent"),
        sub(
            "ingress buffer-partition lossless percent 66",
            "ingress buffer-partition lossless percent 96",
        ),
    ]
    report, _ = judged(tmp_path, *edits)
    assert [each for each in report.unknowns if each.rule == "BUF021"] == []
    assert [each.rule for each in report.findings] == ["BUF021"]

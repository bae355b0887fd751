"""Class and PFC rules on Junos: one leaf of a good fabric is broken at a time.

Each case lists all findings: severity, rule and the deciding line of the leaf. One cause is one
finding, except if it breaks two things with separate fixes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nos.junos.fabric import HOST, Edit, add, cos, drop, judged, sub, summaries

Variant = tuple[list[Edit], list[str]]

BINDING = "interfaces et-* unit * classifiers dscp ROCE"
PROFILE = "interfaces et-* congestion-notification-profile PAUSE"
INPUT = "congestion-notification-profile PAUSE input dscp code-point 011010 pfc"
OUTPUT = (
    "congestion-notification-profile PAUSE output ieee-802.1 code-point 011 flow-control-queue 4"
)

VARIANTS: dict[str, Variant] = {
    "MAP001: a wrong code point": (
        [sub("low code-points 011010", "low code-points 011011")],
        [
            "error MAP001: classifiers dscp ROCE forwarding-class DATA loss-priority low code-points 011011"
        ],
    ),
    "MAP001: an entry of its own with an older classifier": (
        [
            cos(
                "classifiers dscp OLD forwarding-class CNP loss-priority low code-points 011010",
                "interfaces et-0/0/1 unit 0 classifiers dscp OLD",
            )
        ],
        [
            "error MAP001: classifiers dscp OLD forwarding-class CNP loss-priority low code-points 011010"
        ],
    ),
    "SRC002: a code point in two classes": (
        [cos("classifiers dscp ROCE forwarding-class CNP loss-priority low code-points 011010")],
        [
            "warning SRC002: classifiers dscp ROCE forwarding-class DATA loss-priority low code-points 011010"
        ],
    ),
    "MAP002: a fixed class": (
        [drop(BINDING), cos("interfaces et-* forwarding-class best-effort")],
        [
            "error MAP002: interfaces et-* forwarding-class best-effort",
        ],
    ),
    "MAP002: by 802.1p on routed ports": (
        [
            drop(BINDING),
            cos(
                "classifiers ieee-802.1 P forwarding-class DATA loss-priority low code-points 011",
                "interfaces et-* unit * classifiers ieee-802.1 P",
            ),
        ],
        [
            "error MAP002: interfaces et-* unit * classifiers ieee-802.1 P",
        ],
    ),
    "MAP003: scheduler map": (
        [sub("et-* scheduler-map FABRIC", "et-* scheduler-map FABRICS")],
        ["error MAP003: interfaces et-* scheduler-map FABRICS"],
    ),
    "MAP003: profile": (
        [sub("profile PAUSE\n", "profile PAUZE\n")],
        ["error MAP003: interfaces et-* congestion-notification-profile PAUZE"],
    ),
    "MAP003: classifier": (
        [sub("classifiers dscp ROCE\n", "classifiers dscp ROSE\n")],
        ["error MAP003: interfaces et-* unit * classifiers dscp ROSE"],
    ),
    "MAP003: class": (
        [sub("forwarding-class DATA scheduler", "forwarding-class DATE scheduler")],
        ["error MAP003: scheduler-maps FABRIC forwarding-class DATE scheduler DATA"],
    ),
    "MAP003: scheduler": (
        [sub("DATA scheduler DATA", "DATA scheduler DATE")],
        ["error MAP003: scheduler-maps FABRIC forwarding-class DATA scheduler DATE"],
    ),
    "MAP003: drop profile": (
        [sub("drop-profile MARK", "drop-profile MARC")],
        [
            "error MAP003: schedulers DATA drop-profile-map loss-priority any protocol any drop-profile MARC"
        ],
    ),
    "MAP003: rewrite rule": (
        [cos("interfaces et-* unit * rewrite-rules dscp R")],
        ["error MAP003: interfaces et-* unit * rewrite-rules dscp R"],
    ),
    "MAP004: no classifier bound": (
        [drop(BINDING)],
        [
            "error MAP004: classifiers dscp ROCE forwarding-class CNP loss-priority low code-points 110000"
        ],
    ),
    "MAP004: classifier bound to another unit": (
        [sub("unit * classifiers", "unit 5 classifiers")],
        ["error MAP004: interfaces et-* congestion-notification-profile PAUSE"],
    ),
    "MAP004: no scheduler map bound": (
        [drop("et-* scheduler-map")],
        ["error MAP004: scheduler-maps FABRIC forwarding-class best-effort scheduler BULK"],
    ),
    "MAP004: no profile bound": (
        [drop(PROFILE)],
        ["error MAP004: congestion-notification-profile PAUSE pfc-watchdog"],
    ),
    "MAP004: a binding that is not in force": (
        [add(f"deactivate class-of-service {PROFILE.removesuffix(' PAUSE')}")],
        ["error MAP004: congestion-notification-profile PAUSE pfc-watchdog"],
    ),
    "MAP005: a scheduler that nothing names": (
        [cos("schedulers OLD priority low")],
        ["info MAP005: schedulers OLD priority low"],
    ),
    "MAP006: pause stops another queue": (
        [sub("flow-control-queue 4", "flow-control-queue 3")],
        [
            "error MAP006: congestion-notification-profile PAUSE output ieee-802.1 code-point 011 flow-control-queue 3",
        ],
    ),
    "MAP006: the first output ends the default": (
        [drop(OUTPUT)],
        [
            "error MAP006: congestion-notification-profile PAUSE pfc-watchdog",
        ],
    ),
    "MAP007: a rewrite into a lossy code point": (
        [
            cos(
                "rewrite-rules dscp R forwarding-class DATA loss-priority low code-point 001000",
                "interfaces et-* unit * rewrite-rules dscp R",
            )
        ],
        [
            "warning MAP007: rewrite-rules dscp R forwarding-class DATA loss-priority low code-point 001000"
        ],
    ),
    "a rewrite into the same code point": (
        [
            cos(
                "rewrite-rules dscp R forwarding-class DATA loss-priority low code-point 011010",
                "interfaces et-* unit * rewrite-rules dscp R",
            )
        ],
        [],
    ),
    "MAP008: a class without code points": (
        [cos("classifiers dscp ROCE forwarding-class best-effort loss-priority low")],
        ["warning MAP008: classifiers dscp ROCE forwarding-class best-effort loss-priority low"],
    ),
    "MAP001: the input lists another code point": (
        [sub("input dscp code-point 011010", "input dscp code-point 011011")],
        ["error MAP001: congestion-notification-profile PAUSE input dscp code-point 011011 pfc"],
    ),
    "PFC001: the profile on host ports only": (
        [
            drop(PROFILE),
            cos(*(f"interfaces et-0/0/{n} congestion-notification-profile PAUSE" for n in (0, 1))),
        ],
        ["error PFC001: interfaces et-* scheduler-map FABRIC"],
    ),
    "PFC002: another priority, both ways": (
        [
            sub("pfc-priority 3", "pfc-priority 4"),
            sub("code-point 011 flow", "code-point 100 flow"),
        ],
        [
            "error PFC002: forwarding-classes class DATA pfc-priority 4",
        ],
    ),
    "PFC002: another priority sent": (
        # The links are guessed, but the watchdog contradicts PFC in any case.
        [sub("pfc-priority 3", "pfc-priority 4")],
        ["error PFC002: forwarding-classes class DATA pfc-priority 4"],
    ),
    "PFC003: no input": (
        [drop(INPUT)],
        ["error PFC003: congestion-notification-profile PAUSE input cable-length 40"],
    ),
    "PFC003: a class that is not no-loss": (
        [drop("DATA no-loss")],
        ["error PFC003: forwarding-classes class DATA pfc-priority 3"],
    ),
    "PFC005: three lossless priorities": (
        [
            cos(
                *(
                    each
                    for q, p, d in ((5, "100", "100010"), (6, "101", "101010"))
                    for each in (
                        f"forwarding-classes class X{q} queue-num {q} no-loss pfc-priority {int(p, 2)}",
                        f"classifiers dscp ROCE forwarding-class X{q} loss-priority low code-points {d}",
                        f"congestion-notification-profile PAUSE input dscp code-point {d} pfc",
                        f"congestion-notification-profile PAUSE output ieee-802.1 code-point {p} flow-control-queue {q}",
                    )
                )
            )
        ],
        # Two code points that every other device drops: the note is on the last one.
        [
            "warning CLS025: classifiers dscp ROCE forwarding-class X5 loss-priority low code-points 100010",
            "warning CLS025: classifiers dscp ROCE forwarding-class X6 loss-priority low code-points 101010",
        ],
    ),
    "PFC008: 802.3x pause": (
        [add("interfaces et-0/0/1 ether-options flow-control")],
        ["warning PFC008: interfaces et-0/0/1 ether-options flow-control"],
    ),
    "PFC009: a lossless class and no profile at all": (
        [drop("congestion-notification-profile")],
        ["error PFC009: interfaces et-* scheduler-map FABRIC"],
    ),
    "PFC020: no watchdog": (
        [drop("pfc-watchdog")],
        [
            "warning PFC020: congestion-notification-profile PAUSE input cable-length 40",
        ],
    ),
    "PFC022: the watchdog guards another queue": (
        [sub("011 flow-control-queue 4", "101 flow-control-queue 5")],
        [
            "error PFC002: congestion-notification-profile PAUSE output ieee-802.1 code-point 101 flow-control-queue 5",
        ],
    ),
    "SRC002: lists of unequal length": (
        [drop("probability 100")],
        ["warning SRC002: drop-profiles MARK interpolate fill-level 55"],
    ),
    "SRC001: a statement that nobody knows": (
        [cos("schedulers DATA buffer-sise percent 5")],
        ["info SRC001: schedulers DATA buffer-sise percent 5"],
    ),
    "SRC002: DSCP and 802.1p in one profile": (
        [cos("congestion-notification-profile PAUSE input ieee-802.1 code-point 011 pfc")],
        [
            "warning SRC002: congestion-notification-profile PAUSE input ieee-802.1 code-point 011 pfc"
        ],
    ),
    "SRC002: a priority that is none": (
        [sub("pfc-priority 3", "pfc-priority 8")],
        ["error SRC007: forwarding-classes class DATA pfc-priority 8"],
    ),
    "SRC003: a value stated twice": (
        [add("interfaces et-0/0/1 mtu 9100")],
        [
            "error SRC007: interfaces et-0/0/1 unit 0 family inet mtu 9170",
            "info MTU006: interfaces et-0/0/1 mtu 9100",
            "info SRC003: interfaces et-0/0/1 mtu 9216",
        ],
    ),
}


def test_the_good_fabric_is_clean(tmp_path: Path) -> None:
    report, lines = judged(tmp_path / "a")
    assert (summaries(report, lines), report.judged_ports) == ([], 12)
    with_host, lines = judged(tmp_path / "b", more=HOST)
    assert (summaries(with_host, lines), with_host.judged_ports) == ([], 10)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_bad_leaf(tmp_path: Path, name: str) -> None:
    edits, expected = VARIANTS[name]
    report, lines = judged(tmp_path, *edits)
    assert summaries(report, lines) == expected
    assert report.diagnostics == []

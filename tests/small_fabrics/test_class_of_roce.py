"""Inferred RoCE classes, and treatment of one DSCP by several devices: one device of four is odd,
and it is the finding.
"""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Answer, Severity
from tests.small_fabrics.made import made

NXOS_SECOND = (
    ("class-map type qos match-any CNP\n", "class-map type qos match-any STORE\n  match dscp 36\nclass-map type qos match-any CNP\n"),
    ("  class CNP\n    set", "  class STORE\n    set qos-group 4\n  class CNP\n    set"),
    ("  class type network-qos c-8q-nq-default\n", "  class type network-qos c-8q-nq4\n    mtu 9216\n    pause pfc-cos 4\n  class type network-qos c-8q-nq-default\n"),
    ("c-out-8q-q4\n    bandwidth remaining percent 0", "c-out-8q-q4\n    bandwidth remaining percent 20"),
    ("percent 60", "percent 40"),
)  # fmt: skip
NO_PAUSE_NXOS = (
    ("    pause pfc-cos 3\n", ""),
    ("  priority-flow-control mode on\n  priority-flow-control watch-dog-interval on\n", ""),
    ("priority-flow-control watch-dog-interval on\n", ""),
)
NO_PAUSE_EOS = (
    ("   priority-flow-control on\n   priority-flow-control priority 3 no-drop\n", ""),
    ("   priority-flow-control pause watchdog port action drop\n", ""),
    ("priority-flow-control pause watchdog default timeout 0.2\n", ""),
    ("priority-flow-control pause watchdog default recovery-time 0.2\n", ""),
    ("priority-flow-control pause watchdog default polling-interval 0.1\n", ""),
    ("priority-flow-control pause watchdog action drop\n", ""),
)


def test_another_class_on_one_leaf_does_not_bring_in_the_default_map() -> None:
    """EOS: DSCP 40-47 go to class 5 by default on all devices, and DSCP 20 by a line on three."""
    own = made("eos").everywhere(
        ("dscp 26 to traffic-class 3", "dscp 20 to traffic-class 5"),
        ("priority 3 no-drop", "priority 5 no-drop"),
        ("uc-tx-queue 3", "uc-tx-queue 5"),
    )
    own.change("leaf2", ("dscp 20 to traffic-class 5", "dscp 20 to traffic-class 2"))
    assert own.outcomes() == [("error", "MAP001", "leaf2", "qos map dscp 20 to traffic-class 2")]
    assert [c.name for c in own.report().classes] == ["RoCE DSCP 20"]


def test_the_second_class_is_not_lost() -> None:
    own = made("nxos").everywhere(*NXOS_SECOND)
    assert [c.dscps for c in own.report().classes] == [(26,), (36,)]
    own.change("leaf1", ("match dscp 36", "match dscp 37"))
    assert [c.dscps for c in own.report().classes] == [(26,), (36,)]
    (outcome,) = own.outcomes()
    assert outcome[:3] == ("error", "MAP001", "leaf1")


def test_a_shorter_list() -> None:
    own = made("nxos").everywhere(("match dscp 26", "match dscp 20,26"))
    own.change("leaf1", ("match dscp 20,26", "match dscp 20"))
    (outcome,) = own.outcomes()
    assert outcome[:3] == ("error", "MAP001", "leaf1")
    assert [c.dscps for c in own.report().classes] == [(20, 26)]


def test_a_default_class_that_marks_counts_beside_a_named_one() -> None:
    """The default map's 24-31 in the queue with ECN: PFC and ECN together are RoCE."""
    priorities = "   priority-flow-control priority 5 no-drop\n   priority-flow-control priority 3"
    own = made("eos").everywhere(
        ("dscp 26 to traffic-class 3", "dscp 44 to traffic-class 5"),
        ("   priority-flow-control priority 3", priorities),
    )
    moved = "qos map dscp 24 25 26 27 28 29 30 31 to traffic-class 1"
    own.change("leaf3", ("qos map dscp 48", f"{moved}\nqos map dscp 48"))
    wrong = [outcome for outcome in own.outcomes() if outcome[0] == "error"]
    assert {*wrong} == {("error", "MAP001", "leaf3", moved)}


EOS_CODES = ("dscp 26 to traffic-class 3", "dscp {} to traffic-class 5")
EOS_FIVE = (("priority 3 no-drop", "priority 5 no-drop"), ("uc-tx-queue 3", "uc-tx-queue 5"))


@pytest.mark.parametrize(
    ("system", "codes", "others"),
    [
        ("eos", EOS_CODES, EOS_FIVE),  # the default map puts DSCP 40-47 into class 5 on all boxes
        ("nxos", ("match dscp 26", "match dscp {}"), ()),
    ],
)
def test_two_against_two_is_one_warning(
    system: str, codes: tuple[str, str], others: tuple[tuple[str, str], ...]
) -> None:
    own = made(system).everywhere(*others)
    for number, device in enumerate(own.files):
        own.change(device, (codes[0], codes[1].format(20 + number % 2)))
    assert [outcome[:2] for outcome in own.outcomes()] == [("warning", "CLS020")]
    report = own.report()
    assert [c.sides for c in report.classes] == [((20,), (21,))]
    assert report.verdict.answer is Answer.NOT_PROVED
    assert any("DSCP 20 or 21" in text for text, _ in report.verdict.missing)


def test_a_named_code_point_that_is_marked_and_not_paused() -> None:
    """EOS: no-drop is on the class that the default map has DSCP 32-39 in."""
    own = made("eos").everywhere(("priority 3 no-drop", "priority 4 no-drop"))
    report = own.report()
    assert [c.name for c in report.classes] == ["RoCE DSCP 32-39"]
    assert report.verdict.answer is Answer.NOT_PROVED
    assert any("DSCP 26" in text for text, _ in report.verdict.missing)
    sound = made("eos").report()
    assert (sound.verdict.answer, sound.verdict.missing) == (Answer.READY, ())


@pytest.mark.parametrize("system", ["nxos", "eos"])
def test_without_pfc_the_queue_that_marks_decides(system: str) -> None:
    own = made(system)
    own.everywhere(*(NO_PAUSE_NXOS if system == "nxos" else NO_PAUSE_EOS), every=True)
    assert own.outcomes() == []
    assert [c.name for c in own.report().classes] == ["RoCE DSCP 26"]
    if system == "nxos":
        own.change("leaf3", (" weight 0 ecn", " weight 0"))
        expected = (
            "ECN002",
            "random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0",
        )
    else:
        text = own.texts[own.files["leaf3"]]
        (line,) = (each for each in text.splitlines() if "random-detect" in each)
        own.change("leaf3", (line + "\n", ""))
        expected = "ECN001", "uc-tx-queue 3"
    assert own.outcomes() == [("error", expected[0], "leaf3", expected[1])]


def test_no_class_at_all_is_an_unknown_that_strict_refuses() -> None:
    """Every queue marks ECN: nothing distinguishes RoCE."""
    own = made("nxos").everywhere(*NO_PAUSE_NXOS, every=True)
    own.everywhere(("    random-detect", "    no random-detect"))
    report = own.report()
    assert report.classes == []
    assert [u for u in report.unknowns if "carry RoCE" in u.missing] != []


@pytest.mark.parametrize(
    ("system", "old", "new", "line"),
    [
        ("eos", "48 to traffic-class 6", "48 to traffic-class 3", "qos map dscp 48 to traffic-class 3"),
        ("eos", "48 to traffic-class 6", "48 to traffic-class 1", "qos map dscp 48 to traffic-class 1"),
        ("nxos", "    set qos-group 7", "    set qos-group 3", "set qos-group 3"),
        ("sonic", '"48": "6"', '"48": "3"', '"48": "3",'),
        ("junos", "priority low code-points 110000", "priority low code-points 110001",
         "loss-priority low code-points 110001;"),
        ("nxos", "match dscp 48", "match dscp 49", "match dscp 49"),
    ],
)  # fmt: skip
def test_a_dscp_treated_differently_on_one_device(
    system: str, old: str, new: str, line: str
) -> None:
    own = made(system)
    if system == "eos":  # DSCP 0 is in class 1: without a share of its own the queue is the bulk's
        own.everywhere(("uc-tx-queue 0", "uc-tx-queue 1"))
    assert own.outcomes() == []
    own.change("leaf2", (old, new))
    assert own.outcomes(Severity.INFO) == [("warning", "CLS025", "leaf2", line)]


def test_a_priority_with_pfc_on_one_device_only() -> None:
    own = made("eos")
    more = "priority 3 no-drop\n   priority-flow-control priority 5 no-drop"
    own.change("leaf2", ("priority 3 no-drop", more))
    assert own.outcomes() == []
    assert own.outcomes(Severity.INFO) == [
        ("info", "PFC006", "leaf2", "priority-flow-control priority 5 no-drop")
    ]


def test_a_priority_with_pfc_on_all_devices_is_left_alone() -> None:
    more = "priority 3 no-drop\n   priority-flow-control priority 5 no-drop"
    own = made("eos").everywhere(("priority 3 no-drop", more))
    assert own.outcomes() == []

"""Findings for a pair of CloudEngine leaves with hosts, correct and with planted faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nos.pair import causes, judged
from tests.nos.vrp.reading import LEAF

PORTS = "100GE1/0/1", "100GE1/0/25"


def test_a_right_pair_of_leaves_is_silent(tmp_path: Path) -> None:
    report = judged(tmp_path, LEAF, *PORTS, {})
    assert [traffic.name for traffic in report.classes] == ["RoCE DSCP 26", "CNP DSCP 48"]
    assert [finding.message for finding in report.findings] == []
    # The file does not state the headroom of the model.
    assert {group.rule for group in report.unknowns} == {"BUF001"}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (" dcb pfc enable mode manual\n", "", [("error", "PFC001", 20), ("error", "PFC001", 31)]),
        ("26 phb af3", "26 phb af2", [("error", "MAP001", 14)]),
        ("48 phb cs6", "48 phb af3", [("error", "CLS002", 15)]),
        (" priority 3\n", " undo priority 3\n priority 4\n", [("error", "PFC001", 8)]),
        ("trust dscp", "trust 8021p", [("error", "MAP002", 25), ("error", "MAP002", 37)]),
        ("upstream rdma", "upstream rmda", [("error", "MAP003", 26), ("error", "MAP003", 38)]),
        ("wred rdma-ecn", "wred rdma-ecm", [("error", "MAP003", 29), ("error", "MAP003", 41)]),
        (" mtu 9100\n", " mtu 1500\n", [("error", "MTU001", 23), ("error", "MTU001", 35)]),
        ("dcb pfc\n", "dcb pfc global disable\n#\ndcb pfc\n", [("error", "PFC004", 6)]),
        ("low-limit 100000", "low-limit 700000", [("error", "ECN003", 18)]),
        ("mode manual", "mode auto", [("warning", "PFC007", 28), ("warning", "PFC007", 40)]),
        (" qos queue 3 ecn\n", "", [("warning", "CLS020", 29)]),
    ],
)  # fmt: skip
def test_what_is_planted_is_found(tmp_path: Path, old: str, new: str, found: list) -> None:
    report = judged(tmp_path, LEAF, *PORTS, {old: new})
    reported = [(sev, rule, at) for sev, rule, file, at in causes(report) if file == "leaf1.cfg"]
    assert reported == found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" trust dscp\n", ""),  # a routed port trusts DSCP by default
        (" trust upstream rdma\n", ""),  # the default domain maps alike
        (" mode manual\n", "\n"),  # manual is what it is without the word
        (" priority 3\n", ""),  # the profile has priority 3 of itself
    ],
)
def test_a_line_equal_to_the_default_is_not_missed(tmp_path: Path, old: str, new: str) -> None:
    assert causes(judged(tmp_path, LEAF, *PORTS, {old: new})) == []


def test_an_unconfirmed_default_is_at_most_a_warning(tmp_path: Path) -> None:
    changes = {" undo portswitch\n": " port link-type access\n", " trust dscp\n": ""}
    found = causes(judged(tmp_path, LEAF, *PORTS, changes))
    assert {(severity, rule) for severity, rule, _, _ in found} == {
        ("warning", "LNK013"),
        ("warning", "MAP002"),
    }

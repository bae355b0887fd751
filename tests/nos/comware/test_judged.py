"""Findings for a pair of Comware leaves with hosts, correct and with planted faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nos.comware.reading import LEAF, LOSSLESS, ON
from tests.nos.pair import causes, judged

PORTS = "FourHundredGigE1/0/1", "FourHundredGigE1/0/25"


def test_a_table_that_nothing_defines_reaches_what_leaves_by_its_port(tmp_path: Path) -> None:
    report = judged(tmp_path, LEAF, *PORTS, {"wred apply ROCE": "wred apply RCOE"})
    (finding,) = [f for f in report.findings if f.rule == "MAP003"]
    assert finding.location is not None
    assert (finding.location.file, finding.location.line) == ("leaf1.cfg", 49)
    assert finding.pairs is not None
    assert (finding.pairs.hit, finding.pairs.all) == (1, 2)


def test_a_right_pair_of_leaves_is_silent(tmp_path: Path) -> None:
    report = judged(tmp_path, LEAF, *PORTS, {})
    assert [traffic.name for traffic in report.classes] == ["RoCE DSCP 26", "CNP DSCP 48"]
    assert [finding.message for finding in report.findings] == []
    # The file does not state the headroom sizes of the model in bytes.
    assert {group.rule for group in report.unknowns} == {"BUF001"}


MAP = "#\nqos wred queue table"

TO_ONE = "#\nqos map-table dscp-dot1p\n import {} export {}\n#\nqos wred queue table"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (ON, "", [("error", "PFC009", 18), ("error", "PFC009", 35)]),
        (LOSSLESS.format(3), "", [("error", "PFC003", 24), ("error", "PFC003", 41)]),
        (LOSSLESS.format(3), LOSSLESS.format(4), [("error", "PFC001", 25), ("error", "PFC001", 43)]),
        (ON, ON.replace("enable", "auto"), [("warning", "PFC007", 24), ("warning", "PFC007", 42)]),
        (" qos trust dscp\n", "", [("error", "MAP002", 18), ("error", "MAP002", 35)]),
        (MAP, TO_ONE.format(26, 4), [("error", "MAP001", 13)]),
        (MAP, TO_ONE.format(48, 3), [("error", "CLS002", 13)]),
        (" qos wred queue 3 ecn\n", "", [("error", "ECN002", 31)]),
        ("wred apply ROCE", "wred apply RCOE", [("error", "MAP003", 49)]),
        ("\n queue 3 ecn\n", "\n", [("error", "ECN002", 13)]),
        (" mtu 9100\n", " mtu 1500\n", [("error", "MTU001", 21), ("error", "MTU001", 39)]),
        (" priority-flow-control deadlock enable\n", "", [("warning", "PFC020", 18)]),
        ("cs6 group sp", "af3 group sp", [("warning", "CLS005", 30), ("warning", "CLS005", 48)]),
    ],
)  # fmt: skip
def test_what_is_planted_is_found(tmp_path: Path, old: str, new: str, found: list) -> None:
    report = judged(tmp_path, LEAF, *PORTS, {old: new})
    reported = [(sev, rule, at) for sev, rule, file, at in causes(report) if file == "leaf1.cfg"]
    assert reported == found


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        (MAP, TO_ONE.format(26, 2), {"MAP001"}),  # the local precedence of 2 is not confirmed
        (" mtu 9100\n", "", {"MTU001"}),  # nor is an MTU of 1500 without a line
    ],
)
def test_an_unconfirmed_default_is_at_most_a_warning(
    tmp_path: Path, old: str, new: str, rules: set[str]
) -> None:
    found = causes(judged(tmp_path, LEAF, *PORTS, {old: new}))
    assert {(severity, rule) for severity, rule, _, _ in found} == {("warning", r) for r in rules}


def test_two_differing_places_are_not_an_error(tmp_path: Path) -> None:
    changes = {
        " lldp global enable\n": " lldp global enable\n priority-flow-control no-drop dot1p 4\n"
    }
    report = judged(tmp_path, LEAF, *PORTS, changes)
    assert causes(report) == []
    assert "PFC001" in {group.rule for group in report.unknowns}

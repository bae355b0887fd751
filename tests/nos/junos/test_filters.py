"""Filters that set the class of arriving packets: they override the classifier if they see RoCE."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.model.device import Device
from roce_lint.model.qos import Classifier
from tests.nos.junos.fabric import Edit, add, drop, judged, summaries
from tests.nos.junos.reading import qos, whole
from tests.nos.reader import line, notes

F = "firewall family inet filter F term"
BOUND = "interfaces et-0/0/0 unit 0 family inet filter input F"
CLASSES = (
    "class-of-service forwarding-classes class DATA queue-num 4 no-loss pfc-priority 3",
    "class-of-service forwarding-classes class BULK queue-num 1",
    "class-of-service classifiers dscp C forwarding-class DATA loss-priority low code-points af31",
    "class-of-service interfaces et-0/0/0 unit * classifiers dscp C",
)
"""Lines 3 to 6; the filter begins in line 7."""

DATA, BULK = 4, 1


def made(*statements: str) -> tuple[Device, Classifier]:
    """A switch with a filter on its first port, and the resulting classifier."""
    found = whole("".join(f"set {each}\n" for each in (*CLASSES, *statements)))
    return found, found.qos.classifiers[qos(found).classifier or ""]


def treated(classifier: Classifier, dscp: int) -> tuple[int | None, int]:
    """Class of a code point, with its line."""
    table = classifier.dscp_to_tc
    return table.get(dscp), line(table, table.key(dscp))


def test_a_filter_wins_over_the_classifier() -> None:
    found, classifier = made(
        f"{F} A from dscp [ af31 ef ]",
        f"{F} A then forwarding-class BULK",
        f"{F} Z then accept",
        BOUND,
    )
    assert notes(found) == []
    assert (classifier.name, classifier.exact) == ("C and filter F", True)
    assert [treated(classifier, dscp) for dscp in (26, 46)] == [(BULK, 8), (BULK, 8)]
    assert classifier.dscp_to_tc.get(0) == 0


def test_without_a_classifier_it_is_the_only_one() -> None:
    found = whole(
        "".join(
            f"set {each}\n"
            for each in (
                *CLASSES[:2],
                f"{F} A from dscp 26",
                f"{F} A then forwarding-class DATA",
                BOUND,
            )
        )
    )
    classifier = found.qos.classifiers[qos(found).classifier or ""]
    assert (classifier.name, classifier.exact, classifier.builtin) == (
        "default and filter F",
        True,
        False,
    )
    assert treated(classifier, 26) == (DATA, 6)


OF_26: dict[str, tuple[tuple[str, ...], tuple[int | None, int]]] = {
    "accepted first": (
        (f"{F} A from dscp 26", f"{F} A then accept", f"{F} B then forwarding-class BULK"),
        (DATA, 5),
    ),
    "the last of several": (
        (
            f"{F} A then forwarding-class BULK",
            f"{F} A then next term",
            f"{F} B from dscp 26",
            f"{F} B then forwarding-class DATA",
        ),
        (DATA, 10),
    ),
    "another protocol": (
        (f"{F} A from protocol tcp", f"{F} A then forwarding-class BULK"),
        (DATA, 5),
    ),
    "its port": (
        (f"{F} A from destination-port 4791", f"{F} A then forwarding-class BULK"),
        (BULK, 8),
    ),
    "some addresses": (
        (f"{F} A from source-address 10.0.0.0/8", f"{F} A then forwarding-class BULK"),
        (None, 8),
    ),
    "behind what may accept": (
        (
            f"{F} A from source-address 10.0.0.0/8",
            f"{F} A then accept",
            f"{F} B then forwarding-class BULK",
        ),
        (None, 8),
    ),
    "behind what may discard": (
        (
            f"{F} A from source-address 10.0.0.0/8",
            f"{F} A then discard",
            f"{F} B then forwarding-class BULK",
        ),
        (BULK, 9),
    ),
    "its loss priority": ((f"{F} A then loss-priority high",), (None, 7)),
    "its loss priority as it was": ((f"{F} A then loss-priority low",), (DATA, 5)),
    "its code point": ((f"{F} A then dscp 0",), (None, 7)),
    "a policer that drops": (
        (f"{F} A then policer P", "firewall policer P then discard"),
        (DATA, 5),
    ),
    "a policer that marks": (
        (f"{F} A then policer P", "firewall policer P then loss-priority high"),
        (None, 7),
    ),
    "a class that nothing defines": ((f"{F} A then forwarding-class BULKY",), (None, 7)),
}


@pytest.mark.parametrize("name", OF_26)
def test_what_becomes_of_dscp_26(name: str) -> None:
    statements, expected = OF_26[name]
    _, classifier = made(*statements, BOUND)
    assert (treated(classifier, 26), classifier.exact) == (expected, True)


INEXACT: dict[str, tuple[str, ...]] = {
    "two families": ("interfaces et-0/0/0 unit 0 family inet6", BOUND),
    "two units": ("interfaces et-0/0/0 unit 1 vlan-id 5", BOUND),
    "the IRB of its VLAN": (
        "interfaces et-0/0/0 unit 0 family ethernet-switching vlan members V",
        "vlans V vlan-id 7",
        "vlans V l3-interface irb.7",
        "interfaces irb unit 7 family inet filter input F",
    ),
    "its VLAN": (
        "interfaces et-0/0/0 unit 0 family ethernet-switching vlan members V",
        "vlans V vlan-id 7",
        "vlans V forwarding-options filter input F",
        "firewall family ethernet-switching filter F term A then forwarding-class BULK",
    ),
}


@pytest.mark.parametrize("name", INEXACT)
def test_where_it_may_not_see_roce_nothing_is_sure(name: str) -> None:
    _, classifier = made(f"{F} A then forwarding-class BULK", *INEXACT[name])
    assert (classifier.name, classifier.exact) == ("C and filter F", False)
    assert classifier.dscp_to_tc.get(26) == DATA


def test_the_irb_of_another_vlan_does_not_matter() -> None:
    _, classifier = made(
        f"{F} A then forwarding-class BULK",
        "interfaces et-0/0/0 unit 0 family ethernet-switching vlan members V",
        "vlans V vlan-id 8",
        "vlans W vlan-id 7",
        "vlans W l3-interface irb.7",
        "interfaces irb unit 7 family inet filter input F",
    )
    assert (classifier.name, classifier.exact) == ("C", True)


ON_LEAF = "interfaces et-0/0/1 unit 0 family inet filter input F"
JUDGED: dict[str, tuple[list[Edit], list[str]]] = {
    "into bulk": (
        [
            add(
                f"{F} A from dscp 26",
                f"{F} A then forwarding-class best-effort",
                f"{F} Z then accept",
                ON_LEAF,
            )
        ],
        [f"error MAP001: {F} A then forwarding-class best-effort"],
    ),
    "into its own class": (
        [
            add(
                f"{F} A from dscp 26",
                f"{F} A then forwarding-class DATA",
                f"{F} Z then accept",
                ON_LEAF,
            )
        ],
        [],
    ),
    "another code point into bulk": (
        [
            add(
                f"{F} A from dscp 10",
                f"{F} A then forwarding-class best-effort",
                f"{F} Z then accept",
                ON_LEAF,
            )
        ],
        [],
    ),
    "a class that is not there": (
        [add(f"{F} A then forwarding-class DATE", ON_LEAF)],
        [f"error MAP003: {F} A then forwarding-class DATE"],
    ),
}


@pytest.mark.parametrize("name", JUDGED)
def test_a_leaf_with_a_filter(tmp_path: Path, name: str) -> None:
    edits, expected = JUDGED[name]
    report, lines = judged(tmp_path, *edits)
    assert summaries(report, lines) == expected


def test_what_a_filter_of_the_irb_does_is_not_known(tmp_path: Path) -> None:
    report, lines = judged(
        tmp_path,
        drop("et-0/0/1 unit 0 family inet"),
        add(
            "interfaces et-0/0/1 unit 0 family ethernet-switching vlan members V",
            "interfaces irb unit 7 family inet address 10.7.0.1/24",
            "interfaces irb unit 7 family inet filter input F",
            "vlans V vlan-id 7",
            "vlans V l3-interface irb.7",
            f"{F} A from dscp 26",
            f"{F} A then forwarding-class best-effort",
            f"{F} Z then accept",
        ),
    )
    assert [each for each in summaries(report, lines) if "MTU" not in each] == []
    unknown = {each.missing for each in report.unknowns if "et-0/0/1" in each.subjects}
    assert "the packets that match filter F" in unknown

"""Trimmed packets: settings of both systems, and permitted queues for the remainders."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device
from tests.nos.cumulus.reading import commands, port
from tests.nos.reader import line
from tests.nos.sonic.making import chain, device_of
from tests.unit.checks.judging import judged, missing, severities_and_values
from tests.unit.fabric import lines_of, switch
from tests.unit.fabric import port as made_port


@pytest.mark.parametrize(
    ("value", "dscp"), [("21", 21), ("0", 0), ("from-tc", None), ("64", None), (None, None)]
)
def test_the_code_point_of_sonic(value: str | None, dscp: int | None) -> None:
    row = {"size": "200", "queue_index": "6"} | ({"dscp_value": value} if value else {})
    assert device_of(chain(SWITCH_TRIMMING={"GLOBAL": row})).system.trim_dscp == dscp


@pytest.mark.parametrize(
    ("text", "on", "dscp"),
    [
        ("state enabled", True, None),
        ("state disabled", False, None),
        ("remark dscp 21", None, 21),
        ("remark dscp port-level", None, None),
        ("remark dscp 64", None, None),
    ],
)
def test_what_cumulus_says_of_the_switch(text: str, on: bool | None, dscp: int | None) -> None:
    system = commands(f"nv set system forwarding packet-trim {text}").system
    assert (system.trimming, system.trim_dscp) == (on, dscp)


def test_what_cumulus_says_of_a_port() -> None:
    found = port(
        commands(
            """
            nv set qos roce enable on
            nv set interface swp1-2 packet-trim egress-eligibility traffic-class 1,2
            """
        )
    ).qos
    assert found is not None
    assert found.trimmed == {1, 2}
    assert line(found, "trimmed") == 3


def trimming(dscp: int = 21, *, on: bool | None = None, **maps: int) -> Device:
    """A leaf with RoCE in class 3 that trims queue 1; `maps` are classes by `d` and code point."""
    named = {26: 3, **{int(name[1:]): tc for name, tc in maps.items()}}
    leaf = switch("leaf1", dscps=named, marked=(3,))
    qos = made_port(leaf, "p1").qos
    assert qos is not None
    qos.trimmed, qos.at["trimmed"] = frozenset({1}), lines_of(leaf).next()
    leaf.system.trim_dscp, leaf.system.at["trim_dscp"] = dscp, lines_of(leaf).next()
    leaf.system.trimming = on
    return leaf


@pytest.mark.parametrize(
    ("leaf", "told"),
    [
        (trimming(d21=6), None),
        (trimming(d21=3), 3),
        (trimming(d21=0), 0),
        (trimming(), 0),
        (trimming(on=False), None),
        (trimming(dscp=26), 3),
    ],
)
def test_where_the_rest_goes(leaf: Device, told: int | None) -> None:
    found = [message for _, message in severities_and_values("BUF016", leaf)]
    assert found == ([] if told is None else [f"leaf1 p1 {leaf.system.trim_dscp} {told}"])


def test_a_class_that_is_not_known() -> None:
    leaf = trimming()
    leaf.qos.classifiers["map"].dscp_to_tc.otherwise = None
    assert severities_and_values("BUF016", leaf) == []
    assert missing("BUF016", leaf) != set()


def test_nothing_that_trims() -> None:
    leaf = trimming()
    qos = leaf.interfaces["p1"].qos
    assert qos is not None
    qos.trimmed = None
    assert severities_and_values("BUF016", leaf) == []


def trimmers(*settings: bool | None) -> list[Device]:
    """Leaves in one network with trimming queues, and the trimming settings of each."""
    leaves = [trimming(d21=6, on=on) for on in settings]
    for number, leaf in enumerate(leaves, 1):
        leaf.hostname = f"leaf{number}"
        leaf.system.at["trimming"] = lines_of(leaf).next()
    return leaves


@pytest.mark.parametrize(
    ("settings", "odd"),
    [
        ((True, True, None), ["leaf3"]),
        ((True, False, True), ["leaf2"]),
        ((True, None), []),
        ((True, None, None), []),
        ((None, None, None), []),
    ],
)
def test_queues_that_trim_and_a_switch_that_does_not(
    settings: tuple[bool | None, ...], odd: list[str]
) -> None:
    found = judged("BUF016", *trimmers(*settings)).findings
    assert [(f.severity.label, f.device) for f in found] == [("info", name) for name in odd]


def test_queues_that_do_not_trim() -> None:
    leaves = trimmers(True, True, True)
    qos = leaves[2].interfaces["p1"].qos
    assert qos is not None
    qos.trimmed = None
    (found,) = judged("BUF016", *leaves).findings
    assert (found.severity.label, found.device) == ("info", "leaf3")
    leaves[2].model = "another"
    assert judged("BUF016", *leaves).findings == []


def test_what_sonic_says_of_the_switch() -> None:
    assert device_of(chain(SWITCH_TRIMMING={"GLOBAL": {"size": "200"}})).system.trimming is True
    assert device_of(chain()).system.trimming is None

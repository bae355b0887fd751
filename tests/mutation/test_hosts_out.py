"""The same mutants with the hosts taken out: what switches alone tell of each other.

Nobody states then what is sent; a value is found where boxes that do the same differ.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.mutation.bench import Bench
from tests.mutation.mutants import Mutant, mutants, outcome

MOST_UNSEEN = {
    "leaf1": 55,
    "leaf2": 24,
    "leaf3": 284,
    "leaf5": 29,
    "leaf6": 17,
    "spine1": 269,
    "spine2": 30,
}
"""Mutants of each switch that no finding points at: they may only become fewer."""

FOUND = [
    "digit leaf1: qos profile ROCE-HOST / priority-flow-control priority 3 no-drop #1",
    "digit leaf3: DSCP_TO_TC_MAP|AZURE|26 / 3",
    "delete leaf3: PORT_QOS_MAP|PORT|pfc_enable / 3,4",
    "delete leaf2: class-map type qos match-all ROCE / match dscp 26",
    "double leaf1: qos profile ROCE-HOST / uc-tx-queue 3 / bandwidth percent 60 #1",
]


@cache
def bench() -> Bench:
    return Bench.of("clean-fabric", hosts=False)


@cache
def everything() -> tuple[Mutant, ...]:
    return tuple(mutants(bench()))


def test_the_switches_alone_are_clean() -> None:
    findings, _ = bench().judge()
    assert [f.message for f in findings] == []
    assert {device.is_host for device in bench().devices.values()} == {False}


@pytest.mark.parametrize("device", MOST_UNSEEN)
def test_no_more_mutants_are_unseen_than_were(device: str) -> None:
    own = [mutant for mutant in everything() if mutant.device == device]
    unseen = [str(mutant) for mutant in own if outcome(bench(), mutant) != "found"]
    assert len(unseen) <= MOST_UNSEEN[device], unseen
    assert len(unseen) < len(own)


@pytest.mark.parametrize("name", FOUND)
def test_what_breaks_the_class_is_found_without_hosts(name: str) -> None:
    mutant = next(mutant for mutant in everything() if str(mutant) == name)
    assert outcome(bench(), mutant) == "found"

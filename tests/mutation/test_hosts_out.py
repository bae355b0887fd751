"""The same mutants without hosts: switches compared with each other.

No markings are stated then; a value is found where peer devices differ.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.bench import check
from tests.mutation.answers import CLEAN, sampled
from tests.mutation.mutants import Mutant, mutants, outcome

SWITCHES = {place: text for place, text in CLEAN.items() if place.startswith("switches/")}

MOST_UNSEEN = {
    "leaf1": (54, 7),
    "leaf2": (21, 0),
    "leaf3": (155, 15),
    "leaf5": (29, 2),
    "leaf6": (17, 1),
    "spine1": (133, 9),
    "spine2": (28, 5),
}
"""Maximum number of unseen mutants of each switch, of all and of the sample: they may only become
fewer."""

FOUND = [
    "digit leaf1: qos profile ROCE-HOST / priority-flow-control priority 3 no-drop #1",
    "digit leaf3: DSCP_TO_TC_MAP|AZURE|26 / 3",
    "delete leaf3: PORT_QOS_MAP|PORT|pfc_enable / 3,4",
    "delete leaf2: class-map type qos match-all ROCE / match dscp 26",
    "double leaf1: qos profile ROCE-HOST / uc-tx-queue 3 / bandwidth percent 60 #1",
]


@cache
def everything() -> tuple[Mutant, ...]:
    return tuple(mutants(SWITCHES))


@cache
def is_found(mutant: Mutant) -> bool:
    return outcome(mutant, check(mutant.planted(SWITCHES))) == "found"


def test_the_switches_alone_are_clean() -> None:
    report = check(SWITCHES)
    assert [f.message for f in report.findings] == []
    assert report.fabric is not None
    assert not any(device.is_host for device in report.fabric.devices.values())


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.deep)])
@pytest.mark.parametrize("device", MOST_UNSEEN)
def test_no_more_mutants_are_unseen_than_were(device: str, whole: bool) -> None:
    known = everything() if whole else sampled(everything())
    own = [mutant for mutant in known if mutant.device == device]
    unseen = [str(mutant) for mutant in own if not is_found(mutant)]
    assert len(unseen) <= MOST_UNSEEN[device][not whole], unseen
    assert len(unseen) < len(own)


@pytest.mark.parametrize("name", FOUND)
def test_what_breaks_the_class_is_found_without_hosts(name: str) -> None:
    assert is_found(next(mutant for mutant in everything() if str(mutant) == name))

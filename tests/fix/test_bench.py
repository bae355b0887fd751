"""The mutants of clean fabrics: `fix` restores the model where equals have the value, and changes no
line that is right.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from roce_lint.fix.offers import CUT_FILE
from roce_lint.fix.render import reason_of
from tests.fix.bench import SAMPLE, SYSTEMS, Outcome, outcome, planted
from tests.mutation.answers import GROUPS
from tests.mutation.mutants import Mutant
from tests.sampling import sample

_CLASSES = "class-of-service / forwarding-classes"
_DROPS = "class-of-service / drop-profiles / ROCE-ECN / interpolate"

FLOORS = {"offered": 85, "exact": 98, "kept": 98}
"""Percent of the mutants whose values equals have that get a fix, and of the fixes those that restore
the model, and those that change no other line.
"""

LESS: dict[str, dict[str, int]] = {
    "aoscx": {"kept": 83},
    "comware": {"kept": 87},
    "eos": {"exact": 97, "kept": 84},
    "esonic": {"exact": 93, "kept": 71},
    "iosxr": {"kept": 76},
    "junos": {"kept": 92},
    "nxos": {"kept": 90},
    "os10": {"kept": 85},
    "sonic": {"kept": 96},
    "vrp": {"kept": 86},
    SAMPLE: {"offered": 75, "exact": 89, "kept": 80},
    "all": {"offered": 75, "exact": 85, "kept": 75},
}
"""Lower percentages of a fabric. They may only grow."""


def measured(outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Percentages of outcomes, by the names of the floors."""
    known = list(outcomes)
    offered = [each for each in known if each.is_offered]
    return {
        "offered": _percent(each.is_offered for each in known if each.known),
        "exact": _percent(not each.left and not each.new for each in offered),
        "kept": _percent(not each.others for each in offered),
    }


def _percent(of: Iterable[bool]) -> float:
    values = list(of)
    return 100 * sum(values) / len(values) if values else 100


def _below(name: str, outcomes: list[Outcome]) -> dict[str, float]:
    floors = FLOORS | LESS.get(name, {})
    return {what: share for what, share in measured(outcomes).items() if share < floors[what]}


def _outcomes(name: str, mutants: Iterable[Mutant]) -> list[Outcome]:
    found = (outcome(name, mutant) for mutant in mutants)
    return [each for each in found if each is not None]


def test_a_mutant_of_every_kind_and_of_every_fabric() -> None:
    every = [(name, mutant) for name in (*SYSTEMS, SAMPLE) for mutant in planted(name)]
    chosen = sample(every, len(every) // 8, lambda each: each[0], lambda each: each[1].kind,
                    name=lambda each: " ".join(map(str, each)))  # fmt: skip
    outcomes = [found for name, mutant in chosen for found in _outcomes(name, [mutant])]
    assert len(outcomes) >= 10
    assert _below("all", outcomes) == {}


def test_a_map_entry_that_is_gone_from_a_set_of_maps() -> None:
    """The set without the entry is as another set of the device, which a port is bound to."""
    named = "delete spine1: TC_TO_QUEUE_MAP|AZURE|1 / 1"
    (mutant,) = (each for each in planted(SAMPLE) if str(each) == named)
    (found,) = _outcomes(SAMPLE, [mutant])
    assert not found.new
    assert not found.others


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        (
            "junos",
            f"double leaf1: {_CLASSES} / class NO-LOSS queue-num 4 no-loss pfc-priority 3 #1",
        ),
        ("junos", f"digit leaf1: {_CLASSES} / class NO-LOSS queue-num 4 no-loss pfc-priority 3 #1"),
        ("junos", f"delete leaf1: {_CLASSES} / class CNP queue-num 3"),
        ("junos", f"double leaf1: {_DROPS} / fill-level [ 55 90 ] #1"),
        ("iosxr", "digit leaf1: class-map match-any TC3 / match traffic-class 3 #1"),
    ],
)
def test_the_one_line_that_is_wrong_is_changed(name: str, mutant: str) -> None:
    (found,) = _outcomes(name, (each for each in planted(name) if str(each) == mutant))
    assert found.is_offered
    assert (found.left, found.new, found.others) == ((), (), ())


@pytest.mark.parametrize(
    "named",
    [
        "digit gpu01: mlnx_qos-PORT.txt / prio:3 dscp:31,30,29,28,27,26,25,24, #2",
        "digit gpu01: mlnx_qos-PORT.txt / priority: 4 #1",
        "digit gpu01: mlnx_qos-PORT.txt / enabled 0 0 0 1 0 0 0 0 #4",
        "digit gpu10: prio_tc|4 / 0",
        "digit gpu11: nicctl-qos.txt / PFC no-drop priorities : 3 #1",
        "delete leaf3: TC_TO_QUEUE_MAP|AZURE|7 / 7",
    ],
)
def test_a_value_beside_others_of_its_table(named: str) -> None:
    (mutant,) = (each for each in planted(SAMPLE) if str(each) == named)
    (found,) = _outcomes(SAMPLE, [mutant])
    assert found.is_offered
    assert (found.left, found.new, found.others) == ((), (), ())


def test_a_file_that_ends_inside_a_block() -> None:
    named = "delete leaf1: class-of-service / classifiers / }"
    (found,) = _outcomes("junos", (each for each in planted("junos") if str(each) == named))
    assert not found.known
    assert not found.is_offered
    assert {reason_of(case) for case in found.answer.manual} == {
        f"needs data that is missing ({CUT_FILE})"
    }


def test_an_odd_line_has_no_vote() -> None:
    """A DSCP that comes twice in one switch is no reason to change the other one."""
    named = "double spine1: DSCP_TO_TC_MAP|AZURE|0 / 1"
    (mutant,) = (each for each in planted(SAMPLE) if str(each) == named)
    (found,) = _outcomes(SAMPLE, [mutant])
    assert {host for each in found.answer.offers for host in each.devices} <= {"spine1"}


@pytest.mark.deep
@pytest.mark.parametrize("name", SYSTEMS)
def test_all_mutants_of_a_small_fabric(name: str) -> None:
    assert _below(name, _outcomes(name, planted(name))) == {}


@pytest.mark.deep
@pytest.mark.parametrize("group", GROUPS, ids="-".join)
def test_all_mutants_of_the_sample(group: tuple[str, ...]) -> None:
    mutants = [mutant for mutant in planted(SAMPLE) if mutant.device in group]
    assert _below(SAMPLE, _outcomes(SAMPLE, mutants)) == {}

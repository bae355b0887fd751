"""Marking that is there, and yet odd."""

from __future__ import annotations

import pytest

from roce_lint.analysis.result import Analysis
from roce_lint.checks.ecn.thresholds import (
    FarParams,
    ecn_profile_colour_not_enabled,
    ecn_thresholds_far_from_published,
    non_ect_traffic_in_ecn_queue,
    single_ecn_threshold,
)
from roce_lint.engine.api import Given, NoParams, Outcome, Problem, Unknown
from roce_lint.model.device import Device
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import Marking, MarkingMode, QueueKind
from roce_lint.model.units import Threshold, ThresholdUnit
from tests.unit.checks.judging import outcomes_of
from tests.unit.fabric import analysed, emission, host, lines_of, port, switch


def leaf(**fields: object) -> tuple[Device, Marking]:
    made = switch("leaf1", dscps={26: 3}, marked=(3,))
    port(made, "e1").speed_gbps = 400.0
    marking = made.qos.egress["out"].queues[QueueKind.UNICAST, 3].marking
    assert marking is not None
    for name, value in fields.items():
        setattr(marking, name, value)
        marking.at[name] = lines_of(made).next()
    return made, marking


def given(device: Device) -> Given[NoParams]:
    analysis = analysed(device)
    return Given(NoParams(), analysis.fabric, analysis, RocePlan())


def far(device: Device, factor: float = 8.0) -> list[tuple[str, int]]:
    analysis = analysed(device)
    judged = Given(FarParams(factor=factor), analysis.fabric, analysis, RocePlan())
    return [
        (found.value, found.at[0].position)
        for found in outcomes_of(ecn_thresholds_far_from_published, judged)
        if isinstance(found, Problem)
    ]


def depth(value: float, unit: ThresholdUnit = ThresholdUnit.BYTES) -> Threshold:
    return Threshold(value, unit)


def test_both_thresholds_may_be_far_outside() -> None:
    device, marking = leaf(kmin=depth(16_000), kmax=depth(100_000_000))
    assert far(device) == [
        ("16000 bytes", marking.at["kmin"]),
        ("100000000 bytes", marking.at["kmax"]),
    ]
    assert far(device, 10.0) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"kmin": depth(16_384), "kmax": depth(80_000_000)},  # an eighth, and eight times
        {"kmin": depth(100, ThresholdUnit.CELLS), "kmax": depth(200, ThresholdUnit.CELLS)},
        {"kmin": depth(1_000), "mode": MarkingMode.PLATFORM},
        {},
    ],
)
def test_nothing_is_said_of_what_is_near_or_not_known(fields: dict[str, object]) -> None:
    assert far(leaf(**fields)[0]) == []


def test_other_speeds_have_other_bounds() -> None:
    device, _ = leaf(kmin=depth(5_000), kmax=depth(200_000))
    assert far(device) != []
    device.interfaces["e1"].speed_gbps = 40.0  # the paper's own values
    assert far(device) == []
    device.interfaces["e1"].speed_gbps = None
    assert far(device) == []


def test_one_threshold_is_told_in_one_unit_only() -> None:
    device, marking = leaf(kmin=depth(300_000), kmax=depth(300_000))
    (found,) = outcomes_of(single_ecn_threshold, given(device))
    assert isinstance(found, Problem)
    assert (found.value, found.at[0].position) == ("300000 bytes", marking.at["kmin"])
    other, _ = leaf(kmin=depth(300), kmax=depth(300, ThresholdUnit.CELLS))
    assert list(outcomes_of(single_ecn_threshold, given(other))) == []


def test_a_switch_of_the_colour_that_is_off() -> None:
    device, marking = leaf(name="W", enabled=False)
    (found,) = outcomes_of(ecn_profile_colour_not_enabled, given(device))
    assert isinstance(found, Problem)
    assert (found.value, found.at[0].position) == ("W: off", marking.at["enabled"])
    for enabled in (True, None):
        marking.enabled = enabled
        assert list(outcomes_of(ecn_profile_colour_not_enabled, given(device))) == []


def sender(rp: frozenset[int] | None, ect: int = 0, **fields: object) -> Device:
    made = host("gpu1", "eth0", pauses=(3,))
    made.nics["mlx5_0"].rp_priorities = rp
    made.emits.append(emission(made, 26, Flow.DATA))
    made.emits[0].ect = ect
    for name, value in fields.items():
        setattr(made.emits[0], name, value)
    return made


def dropped(device: Device, gpu: Device) -> list[Outcome]:
    analysis: Analysis = analysed(device, gpu, links=[((device, "e1"), (gpu, "eth0"))])
    judged = Given(NoParams(), analysis.fabric, analysis, RocePlan())
    return list(outcomes_of(non_ect_traffic_in_ecn_queue, judged))


def test_a_sender_that_cannot_be_marked() -> None:
    gpu = sender(frozenset())
    (found,) = dropped(leaf()[0], gpu)
    assert isinstance(found, Problem)
    assert (found.device, found.subjects, found.value) == ("gpu1", ("eth0",), "26:0")
    assert found.at[0].position == gpu.emits[0].at["dscp"]


def test_the_reaction_point_of_another_priority_does_not_help() -> None:
    assert [type(found) for found in dropped(leaf()[0], sender(frozenset({5})))] == [Problem]
    assert dropped(leaf()[0], sender(frozenset({3}))) == []


def test_an_unknown_reaction_point_is_unknown() -> None:
    (found,) = dropped(leaf()[0], sender(None))
    assert isinstance(found, Unknown)
    assert found.missing == "the DCQCN state of the NIC (its ecn/roce_rp settings)"


@pytest.mark.parametrize(
    "fields",
    [
        {"ect": 2},
        {"certainty": Certainty.POSSIBLE},
        {"flow": Flow.CNP},
        {"nics": ("mlx5_7",)},
        {"dscp": 10},  # its queue does not mark
    ],
)
def test_other_senders_are_no_fault(fields: dict[str, object]) -> None:
    assert dropped(leaf()[0], sender(frozenset(), **fields)) == []


def test_a_switch_may_make_an_exception() -> None:
    device, marking = leaf(allow_non_ect=True)
    assert dropped(device, sender(frozenset())) == []
    marking.allow_non_ect = None
    device.system.allow_non_ect = True
    assert dropped(device, sender(frozenset())) == []

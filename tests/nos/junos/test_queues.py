"""Schedulers, drop profiles, scheduler maps."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device
from roce_lint.model.qos import EgressPolicy, Queue, QueueKind, SchedulerKind, ShareKind
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.junos import defaults
from tests.nos.junos.reading import cos, qos
from tests.nos.reader import default_sentence, line, notes

MAP = (
    "forwarding-classes class X queue-num 4",
    "interfaces et-0/0/0 scheduler-map M",
    "scheduler-maps M forwarding-class X scheduler S",
)
"""Lines 3 to 5."""


def policy(device: Device) -> EgressPolicy:
    return device.qos.egress[qos(device).egress or ""]


def queue(*lines: str) -> Queue:
    found = policy(cos(*MAP, *lines)).queue(4)
    assert found is not None
    return found


def percent(value: float) -> Threshold:
    return Threshold(value, ThresholdUnit.PERCENT)


def test_the_map_is_bound_at_its_line() -> None:
    found = cos(*MAP, "schedulers S priority low")
    assert (qos(found).egress, line(qos(found), "egress")) == ("M", 4)
    assert (policy(found).complete, sorted(policy(found).queues)) == (
        True,
        [(QueueKind.UNICAST, 4)],
    )


def test_without_a_map_no_queue_marks() -> None:
    found = cos("forwarding-classes class X queue-num 4")
    assert (qos(found).egress, policy(found).queues) == ("default", {})
    assert default_sentence(qos(found), "egress") == defaults.PLAIN_QUEUES.says


def test_a_map_that_is_not_there_leaves_queues_unknown() -> None:
    assert qos(cos("interfaces et-0/0/0 scheduler-map GONE")).egress is None


def test_multicast_classes_have_queues_of_their_own_kind() -> None:
    found = cos(
        *MAP, "scheduler-maps M forwarding-class mcast scheduler S", "schedulers S priority low"
    )
    assert (QueueKind.MULTICAST, 8) in policy(found).queues


@pytest.mark.parametrize(
    ("stated", "kind", "share", "of"),
    [
        ("transmit-rate percent 49", SchedulerKind.WEIGHTED, 49.0, ShareKind.LINK),
        ("transmit-rate remainder", SchedulerKind.WEIGHTED, None, None),
        ("transmit-rate 20m", SchedulerKind.WEIGHTED, None, None),
        ("excess-rate percent 40", SchedulerKind.WEIGHTED, 40.0, ShareKind.REMAINING),
        ("priority strict-high", SchedulerKind.STRICT, None, None),
        ("priority high", None, None, None),
        ("priority medium-low", SchedulerKind.WEIGHTED, None, None),
    ],
)
def test_how_a_queue_is_served(
    stated: str, kind: SchedulerKind | None, share: float | None, of: ShareKind | None
) -> None:
    scheduler = queue(f"schedulers S {stated}").scheduler
    assert scheduler is not None
    assert (scheduler.kind, scheduler.share, scheduler.share_of) == (kind, share, of)


def test_rates() -> None:
    lines = ("schedulers S transmit-rate 20m", "schedulers S shaping-rate 16g")
    scheduler = queue(*lines).scheduler
    assert scheduler is not None
    assert (scheduler.guaranteed_bps, scheduler.shape_bps) == (20_000_000, 16_000_000_000)
    assert (line(scheduler, "guaranteed_bps"), line(scheduler, "shape_bps")) == (6, 7)
    exact = queue("schedulers S transmit-rate percent 10 exact").scheduler
    assert exact is not None
    assert (exact.share, exact.shape_percent) == (10.0, 10.0)
    strict = queue(
        "schedulers S priority strict-high", "schedulers S transmit-rate percent 5"
    ).scheduler
    assert strict is not None
    assert (strict.strict_level, strict.share, strict.guaranteed_percent) == (1, None, 5.0)


def test_a_shaper_of_the_port() -> None:
    found = cos(*MAP, "schedulers S priority low", "interfaces et-0/0/0 shaping-rate 100g")
    assert (qos(found).egress, policy(found).shape_bps) == ("M shaped to 100g", 100_000_000_000)
    percents = cos("interfaces et-0/0/0 shaping-rate percent 80")
    assert (policy(percents).shape_percent, policy(percents).shape_bps) == (80.0, None)


ECN = "schedulers S explicit-congestion-notification"
DROPS = "schedulers S drop-profile-map loss-priority any protocol any drop-profile D"


def test_ecn_with_a_drop_profile() -> None:
    lines = (
        "drop-profiles D interpolate fill-level [ 55 90 ]",
        "drop-profiles D interpolate drop-probability [ 0 100 ]",
    )
    marking = queue(*lines, ECN, DROPS).marking
    assert marking is not None
    assert (marking.ecn, marking.wred_drop, marking.enabled, marking.name) == (
        True,
        False,
        True,
        "D",
    )
    assert (marking.kmin, marking.kmax, marking.pmax_percent) == (percent(55), percent(90), 100.0)
    assert [line(marking, f) for f in ("ecn", "kmin", "kmax", "pmax_percent")] == [8, 6, 6, 7]


def test_ecn_without_a_drop_profile_has_nothing_to_mark_by() -> None:
    marking = queue(ECN).marking
    assert marking is not None
    assert (marking.ecn, marking.enabled, marking.kmin) == (False, False, None)
    assert default_sentence(marking, "enabled") == defaults.NOTHING_TO_MARK_BY.says


def test_a_drop_profile_without_ecn_drops() -> None:
    marking = queue("drop-profiles D fill-level 30 drop-probability 10", DROPS).marking
    assert marking is not None
    assert (marking.ecn, marking.wred_drop, line(marking, "wred_drop")) == (False, True, 7)


def test_the_profile_of_low_loss_priority_counts() -> None:
    marking = queue(
        "drop-profiles A fill-level 30 drop-probability 10",
        "drop-profiles B fill-level 60 drop-probability 10",
        "schedulers S drop-profile-map loss-priority high protocol any drop-profile A",
        "schedulers S drop-profile-map loss-priority low protocol any drop-profile B",
        "schedulers S drop-profile-map loss-priority any protocol tcp drop-profile A",
        ECN,
    ).marking
    assert marking is not None
    assert (marking.name, marking.kmin) == ("B", percent(60))


@pytest.mark.parametrize(
    ("curve", "low", "high", "chance"),
    [
        ("interpolate fill-level [ 55 90 ] / interpolate drop-probability [ 0 100 ]", 55, 90, 100),
        ("interpolate fill-level [ 0 20 ] / interpolate drop-probability [ 0 100 ]", 0, 20, 100),
        (
            "interpolate fill-level [ 10 20 90 ] / interpolate drop-probability [ 0 0 80 ]",
            20,
            90,
            80,
        ),
        (
            "interpolate fill-level [ 30 60 90 ] / interpolate drop-probability [ 0 100 100 ]",
            30,
            60,
            100,
        ),
        ("interpolate fill-level [ 90 55 ] / interpolate drop-probability [ 0 100 ]", 90, 55, 100),
        ("interpolate fill-level [ 55 90 ] / interpolate drop-probability [ 0 0 ]", 55, 90, 0),
        ("interpolate fill-level 50 / interpolate drop-probability 100", 50, 50, 100),
        ("interpolate fill-level [ 55 90 ] / interpolate drop-probability [ 1 100 ]", 0, 90, 100),
        (
            "interpolate fill-level [ 90 90 ] / interpolate drop-probability [ 100 100 ]",
            90,
            90,
            100,
        ),
        ("fill-level 30 drop-probability 0 / fill-level 60 drop-probability 40", 60, 60, 40),
        ("fill-level 30 drop-probability 10 / fill-level 60 drop-probability 40", 30, 60, 40),
    ],
)
def test_where_marking_begins_and_ends(curve: str, low: float, high: float, chance: float) -> None:
    lines = [f"drop-profiles D {part}" for part in curve.split(" / ")]
    marking = queue(*lines, ECN, DROPS).marking
    assert marking is not None
    assert (marking.kmin, marking.kmax, marking.pmax_percent) == (
        percent(low),
        percent(high),
        chance,
    )


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["interpolate fill-level [ 1 2 3 ]", "interpolate drop-probability [ 0 100 ]"],
            "drop profile D: 3 fill levels and 2 probabilities",
        ),
        (
            ["fill-level 130 drop-probability 10"],
            "percent '130', takes 0 to 100",
        ),
        (["interpolate fill-level x", "interpolate drop-probability 1"], "'x' is not a percentage"),
    ],
)
def test_an_invalid_curve_is_reported(lines: list[str], message: str) -> None:
    found = cos(*MAP, *(f"drop-profiles D {each}" for each in lines), ECN, DROPS)
    assert notes(found) == [(6, message)]
    marking = policy(found).queue(4)
    assert marking is not None
    assert (marking.marking.kmin, marking.marking.ecn) == (None, True)  # type: ignore[union-attr]


def test_traffic_control_profiles_lead_to_their_maps() -> None:
    found = cos(
        "forwarding-classes class X queue-num 4",
        "forwarding-class-sets SET class X",
        "traffic-control-profiles T scheduler-map M",
        "traffic-control-profiles T guaranteed-rate percent 50",
        "scheduler-maps M forwarding-class X scheduler S",
        "schedulers S explicit-congestion-notification",
        "interfaces et-0/0/0 forwarding-class-set SET output-traffic-control-profile T",
    )
    assert (qos(found).egress, line(qos(found), "egress")) == ("M", 9)
    assert policy(found).queue(4) is not None
    assert [s.name for s in found.structures if not s.defined] == []


def test_invalid_rates_are_reported() -> None:
    found = cos(
        *MAP,
        "schedulers S transmit-rate percent 120",
        "schedulers S shaping-rate fast",
        "interfaces et-0/0/0 shaping-rate 5q",
    )
    assert notes(found) == [
        (6, "percent '120', takes 0 to 100"),
        (7, "'fast' is not a rate"),
        (8, "'5q' is not a rate"),
    ]

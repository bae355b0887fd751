"""Shares, shapers and policers of the queue that a RoCE class uses."""

from __future__ import annotations

import pytest

from roce_lint.checks.classes.scheduling import policer_on_roce_class, roce_queue_without_share
from roce_lint.engine.api import Given, NoParams, Problem, Severity, Unknown
from roce_lint.model.device import Device
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import Match, MatchKind, QueueKind, Scheduler, SchedulerKind, ShareKind
from tests.unit.checks.judging import outcomes_of
from tests.unit.fabric import analysed, host, lines_of, port, switch


def leaf() -> Device:
    made = switch("leaf1", dscps={26: 3}, marked=(3,))
    port(made, "e1")
    return made


def given(*devices: Device) -> Given[NoParams]:
    analysis = analysed(*devices)
    return Given(NoParams(), analysis.fabric, analysis, RocePlan())


def schedule(
    device: Device,
    number: int,
    kind: SchedulerKind,
    share: float | None = None,
    of: ShareKind = ShareKind.REMAINING,
    *,
    stated: bool = True,
    shape: float | None = None,
) -> Scheduler:
    lines = lines_of(device)
    made = Scheduler(
        kind=kind, share=share, share_of=of if share is not None else None, shape_percent=shape,
        src=lines.src, at={"": lines.next()},
    )  # fmt: skip
    if stated:
        made.at["kind"] = lines.next()
        made.at["share"] = lines.next()
    device.qos.egress["out"].queues[QueueKind.UNICAST, number].scheduler = made
    return made


WEIGHTED, STRICT = SchedulerKind.WEIGHTED, SchedulerKind.STRICT


@pytest.mark.parametrize(
    ("others", "severity"),
    [
        ([(0, WEIGHTED, 100.0)], None),
        ([(0, WEIGHTED, 40.0), (1, WEIGHTED, 60.0)], None),
        ([(0, WEIGHTED, 40.0)], Severity.WARNING),
        ([(0, WEIGHTED, 40.0), (7, STRICT, None)], None),
        ([(7, STRICT, None)], None),
    ],
)
def test_no_share_is_as_grave_as_what_the_others_can_take(
    others: list[tuple[int, SchedulerKind, float | None]], severity: Severity | None
) -> None:
    device = leaf()
    mine = schedule(device, 3, WEIGHTED, 0.0)
    for number, kind, share in others:
        schedule(device, number, kind, share)
    (found,) = outcomes_of(roce_queue_without_share, given(device))
    assert isinstance(found, Problem)
    assert (found.severity, found.at[0].position) == (severity, mine.at["share"])


def test_weights_have_no_sum_that_leaves_something() -> None:
    device = leaf()
    schedule(device, 3, WEIGHTED, 0.0, ShareKind.WEIGHT)
    schedule(device, 0, WEIGHTED, 1.0, ShareKind.WEIGHT)
    (found,) = outcomes_of(roce_queue_without_share, given(device))
    assert isinstance(found, Problem)
    assert found.severity is None


def test_a_zero_that_nobody_wrote_warns() -> None:
    device = leaf()
    schedule(device, 3, WEIGHTED, 0.0, stated=False)
    schedule(device, 0, WEIGHTED, 100.0, stated=False)
    (found,) = outcomes_of(roce_queue_without_share, given(device))
    assert isinstance(found, Problem)
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(
    "others",
    [
        [],  # all queues alike
        [(0, WEIGHTED, 0.0, None)],  # all without share
        [(7, STRICT, None, 10.0)],  # a strict queue that is shaped takes no more than that
    ],
)
def test_nothing_is_said_where_nobody_takes_the_link(
    others: list[tuple[int, SchedulerKind, float | None, float | None]],
) -> None:
    device = leaf()
    schedule(device, 3, WEIGHTED, 0.0)
    for number, kind, share, shape in others:
        schedule(device, number, kind, share, shape=shape)
    assert list(outcomes_of(roce_queue_without_share, given(device))) == []


def test_a_missing_scheduler_counts_only_beside_stated_ones() -> None:
    device = leaf()
    assert list(outcomes_of(roce_queue_without_share, given(device))) == []
    schedule(device, 0, WEIGHTED, 50.0, ShareKind.WEIGHT)
    (found,) = outcomes_of(roce_queue_without_share, given(device))
    assert isinstance(found, Problem)
    assert (found.severity, found.value) == (Severity.WARNING, "queue 3: none")


def test_queues_that_are_not_known_are_unknown() -> None:
    device = leaf()
    device.interfaces["e1"].qos.egress = None
    (found,) = outcomes_of(roce_queue_without_share, given(device))
    assert found == Unknown("the egress queues of the port", found.at, "leaf1", ("e1",))


def police(device: Device, kind: MatchKind, *codes: int, drops: bool | None = None) -> Match:
    lines = lines_of(device)
    made = Match(
        kind=kind, values=frozenset(codes), class_name="C", tc=3, police_bps=10**10,
        police_drops=drops, src=lines.src, at={"": lines.next(), "police_bps": lines.next()},
    )  # fmt: skip
    device.qos.classifiers["map"].matches.append(made)
    return made


def test_a_policer_is_found_at_its_line() -> None:
    device = leaf()
    match = police(device, MatchKind.DSCP, 24, 26)
    (found,) = outcomes_of(policer_on_roce_class, given(device))
    assert isinstance(found, Problem)
    assert found.at[0].position == match.at["police_bps"]
    assert (found.value, found.traffic) == ("10 Gb/s", "RoCE DSCP 26")


def test_a_policer_of_other_traffic_is_nobodys_fault() -> None:
    device = leaf()
    police(device, MatchKind.DSCP, 46)
    assert list(outcomes_of(policer_on_roce_class, given(device))) == []


def test_an_access_list_may_take_the_packet_first() -> None:
    device = leaf()
    police(device, MatchKind.ACL)
    police(device, MatchKind.ANY)
    assert list(outcomes_of(policer_on_roce_class, given(device))) == []


def test_a_policer_that_marks_down_drops_nothing() -> None:
    device = leaf()
    police(device, MatchKind.DSCP, 26, drops=False)
    assert list(outcomes_of(policer_on_roce_class, given(device))) == []


def test_a_class_that_is_lossy_by_design_may_be_policed() -> None:
    device = switch("leaf1", dscps={26: 3})
    port(device, "e1", pauses=())
    police(device, MatchKind.DSCP, 26)
    sender = host("gpu1", "eth0", sends=26)
    analysis = analysed(device, sender, links=[((device, "e1"), (sender, "eth0"))])
    assert [t.name for t in analysis.data_classes] == ["RoCE DSCP 26"]
    judged = Given(NoParams(), analysis.fabric, analysis, RocePlan())
    assert list(outcomes_of(policer_on_roce_class, judged)) == []

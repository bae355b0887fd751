"""Branches of the ECN rules that the examples of their pages do not reach."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.nic import Flow
from roce_lint.model.plan import PlannedClass, RocePlan
from roce_lint.model.qos import QueueKind
from roce_lint.model.units import Threshold, ThresholdUnit
from tests.unit.checks.judging import missing, severities_and_values
from tests.unit.fabric import host, lines_of, port, switch


def marked(name: str, *queues: int) -> Device:
    made = switch(name, marked=queues)
    port(made, "e1")
    return made


def test_a_design_without_marking_is_legal() -> None:
    assert severities_and_values("ECN001", marked("leaf1")) == []


def test_a_marked_queue_that_nobody_uses_is_suspicious() -> None:
    assert severities_and_values("ECN001", marked("leaf1", 5)) == [("warning", "leaf1 e1 3 26 5")]


def test_a_marked_default_queue_is_for_other_traffic() -> None:
    assert severities_and_values("ECN001", marked("leaf1", 0)) == []


def test_a_plan_without_marking_settles_it() -> None:
    planned = PlannedClass(name="r", flow=Flow.DATA, dscps=(26,), lossless=True, marked=False)
    assert (
        severities_and_values("ECN001", marked("leaf1", 5), plan=RocePlan(classes=(planned,))) == []
    )


def test_unknown_marking_is_missing_where_the_design_marks() -> None:
    leaves = [marked("leaf1", 3), marked("leaf2", 3), marked("leaf3")]
    leaves[2].qos.egress["out"].complete = False
    del leaves[2].qos.egress["out"].queues[QueueKind.UNICAST, 3]
    spine = switch("spine1", marked=(3,))
    links = []
    for number, leaf in enumerate(leaves):
        port(leaf, "e49")
        port(spine, f"e{number}")
        links.append(((leaf, "e49"), (spine, f"e{number}")))
    assert severities_and_values("ECN001", *leaves, spine, links=links) == []
    assert missing("ECN001", *leaves, spine, links=links) == {"the ECN marking of the queue"}


def drops(made: Device) -> Device:
    marking = made.qos.egress["out"].queues[QueueKind.UNICAST, 3].marking
    marking.wred_drop = True
    marking.at["wred_drop"] = lines_of(made).next()
    return made


def test_dropping_early_is_wrong_for_a_lossless_class_and_not_elsewhere() -> None:
    assert [level for level, _ in severities_and_values("ECN002", drops(marked("leaf1")))] == [
        "error"
    ]
    lossy = drops(marked("leaf1"))
    lossy.interfaces["e1"].qos.pfc.generate = frozenset()
    gpu = host("gpu1", "ens1", sends=26)
    assert severities_and_values("ECN002", lossy, gpu) == []


def test_a_queue_that_marks_and_drops_is_no_fault() -> None:
    assert severities_and_values("ECN002", drops(marked("leaf1", 3))) == []


def thresholds(made: Device, kmin: Threshold | None) -> Device:
    marking = made.qos.egress["out"].queues[QueueKind.UNICAST, 3].marking
    assert marking is not None
    marking.kmin = kmin
    marking.at["kmin"] = lines_of(made).next()
    return made


def test_thresholds_that_are_not_known_do_not_differ_from_others() -> None:
    low, high = Threshold(100_000), Threshold(200_000)
    one, other = (
        thresholds(marked(name, 3), kmin) for name, kmin in (("leaf1", low), ("leaf2", high))
    )
    assert severities_and_values("ECN004", one, other) == [
        (
            "warning",
            "leaf2 e1 26 200 100",
        )
    ]
    unknown = thresholds(marked("leaf3", 3), None)
    assert severities_and_values("ECN004", one, unknown) == []


def test_one_probability_in_two_spellings_is_no_difference() -> None:
    one, other = (thresholds(marked(n, 3), Threshold(100_000)) for n in ("leaf1", "leaf2"))
    for made, share in ((one, 100), (other, 100.0)):
        marking = made.qos.egress["out"].queues[QueueKind.UNICAST, 3].marking
        marking.pmax_percent, marking.at["pmax_percent"] = share, lines_of(made).next()
    assert severities_and_values("ECN004", one, other) == []


def test_a_pair_that_cannot_work_is_not_compared_with_others() -> None:
    right, wrong = (
        thresholds(marked(name, 3), Threshold(low))
        for name, low in (("leaf1", 100_000), ("leaf2", 900_000))
    )
    for made in (right, wrong):
        marking = made.qos.egress["out"].queues[QueueKind.UNICAST, 3].marking
        marking.kmax, marking.at["kmax"] = Threshold(200_000), lines_of(made).next()
    assert [level for level, _ in severities_and_values("ECN003", wrong)] == ["error"]
    assert severities_and_values("ECN004", right, wrong) == []


def test_depths_without_a_unit_are_compared_with_each_other() -> None:
    made = thresholds(marked("leaf1", 3), Threshold(1000, ThresholdUnit.UNITS))
    marking = made.qos.egress["out"].queues[QueueKind.UNICAST, 3].marking
    marking.kmax, marking.at["kmax"] = Threshold(200, ThresholdUnit.UNITS), lines_of(made).next()
    assert severities_and_values("ECN003", made) == [
        (
            "error",
            "leaf1 3 1000 200",
        )
    ]


def test_one_threshold_is_half_a_pair_only_where_there_could_be_two() -> None:
    made = thresholds(marked("leaf1", 3), Threshold(1000))
    assert [level for level, _ in severities_and_values("ECN003", made)] == ["warning"]
    marking = made.qos.egress["out"].queues[QueueKind.UNICAST, 3].marking
    marking.at["kmax"] = -1  # a cited default says that the system has no other
    assert severities_and_values("ECN003", made) == []

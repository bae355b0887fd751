"""Renumbered classes and queues are not a difference; a changed DSCP treatment is."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.qos import Marking, QueueKind
from roce_lint.model.units import Threshold
from tests.diff.compared import change_lines, compared
from tests.unit.fabric import IDENTITY, port, switch


def leaf(tc: int, *, marked: int, spare: int = 0) -> Device:
    """A switch on which DSCP 26 is in class `tc`, paused with priority 3."""
    other = {**IDENTITY, tc: 3, 3: tc}
    device = switch("leaf1", dscps={26: tc}, otherwise=spare, priorities=other, marked=(marked,))
    for name in ("e1", "e2"):
        port(device, name)
    return device


def test_another_number_of_a_class_that_is_treated_alike() -> None:
    assert change_lines(compared(leaf(3, marked=3), leaf(4, marked=4))) == []
    assert change_lines(compared(leaf(3, marked=3), leaf(6, marked=6))) == []


def test_a_class_whose_queue_does_not_mark() -> None:
    found = change_lines(compared(leaf(3, marked=3), leaf(4, marked=3)))
    assert "interfaces[e1].qos.classifier.dscp_to_tc[26]: 3 -> 4" in found
    assert len([text for text in found if "[e1]" in text]) == len(
        [text for text in found if "[e2]" in text]
    )


def test_a_code_point_that_joins_the_class() -> None:
    """Its queue is the same for all that were in it; but it is not alone any more."""
    a, b = leaf(3, marked=3), leaf(3, marked=3)
    b.qos.classifiers["map"].dscp_to_tc.entries[0] = 3
    assert "interfaces[e1].qos.classifier.dscp_to_tc[0]: 0 -> 3" in change_lines(compared(a, b))


def test_the_queue_of_a_class_that_no_code_point_has() -> None:
    a, b = leaf(3, marked=3), leaf(3, marked=3)
    b.qos.forwardings["maps"].tc_to_queue.entries[6] = 5
    assert change_lines(compared(a, b)) == []
    b.qos.forwardings["maps"].tc_to_queue.entries[3] = 5
    assert change_lines(compared(a, b))[0] == "interfaces[e1].qos.forwarding.tc_to_queue[3]: 3 -> 5"


def test_contents_of_a_queue_that_nothing_is_in_count() -> None:
    a, b = leaf(3, marked=3), leaf(3, marked=3)
    b.qos.egress["out"].queues[QueueKind.UNICAST, 6].marking = Marking(ecn=True)
    assert change_lines(compared(a, b)) == [
        f"interfaces[{name}].qos.egress.queues[6].marking.ecn: no -> yes" for name in ("e1", "e2")
    ]


def test_a_policy_that_no_port_uses_is_no_difference() -> None:
    a, b = leaf(3, marked=3), leaf(3, marked=3)
    b.qos.egress["spare"] = b.qos.egress["out"]
    b.qos.egress["renamed"] = b.qos.egress.pop("out")
    for each in b.interfaces.values():
        assert each.qos is not None
        each.qos.egress = "renamed"
    assert change_lines(compared(a, b)) == []


def test_a_reference_to_another_object_that_both_know() -> None:
    a, b = leaf(3, marked=3), leaf(3, marked=3)
    for device in (a, b):
        twin = leaf(3, marked=3).qos.egress["out"]
        marking = twin.queues[QueueKind.UNICAST, 3].marking
        assert marking is not None
        marking.kmin = Threshold(1000)
        twin.name = "low"
        device.qos.egress["low"] = twin
        for each in device.interfaces.values():
            assert each.qos is not None
            each.qos.at["egress"] = 1
    qos = b.interfaces["e1"].qos
    assert qos is not None
    qos.egress = "low"
    (found,) = compared(a, b)
    assert change_lines([found]) == ["interfaces[e1].qos.egress: out -> low"]
    assert [str(each.path) for each in found.inner] == [
        "leaf1 interfaces[e1].qos.egress.queues[3].marking.kmin"
    ]

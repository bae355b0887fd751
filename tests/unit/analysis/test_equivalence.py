"""Identically configured ports share results, and keep their own lines."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from roce_lint.analysis.equivalence import ContentIds, Treatments
from roce_lint.analysis.representatives import find_kinds
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import treatment
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.interface import Interface
from roce_lint.model.qos import QueueKind
from tests.unit.fabric import egress, lines_of, port, switch


def with_queues(leaf: Device, name: str, marked: Iterable[int] = (3,)) -> Interface:
    """A port with a separate egress policy, named after it."""
    made = port(leaf, name)
    policy = leaf.qos.egress[name] = egress(lines_of(leaf), marked)
    policy.name = name
    assert made.qos is not None
    made.qos.egress = name
    return made


@pytest.fixture
def leaf() -> Device:
    return switch("leaf1")


def test_objects_that_say_the_same_have_one_number(leaf: Device) -> None:
    one, two = (with_queues(leaf, name) for name in ("e1", "e2"))
    other = with_queues(leaf, "e3", marked=(4,))
    contents = ContentIds()
    numbers = [contents.of(leaf.qos.egress[made.name]) for made in (one, two, other)]
    assert numbers[0] == numbers[1] != numbers[2]
    assert contents.of(None) is None


def test_a_line_and_a_default_are_not_the_same(leaf: Device) -> None:
    one, two = (leaf.qos.egress[with_queues(leaf, name).name] for name in ("e1", "e2"))
    marking = two.queues[QueueKind.UNICAST, 3].marking
    assert marking is not None
    marking.at["ecn"] = -1
    contents = ContentIds()
    assert contents.of(one) != contents.of(two)


def test_what_is_shared_has_the_places_of_each_port(leaf: Device) -> None:
    one, two = (with_queues(leaf, name) for name in ("e1", "e2"))
    treatments = Treatments()
    shared = [treatments.of(leaf, made, 26).egress for made in (one, two)]
    exact = [treatment(leaf, made, 26).egress for made in (one, two)]
    assert shared[1]._values is shared[0]  # type: ignore[attr-defined]
    for seen, known in zip(shared, exact, strict=True):
        assert seen.marking is known.marking
        assert seen.marks_where == known.marks_where
        assert (seen.queue, seen.marks, seen.scheduler) == (3, True, None)
    assert shared[0].marks_where != shared[1].marks_where


def test_another_marking_is_not_shared(leaf: Device) -> None:
    one, other = with_queues(leaf, "e1"), with_queues(leaf, "e2", marked=())
    treatments = Treatments()
    assert [treatments.of(leaf, made, 26).egress.marks for made in (one, other)] == [True, False]


def test_ports_with_queues_and_addresses_of_their_own_are_of_one_kind(leaf: Device) -> None:
    ports = [with_queues(leaf, name) for name in ("e1", "e2")]
    ports.append(with_queues(leaf, "e3", marked=(4,)))
    for number, made in enumerate(ports):
        made.addresses = (f"10.0.{number}.1/31",)
        made.at[made.addresses[0]] = lines_of(leaf).next()
    judged = [JudgedPort(leaf, made, 0, None, faces_host=True) for made in ports]
    analysis = Analysis(Fabric(devices={"leaf1": leaf}), ports=judged)
    find_kinds(analysis)
    assert [(kind.interface.name, count) for kind, count in analysis.kinds] == [
        ("e1", 2),
        ("e3", 1),
    ]

"""ECN thresholds against the ASIC, the port speed, and other devices of the tier."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Asic, Device, Role
from roce_lint.model.units import Threshold, ThresholdUnit
from tests.unit.checks.judging import judged, severities_and_values
from tests.unit.fabric import Ends, lines_of, port, switch


def box(
    name: str,
    kmin: float,
    kmax: float,
    *,
    gbps: float | None = 400.0,
    role: Role | None = Role.LEAF,
    nos: str = "made",
    unit: ThresholdUnit = ThresholdUnit.BYTES,
    weight: int | None = None,
) -> Device:
    made = switch(name, marked=(3,), role=role, nos=nos)
    lines = lines_of(made)
    own = port(made, "e1")
    if gbps is not None:
        own.speed_gbps, own.at["speed_gbps"] = gbps, lines.next()
    marking = next(q.marking for q in made.qos.egress["out"].queues.values() if q.number == 3)
    assert marking is not None
    marking.kmin, marking.kmax = Threshold(kmin, unit), Threshold(kmax, unit)
    marking.averaged_over = weight
    for field in ("kmin", "kmax", "averaged_over"):
        marking.at[field] = lines.next()
    return made


def odd(rule: str, *devices: Device, links: list[Ends] | None = None) -> list[str]:
    return [found.device for found in judged(rule, *devices, links=links or []).findings]


USUAL = 150_000, 1_500_000


@pytest.mark.parametrize(
    ("kmin", "asic", "expected"),
    [
        (2_000_000, Asic("Made", "a document", buffer_bytes=1_000_000), ["error"]),
        (900_000, Asic("Made", "a document", buffer_bytes=1_000_000), []),
        (2_000_000, Asic("Made", "hearsay", confirmed=False, buffer_bytes=1_000_000), ["warning"]),
        (2_000_000, Asic("Made", "a document"), []),
        (2_000_000, None, []),
    ],
)
def test_kmin_beyond_the_asic(kmin: float, asic: Asic | None, expected: list[str]) -> None:
    device = box("leaf1", kmin, 3_000_000)
    device.asic = asic
    assert [severity for severity, _ in severities_and_values("ECN010", device)] == expected


@pytest.mark.parametrize(
    ("kmin", "gbps", "expected"),
    [
        (49_999, 400.0, True),
        (50_000, 400.0, False),
        (5_000, 40.0, False),  # DCQCN as first deployed
        (12_000, 100.0, True),
        (12_000, None, False),
    ],
)
def test_kmin_of_less_than_a_microsecond(kmin: float, gbps: float | None, expected: bool) -> None:
    assert (
        bool(severities_and_values("ECN012", box("leaf1", kmin, 2_000_000, gbps=gbps))) is expected
    )


def test_a_box_far_from_its_tier() -> None:
    boxes = [box(name, *USUAL, nos=nos) for name, nos in (("a", "one"), ("b", "two"))]
    assert odd("ECN011", *boxes, box("c", 15_000, 100_000)) == ["c"]
    assert odd("ECN011", *boxes, box("c", 20_000, 200_000)) == []  # 7.5 apart
    assert odd("ECN011", *boxes, box("c", *USUAL, role=Role.SPINE)) == []


def test_the_same_at_another_speed_is_usual_and_so_is_what_grows_with_it() -> None:
    plain = [box("a", *USUAL), box("b", *USUAL), box("c", *USUAL, gbps=25.0)]
    assert odd("ECN011", *plain) == []
    grown = [box("a", 1_600_000, 6_400_000), box("c", 100_000, 400_000, gbps=25.0)]
    assert odd("ECN011", *grown) == []


def test_one_against_one_is_told_once_and_blames_neither() -> None:
    assert len(severities_and_values("ECN011", box("a", *USUAL), box("b", 5_000, 50_000))) == 1


def test_percent_is_not_compared_with_bytes() -> None:
    other = box("c", 40, 80, unit=ThresholdUnit.PERCENT)
    assert odd("ECN011", box("a", *USUAL), box("b", *USUAL), other) == []


@pytest.mark.parametrize(
    ("core", "expected"),
    [
        ((15_000, 25_000), ["core1"]),  # far from the other end, and below all that is published
        ((150_000, 1_500_000), []),
        ((2_000_000, 10_000_000), []),  # with memory outside: published, if far
    ],
)
def test_two_ends_of_a_link_whose_speed_nobody_states(
    core: tuple[float, float], expected: list[str]
) -> None:
    leaf = box("leaf1", 200_000, 2_500_000, gbps=None, role=None)
    spine = box("core1", *core, gbps=None, role=None)
    assert odd("ECN011", leaf, spine, links=[((leaf, "e1"), (spine, "e1"))]) == expected


@pytest.mark.parametrize(("weight", "expected"), [(None, False), (0, False), (1, True), (9, True)])
def test_a_depth_that_is_averaged(weight: int | None, expected: bool) -> None:
    assert bool(severities_and_values("ECN013", box("leaf1", *USUAL, weight=weight))) is expected


def test_boxes_of_unknown_make_are_equals_only_by_their_ports() -> None:
    boxes = [box("a", *USUAL), box("b", *USUAL), box("c", 300_000, 3_000_000)]
    assert odd("ECN004", *boxes) == ["c"]
    port(boxes[2], "e2", pauses=())
    assert odd("ECN004", *boxes) == []
    for each in boxes:
        each.partial = True
        each.interfaces.pop("e2", None)
    assert odd("ECN004", *boxes) == []

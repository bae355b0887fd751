"""Length of a cable: which of several statements counts, and what contradicts what."""

from __future__ import annotations

import pytest

from roce_lint.analysis.cable import Cables, CableSource
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Fabric
from roce_lint.model.interface import Interface
from roce_lint.model.qos import HeadroomModel
from roce_lint.text.source import Where
from tests.unit.checks.judging import missing, severities_and_values
from tests.unit.fabric import CONFIRMED, fabric, lines_of, port, switch


def port_with_length(
    device: Device, name: str, metres: float, position: int | None = None
) -> Interface:
    """A port with a cable length, on a new line or a given one."""
    made = device.interfaces.get(name) or port(device, name)
    made.cable_m = metres
    made.at["cable_m"] = lines_of(device).next() if position is None else position
    return made


def assumed(device: Device, metres: float) -> int:
    """The position of a length that the platform takes by itself."""
    for made in device.interfaces.values():
        made.cable_m = metres
        made.at["cable_m"] = device.src.cite(CONFIRMED)
    return device.src.cite(CONFIRMED)


def pair(near: float | None, far: float | None) -> tuple[Device, Device]:
    devices = switch("leaf1", marked=(3,)), switch("spine1", marked=(3,))
    for device, metres in zip(devices, (near, far), strict=True):
        port(device, "e1")
        if metres is not None:
            port_with_length(device, "e1", metres)
    return devices


def linked(*devices: Device, plan: float | None = None) -> Fabric:
    made = fabric(*devices, links=[((devices[0], "e1"), (devices[1], "e1"))])
    (link,) = made.links
    if plan is not None:
        link.cable_m, link.where = plan, (Where(lines_of(devices[0]).src, 1),)
    return made


def length(made: Fabric) -> tuple[float, CableSource] | None:
    found = Cables(made).of_link(made.links[0])
    return (found.metres, found.source) if found is not None else None


def test_the_plan_goes_before_everything() -> None:
    assert length(linked(*pair(5, 40), plan=70)) == (70, CableSource.PLAN)


def test_a_line_of_the_port_goes_before_one_for_the_whole_box() -> None:
    leaf, spine = pair(5, None)
    line = lines_of(spine).next()
    port_with_length(spine, "e1", 40, line)
    port_with_length(spine, "e2", 40, line)
    assert length(linked(leaf, spine)) == (5, CableSource.PORT)
    assert severities_and_values("LNK005", leaf, spine, links=[((leaf, "e1"), (spine, "e1"))]) == []


def test_what_the_box_is_told_goes_before_what_the_platform_takes() -> None:
    leaf, spine = pair(None, None)
    assumed(spine, 100)
    assert length(linked(leaf, spine)) == (100, CableSource.DEFAULT)
    line = lines_of(leaf).next()
    port_with_length(leaf, "e1", 30, line)
    port_with_length(leaf, "e2", 30, line)
    assert length(linked(leaf, spine)) == (30, CableSource.DEVICE)


def test_of_two_ends_that_are_as_exact_the_longer_one() -> None:
    assert length(linked(*pair(5, 40))) == (40, CableSource.PORT)


def test_a_length_of_zero_says_nothing() -> None:
    assert length(linked(*pair(0, None))) is None
    assert length(linked(*pair(0, 40))) == (40, CableSource.PORT)


def test_a_row_of_a_table_is_the_next_longer_one() -> None:
    leaf, spine = pair(31, 40)
    spine.system.headroom = HeadroomModel.STATIC
    assert length(linked(leaf, spine)) == (31, CableSource.PORT)
    spine.system.headroom, spine.limits.cable_steps_m = None, (5.0, 40.0, 300.0)
    assert length(linked(leaf, spine)) == (31, CableSource.PORT)


Lengths = tuple[float, float]


@pytest.mark.parametrize(
    ("lengths", "coarse", "expected"),
    [
        ((5, 40), (), True),
        ((40, 40), (), False),
        ((5, 40), ("spine1",), False),  # the longer one is for the longest of many cables
        ((5, 40), ("leaf1",), True),  # the shorter one is too short for this one
        ((5, 40), ("leaf1", "spine1"), True),
    ],
)
def test_what_contradicts(lengths: Lengths, coarse: tuple[str, ...], expected: bool) -> None:
    leaf, spine = pair(*lengths)
    for device in (leaf, spine):
        if device.hostname in coarse:
            port_with_length(device, "e2", 1, device.interfaces["e1"].at["cable_m"])
    found = severities_and_values("LNK005", leaf, spine, links=[((leaf, "e1"), (spine, "e1"))])
    assert bool(found) is expected


@pytest.mark.parametrize(
    ("plan", "ports"),
    [(4, set()), (5, set()), (39, {"leaf1"}), (41, {"leaf1", "spine1"})],
)
def test_headroom_for_a_shorter_cable_than_planned(plan: float, ports: set[str]) -> None:
    leaf, spine = pair(5, 40)
    found = severities_and_values(
        "BUF011", leaf, spine, links=[((leaf, "e1"), (spine, "e1"))], cable_m=plan
    )
    assert {message.split()[0] for _, message in found} == ports
    assert {severity for severity, _ in found} <= {"warning"}


def test_lengths_that_differ_are_judged_by_the_plan_alone() -> None:
    leaf, spine = pair(5, 40)
    links = [((leaf, "e1"), (spine, "e1"))]
    assert len(severities_and_values("LNK005", leaf, spine, links=links)) == 1
    assert severities_and_values("LNK005", leaf, spine, links=links, cable_m=4) == []


def test_what_a_driver_assumes_is_too_short_for_a_planned_cable_and_contradicts_nobody() -> None:
    leaf, nic = switch("leaf1", marked=(3,)), switch("node1", role=Role.HOST)
    port_with_length(leaf, "e1", 40)
    port_with_length(nic, "e1", 7)
    nic.limits.assumed_cable_m = 7
    links = [((leaf, "e1"), (nic, "e1"))]
    assert severities_and_values("LNK005", leaf, nic, links=links) == []


def test_a_length_that_nobody_tells_is_not_known() -> None:
    leaf, spine = pair(None, 40)
    links = [((leaf, "e1"), (spine, "e1"))]
    lacking = missing("BUF011", leaf, spine, links=links, cable_m=30)
    assert lacking == {"the cable length that the headroom of the port is sized for"}
    leaf.limits.headroom_cable_m = 100
    assert missing("BUF011", leaf, spine, links=links, cable_m=30) == set()

"""Cable lengths against headroom tables and the platform's own headroom, and stated buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from roce_lint.checks.buffers.lossless import (
    cable_length_outside_headroom_table,
    long_cable_without_pause_buffer,
    lossless_class_without_buffer,
    pause_buffer_without_headroom,
)
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem
from roce_lint.model.buffer import BufferProfile, IngressBuffer
from roce_lint.model.device import Device
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import HeadroomModel
from tests.unit.checks.judging import outcomes_of, taken_in, values
from tests.unit.fabric import analysed, lines_of, port, switch

Check = Callable[[Fabric, Given[NoParams]], Iterator[Outcome]]


def leaf(cable: float | None = 50.0, model: HeadroomModel = HeadroomModel.STATIC) -> Device:
    made = switch("leaf1", dscps={26: 3}, priorities={3: 3}, marked=(3,))
    made.system.headroom, made.system.headroom_in_file = model, True
    own = port(made, "e1")
    own.speed_gbps, own.cable_m = 100.0, cable
    own.at["cable_m"] = lines_of(made).next()
    return made


def table(device: Device, *rows: tuple[float, float]) -> Device:
    lines = lines_of(device)
    for row in rows:
        device.headroom_table[row] = BufferProfile(src=lines.src, at={"": lines.next()})
    return device


def buffer(device: Device, **fields: object) -> BufferProfile:
    """Give priority group 3 of the port a stated, lossless profile."""
    lines = lines_of(device)
    profile = BufferProfile(name="stated", lossless=True, src=lines.src, at={"": lines.next()})
    for name, value in fields.items():
        setattr(profile, name, value)
        profile.at[name] = lines.next()
    device.qos.ingress_buffers["in"] = IngressBuffer(
        name="in", groups={3: profile}, src=lines.src, at={"": lines.next(), 3: lines.next()}
    )
    qos = device.interfaces["e1"].qos
    assert qos is not None
    qos.ingress_buffer = "in"
    return profile


def problems_of(check: Check, *devices: Device, cable: float | None = None) -> list[Problem]:
    links = [tuple((device, "e1") for device in devices)] if len(devices) == 2 else []
    analysis = analysed(*devices, links=links)
    for link in analysis.fabric.links:
        link.cable_m = cable
        link.where = (devices[0].interfaces["e1"].where(),)
    given = Given(NoParams(), analysis.fabric, analysis, RocePlan())
    return [found for found in outcomes_of(check, given) if isinstance(found, Problem)]


def test_a_length_that_the_table_lacks() -> None:
    device = table(leaf(), (100.0, 40.0), (100.0, 5.0), (400.0, 50.0))
    (found,) = problems_of(cable_length_outside_headroom_table, device)
    assert found.value == "100/50"
    assert values(found.message).endswith("5 40")
    first, row, _ = found.at
    assert first.position == device.interfaces["e1"].at["cable_m"]
    assert row.position == device.headroom_table[100.0, 40.0].at[""]


def test_a_speed_that_the_table_lacks() -> None:
    (found,) = problems_of(cable_length_outside_headroom_table, table(leaf(), (400.0, 50.0)))
    assert "speed" in found.message


@pytest.mark.parametrize(
    "device",
    [
        leaf(),  # no table among the files
        table(leaf(), (100.0, 50.0)),
        table(leaf(0.0), (100.0, 5.0)),
        table(leaf(None), (100.0, 5.0)),
        table(leaf(model=HeadroomModel.DYNAMIC), (100.0, 5.0)),
    ],
)
def test_a_table_judges_only_what_it_is_asked_for(device: Device) -> None:
    assert problems_of(cable_length_outside_headroom_table, device) == []


def test_a_stated_size_needs_no_table() -> None:
    device = table(leaf(), (100.0, 5.0))
    buffer(device, reserved_bytes=1000)
    assert problems_of(cable_length_outside_headroom_table, device) == []


def test_the_missing_buffer_is_not_told_twice() -> None:
    assert len(problems_of(lossless_class_without_buffer, leaf())) == 1
    short = table(leaf(), (100.0, 5.0))
    assert len(problems_of(lossless_class_without_buffer, short)) == 1
    assert taken_in("BUF001 BUF004", short) == [("BUF004", ("BUF001",))]


def limited(cable: float | None) -> Device:
    device = leaf(cable, HeadroomModel.PLATFORM)
    device.limits.headroom_cable_m = 100.0
    return device


def test_a_cable_longer_than_the_platform_covers() -> None:
    device = limited(300.0)
    (found,) = problems_of(long_cable_without_pause_buffer, device)
    assert found.value == "300 m"
    maps = device.qos.forwardings["maps"]
    assert found.at[0].position == maps.tc_to_pfc_priority.at[3]
    assert found.at[1].position == device.interfaces["e1"].at["cable_m"]


def test_the_plan_may_know_the_length() -> None:
    spine = switch("spine1", dscps={26: 3}, priorities={3: 3})
    port(spine, "e1")
    (found,) = problems_of(long_cable_without_pause_buffer, limited(None), spine, cable=101.0)
    assert (found.device, found.value) == ("leaf1", "101 m")
    assert problems_of(long_cable_without_pause_buffer, limited(None), spine, cable=100.0) == []


def test_a_stated_buffer_or_no_limit_is_no_fault() -> None:
    device = limited(300.0)
    buffer(device, reserved_bytes=100_000, xoff_bytes=50_000)
    assert problems_of(long_cable_without_pause_buffer, device) == []
    assert problems_of(long_cable_without_pause_buffer, leaf(300.0, HeadroomModel.PLATFORM)) == []
    assert problems_of(long_cable_without_pause_buffer, limited(None)) == []


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"reserved_bytes": 46_800, "xoff_bytes": 0}, ["46800:0"]),
        ({"reserved_bytes": 46_800, "xoff_bytes": 1}, []),
        ({"reserved_bytes": 46_800}, []),
        ({"xoff_bytes": 0, "computed": True}, []),
        ({"xoff_bytes": 0, "lossless": False}, []),
    ],
)
def test_a_pause_buffer_needs_room(fields: dict[str, object], found: list[str]) -> None:
    device = limited(None)
    profile = buffer(device, **fields)
    problems = problems_of(pause_buffer_without_headroom, device)
    assert [problem.value for problem in problems] == found
    assert all(problem.at[0].position == profile.at["xoff_bytes"] for problem in problems)


def test_a_buffer_without_a_stated_size_has_none_in_the_message() -> None:
    device = limited(None)
    buffer(device, xoff_bytes=0)
    (problem,) = problems_of(pause_buffer_without_headroom, device)
    assert values(problem.message) == "leaf1 e1 26"

"""Headroom that is stated in bytes: what it has to hold at least, its equals, and the ASIC."""

from __future__ import annotations

import pytest

from roce_lint.model.buffer import BufferPool, BufferProfile, IngressBuffer
from roce_lint.model.device import Asic, Device, Role
from roce_lint.model.qos import HeadroomModel
from tests.unit.checks.judging import judged, missing, severities_and_values
from tests.unit.fabric import CONFIRMED, host, lines_of, port, switch

FRAME = 9216 + 18
"""The largest frame of a port of MTU 9216."""

ROCE = 4096 + 64 + 18
"""The largest frame that a host with an RDMA MTU of 4096 sends."""


def leaf(
    name: str = "leaf1",
    xoff: int = 300_000,
    *,
    gbps: float | None = 400.0,
    metres: float | None = 40.0,
    mtu: int = 9216,
    model: str | None = "Made-Up-32",
) -> Device:
    made = switch(name, dscps={26: 3}, priorities={3: 3}, marked=(3,), role=Role.LEAF)
    made.model, made.system.headroom = model, HeadroomModel.STATIC
    own = port(made, "e1", mtu=mtu)
    lines = lines_of(made)
    for field, value in (("speed_gbps", gbps), ("cable_m", metres)):
        if value is not None:
            setattr(own, field, value)
            own.at[field] = lines.next()
    profile = BufferProfile(
        name="stated", lossless=True, xoff_bytes=xoff, src=lines.src, at={"": lines.next()}
    )
    profile.at["xoff_bytes"] = lines.next()
    made.qos.ingress_buffers["in"] = IngressBuffer(
        name="in", groups={3: profile}, src=lines.src, at={"": lines.next(), 3: lines.next()}
    )
    assert own.qos is not None
    own.qos.ingress_buffer = "in"
    return made


def severities(rule: str, *devices: Device) -> list[str]:
    return [severity for severity, _ in severities_and_values(rule, *devices)]


LEAST = 64 + FRAME + 40 * 400 * 1.25
"""Pause frame, a frame the other way, and 40 m at 400 Gb/s both ways."""


@pytest.mark.parametrize(
    ("xoff", "expected"),
    [
        (14_000, ["error"]),
        (int(LEAST) - 1, ["error"]),
        (int(LEAST) + 1, ["warning"]),  # no host says that its packets have 4096 bytes
        (int(LEAST) + ROCE + 1, ["warning"]),  # the other end would have to stop at once
        (300_000, []),
    ],
)
def test_what_every_link_needs(xoff: int, expected: list[str]) -> None:
    assert severities("BUF012", leaf(xoff=xoff)) == expected


def test_what_a_host_sends_is_certain() -> None:
    device, gpu = leaf(xoff=int(LEAST) + 1), host("gpu1", "ens1", sends=26, rdma_mtu=4096)
    links = [((device, "e1"), (gpu, "ens1"))]
    assert [
        severity for severity, _ in severities_and_values("BUF012", device, gpu, links=links)
    ] == ["error"]


@pytest.mark.parametrize(("metres", "expected"), [(5.0, []), (300.0, ["error"])])
def test_the_length_counts(metres: float, expected: list[str]) -> None:
    assert severities("BUF012", leaf(xoff=40_000, metres=metres)) == expected


def test_a_length_that_the_platform_takes_by_itself_only_warns() -> None:
    device = leaf(xoff=40_000, metres=300.0)
    device.interfaces["e1"].at["cable_m"] = device.src.cite(CONFIRMED)
    assert severities("BUF012", device) == ["warning"]


def test_frames_that_do_not_fit_need_neither_speed_nor_length() -> None:
    assert severities("BUF012", leaf(xoff=9_000, gbps=None, metres=None)) == ["error"]


def test_what_would_settle_it() -> None:
    """Enough for a short cable, but not for the longest, and no length is known."""
    doubtful = leaf(xoff=60_000, metres=None)
    assert severities_and_values("BUF012", doubtful) == []
    assert missing("BUF012", doubtful) == {"the cable length of a port with configured headroom"}
    assert missing("BUF012", leaf(xoff=200_000, metres=None)) == set()
    assert missing("BUF012", leaf(xoff=25_000, gbps=None)) == {
        "the speed of a port with configured headroom"
    }


def test_what_the_maker_ships_is_right() -> None:
    device = leaf(xoff=14_000)
    device.asic = Asic("Made", "made for the test", shipped=frozenset({(400.0, 40.0, 14_000)}))
    assert severities_and_values("BUF012", device) == []
    device.asic = Asic("Made", "made for the test", shipped=frozenset({(400.0, 5.0, 14_000)}))
    assert severities("BUF012", device) == ["error"]
    lines = lines_of(device)
    row = BufferProfile(xoff_bytes=14_000, src=lines.src, at={"": lines.next()})
    device.headroom_table[400.0, 40.0] = row
    assert severities_and_values("BUF012", device) == []


def test_a_headroom_of_nothing_and_one_that_is_computed_are_no_matter_of_size() -> None:
    assert severities_and_values("BUF012", leaf(xoff=0)) == []
    device = leaf(xoff=14_000)
    device.qos.ingress_buffers["in"].groups[3].computed = True
    assert severities_and_values("BUF012", device) == []


def test_one_of_equals_has_less() -> None:
    (found,) = judged("BUF013", leaf("a"), leaf("b"), leaf("c", 250_000)).findings
    assert (found.severity.label, found.device) == ("warning", "c")


def test_one_of_equals_has_more() -> None:
    (found,) = judged("BUF013", leaf("a"), leaf("b"), leaf("c", 350_000)).findings
    assert (found.severity.label, found.device) == ("warning", "c")


def test_what_the_maker_ships_is_not_odd() -> None:
    odd = leaf("c", 350_000)
    odd.asic = Asic("Made", "made for the test", shipped=frozenset({(400.0, 40.0, 350_000)}))
    others = [leaf("a"), leaf("b")]
    for each in others:
        each.asic = Asic("Made", "made for the test")
    assert severities_and_values("BUF013", *others, odd) == []
    odd.asic = others[0].asic
    assert severities("BUF013", *others, odd) == ["warning"]


@pytest.mark.parametrize(
    "other",
    [
        leaf("c", 250_000, model="Another"),
        leaf("c", 250_000, gbps=200.0),
        leaf("c", 250_000, metres=5.0),
        leaf("c", 250_000, mtu=4200),
        leaf("c", 250_000, metres=None),
    ],
    ids=["model", "speed", "length", "MTU", "length not known"],
)
def test_what_is_not_alike(other: Device) -> None:
    assert severities_and_values("BUF013", leaf("a"), leaf("b"), other) == []


def test_boxes_of_unknown_make_are_alike_only_by_their_ports() -> None:
    boxes = [leaf(name, model=None) for name in "ab"] + [leaf("c", 250_000, model=None)]
    assert len(severities_and_values("BUF013", *boxes)) == 1
    port(boxes[2], "e2", pauses=())
    assert severities_and_values("BUF013", *boxes) == []
    for box in boxes:
        box.partial = True
    assert severities_and_values("BUF013", *boxes) == []


def test_two_that_differ_and_nothing_is_usual() -> None:
    assert severities_and_values("BUF013", leaf("a"), leaf("b", 250_000)) == []


def pooled(size: int, asic: Asic | None) -> Device:
    device = leaf()
    lines = lines_of(device)
    device.asic = asic
    device.pools["p"] = BufferPool(
        name="p", size_bytes=size, src=lines.src, at={"": lines.next(), "size_bytes": lines.next()}
    )
    return device


@pytest.mark.parametrize(
    ("size", "asic", "expected"),
    [
        (1001, Asic("Made", "a document", buffer_bytes=1000), ["error"]),
        (1000, Asic("Made", "a document", buffer_bytes=1000), []),
        (1001, Asic("Made", "hearsay", confirmed=False, buffer_bytes=1000), ["warning"]),
        (1001, Asic("Made", "a document"), []),  # memory outside
        (1001, None, []),
    ],
)
def test_a_pool_beyond_the_asic(size: int, asic: Asic | None, expected: list[str]) -> None:
    assert severities("BUF014", pooled(size, asic)) == expected

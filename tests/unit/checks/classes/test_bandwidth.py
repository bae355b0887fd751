"""CNP's queue, strict queues, sums of shares, shapers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from roce_lint.checks.classes.scheduling import (
    cnp_in_bulk_queue,
    roce_queue_without_share,
    shaper_on_roce_class,
    shares_above_hundred_percent,
    strict_roce_queue_without_limit,
)
from roce_lint.engine.api import (
    BoundObject,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Unknown,
)
from roce_lint.model.device import Device
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import QueueKind, Scheduler, SchedulerKind, ShareKind
from tests.unit.checks.judging import judged, outcomes_of
from tests.unit.fabric import analysed, host, lines_of, port, switch

WEIGHTED, STRICT = SchedulerKind.WEIGHTED, SchedulerKind.STRICT
REMAINING, LINK, WEIGHT = ShareKind.REMAINING, ShareKind.LINK, ShareKind.WEIGHT


def leaf(cnp: int = 6) -> Device:
    made = switch("leaf1", dscps={26: 3, 48: cnp}, marked=(3,))
    port(made, "e1").speed_gbps = 400.0
    return made


def given(*devices: Device) -> Given[NoParams]:
    leaf1, *hosts = devices
    links = [((leaf1, "e1"), (gpu, "eth0")) for gpu in hosts]
    analysis = analysed(*devices, links=links)
    return Given(NoParams(), analysis.fabric, analysis, RocePlan())


def schedule(device: Device, number: int, **fields: object) -> Scheduler:
    """Give a queue a scheduler whose every field has a line."""
    lines = lines_of(device)
    made = Scheduler(src=lines.src, at={"": lines.next()})
    for name, value in fields.items():
        setattr(made, name, value)
        made.at[name] = lines.next()
    device.qos.egress["out"].queues[QueueKind.UNICAST, number].scheduler = made
    return made


Check = Callable[[Fabric, Given[NoParams]], Iterator[Outcome]]


def values_and_lines(check: Check, *devices: Device) -> list[tuple[str, int]]:
    judged = given(*devices)
    return [
        (found.value, found.at[0].position)
        for found in outcomes_of(check, judged)
        if isinstance(found, Problem)
    ]


def gpu() -> Device:
    return host("gpu1", "eth0", sends=26, cnp=48)


def test_cnp_in_the_queue_of_unmarked_traffic() -> None:
    device = leaf(cnp=0)
    place = device.qos.classifiers["map"].dscp_to_tc.at[48]
    assert values_and_lines(cnp_in_bulk_queue, device, gpu()) == [("48:0", place)]


def test_cnp_in_a_queue_without_share() -> None:
    device = leaf()
    mine = schedule(device, 6, kind=WEIGHTED, share=0.0, share_of=REMAINING)
    assert values_and_lines(cnp_in_bulk_queue, device, gpu()) == []  # nobody has more
    schedule(device, 7, kind=STRICT)
    assert values_and_lines(cnp_in_bulk_queue, device, gpu()) == [("queue 6: 0", mine.at["share"])]
    mine.guaranteed_bps = 10**9
    assert values_and_lines(cnp_in_bulk_queue, device, gpu()) == []


@pytest.mark.parametrize("promised", [{}, {"guaranteed_bps": 10**10}, {"guaranteed_percent": 5.0}])
def test_data_without_share_starves_unless_a_rate_is_promised(promised: dict[str, object]) -> None:
    device = leaf()
    schedule(device, 3, kind=WEIGHTED, share=0.0, share_of=REMAINING, **promised)
    schedule(device, 0, kind=WEIGHTED, share=100.0, share_of=REMAINING)
    found = [value for value, _ in values_and_lines(roce_queue_without_share, device)]
    assert found == ([] if promised else ["queue 3: 0"])


@pytest.mark.parametrize("queue", [3, 6])
def test_cnp_with_the_data_or_alone_is_left_to_others(queue: int) -> None:
    assert values_and_lines(cnp_in_bulk_queue, leaf(cnp=queue), gpu()) == []


def test_unmarked_traffic_that_an_access_list_may_take_is_no_evidence() -> None:
    device = leaf(cnp=0)
    device.qos.classifiers["map"].exact = False
    assert values_and_lines(cnp_in_bulk_queue, device, gpu()) == []


def test_a_queue_of_cnp_that_is_not_strict_is_told_once_for_all_ports_of_a_switch() -> None:
    device = leaf()
    port(device, "e2").speed_gbps = 400.0
    schedule(device, 6, kind=WEIGHTED, share=10.0, share_of=REMAINING)
    schedule(device, 3, kind=WEIGHTED, share=60.0, share_of=REMAINING)
    senders = [host(name, "eth0", sends=26, cnp=48) for name in ("gpu1", "gpu2")]
    ends = zip(("e1", "e2"), senders, strict=True)
    links = [((device, name), (sender, "eth0")) for name, sender in ends]
    (found,) = judged("CLS011", device, *senders, links=links).findings
    assert (found.severity, found.subjects) == (Severity.INFO, ("e1", "e2"))


def test_strict_data_before_weighted_traffic() -> None:
    device = leaf()
    mine = schedule(device, 3, kind=STRICT)
    schedule(device, 0, kind=WEIGHTED, share=50.0, share_of=WEIGHT)
    assert values_and_lines(strict_roce_queue_without_limit, device) == [
        ("queue 3", mine.at["kind"])
    ]


@pytest.mark.parametrize(
    ("data", "bulk", "found"),
    [
        ({"strict_level": 5}, {"kind": STRICT, "strict_level": 8}, 1),
        ({"strict_level": 5}, {"kind": STRICT, "strict_level": 1}, 0),  # bulk is served first
        ({}, {"kind": STRICT}, 1),
        ({"shape_percent": 60.0}, {"kind": WEIGHTED}, 0),
        ({"shape_percent": 100.0}, {"kind": WEIGHTED}, 1),
        ({"shape_bps": 10**11}, {"kind": WEIGHTED}, 0),
    ],
)
def test_strict_data_is_judged_against_unmarked_traffic(
    data: dict[str, object], bulk: dict[str, object], found: int
) -> None:
    device = leaf()
    schedule(device, 3, kind=STRICT, **data)
    schedule(device, 0, **bulk)
    assert len(values_and_lines(strict_roce_queue_without_limit, device)) == found


def test_strictness_by_default_is_said_to_be_so() -> None:
    device = leaf()
    schedule(device, 3, kind=STRICT).at.pop("kind")
    assert [value for value, _ in values_and_lines(strict_roce_queue_without_limit, device)] == [
        "queue 3 by default"
    ]


def over(device: Device, *ports: str) -> list[tuple[str, int, tuple[str, ...]]]:
    judged = given(device)
    bound = BoundObject(device, "out", device.qos.egress["out"], ports)
    return [
        (found.value, found.at[0].position, found.subjects)
        for found in shares_above_hundred_percent(bound, judged)
        if isinstance(found, Problem)
    ]


def test_a_sum_is_above_a_hundred_at_the_line_that_exceeds_it() -> None:
    device = leaf()
    schedule(device, 0, share=50.0, share_of=REMAINING)
    second = schedule(device, 3, share=60.0, share_of=REMAINING)
    schedule(device, 5, share=10.0, share_of=REMAINING)
    wanted = ("120 percent of remaining", second.at["share"], ("e1",))
    assert over(device, "e1", "e9") == [wanted]
    assert over(device, "e9") == []  # bound to no port in scope


@pytest.mark.parametrize("kinds", [(WEIGHT, WEIGHT), (LINK, REMAINING)])
def test_only_shares_of_one_kind_are_added(kinds: tuple[ShareKind, ShareKind]) -> None:
    device = leaf()
    for number, kind in zip((0, 3), kinds, strict=True):
        schedule(device, number, share=80.0, share_of=kind)
    assert over(device, "e1") == []


def test_multicast_queues_have_a_sum_of_their_own() -> None:
    device = leaf()
    schedule(device, 3, share=80.0, share_of=LINK)
    queue = schedule(device, 0, share=80.0, share_of=LINK)
    assert len(over(device, "e1")) == 1
    entry = device.qos.egress["out"].queues[QueueKind.UNICAST, 0]
    entry.kind = QueueKind.MULTICAST
    assert entry.scheduler is queue
    assert over(device, "e1") == []


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ({"shape_bps": 100 * 10**9}, "100 Gb/s"),
        ({"shape_bps": 400 * 10**9}, None),
        ({"shape_percent": 40.0}, "40 % of the link"),
        ({"shape_percent": 100.0}, None),
        ({}, None),
    ],
)
def test_a_shaper_below_the_speed_of_the_port(fields: dict[str, object], value: str | None) -> None:
    device = leaf()
    mine = schedule(device, 3, kind=WEIGHTED, **fields)
    wanted = [] if value is None else [(value, mine.at[next(iter(fields))])]
    assert values_and_lines(shaper_on_roce_class, device) == wanted


def test_the_shaper_of_the_port_counts_too() -> None:
    device = leaf()
    policy = device.qos.egress["out"]
    policy.shape_bps = 10**9
    policy.at["shape_bps"] = lines_of(device).next()
    assert values_and_lines(shaper_on_roce_class, device) == [("1 Gb/s", policy.at["shape_bps"])]


def test_without_a_speed_a_rate_says_nothing() -> None:
    device = leaf()
    device.interfaces["e1"].speed_gbps = None
    schedule(device, 3, kind=WEIGHTED, shape_bps=10**9)
    judged = given(device)
    (found,) = outcomes_of(shaper_on_roce_class, judged)
    assert isinstance(found, Unknown)
    assert found.missing == "the speed of the port"


def test_a_class_that_is_lossy_by_design_may_be_shaped() -> None:
    device = switch("leaf1", dscps={26: 3})
    port(device, "e1", pauses=()).speed_gbps = 400.0
    schedule(device, 3, kind=WEIGHTED, shape_bps=10**9)
    assert values_and_lines(shaper_on_roce_class, device, host("gpu1", "eth0", sends=26)) == []

"""Classes whose PFC priority changes between links, or whose service differs on the way back."""

from __future__ import annotations

from collections.abc import Iterable

from roce_lint.model.device import Device, Role
from roce_lint.model.qos import QueueKind, Scheduler, SchedulerKind
from tests.unit.checks.judging import judged, missing, severities_and_values, values
from tests.unit.fabric import Ends, code_map, host, lines_of, port, switch

STRICT, WEIGHTED = SchedulerKind.STRICT, SchedulerKind.WEIGHTED


def paused(name: str, priority: int, *, role: Role = Role.LEAF) -> Device:
    """A switch that pauses DSCP 26 with a priority, and stops its queue for 3 and for 4."""
    made = switch(name, priorities={3: priority}, marked=(3,), role=role)
    maps = made.qos.forwardings["maps"]
    maps.pfc_priority_to_queue = code_map(lines_of(made), {3: 3, 4: 3})
    return made


def cabled(
    *leaves: Device, spine: Device, pauses: Iterable[int] = (3, 4), obeys: Iterable[int] = (3, 4)
) -> tuple[list[Device], list[Ends]]:
    """Each leaf with a host, all under one spine."""
    devices, links = [spine], []
    for number, leaf in enumerate(leaves):
        machine = host(f"gpu{number}", "eth0", sends=26, pauses=(3,))
        port(leaf, "down", pauses=pauses, obeys=obeys)
        port(leaf, "up", pauses=pauses, obeys=obeys)
        port(spine, f"e{number}", pauses=(3, 4), obeys=(3, 4))
        links += [((leaf, "down"), (machine, "eth0")), ((leaf, "up"), (spine, f"e{number}"))]
        devices += [leaf, machine]
    return devices, links


def priorities(
    leaf: int, spine: int, obeys: Iterable[int] = (3, 4)
) -> tuple[list[Device], list[Ends]]:
    return cabled(
        paused("leaf1", leaf), paused("leaf2", 3), paused("leaf3", 3),
        spine=paused("spine1", spine, role=Role.SPINE), obeys=obeys,
    )  # fmt: skip


def test_a_priority_that_changes_between_links_that_agree_is_told_once() -> None:
    devices, links = priorities(4, 3)
    assert severities_and_values("PFC012", *devices, links=links) == [("info", "leaf1 4 26 3 10")]
    assert missing("PFC012", *devices, links=links) == set()
    devices, links = priorities(3, 4)
    assert severities_and_values("PFC012", *devices, links=links) == [
        ("info", "spine1 e0 4 26 3 9")
    ]


def test_one_priority_is_nothing() -> None:
    devices, links = priorities(3, 3)
    assert severities_and_values("PFC012", *devices, links=links) == []


def test_a_link_whose_ends_do_not_agree_is_a_fault_and_not_this() -> None:
    devices, links = priorities(3, 4, obeys=(3,))
    assert severities_and_values("PFC012", *devices, links=links) == []
    assert {f.rule for f in judged("PFC002", *devices, links=links).findings} == {"PFC002"}


def served(*kinds: SchedulerKind | None, stated: bool = True) -> tuple[list[Device], list[Ends]]:
    """Leaves that serve queue 3 so, under one spine that serves it by share."""

    def made(name: str, kind: SchedulerKind | None, role: Role) -> Device:
        device = switch(name, marked=(3,), role=role)
        lines = lines_of(device)
        if kind is not None:
            at = {"": lines.next(), "kind": lines.next()} if stated else {}
            queue = device.qos.egress["out"].queues[QueueKind.UNICAST, 3]
            queue.scheduler = Scheduler(kind=kind, src=lines.src, at=at)
        return device

    leaves = [made(f"leaf{n}", kind, Role.LEAF) for n, kind in enumerate(kinds, 1)]
    return cabled(*leaves, spine=made("spine1", WEIGHTED, Role.SPINE), pauses=(3,), obeys=(3,))


def test_leaves_that_serve_a_class_otherwise_are_told_once() -> None:
    devices, links = served(WEIGHTED, STRICT, WEIGHTED)
    (found,) = judged("CLS024", *devices, links=links).findings
    assert (found.subjects, values(found.message)) == (("up",), "leaf2 26 2")
    scheduler = devices[3].qos.egress["out"].queues[QueueKind.UNICAST, 3].scheduler
    assert scheduler is not None
    assert found.location is not None
    assert found.location.line == scheduler.at["kind"]


def test_leaves_that_serve_it_alike_are_nothing_whatever_spines_do() -> None:
    for kinds in ((STRICT, STRICT), (WEIGHTED, WEIGHTED), (STRICT, None)):
        devices, links = served(*kinds)
        assert severities_and_values("CLS024", *devices, links=links) == []


def test_what_no_line_says_is_not_compared() -> None:
    devices, links = served(STRICT, WEIGHTED, stated=False)
    assert severities_and_values("CLS024", *devices, links=links) == []


def test_a_leaf_that_does_not_pause_the_class_is_another_fault() -> None:
    devices, links = served(WEIGHTED, STRICT, WEIGHTED)
    for name in ("up", "down"):
        qos = devices[3].interfaces[name].qos
        assert qos is not None
        assert qos.pfc is not None
        qos.pfc.generate = frozenset()
    assert severities_and_values("CLS024", *devices, links=links) == []

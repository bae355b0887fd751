"""PFC, deadlock detection and headroom of Comware, and their unknowns."""

from __future__ import annotations

import pytest

from roce_lint.model.buffer import PoolUse
from roce_lint.model.device import NoteKind
from roce_lint.model.qos import PfcMode, WatchdogAction
from tests.nos.comware.reading import LOSSLESS, NAMED, ON, PORT, qos_of, read
from tests.nos.reader import line, notes


@pytest.mark.parametrize(
    ("lines", "mode", "sent", "stated"),
    [
        (ON + LOSSLESS.format(3), PfcMode.ON, {3}, 6),
        (ON + LOSSLESS.format("3,5-6"), PfcMode.ON, {3, 5, 6}, 6),
        (ON + LOSSLESS.format("3 to 4"), PfcMode.ON, {3, 4}, 6),
        (ON + LOSSLESS.format(3) + LOSSLESS.format(4), PfcMode.ON, {4}, 7),
        (ON, PfcMode.ON, set(), 0),
        (LOSSLESS.format(3), PfcMode.OFF, set(), 0),
        (" mtu 9000\n", PfcMode.OFF, set(), 0),
        (" priority-flow-control auto\n" + LOSSLESS.format(3), PfcMode.AUTO, None, 0),
        (ON + LOSSLESS.format(3) + " undo priority-flow-control\n", PfcMode.OFF, set(), 7),
    ],
)
def test_pfc_needs_both_lines(lines: str, mode, sent: set[int] | None, stated: int) -> None:
    _, qos = qos_of(f"{NAMED}{PORT}{lines}")
    assert (qos.pfc.mode, qos.pfc.generate, qos.pfc.honour) == (mode, sent, sent)
    assert line(qos.pfc, "generate") == stated
    assert qos.pfc.where("generate").confirmed


def test_what_is_named_lossless_and_is_not_in_force() -> None:
    _, qos = qos_of(f"{NAMED}{PORT}{LOSSLESS.format(3)}")
    assert (qos.pfc.named, line(qos.pfc, 3), qos.pfc.generate) == (frozenset({3}), 5, frozenset())


@pytest.mark.parametrize(
    ("system", "own", "mode", "sent"),
    [
        (ON + LOSSLESS.format(3), "", PfcMode.ON, {3}),
        (ON + LOSSLESS.format(3), ON + LOSSLESS.format(3), PfcMode.ON, {3}),
        (LOSSLESS.format(3), ON, PfcMode.ON, {3}),
        (ON + LOSSLESS.format(3), LOSSLESS.format(4), PfcMode.ON, None),
        (ON + LOSSLESS.format(3), " undo priority-flow-control\n", None, None),
    ],
)
def test_of_two_places_that_differ_it_is_not_known_which_holds(
    system: str, own: str, mode, sent: set[int] | None
) -> None:
    device, qos = qos_of(f"{NAMED}{system}#\n{PORT} mtu 9000\n{own}")
    assert (qos.pfc.mode, qos.pfc.generate) == (mode, sent)
    reported = [message.split(":")[0] for _, message in notes(device, NoteKind.REMARK)]
    differs = {True: "the device sets PFC differently"}.get(
        mode is None, "the device sets the lossless priorities differently"
    )
    assert reported == ([differs] if sent is None else [])


def test_a_part_of_a_configuration_leaves_missing_settings_unknown() -> None:
    _, qos = qos_of(f"{PORT} mtu 9000\n")
    assert (qos.pfc.mode, qos.pfc.generate, qos.watchdog.enabled) == (None, None, None)


def test_the_paused_priority_is_the_one_that_leads_to_the_class() -> None:
    device, qos = qos_of(
        f"{NAMED}qos map-table dot1p-lp\n import 5 export 4\n import 4 export 5\n"
        f"#\n{PORT} qos trust dscp\n"
    )
    maps = device.qos.forwardings[qos.forwarding]
    assert [maps.tc_to_pfc_priority.get(tc) for tc in (3, 4, 5)] == [3, 5, 4]
    assert [maps.pfc_priority_to_queue.get(priority) for priority in (3, 4, 5)] == [3, 5, 4]
    assert [maps.tc_to_queue.get(tc) for tc in range(8)] == list(range(8))
    assert (line(maps.tc_to_pfc_priority, 4), line(maps.tc_to_pfc_priority, 3)) == (5, 0)


def test_deadlock_detection() -> None:
    system = (
        " priority-flow-control deadlock cos 3 interval 10\n"
        " priority-flow-control deadlock auto-recover action discard\n"
    )
    _, qos = qos_of(f"{NAMED}{system}#\n{PORT} priority-flow-control deadlock enable\n")
    watchdog = qos.watchdog
    assert (watchdog.enabled, line(watchdog, "enabled")) == (True, 8)
    assert (watchdog.priorities, line(watchdog, "priorities")) == (frozenset({3}), 4)
    assert (watchdog.action, watchdog.detection_ms) == (WatchdogAction.DROP, None)
    _, qos = qos_of(f"{NAMED}{PORT} mtu 9000\n")
    assert (qos.watchdog.enabled, qos.watchdog.action) == (False, WatchdogAction.FORWARD)


def test_pool_of_headroom() -> None:
    device = read(f"{NAMED} priority-flow-control poolid 0 headroom 80000\n")
    pool = device.pools["pool 0"]
    assert (pool.use, pool.headroom_cells, line(pool, "headroom_cells")) == (
        PoolUse.HEADROOM, 80_000, 4,
    )  # fmt: skip


@pytest.mark.parametrize(("more", "reported"), [("", [4]), (" buffer apply\n", [])])
def test_buffer_lines_that_are_not_applied(more: str, reported: list[int]) -> None:
    device = read(f"{NAMED} buffer egress cell queue 3 shared ratio 100\n{more}")
    assert [at for at, _ in notes(device, NoteKind.REMARK)] == reported

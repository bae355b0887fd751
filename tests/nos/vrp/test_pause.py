"""PFC and deadlock detection of CloudEngine, and their unknowns."""

from __future__ import annotations

import pytest

from roce_lint.model.qos import PfcMode, WatchdogAction
from tests.nos.reader import line
from tests.nos.vrp.reading import NAMED, qos_of


@pytest.mark.parametrize(
    ("profile", "sent", "stated"),
    [
        ("", {3}, 0),
        ("dcb pfc\n", {3}, 2),
        ("dcb pfc\n priority 4\n", {3, 4}, 3),
        ("dcb pfc\n priority 4 5\n", {3, 4, 5}, 3),
        ("dcb pfc\n priority 4 to 6\n", {3, 4, 5, 6}, 3),
        ("dcb pfc\n undo priority 3\n priority 4\n", {4}, 4),
        ("dcb pfc\n undo priority 3\n", set(), 2),
    ],
)
def test_priority_3_is_lossless_unless_taken_away(
    profile: str, sent: set[int], stated: int
) -> None:
    _, qos = qos_of(f"{NAMED}{profile}interface 100GE1/0/1\n dcb pfc enable mode manual\n")
    assert (qos.pfc.mode, qos.pfc.generate, qos.pfc.honour) == (PfcMode.ON, sent, sent)
    assert (line(qos.pfc, "generate"), qos.pfc.where("generate").confirmed) == (stated, True)


@pytest.mark.parametrize(
    ("lines", "mode", "sent", "stated"),
    [
        (" mtu 9000\n", PfcMode.OFF, set(), 0),
        (" dcb pfc enable\n", PfcMode.ON, {3}, 3),
        (" dcb pfc enable mode auto\n", PfcMode.AUTO, None, 3),
        (" dcb pfc enable mode manual\n undo dcb pfc enable\n", PfcMode.OFF, set(), 4),
        (" dcb pfc enable NONE mode manual\n", PfcMode.ON, None, 3),
    ],
)
def test_pfc_of_a_port(lines: str, mode, sent: set[int] | None, stated: int) -> None:
    _, qos = qos_of(f"{NAMED}interface 100GE1/0/1\n{lines}")
    assert (qos.pfc.mode, qos.pfc.generate, line(qos.pfc, "mode")) == (mode, sent, stated)


def test_a_part_of_a_configuration_leaves_the_priorities_unknown() -> None:
    _, qos = qos_of("interface 100GE1/0/1\n dcb pfc enable mode manual\n")
    assert (qos.pfc.mode, qos.pfc.generate) == (PfcMode.ON, None)


@pytest.mark.parametrize(
    ("lines", "detection", "restoration", "stated"),
    [
        ("", 100.0, 100.0, 0),
        ("dcb pfc deadlock-detect interval 100\n", 1000.0, 1000.0, 2),
        ("dcb pfc deadlock-detect timer 512\n", 512.0, 100.0, 2),
        ("dcb pfc\n priority 3 deadlock-detect time 5\n", 50.0, 100.0, 3),
        ("dcb pfc\n priority 3 deadlock-detect time 10 deadlock-recovery time 15\n", 100.0, 150.0, 3),
        ("dcb pfc\n priority 4\n priority 3 deadlock-detect time 5\n", None, 100.0, 0),
        (
            "dcb pfc\n priority 3 deadlock-detect time 5\ndcb pfc deadlock-detect interval 100\n",
            500.0, 1000.0, 3,
        ),
    ],
)  # fmt: skip
def test_times_of_deadlock_detection(lines: str, detection, restoration, stated: int) -> None:
    _, qos = qos_of(f"{NAMED}{lines}interface 100GE1/0/1\n dcb pfc enable mode manual\n")
    watchdog = qos.watchdog
    assert (watchdog.enabled, watchdog.detection_ms, watchdog.restoration_ms) == (
        True, detection, restoration,
    )  # fmt: skip
    assert line(watchdog, "detection_ms") == stated


def test_what_is_done_with_packets_in_a_deadlock() -> None:
    _, qos = qos_of(
        f"{NAMED}dcb pfc deadlock recovery-behavior forwarding slot 1\n"
        "interface 100GE1/0/1\n dcb pfc enable\n"
    )
    assert (qos.watchdog.action, line(qos.watchdog, "action")) == (WatchdogAction.FORWARD, 2)

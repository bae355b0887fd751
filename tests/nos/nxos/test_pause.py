"""PFC and watchdog of ports."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import Interface
from roce_lint.model.qos import PfcMode, PfcWatchdog, WatchdogAction
from roce_lint.nos.nxos import defaults
from tests.nos.nxos.reading import N9K, one, pfc, qos, read
from tests.nos.reader import default_sentence, line, notes


def watchdog(interface: Interface) -> PfcWatchdog:
    found = qos(interface).watchdog
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("lines", "mode", "priorities", "at"),
    [
        (["priority-flow-control mode on"], PfcMode.ON, frozenset({3}), 5),
        (["priority-flow-control mode off"], PfcMode.OFF, frozenset(), 9),
        (["priority-flow-control mode auto"], PfcMode.AUTO, None, 0),
        ([], PfcMode.AUTO, None, 0),
        (["no lldp transmit"], PfcMode.AUTO, frozenset(), 9),
        (["priority-flow-control mode on", "no lldp transmit"], PfcMode.ON, frozenset({3}), 5),
    ],
)
def test_pause_of_a_port(
    lines: list[str], mode: PfcMode, priorities: frozenset[int] | None, at: int
) -> None:
    head = (
        N9K
        + "policy-map type network-qos NQ\n  class type network-qos c-8q-nq3\n    pause pfc-cos 3\n"
        "system qos\n  service-policy type network-qos NQ\n"
    )
    found = pfc(one(*lines, head=head))
    assert found.mode is mode
    assert (found.generate, found.honour) == (priorities, priorities)
    assert line(found, "generate") == at


def test_the_default_mode() -> None:
    assert default_sentence(pfc(one()), "mode") == defaults.PFC_AUTO.says


def test_link_pause() -> None:
    found = pfc(one("flowcontrol receive on", "flowcontrol send on", "no flowcontrol send on"))
    assert (found.link_pause_rx, line(found, "link_pause_rx")) == (True, 4)
    assert (found.link_pause_tx, default_sentence(found, "link_pause_tx")) == (
        False,
        defaults.LINK_PAUSE_OFF.says,
    )


GLOBAL_WATCHDOG = (
    "priority-flow-control watch-dog-interval on\n"
    "priority-flow-control watch-dog interval 200\n"
    "priority-flow-control watch-dog shutdown-multiplier 3\n"
    "priority-flow-control auto-restore multiplier 10\n"
)


def test_watchdog_of_port_and_device() -> None:
    device = read(
        GLOBAL_WATCHDOG + "interface Ethernet1/1\n  priority-flow-control watch-dog-interval on\n"
        "interface Ethernet1/2\n"
        "  priority-flow-control watch-dog-interval on disable-action interface-multiplier 5\n"
    )
    system = device.system.watchdog
    assert system is not None
    assert (system.enabled, line(system, "enabled")) == (True, 1)
    assert (system.detection_ms, line(system, "detection_ms")) == (600.0, 3)
    assert (system.restoration_ms, line(system, "restoration_ms")) == (2000.0, 4)
    first, second = (watchdog(port) for port in device.interfaces.values())
    assert (first.enabled, line(first, "enabled")) == (True, 6)
    assert (first.polling_ms, line(first, "polling_ms")) == (200.0, 2)
    assert (first.detection_ms, first.action) == (600.0, WatchdogAction.DROP)
    assert (second.detection_ms, line(second, "detection_ms")) == (1000.0, 8)
    assert (second.action, line(second, "action")) == (WatchdogAction.ALERT, 8)


def test_the_watchdog_is_off_by_default() -> None:
    found = watchdog(one())
    assert default_sentence(found, "enabled") == defaults.WATCHDOG_OFF.says
    assert (found.enabled, found.detection_ms) == (False, None)


def test_a_number_is_not_a_watchdog_state() -> None:
    device = read("interface Ethernet1/1\n  priority-flow-control watch-dog-interval 200\n")
    assert watchdog(device.interfaces["Ethernet1/1"]).enabled is None
    assert notes(device) == [
        (
            2,
            "watch-dog-interval '200', takes on, off, disable-action, interface-multiplier",
        )
    ]

"""The PFC watchdog: missing_pfc_watchdog, taking ports down, settings that conflict."""

from __future__ import annotations

from typing import Any

import pytest

from roce_lint.checks.pfc.watchdog import (
    conflicting_watchdog_settings,
    missing_pfc_watchdog,
    pfc_watchdog_without_action,
)
from roce_lint.engine.api import Given, NoParams, Problem, Severity, Unknown
from roce_lint.model.device import Device, Limits
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import PfcWatchdog, WatchdogAction
from tests.unit.checks.judging import outcomes_of, taken_in
from tests.unit.fabric import CONFIRMED, Ends, analysed, lines_of, port, switch

BOUNDS = Limits(
    watchdog_polling_ms=(100, 1000), watchdog_detection_ms=(100, 5000), watchdog_polls=1
)
MENDING = Limits(watchdog_polls=2, watchdog_adjusts=True)


def judged(check: Any, *devices: Device, links: tuple[Ends, ...] = ()) -> list[Any]:
    analysis = analysed(*devices, links=links)
    return list(outcomes_of(check, Given(NoParams(), analysis.fabric, analysis, RocePlan())))


def watch(device: Device, name: str, *defaults: str, **fields: Any) -> PfcWatchdog:
    """The watchdog of a port; every field has a line, but those called defaults."""
    lines = lines_of(device)
    made = PfcWatchdog(src=lines.src, at={"": lines.next()}, **fields)
    for field in fields:
        made.at[field] = device.src.cite(CONFIRMED) if field in defaults else lines.next()
    qos = device.interfaces[name].qos
    assert qos is not None
    qos.watchdog = made
    return made


def leaf(*pauses: int, limits: Limits | None = None) -> Device:
    device = switch("leaf1")
    port(device, "e1", pauses=pauses or (3,))
    device.limits = limits or Limits()
    return device


def test_a_host_port_without_watchdog_warns() -> None:
    device = leaf()
    made = watch(device, "e1", "enabled", enabled=False)
    (found,) = judged(missing_pfc_watchdog, device)
    assert (found.severity, found.value) == (None, "3")
    assert found.at[0].position == made.at[""]


def test_a_watchdog_of_which_nothing_is_known_is_not_missing() -> None:
    device = leaf()
    assert judged(missing_pfc_watchdog, device) == []
    watch(device, "e1", enabled=None)
    assert judged(missing_pfc_watchdog, device) == []


def test_a_paused_priority_that_is_left_out() -> None:
    device = leaf(3, 4)
    made = watch(device, "e1", enabled=True, priorities=frozenset({3}))
    (found,) = judged(missing_pfc_watchdog, device)
    assert (found.value, found.at[0].position) == ("4", made.at["priorities"])
    watch(device, "e1", enabled=True, priorities=frozenset({3, 4}))
    assert judged(missing_pfc_watchdog, device) == []


def between(*watched: bool) -> list[Problem]:
    """A leaf with two ports to a spine, which are watched or not."""
    device, spine = switch("leaf1"), switch("spine1")
    links = []
    for number, enabled in enumerate(watched):
        for end in (device, spine):
            port(end, f"e{number}")
        watch(device, f"e{number}", enabled=enabled)
        links.append(((device, f"e{number}"), (spine, f"e{number}")))
    return judged(missing_pfc_watchdog, device, spine, links=tuple(links))


def test_between_switches_it_is_said_only_where_others_are_watched() -> None:
    assert between(False, False) == []
    assert between(True, True) == []
    (found,) = between(True, False)
    assert (found.subjects, found.severity) == (("e1",), Severity.INFO)


def test_between_switches_a_switch_that_is_alone_without_is_told() -> None:
    devices = [switch(name) for name in ("leaf1", "leaf2", "leaf3", "spine1")]
    *leaves, spine = devices
    links: list[Ends] = []
    for number, device in enumerate(leaves, 1):
        port(device, "e1")
        port(spine, f"e{number}")
        watch(device, "e1", enabled=number > 1)
        links.append(((device, "e1"), (spine, f"e{number}")))
    (found,) = judged(missing_pfc_watchdog, *devices, links=tuple(links))
    assert (found.device, found.severity) == ("leaf1", Severity.INFO)
    watch(leaves[1], "e1", enabled=False)
    assert judged(missing_pfc_watchdog, *devices, links=tuple(links)) == []


@pytest.mark.parametrize(
    ("action", "default", "problems"),
    [
        (WatchdogAction.ERRDISABLE, True, 1),
        (WatchdogAction.ERRDISABLE, False, 0),
        (WatchdogAction.DROP, True, 0),
    ],
)
def test_only_a_default_takes_the_port_down_unasked(
    action: WatchdogAction, default: bool, problems: int
) -> None:
    device = leaf()
    by_default = ("action",) if default else ()
    watch(device, "e1", *by_default, enabled=True, detection_ms=200.0, action=action)
    assert len(judged(pfc_watchdog_without_action, device)) == problems


def test_a_watchdog_without_timeout_takes_nothing_down() -> None:
    device = leaf()
    watch(device, "e1", "action", "enabled", enabled=False, action=WatchdogAction.ERRDISABLE)
    assert judged(pfc_watchdog_without_action, device) == []


@pytest.mark.parametrize(("default", "severity"), [(True, Severity.WARNING), (False, None)])
def test_on_for_the_port_and_off_for_the_device(default: bool, severity: Severity | None) -> None:
    device = leaf()
    system = watch(device, "e1", *(("enabled",) if default else ()), enabled=False)
    device.system.watchdog = system
    made = watch(device, "e1", enabled=True)
    (found,) = judged(conflicting_watchdog_settings, device)
    assert (found.severity, found.at[0].position) == (severity, made.at["enabled"])


def test_a_row_that_watches_no_priority() -> None:
    device = leaf()
    made = watch(
        device, "e1", "priorities", enabled=False, priorities=frozenset(), detection_ms=200.0
    )
    (found,) = judged(conflicting_watchdog_settings, device)
    assert (found.value, found.at[0].position) == ("no priority", made.at["detection_ms"])
    assert [found.value for found in judged(missing_pfc_watchdog, device)] == ["3"]
    assert taken_in("PFC020 PFC022", device) == [("PFC022", ("PFC020",))]


@pytest.mark.parametrize(("watched", "severity"), [({4}, None), ({3, 4}, Severity.WARNING)])
def test_a_watched_priority_that_is_not_paused(
    watched: set[int], severity: Severity | None
) -> None:
    device = leaf(3)
    made = watch(device, "e1", enabled=True, priorities=frozenset(watched))
    (found,) = judged(conflicting_watchdog_settings, device)
    assert (found.severity, found.at[0].position) == (severity, made.at["priorities"])


@pytest.mark.parametrize(
    ("limits", "polling", "detection", "values"),
    [
        (BOUNDS, 200.0, 200.0, []),
        (BOUNDS, 200.0, 5001.0, ["detection_ms 5001"]),
        (BOUNDS, 50.0, 200.0, ["polling_ms 50"]),
        (BOUNDS, 400.0, 200.0, ["detection_ms 200/400"]),
        (BOUNDS, 200.0, 50.0, ["detection_ms 50"]),
        (MENDING, 100.0, 200.0, []),
        (MENDING, 100.0, 150.0, ["detection_ms 150/100"]),
        (Limits(), 5000.0, 1.0, []),
    ],
)
def test_times_that_the_platform_refuses(
    limits: Limits, polling: float, detection: float, values: list[str]
) -> None:
    device = leaf(limits=limits)
    watch(device, "e1", enabled=True, polling_ms=polling, detection_ms=detection)
    found = judged(conflicting_watchdog_settings, device)
    assert [problem.value for problem in found] == values
    wanted = Severity.WARNING if limits is MENDING else None
    assert {problem.severity for problem in found} <= {wanted}


def test_what_an_excerpt_leaves_open_is_unknown() -> None:
    """A device-wide line may choose the action, or switch the watchdog on."""
    device = leaf()
    watch(
        device, "e1", "action", enabled=True, detection_ms=200.0, action=WatchdogAction.ERRDISABLE
    )
    lines = lines_of(device)
    device.system.watchdog = PfcWatchdog(enabled=False, src=lines.src, at={"": lines.next()})
    device.system.watchdog.at["enabled"] = device.src.cite(CONFIRMED)
    rest = "the rest of the configuration (only a part of it was read)"
    for partial in (False, True):
        device.partial = partial
        for check, value in (
            (pfc_watchdog_without_action, "errdisable"),
            (conflicting_watchdog_settings, "on/off"),
        ):
            (found,) = judged(check, device)
            told = found.missing if isinstance(found, Unknown) else found.value
            assert told == (rest if partial else value)
    device.system.watchdog.at["enabled"] = lines.next()
    (found,) = judged(conflicting_watchdog_settings, device)
    assert (found.value, found.severity) == ("on/off", None)

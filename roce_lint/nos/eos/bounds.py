"""Documented bounds, word lists and design settings of Arista EOS."""

from __future__ import annotations

from dataclasses import replace

from roce_lint.model.qos import HeadroomModel, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.base import Offer, WatchdogOffer
from roce_lint.nos.refusals import Bounds, Words, bounds_in, table

_PAGE = "docs/nos/eos.md#what-the-device-refuses"

_NO_ECN = "the queue keeps its thresholds; without any it has no ECN marking"

LIMITS = table(
    Bounds(
        "watchdog timeout",
        0.01,
        60,
        _PAGE,
        "seconds",
        instead="no time is set: the watchdog is inactive here",
    ),
    Bounds("watchdog recovery-time", 0.01, 60, _PAGE, "seconds"),
    Bounds(
        "watchdog polling-interval",
        0.005,
        30,
        _PAGE,
        "seconds",
        instead="the platform chooses the polling interval",
    ),
    Bounds("traffic class", 0, 7, _PAGE),
    Bounds("priority", 0, 7, _PAGE, instead="the line enables PFC for no priority"),
    Bounds("CoS", 0, 7, _PAGE),
    Bounds("DSCP", 0, 63, _PAGE),
    Bounds("max-mark-probability", 1, 100, _PAGE, "percent", instead=_NO_ECN),
    Bounds("weight", 0, 15, _PAGE, instead=_NO_ECN),
    Words(
        "watchdog action",
        ("drop", "notify-only", "errdisable"),
        _PAGE,
        instead="the action is unchanged (errdisable by default)",
    ),
    Bounds("queue", 0, 7, _PAGE),
    Bounds("ECN threshold", 1, 256000000, _PAGE, instead=_NO_ECN),
    Bounds(
        "mtu", 68, 65535, _PAGE, "bytes", instead="the MTU is unchanged (1500 bytes by default)"
    ),
)
"""Limits by setting, as the readers name it."""


# Design settings; the sources are in docs/nos/eos.md.

_MS = 1000
"""Milliseconds of the time unit of the EOS watchdog."""


def _time(name: str) -> Bounds:
    limit = bounds_in(LIMITS, name)
    return replace(limit, low=limit.low * _MS, high=limit.high * _MS, unit="ms")


OFFER = Offer(
    port="Ethernet{n}/1",
    split="Ethernet{n}/{sublane}",
    loopback="Loopback0",
    splits_by_speed=True,
    classes=range(8),
    trust=Trust.DSCP,
    share_of=ShareKind.WEIGHT,
    unit=ThresholdUnit.BYTES,
    threshold=bounds_in(LIMITS, "ECN threshold"),
    pmax_percent=bounds_in(LIMITS, "max-mark-probability"),
    ip_mtu=bounds_in(LIMITS, "mtu"),
    watchdog=WatchdogOffer(
        polling_ms=_time("watchdog polling-interval"),
        detection_ms=_time("watchdog timeout"),
        restoration_ms=_time("watchdog recovery-time"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.ALERT, WatchdogAction.ERRDISABLE}),
        source=_PAGE,
    ),
    headroom=HeadroomModel.PLATFORM,
    caps_in_percent=True,
    source="docs/nos/eos.md#names-of-ports-breakouts-and-lags",
)

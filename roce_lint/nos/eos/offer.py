"""What Arista EOS can be told; the sources are in docs/nos/eos.md."""

from __future__ import annotations

from dataclasses import replace

from roce_lint.model.qos import HeadroomModel, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.eos.bounds import LIMITS
from roce_lint.nos.offer import Offer, WatchdogOffer
from roce_lint.nos.refusals import Bounds, bounds_in

_PAGE = "docs/nos/eos.md#what-the-device-refuses"
_MS = 1000
"""Milliseconds of the unit in which EOS states times of the watchdog."""


def _time(name: str) -> Bounds:
    limit = bounds_in(LIMITS, name)
    return replace(limit, low=limit.low * _MS, high=limit.high * _MS, unit="ms")


OFFER = Offer(
    port="Ethernet{n}/1",
    split="Ethernet{n}/{sublane}",
    loopback="Loopback0",
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
        actions=frozenset(
            {
                WatchdogAction.DROP,
                WatchdogAction.ALERT,
                WatchdogAction.ERRDISABLE,
            }
        ),
        source=_PAGE,
    ),
    headroom=HeadroomModel.PLATFORM,
    source="docs/nos/eos.md#names-of-ports-breakouts-and-lags",
)

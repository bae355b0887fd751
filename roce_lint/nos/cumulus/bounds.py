"""Documented bounds, word lists and design settings of Cumulus Linux."""

from __future__ import annotations

from roce_lint.model.qos import HeadroomModel, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.base import Offer, WatchdogOffer
from roce_lint.nos.refusals import Bounds, bounds_in, table

PAGE = "docs/nos/cumulus.md#what-the-device-refuses"

POOLS = "memory-percent of all pools"

LIMITS = table(
    Bounds("mtu", 552, 9216, PAGE, "bytes", "the MTU is unchanged (9216 bytes by default)"),
    Bounds("switch-priority", 0, 7, PAGE),
    Bounds("traffic-class", 0, 7, PAGE),
    Bounds("dscp", 0, 63, PAGE),
    Bounds("pcp", 0, 7, PAGE),
    Bounds("robustness", 1, 1000, PAGE),
    Bounds("probability", 0, 100, PAGE, "percent"),
    Bounds("memory-percent", 1, 100, PAGE),
    Bounds(POOLS, 0, 100, PAGE, "percent", "the change is not applied: the pools are unchanged"),
    Bounds("bw-percent", 0, 100, PAGE),
    Bounds("cable-length", 1, 100000, PAGE, "m"),
)
"""Limits by setting, as the readers name it."""


# Design settings; the sources are in docs/nos/cumulus.md.
_WATCHDOG = "docs/nos/cumulus.md#watchdog"

OFFER = Offer(
    port="swp{n}",
    split="swp{n}s{s0}",
    loopback="lo",
    classes=range(8),
    trust=Trust.BOTH,
    share_of=ShareKind.REMAINING,
    unit=ThresholdUnit.BYTES,
    pmax_percent=bounds_in(LIMITS, "probability"),
    ip_mtu=bounds_in(LIMITS, "mtu"),
    watchdog=WatchdogOffer(
        polling_ms=Bounds("polling-interval", 100, 5000, _WATCHDOG, "ms"),
        polls=bounds_in(LIMITS, "robustness"),
        restores_after_poll=True,
        actions=frozenset({WatchdogAction.DROP}),
        source=_WATCHDOG,
    ),
    headroom=HeadroomModel.PLATFORM,
    obeys_all=True,
    source="docs/nos/cumulus.md#names-of-ports-breakouts-and-lags",
)

"""Documented bounds, word lists and design settings of Cisco NX-OS."""

from __future__ import annotations

from roce_lint.model.qos import HeadroomModel, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.base import Offer, WatchdogOffer
from roce_lint.nos.refusals import Bounds, Words, bounds_in, table
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/nxos.md#what-the-device-refuses"

LIMITS = table(
    Bounds(
        "MTU", 576, 9216, _PAGE, "bytes", instead="the MTU is unchanged (1500 bytes by default)"
    ),
    Bounds(
        "class MTU",
        576,
        9216,
        _PAGE,
        "bytes",
        instead="the class MTU is unchanged (1500 bytes by default)",
    ),
    Bounds("qos-group", 0, 7, _PAGE, instead="the class stays in qos-group 0"),
    Bounds("DSCP", 0, 63, _PAGE, instead="the line matches none of these packets"),
    Bounds("CoS", 0, 7, _PAGE, instead="the line matches none of these packets"),
    Bounds("drop-probability", 0, 100, _PAGE, "percent"),
    Bounds("priority level", 1, 8, _PAGE),
    Bounds("bandwidth percent", 0, 100, _PAGE),
    Bounds(
        "buffer-size",
        5000,
        268435456,
        _PAGE,
        "bytes",
        instead="the platform sizes the buffer of the class itself",
    ),
    Bounds("pfc-cos", 0, 7, _PAGE, instead="the line enables PFC for no CoS"),
    Bounds("watchdog interval", 100, 1000, _PAGE, "ms", confidence=Confidence.UNCONFIRMED),
    Words(
        "watch-dog-interval",
        ("on", "off", "disable-action", "interface-multiplier"),
        _PAGE,
        instead="the watchdog is unchanged (off by default)",
    ),
)
"""Limits by setting, as the readers name it."""


# Design settings; the sources are in docs/nos/nxos.md.

OFFER = Offer(
    port="Ethernet1/{n}",
    split="Ethernet1/{n}/{s}",
    loopback="loopback0",
    classes=range(8),
    trust=Trust.DSCP,
    share_of=ShareKind.REMAINING,
    unit=ThresholdUnit.BYTES,
    pmax_percent=bounds_in(LIMITS, "drop-probability"),
    ip_mtu=bounds_in(LIMITS, "MTU"),
    watchdog=WatchdogOffer(
        polling_ms=bounds_in(LIMITS, "watchdog interval"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.ALERT}),
        source=_PAGE,
    ),
    headroom=HeadroomModel.PLATFORM,
    source="docs/nos/nxos.md#names-of-ports-breakouts-and-lags",
)

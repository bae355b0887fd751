"""What SONiC can be told; the sources are in docs/nos/sonic.md."""

from __future__ import annotations

from roce_lint.model.qos import HeadroomModel, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.offer import Offer, WatchdogOffer
from roce_lint.nos.refusals import Bounds, bounds_in
from roce_lint.nos.sonic.bounds import LIMITS

_WATCHDOG = "docs/nos/sonic.md#watchdog"

OFFER = Offer(
    port="Ethernet{lane}",
    split="Ethernet{lane}",
    loopback="Loopback0",
    classes=range(8),
    trust=Trust.DSCP,
    share_of=ShareKind.WEIGHT,
    unit=ThresholdUnit.BYTES,
    pmax_percent=bounds_in(LIMITS, "WRED_PROFILE green_drop_probability"),
    ip_mtu=bounds_in(LIMITS, "PORT mtu"),
    watchdog=WatchdogOffer(
        polling_ms=Bounds("POLL_INTERVAL", 100, 1000, _WATCHDOG, "ms"),
        detection_ms=Bounds("detection_time", 100, 5000, _WATCHDOG, "ms"),
        restoration_ms=Bounds("restoration_time", 100, 60_000, _WATCHDOG, "ms"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.FORWARD, WatchdogAction.ALERT}),
        source=_WATCHDOG,
    ),
    headroom=HeadroomModel.STATIC,
    caps=False,
    source="docs/nos/sonic.md#names-of-ports-breakouts-and-lags",
)

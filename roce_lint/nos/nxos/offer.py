"""What Cisco NX-OS can be told; the sources are in docs/nos/nxos.md."""

from __future__ import annotations

from roce_lint.model.qos import HeadroomModel, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.nxos.bounds import LIMITS
from roce_lint.nos.offer import Offer, WatchdogOffer
from roce_lint.nos.refusals import bounds_in

_PAGE = "docs/nos/nxos.md#what-the-device-refuses"


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
    caps=False,
    source="docs/nos/nxos.md#names-of-ports-breakouts-and-lags",
)

"""What Cumulus Linux can be told; the sources are in docs/nos/cumulus.md."""

from __future__ import annotations

from roce_lint.model.qos import HeadroomModel, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.cumulus.bounds import LIMITS
from roce_lint.nos.offer import Offer, WatchdogOffer
from roce_lint.nos.refusals import Bounds, bounds_in

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
    caps=False,
    source="docs/nos/cumulus.md#names-of-ports-breakouts-and-lags",
)

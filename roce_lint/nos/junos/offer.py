"""What Junos and Junos Evolved can be told; the sources are in docs/nos/junos.md."""

from __future__ import annotations

from roce_lint.model.qos import HeadroomModel, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.offer import Offer, WatchdogOffer
from roce_lint.nos.refusals import Bounds

_PAGE = "docs/nos/junos.md#what-the-device-refuses"
_WATCHDOG = "docs/nos/junos.md#watchdog"

OFFER = Offer(
    port="et-0/0/{n0}",
    split="et-0/0/{n0}:{s0}",
    loopback="lo0",
    classes=range(8),
    trust=Trust.DSCP,
    share_of=ShareKind.LINK,
    unit=ThresholdUnit.PERCENT,
    threshold=Bounds("fill-level", 0, 100, "docs/nos/junos.md#how-thresholds-are-counted"),
    pmax_percent=Bounds("drop-probability", 0, 100, _PAGE, "percent"),
    # `mtu` takes 256 to 9216 on QFX and counts the Ethernet header of 14 bytes too.
    ip_mtu=Bounds("mtu", 256 - 14, 9216 - 14, "Juniper, CLI reference: mtu", "bytes"),
    watchdog=WatchdogOffer(actions=frozenset({WatchdogAction.DROP}), source=_WATCHDOG),
    headroom=HeadroomModel.PLATFORM,
    source="docs/nos/junos.md#names-of-ports-breakouts-and-lags",
)

"""Defaults, sources and documented bounds of SR Linux (docs/nos/srlinux.md)."""

from __future__ import annotations

from roce_lint.model.interface import Fec
from roce_lint.model.qos import (
    HeadroomModel,
    PfcMode,
    SchedulerKind,
    ShareKind,
    Trust,
    WatchdogAction,
)
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.base import Default, Offer, WatchdogOffer
from roce_lint.nos.refusals import Bounds, bounds_in, table
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/srlinux.md"
_UNCONFIRMED = Confidence.UNCONFIRMED

PFC_OFF = Default(PfcMode.OFF, "SR Linux default: pfc-enable false", f"{_PAGE}#pause")
NOT_OBEYED = Default(frozenset(), "SR Linux default: enable-pfc false", f"{_PAGE}#pause")
NOT_PAUSED = Default(
    None, "SR Linux: a forwarding class that no pfc-queue takes is never paused", f"{_PAGE}#pause"
)
DEADLOCK_OFF = Default(
    False, "SR Linux default: detection of PFC deadlocks is disabled", f"{_PAGE}#pause"
)
DEADLOCK_MS = Default(750.0, "SR Linux default: deadlock timers of 750 ms", f"{_PAGE}#pause")
FIRST_CLASS = Default(
    0,
    "SR Linux: what no entry matches goes to the first class",
    f"{_PAGE}#classes-and-queues",
    _UNCONFIRMED,
    unfilled=True,
)
IP_MTU = Default(1500, "SR Linux default: ip-mtu 1500", f"{_PAGE}#how-mtu-is-counted")
RECOVERY = Default(
    WatchdogAction.FORWARD,
    "SR Linux: after a deadlock, received pause frames are ignored for a time",
    f"{_PAGE}#pause",
)
NO_SLOPE = Default(
    False,
    "SR Linux: a queue without a queue management profile has no WRED and no ECN slope",
    f"{_PAGE}#classes-and-queues",
)
STRICT = Default(
    SchedulerKind.STRICT,
    "SR Linux: queues that a scheduler policy does not list are served strictly",
    f"{_PAGE}#classes-and-queues",
)
ABOVE_100G = Default(
    Fec.RS,
    "SR Linux: above 100 Gb/s the FEC is that of IEEE 802.3",
    f"{_PAGE}#names-of-ports-breakouts-and-lags",
)
NO_OWN_AS = Default(
    0, "SR Linux default: a route with the own AS in its path is not accepted", f"{_PAGE}#bgp"
)
WITHOUT_POLICY = Default(
    True, "SR Linux default: without a policy an eBGP session passes no route", f"{_PAGE}#bgp"
)
MAX_PATHS = Default(1, "SR Linux default: maximum-paths 1", f"{_PAGE}#bgp")
PORT_MTU = Default(9232, "SR Linux default: port mtu 9232", f"{_PAGE}#how-mtu-is-counted")

DEFAULTS = tuple(each for each in vars().values() if isinstance(each, Default))


# Names of the sources.

CONFIG = "config"
JSON = "config-json"


# Documented bounds and word lists.

_REFUSALS = "docs/nos/srlinux.md#what-the-device-refuses"

_DESIGN = f"{_PAGE}#what-a-design-may-use"

BOOLEANS = _REFUSALS
"""Source of the words of a boolean in the models."""

LIMITS = table(
    Bounds("pfc-pause-frame-priority", 0, 7, _REFUSALS),
    Bounds("detection-timer", 10, 1500, _REFUSALS, "ms"),
    Bounds("recovery-timer", 100, 1500, _REFUSALS, "ms"),
    Bounds("max-drop-probability-percent", 0, 100, _REFUSALS),
    Bounds("min-threshold-percent", 0, 100, _REFUSALS),
    Bounds("max-threshold-percent", 0, 100, _REFUSALS),
    Bounds("dscp", 0, 63, _REFUSALS),
    Bounds("mtu", 1280, 9500, _REFUSALS, "bytes"),
)
"""Limits by setting, as the readers name it."""


# Design settings; the sources are in docs/nos/srlinux.md.

OFFER = Offer(
    port="ethernet-1/{n}",
    split="ethernet-1/{n}/{s}",
    loopback="system0",
    classes=range(8),
    trust=Trust.DSCP,
    share_of=ShareKind.WEIGHT,
    unit=ThresholdUnit.BYTES,
    threshold=Bounds("threshold", 1, 2**32 - 1, _DESIGN, "bytes"),
    pmax_percent=bounds_in(LIMITS, "max-drop-probability-percent"),
    ip_mtu=Bounds("ip-mtu", 1280, 9398, _DESIGN, "bytes"),
    watchdog=WatchdogOffer(
        detection_ms=bounds_in(LIMITS, "detection-timer"),
        restoration_ms=bounds_in(LIMITS, "recovery-timer"),
        actions=frozenset({WatchdogAction.FORWARD}),
        source=_REFUSALS,
    ),
    headroom=HeadroomModel.PLATFORM,
    source=_DESIGN,
)

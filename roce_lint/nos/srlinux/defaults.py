"""Defaults, sources and documented bounds of SR Linux (docs/nos/srlinux.md)."""

from __future__ import annotations

from roce_lint.model.qos import PfcMode
from roce_lint.nos.base import Default
from roce_lint.nos.refusals import Bounds, table
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/srlinux.md"

PFC_OFF = Default(
    value=PfcMode.OFF, says="SR Linux default: pfc-enable false", source=f"{_PAGE}#pause"
)
NOT_OBEYED = Default(
    value=frozenset(), says="SR Linux default: enable-pfc false", source=f"{_PAGE}#pause"
)
NOT_PAUSED = Default(
    value=None,
    says="SR Linux: a forwarding class that no pfc-queue takes is never paused",
    source=f"{_PAGE}#pause",
)
DEADLOCK_OFF = Default(
    value=False,
    says="SR Linux default: detection of PFC deadlocks is disabled",
    source=f"{_PAGE}#pause",
)
DEADLOCK_MS = Default(
    value=750.0, says="SR Linux default: deadlock timers of 750 ms", source=f"{_PAGE}#pause"
)
FIRST_CLASS = Default(
    value=0,
    says="SR Linux: what no entry matches goes to the first class",
    source=f"{_PAGE}#classes-and-queues",
    confidence=Confidence.UNCONFIRMED,
    unfilled=True,
)
IP_MTU = Default(
    value=1500,
    says="SR Linux default: ip-mtu 1500",
    source=f"{_PAGE}#how-mtu-is-counted",
)
PORT_MTU = Default(
    value=9232,
    says="SR Linux default: port mtu 9232",
    source=f"{_PAGE}#how-mtu-is-counted",
)

DEFAULTS = (
    PFC_OFF,
    NOT_OBEYED,
    NOT_PAUSED,
    DEADLOCK_OFF,
    DEADLOCK_MS,
    FIRST_CLASS,
    IP_MTU,
    PORT_MTU,
)


# Names of the sources.

CONFIG = "config"
JSON = "config-json"


# Documented bounds and word lists.

_REFUSALS = "docs/nos/srlinux.md#what-the-device-refuses"

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

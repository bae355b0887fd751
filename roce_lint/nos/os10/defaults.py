"""What Dell OS10 does when nothing is written, and who says so (docs/nos/os10.md)."""

from __future__ import annotations

from roce_lint.model.qos import PfcMode
from roce_lint.nos.base import Default
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/os10.md"

PFC_OFF = Default(
    value=PfcMode.OFF,
    says="OS10: only `priority-flow-control mode on` turns PFC on",
    source=f"{_PAGE}#pause",
)
NOTHING_LOSSLESS = Default(
    value=frozenset(),
    says="OS10: without a network-qos policy all traffic is in the lossy pool",
    source=f"{_PAGE}#pause",
)
NO_PAUSE = Default(
    value=None,
    says="OS10: a qos-group that no network-qos class pauses stays in the lossy pool",
    source=f"{_PAGE}#pause",
)
PAUSE_PRIORITY = Default(
    value=None,
    says="OS10: `pause` without pfc-cos pauses the priority with the number of the qos-group",
    source=f"{_PAGE}#pause",
    confidence=Confidence.UNCONFIRMED,
)
NO_MARKING = Default(
    value=False,
    says="OS10: a queue without random-detect does not mark",
    source=f"{_PAGE}#queues",
)
ECN_OFF = Default(
    value=False,
    says="OS10: a wred profile without `random-detect ecn` drops and does not mark",
    source=f"{_PAGE}#queues",
)
MTU = Default(
    value=1532,
    says="OS10 default: mtu 1532",
    source=f"{_PAGE}#how-mtu-is-counted",
    confidence=Confidence.UNCONFIRMED,
)

DEFAULTS = (
    PFC_OFF,
    NOTHING_LOSSLESS,
    NO_PAUSE,
    PAUSE_PRIORITY,
    NO_MARKING,
    ECN_OFF,
    MTU,
)

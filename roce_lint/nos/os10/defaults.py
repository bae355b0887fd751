"""What Dell OS10 does when nothing is written, and who says so (docs/nos/os10.md)."""

from __future__ import annotations

from roce_lint.model.qos import PfcMode, Trust
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
NO_CLASS = Default(
    value=0,
    says="OS10: data that no map or policy classifies is in traffic class 0",
    source=f"{_PAGE}#classes-and-their-queues",
)
UNLISTED_DSCP = Default(
    value=0,
    says="OS10: a DSCP that the trust map does not list is in traffic class 0",
    source=f"{_PAGE}#classes-and-their-queues",
    confidence=Confidence.UNCONFIRMED,  # said of 802.1p values only
    unfilled=True,
)
NOT_TRUSTED = Default(
    value=Trust.NONE,
    says="OS10: without a trust map a port does not look at code points",
    source=f"{_PAGE}#classes-and-their-queues",
)
QUEUE_OF_CLASS = Default(
    value=None,
    says="OS10: without a qos-map a traffic class uses the queue of its number",
    source=f"{_PAGE}#classes-and-their-queues",
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
    NO_CLASS,
    UNLISTED_DSCP,
    NOT_TRUSTED,
    QUEUE_OF_CLASS,
    NO_PAUSE,
    PAUSE_PRIORITY,
    NO_MARKING,
    ECN_OFF,
    MTU,
)

"""What IOS-XR does when nothing is written, and who says so (docs/nos/iosxr.md)."""

from __future__ import annotations

from roce_lint.model.qos import PfcMode
from roce_lint.nos.base import Default
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/iosxr.md"

PFC_OFF = Default(
    value=PfcMode.OFF,
    says="IOS-XR: a port without `priority-flow-control mode on` neither sends nor obeys pause",
    source=f"{_PAGE}#pause",
)
NO_PROFILE = Default(
    value=frozenset(),
    says="IOS-XR: without a PFC profile of the line card no traffic class is lossless",
    source=f"{_PAGE}#pause",
)
CLASS_IS_QUEUE = Default(
    value=None,
    says="IOS-XR: a traffic class leaves through the queue that matches its number",
    source=f"{_PAGE}#classes-and-queues",
)
CLASS_IS_GROUP = Default(
    value=None,
    says="IOS-XR: a traffic class is accounted in the ingress group of its number",
    source=f"{_PAGE}#classes-and-queues",
    confidence=Confidence.UNCONFIRMED,
)
CLASS_0 = Default(
    value=0,
    says="IOS-XR default: what no class gives a traffic class is in traffic class 0",
    source=f"{_PAGE}#classes-and-queues",
    confidence=Confidence.UNCONFIRMED,
    unfilled=True,
)
NO_MARKING = Default(
    value=False,
    says="IOS-XR: a class without `random-detect ecn` does not mark",
    source=f"{_PAGE}#classes-and-queues",
    confidence=Confidence.UNCONFIRMED,
)
ECN_UPPER = Default(
    value=None,
    says="IOS-XR: the profile has one ECN threshold; from where on all is marked it does not say",
    source=f"{_PAGE}#how-thresholds-are-counted",
    confidence=Confidence.UNCONFIRMED,
)
MTU = Default(
    value=1500,
    says="IOS-XR default: mtu 1514, of which 14 bytes are the Ethernet header",
    source=f"{_PAGE}#how-mtu-is-counted",
)

DEFAULTS = (
    PFC_OFF,
    NO_PROFILE,
    CLASS_IS_QUEUE,
    CLASS_IS_GROUP,
    CLASS_0,
    NO_MARKING,
    ECN_UPPER,
    MTU,
)

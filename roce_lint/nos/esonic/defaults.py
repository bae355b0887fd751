"""What Enterprise SONiC does when nothing is written, and who says so (docs/nos/esonic.md)."""

from __future__ import annotations

from roce_lint.model.qos import WatchdogAction
from roce_lint.nos.base import Default
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/esonic.md"

NO_PFC = Default(
    value=frozenset(),
    says="SONiC default: no PFC on a port without priority-flow-control priority",
    source=f"{_PAGE}#pause",
)
NOT_WATCHED = Default(
    value=False,
    says="SONiC default: no PFC watchdog on a port without such lines",
    source=f"{_PAGE}#pause",
)
WATCHDOG_ACTION = Default(
    value=WatchdogAction.DROP,
    says="Enterprise SONiC default: watchdog action drop",
    source=f"{_PAGE}#pause",
)
NO_MARKING = Default(
    value=False,
    says="SONiC default: a queue without wred-policy does not mark",
    source=f"{_PAGE}#queues",
)
ECN_NONE = Default(
    value=False,
    says="SONiC default: a WRED policy without ecn drops and does not mark",
    source=f"{_PAGE}#queues",
)
QUEUE_0 = Default(
    value=0,
    says="SAI default: without a tc-queue map every packet goes to queue 0",
    source=f"{_PAGE}#queues",
    confidence=Confidence.UNCONFIRMED,
)
GROUP_IS_PRIORITY = Default(
    value=None,
    says="SONiC default: without pfc-priority-pg, priority n pauses priority group n",
    source=f"{_PAGE}#pause",
    confidence=Confidence.UNCONFIRMED,
)
CABLE = Default(
    value=40.0,
    says="Enterprise SONiC default: cable-length 40m",
    source=f"{_PAGE}#pause",
)
MTU = Default(
    value=9100,
    says="SONiC default: mtu 9100",
    source=f"{_PAGE}#how-mtu-is-counted",
    confidence=Confidence.UNCONFIRMED,
)

PIPE = Default(
    value=False,
    says="Enterprise SONiC default: qos-mode pipe, the outer header has a DSCP of its own",
    source=f"{_PAGE}#overlays",
)
OUTER_DSCP = Default(
    value=0,
    says="Enterprise SONiC default: qos-mode pipe writes DSCP 0 into the outer header",
    source=f"{_PAGE}#overlays",
)

NOT_IN_MAP = Default(
    value=0,
    says="SAI default: a code point that the map does not list is in traffic class 0",
    source=f"{_PAGE}#classes",
    confidence=Confidence.UNCONFIRMED,
    unfilled=True,
)

DEFAULTS = (
    NOT_IN_MAP,
    NO_PFC,
    NOT_WATCHED,
    WATCHDOG_ACTION,
    NO_MARKING,
    ECN_NONE,
    QUEUE_0,
    GROUP_IS_PRIORITY,
    CABLE,
    MTU,
    PIPE,
    OUTER_DSCP,
)

"""What Comware switches do when nothing is written, and who says so (docs/nos/comware.md)."""

from __future__ import annotations

from roce_lint.model.qos import PfcMode, SchedulerKind, Trust, WatchdogAction
from roce_lint.nos.base import Default
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/comware.md"

PFC_OFF = Default(
    value=PfcMode.OFF,
    says="Comware default: PFC is off on all ports",
    source=f"{_PAGE}#pause",
)
NO_PRIORITY = Default(
    value=frozenset(),
    says="Comware default: PFC is off for all priorities without `no-drop dot1p`",
    source=f"{_PAGE}#pause",
)
DEADLOCK_OFF = Default(
    value=False,
    says="Comware default: detection of PFC deadlocks is off",
    source=f"{_PAGE}#pause",
)
DEADLOCK_FORWARDS = Default(
    value=WatchdogAction.FORWARD,
    says="Comware default: packets are forwarded while a deadlock is recovered from",
    source=f"{_PAGE}#pause",
)
TRUST_NONE = Default(
    value=Trust.NONE,
    says="Comware default: a port without `qos trust` goes by its own priority",
    source=f"{_PAGE}#classes-and-queues",
)
PORT_PRIORITY = Default(
    value=0,
    says="Comware default: the priority of a port is 0",
    source=f"{_PAGE}#classes-and-queues",
)
DSCP_TO_DOT1P = Default(
    value=None,
    says="Comware default: the table dscp-dot1p takes each eight DSCPs to one priority",
    source=f"{_PAGE}#classes-and-queues",
)
HIGH_TO_LP = Default(
    value=None,
    says="Comware default: the table dot1p-lp leaves priorities 3 to 7 as they are",
    source=f"{_PAGE}#classes-and-queues",
)
LOW_TO_LP = Default(
    value=None,
    says="Comware default: the table dot1p-lp takes priorities 0, 1, 2 to 2, 0, 1",
    source=f"{_PAGE}#classes-and-queues",
    confidence=Confidence.UNCONFIRMED,
)
LP_IS_QUEUE = Default(
    value=None,
    says="Comware: a local precedence is the queue of its number",
    source=f"{_PAGE}#classes-and-queues",
)
NO_MARKING = Default(
    value=False,
    says="Comware default: no WRED and no ECN on any queue",
    source=f"{_PAGE}#marking",
)
FAIR_TURN = Default(
    value=SchedulerKind.WEIGHTED,
    says="Comware: with `qos wfq` a queue without a line of its own has a weight of the platform's",
    source=f"{_PAGE}#classes-and-queues",
    confidence=Confidence.UNCONFIRMED,
)
MTU = Default(
    value=1500,
    says="Comware default: mtu 1500",
    source=f"{_PAGE}#how-mtu-is-counted",
    confidence=Confidence.UNCONFIRMED,
)

DEFAULTS = (
    PFC_OFF,
    NO_PRIORITY,
    DEADLOCK_OFF,
    DEADLOCK_FORWARDS,
    TRUST_NONE,
    PORT_PRIORITY,
    DSCP_TO_DOT1P,
    HIGH_TO_LP,
    LOW_TO_LP,
    LP_IS_QUEUE,
    NO_MARKING,
    FAIR_TURN,
    MTU,
)

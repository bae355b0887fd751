"""What CloudEngine switches do when nothing is written, and who says so (docs/nos/vrp.md)."""

from __future__ import annotations

from roce_lint.model.qos import PfcMode, Trust
from roce_lint.nos.base import Default
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/vrp.md"

PFC_OFF = Default(
    value=PfcMode.OFF,
    says="CloudEngine default: PFC is not applied to a port without `dcb pfc enable`",
    source=f"{_PAGE}#pause",
)
PRIORITY_3 = Default(
    value=frozenset({3}),
    says="CloudEngine default: a PFC profile makes priority 3 lossless",
    source=f"{_PAGE}#pause",
)
PRIORITY_IS_QUEUE = Default(
    value=None,
    says="CloudEngine: a priority is paused by the frame of its number",
    source=f"{_PAGE}#pause",
)
PHB_IS_QUEUE = Default(
    value=None,
    says="CloudEngine: be, af1 to af4, ef, cs6 and cs7 leave through queues 0 to 7",
    source=f"{_PAGE}#classes-and-queues",
)
TRUST_ROUTED = Default(
    value=Trust.DSCP,
    says="CloudEngine default: a routed port trusts DSCP",
    source=f"{_PAGE}#classes-and-queues",
)
TRUST_SWITCHED = Default(
    value=Trust.PCP,
    says="CloudEngine default: a switched port trusts 802.1p",
    source=f"{_PAGE}#classes-and-queues",
    confidence=Confidence.UNCONFIRMED,
)
PORT_PRIORITY = Default(
    value=0,
    says="CloudEngine default: the priority of a port is 0",
    source=f"{_PAGE}#classes-and-queues",
)
DOMAIN = Default(
    value="default",
    says="CloudEngine default: a port without `trust upstream` has the domain default",
    source=f"{_PAGE}#classes-and-queues",
)
DSCP_TO_PHB = Default(
    value=None,
    says="CloudEngine default: a DiffServ domain takes each eight DSCPs to one queue",
    source=f"{_PAGE}#classes-and-queues",
)
PCP_TO_PHB = Default(
    value=None,
    says="CloudEngine default: a DiffServ domain takes an 802.1p value to the queue of its number",
    source=f"{_PAGE}#classes-and-queues",
)
ECN_OFF = Default(
    value=False,
    says="CloudEngine default: ECN is off on a queue without `qos queue N ecn`",
    source=f"{_PAGE}#marking",
)
DEADLOCK_ON = Default(
    value=True,
    says="CloudEngine: detection of PFC deadlocks is always on",
    source=f"{_PAGE}#pause",
)
DEADLOCK_MS = Default(
    value=100.0,
    says="CloudEngine default: a deadlock is detected after 100 ms, recovery takes 100 ms",
    source=f"{_PAGE}#pause",
)
JUMBO = Default(
    value=9216,
    says="CloudEngine default: jumboframe enable 9216",
    source=f"{_PAGE}#how-mtu-is-counted",
)
MTU = Default(
    value=1500,
    says="CloudEngine default: mtu 1500",
    source=f"{_PAGE}#how-mtu-is-counted",
    confidence=Confidence.UNCONFIRMED,
)

DEFAULTS = (
    PFC_OFF,
    PRIORITY_3,
    PRIORITY_IS_QUEUE,
    PHB_IS_QUEUE,
    TRUST_ROUTED,
    TRUST_SWITCHED,
    PORT_PRIORITY,
    DOMAIN,
    DSCP_TO_PHB,
    PCP_TO_PHB,
    ECN_OFF,
    DEADLOCK_ON,
    DEADLOCK_MS,
    JUMBO,
    MTU,
)

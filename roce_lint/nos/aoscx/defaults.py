"""What AOS-CX does when nothing is written, and who says so (docs/nos/aoscx.md)."""

from __future__ import annotations

from roce_lint.model.qos import Trust
from roce_lint.nos.base import Default
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/aoscx.md"

NO_PFC = Default(
    value=frozenset(),
    says="AOS-CX: a port without `flow-control priority` has no PFC",
    source=f"{_PAGE}#pause",
    confidence=Confidence.UNCONFIRMED,
)
PRIORITY_IS_PFC = Default(
    value=None,
    says="AOS-CX: a local priority is paused by the priority of its number",
    source=f"{_PAGE}#pause",
    confidence=Confidence.UNCONFIRMED,
)
PORT_MTU = Default(
    value=1500,
    says="AOS-CX default: mtu 1500",
    source=f"{_PAGE}#how-mtu-is-counted",
    confidence=Confidence.UNCONFIRMED,
)
IP_MTU = Default(
    value=1500,
    says="AOS-CX default: ip mtu 1500",
    source=f"{_PAGE}#how-mtu-is-counted",
    confidence=Confidence.UNCONFIRMED,
)
NO_MARKING = Default(
    value=False,
    says="AOS-CX: a queue that no threshold profile names does not mark",
    source=f"{_PAGE}#queues",
    confidence=Confidence.UNCONFIRMED,
)

TRUST = Default(
    value=Trust.NONE,
    says="AOS-CX default: qos trust none",
    source=f"{_PAGE}#classes",
)
DSCP_MAP = Default(
    value=None,
    says="AOS-CX: the default DSCP map, which `show qos dscp-map default` shows",
    source=f"{_PAGE}#classes",
)

DEFAULTS = (
    NO_PFC,
    PRIORITY_IS_PFC,
    PORT_MTU,
    IP_MTU,
    NO_MARKING,
    TRUST,
    DSCP_MAP,
)

KNOWN_OF_DSCP_MAP = {
    **dict.fromkeys(range(8), 1),
    8: 0,
    **dict.fromkeys(range(45, 48), 5),
    48: 6,
    **dict.fromkeys(range(61, 64), 7),
}
"""The part of the default DSCP map that the documents print; they leave the rest out."""

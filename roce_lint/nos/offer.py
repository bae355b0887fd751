"""What a system can be told: the numbers, units, names and words that a design may use on it.

An offer is the other side of reading. What is not in it cannot be wished for: the design says so
and names the limit, and nothing is put into the nearest value that would fit.
"""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.qos import HeadroomModel, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.refusals import Bounds


@dataclass(frozen=True, kw_only=True)
class WatchdogOffer:
    """What the PFC watchdog can be told; times in milliseconds, None where it has no such time.

    With `polls` the time until a queue counts as stuck is stated as a whole number of polling
    intervals within these bounds. Where restoring takes one polling interval, whatever is wished,
    `restores_after_poll` is True.
    """

    polling_ms: Bounds | None = None
    detection_ms: Bounds | None = None
    restoration_ms: Bounds | None = None
    polls: Bounds | None = None
    restores_after_poll: bool = False
    actions: frozenset[WatchdogAction]
    source: str


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What a switch with one operating system can be told.

    `port` and `split` are patterns of the names of whole and broken-out ports: {n} is the number
    on the front, {n0} one less, {s} and {s0} the part, {lane} its first lane counted over the
    switch from 0, {sublane} the same counted within the port from 1. `classes` are the
    numbers of traffic classes, whose queues and priority groups have the same numbers.
    `lossless` is how many of them may be lossless, None where no document says.
    """

    port: str
    split: str
    loopback: str
    classes: range
    lossless: int | None = None
    trust: Trust
    share_of: ShareKind
    unit: ThresholdUnit
    threshold: Bounds | None = None
    pmax_percent: Bounds
    ip_mtu: Bounds
    watchdog: WatchdogOffer
    headroom: HeadroomModel
    caps: bool = True
    """False: nothing is known by which a queue could be held to a part of the link."""
    source: str
    """Heading of docs/nos/<nos>.md where names and numbers stand."""

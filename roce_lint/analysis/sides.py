"""The two sides of a port: what is known of a code point that arrives, and of one that leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roce_lint.analysis.fact import Fact
from roce_lint.model.qos import Marking, Scheduler
from roce_lint.text.source import Where

NOT_KNOWN: Fact[Any] = Fact(None)

Places = tuple[Where, ...]


@dataclass(slots=True, frozen=True)
class Ingress:
    """What happens to a packet of one code point as it arrives.

    `protected` is True when the port generates pause for it, and False when it certainly does not.
    `pause_priority` is put into the pause frame, if the class is paused at all. `unless` is the
    term of a policy that may put some of its packets elsewhere.
    """

    dscp: int | None  # None: not known
    traffic_class: Fact[int]
    group: Fact[int]
    pause_priority: Fact[int]
    protected: Fact[bool]
    tc_name: str = ""  # the class in the device's own words; empty where it is not known
    unless: str = ""

    @property
    def tc(self) -> int | None:
        """The traffic class."""
        return self.traffic_class.value

    @property
    def tc_where(self) -> tuple[Where, ...]:
        """The deciding places of the classification."""
        return self.traffic_class.where

    @property
    def leaving_class(self) -> Fact[int]:
        """The traffic class, as what it leaves by needs it: its places may be those of a port
        that is configured alike.
        """
        return self.traffic_class

    @property
    def certain(self) -> bool:
        """False where an ACL or VLAN match may decide otherwise."""
        return not self.unless

    @property
    def pg(self) -> int | None:
        """The priority group."""
        return self.group.value

    @property
    def pg_where(self) -> Where | None:
        """The entry of the map that gives the group."""
        return self.group.place

    @property
    def priority(self) -> int | None:
        """The priority of the pause frame."""
        return self.pause_priority.value

    @property
    def priority_where(self) -> Where | None:
        """The entry that gives the priority."""
        return self.pause_priority.place

    @property
    def lossless(self) -> bool | None:
        """Whether the port generates pause for it."""
        return self.protected.value

    @property
    def lossless_where(self) -> Where | None:
        """The place that decides whether it is paused."""
        return self.protected.place

    @property
    def missing(self) -> str:
        """What would tell the class, or whether it is paused."""
        return self.traffic_class.missing or self.protected.missing


@dataclass(slots=True, frozen=True)
class Egress:
    """What happens to a packet of one traffic class as it leaves.

    `marked` is True when its queue marks ECN, and False when it certainly does not. `stopping` are
    the priorities whose received pause stops the queue.
    """

    tc: int | None
    served_by: Fact[int]
    marked: Fact[bool]
    stopping: Fact[frozenset[int]]
    scheduler: Scheduler | None = None
    marking: Marking | None = None

    @property
    def queue(self) -> int | None:
        """The number of the queue."""
        return self.served_by.value

    @property
    def queue_where(self) -> Where | None:
        """The entry that gives the queue."""
        return self.served_by.place

    @property
    def marks(self) -> bool | None:
        """Whether the queue marks."""
        return self.marked.value

    @property
    def in_force(self) -> bool:
        """True where the queue marks, and no line takes that back."""
        return bool(self.marks) and (self.marking is None or self.marking.in_force)

    @property
    def marks_where(self) -> Where | None:
        """The place that decides whether it marks."""
        return self.marked.place

    @property
    def stopped_by(self) -> frozenset[int] | None:
        """The priorities that stop the queue; None when unknown."""
        return self.stopping.value

    @property
    def honour_where(self) -> Where | None:
        """The place that decides which pause is obeyed."""
        return self.stopping.place

    @property
    def missing(self) -> str:
        """What would tell the queue, or whether it marks."""
        return self.served_by.missing or self.marked.missing


@dataclass(slots=True, frozen=True)
class Treatment:
    """Ingress and egress of one code point on one port."""

    ingress: Ingress
    egress: Egress
    rewrite: int | None  # code point it leaves with, where a rewrite is known to act
    rewrite_where: Where | None = None


def unknown_ingress(missing: str, *, dscp: int | None = None, where: Places = ()) -> Ingress:
    """What happens to an arriving packet where nothing tells."""
    return Ingress(dscp, Fact(None, where, missing), NOT_KNOWN, NOT_KNOWN, NOT_KNOWN)


def unknown_egress(missing: str, *, tc: int | None = None, where: Where | None = None) -> Egress:
    """What happens to a leaving packet where nothing tells its queue."""
    places = (where,) if where is not None else ()
    return Egress(tc, Fact(None, places, missing), NOT_KNOWN, NOT_KNOWN)

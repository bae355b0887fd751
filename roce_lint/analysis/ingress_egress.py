"""Ingress and egress treatment of a DSCP on a port."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from roce_lint.analysis.provenance import Fact
from roce_lint.model.qos import Marking, Scheduler
from roce_lint.model.units import ranges
from roce_lint.text.source import Where

NOT_KNOWN: Fact[Any] = Fact(None)


def label_class(name: str) -> str:
    """A traffic class in a message: by number, or by the name that the device has for it."""
    return f"TC {name}" if name.isdecimal() else f"forwarding class {name}"


def label_priorities(numbers: Collection[int]) -> str:
    """Priorities in a message: `priority 3` or `priorities 3-4`."""
    return f"priorit{'y' if len(numbers) == 1 else 'ies'} {ranges(list(numbers))}"


@dataclass(slots=True, frozen=True)
class Ingress:
    """Treatment of a packet with one DSCP as it arrives.

    `protected` is True if the port sends PFC for it, and False if it certainly does not.
    `pause_priority` is the priority in the PFC frame, if any is sent. `unless` is the term of a
    policy that may treat some of its packets differently.
    """

    dscp: int | None  # None: unknown
    traffic_class: Fact[int]
    group: Fact[int]
    pause_priority: Fact[int]
    protected: Fact[bool]
    tc_name: str = ""  # name of the class on the device; empty if unknown
    unless: str = ""

    @property
    def tc(self) -> int | None:
        """The traffic class."""
        return self.traffic_class.value

    @property
    def class_label(self) -> str:
        """The class in a message, with its noun: `TC 3` or `forwarding class NO-LOSS`."""
        return label_class(self.tc_name)

    @property
    def tc_where(self) -> tuple[Where, ...]:
        """Deciding places of the classification."""
        return self.traffic_class.where

    @property
    def leaving_class(self) -> Fact[int]:
        """The traffic class for egress, maybe with places of an identically configured port."""
        return self.traffic_class

    @property
    def certain(self) -> bool:
        """False where an ACL or VLAN match may override the class."""
        return not self.unless

    @property
    def pg(self) -> int | None:
        """The priority group."""
        return self.group.value

    @property
    def pg_where(self) -> Where | None:
        """The map entry that gives the group."""
        return self.group.place

    @property
    def priority(self) -> int | None:
        """Priority of the PFC frame."""
        return self.pause_priority.value

    @property
    def priority_where(self) -> Where | None:
        """The entry that gives the priority."""
        return self.pause_priority.place

    @property
    def lossless(self) -> bool | None:
        """Whether the port sends PFC for it."""
        return self.protected.value

    @property
    def lossless_where(self) -> Where | None:
        """The place that decides whether it is lossless."""
        return self.protected.place

    @property
    def missing(self) -> str:
        """Missing input for the class, or for whether it is lossless."""
        return self.traffic_class.missing or self.protected.missing


@dataclass(slots=True, frozen=True)
class Egress:
    """Treatment of a packet of one traffic class as it leaves.

    `marked` is True if its queue marks ECN, and False if it certainly does not. `stopping` are the
    priorities whose received PFC stops the queue.
    """

    tc: int | None
    served_by: Fact[int]
    marked: Fact[bool]
    stopping: Fact[frozenset[int]]
    scheduler: Scheduler | None = None
    marking: Marking | None = None

    @property
    def queue(self) -> int | None:
        """Number of the queue."""
        return self.served_by.value

    @property
    def queue_where(self) -> Where | None:
        """The entry that gives the queue."""
        return self.served_by.place

    @property
    def marks(self) -> bool | None:
        """Whether the queue marks ECN."""
        return self.marked.value

    @property
    def in_force(self) -> bool:
        """True where the queue marks ECN and no line overrides that."""
        return bool(self.marks) and (self.marking is None or self.marking.in_force)

    @property
    def marks_where(self) -> Where | None:
        """The place that decides whether the queue marks ECN."""
        return self.marked.place

    @property
    def stopped_by(self) -> frozenset[int] | None:
        """Priorities that stop the queue; None if unknown."""
        return self.stopping.value

    @property
    def honour_where(self) -> Where | None:
        """The place that decides which PFC is honoured."""
        return self.stopping.place

    @property
    def missing(self) -> str:
        """Missing input for the queue, or for whether it marks ECN."""
        return self.served_by.missing or self.marked.missing


@dataclass(slots=True, frozen=True)
class Treatment:
    """Ingress and egress of one DSCP on one port."""

    ingress: Ingress
    egress: Egress
    rewrite: int | None  # DSCP on egress, if a rewrite certainly acts
    rewrite_where: Where | None = None


def unknown_ingress(
    missing: str, *, dscp: int | None = None, where: tuple[Where, ...] = ()
) -> Ingress:
    """Ingress treatment that is unknown."""
    return Ingress(dscp, Fact(None, where, missing), NOT_KNOWN, NOT_KNOWN, NOT_KNOWN)


def unknown_egress(missing: str, *, tc: int | None = None, where: Where | None = None) -> Egress:
    """Egress treatment with an unknown queue."""
    places = (where,) if where is not None else ()
    return Egress(tc, Fact(None, places, missing), NOT_KNOWN, NOT_KNOWN)

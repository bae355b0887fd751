"""Other DSCPs that share resources with RoCE data inside a switch, and their senders."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from roce_lint.analysis.map_conflicts import map_conflict
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import Ingress
from roce_lint.model.fabric import Fabric
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.plan import RocePlan
from roce_lint.text.source import Origin, Where


class Share(enum.Enum):
    """Resource that another DSCP shares with RoCE data inside a switch."""

    CLASS = "the class"
    GROUP = "the PFC priority"
    QUEUE = "the queue"


@dataclass(slots=True, frozen=True)
class Companion:
    """A DSCP that shares something with RoCE data, with the deciding lines."""

    share: Share
    label: str  # of the class or the queue
    traffic: str
    lossless: bool  # the data is lossless, so that PFC acts on both
    where: list[Where]
    doubts: tuple[Where, ...] = ()  # doubts about the sharing

    def spell(self, kind: str) -> str:
        """Shared resource in words; `kind` describes the class."""
        if self.share is Share.CLASS:
            return f"{self.label}, the {kind} class of {self.traffic}"
        if self.share is Share.GROUP:
            return f"{self.label}, which shares the PFC priority of {self.traffic}"
        return f"{self.label}, which carries {self.traffic}"


def find_companion(analysis: Analysis, port: JudgedPort, dscp: int) -> Companion | None:
    """The class, PFC priority or queue that a DSCP shares with RoCE data on a port; None if
    nothing.

    A data class that is lossy by mistake, or in an unintended queue, is left out: that is another
    fault.
    """
    mine = analysis.treat(port, dscp)
    into, out = mine.ingress, mine.egress
    if into.tc is None:
        return None
    found: list[Companion] = []
    for traffic in analysis.data_classes:
        for other in (analysis.treat(port, number) for number in traffic.dscps):
            theirs, lossless = other.ingress, bool(other.ingress.lossless)
            if theirs.tc is None or not (lossless or other.egress.marks):
                continue
            if not lossless and analysis.misplaced(traffic, port):
                continue
            name, label = traffic.name, into.class_label
            classes = (doubt for side in (into, theirs) for doubt in side.traffic_class.doubts)
            if theirs.tc == into.tc:
                doubts, places = tuple(classes), list(into.tc_where)
                found.append(Companion(Share.CLASS, label, name, lossless, places, doubts))
            elif lossless and into.lossless and into.priority == theirs.priority:
                doubts = (*into.protected.doubts, *theirs.protected.doubts)
                places = _group_first(into)
                found.append(Companion(Share.GROUP, label, name, lossless, places, doubts))
            elif out.queue is not None and out.queue == other.egress.queue:
                if map_conflict(analysis, traffic, port) is not None:
                    continue
                places = [*([out.queue_where] if out.queue_where else []), *into.tc_where]
                if out.queue_where == other.egress.queue_where:
                    # One class with PFC for its data only: its DSCPs decide.
                    places = [*into.tc_where[1:2], *into.tc_where[:1], *places[:1]]
                doubts = (*classes, *out.served_by.doubts, *other.egress.served_by.doubts)
                queue = f"queue {out.queue}"
                found.append(Companion(Share.QUEUE, queue, name, lossless, places, doubts))
    order = list(Share)
    return min(found, key=lambda each: order.index(each.share), default=None)


def _group_first(into: Ingress) -> list[Where]:
    """Lines that put a separate class into the group of another, the group first."""
    for place in (into.pg_where, into.priority_where):
        if place is not None and place.origin is Origin.STATED and place.position:
            return [place, *into.tc_where]
    return list(into.tc_where)


OTHERS = (Flow.STORAGE, Flow.OTHER)
"""Kinds of traffic that do not belong in the class of RDMA data."""


@dataclass(slots=True, frozen=True)
class Foreign:
    """A DSCP of other traffic than RoCE, and its source."""

    dscp: int
    what: str
    where: Where
    sure: bool = True  # certainly in the RoCE network


def foreign_traffic(fabric: Fabric, plan: RocePlan) -> list[Foreign]:
    """Other traffic by DSCP, as stated by hosts and in the classes of the plan."""
    found: dict[int, Foreign] = {}
    for device in fabric.devices.values():
        for emission in device.emits:
            if emission.certainty is Certainty.STATED and emission.flow in OTHERS:
                what = f"{emission.flow.value} traffic, {emission.by}"
                place = emission.where("dscp", emission.by)
                sure = bool(emission.nics) or emission.flow is not Flow.OTHER
                item = Foreign(emission.dscp, what, place, sure)
                found.setdefault(emission.dscp, item)
    for planned in plan.classes:
        if planned.flow in OTHERS:
            what = f"{planned.flow.value} traffic, class {planned.name} of {plan.name}"
            for dscp in planned.dscps:
                found.setdefault(dscp, Foreign(dscp, what, planned.where("dscps")))
    return [found[dscp] for dscp in sorted(found)]

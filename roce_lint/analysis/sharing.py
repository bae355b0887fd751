"""What other code points have in common with RoCE data inside a switch, and who sends them."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from roce_lint.analysis.box_maps import contradiction
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import Ingress
from roce_lint.model.fabric import Fabric
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.plan import RocePlan
from roce_lint.text.source import Origin, Where


class Share(enum.Enum):
    """What another code point has in common with RoCE data inside a switch."""

    CLASS = "the class"
    GROUP = "the priority that is paused"
    QUEUE = "the queue"


@dataclass(slots=True, frozen=True)
class Companion:
    """A code point that shares something with RoCE data, and the lines that make it so."""

    share: Share
    number: int  # of the class or the queue
    traffic: str
    lossless: bool  # the data is, so that pause acts on both
    where: list[Where]
    doubts: tuple[Where, ...] = ()  # which could make it share nothing

    def spell(self, kind: str) -> str:
        """What the code point is put into; `kind` says what the class is called."""
        if self.share is Share.CLASS:
            return f"class {self.number}, the {kind} class of {self.traffic}"
        if self.share is Share.GROUP:
            return f"class {self.number}, which is paused together with {self.traffic}"
        return f"queue {self.number}, that of {self.traffic}"


def find_companion(analysis: Analysis, port: JudgedPort, dscp: int) -> Companion | None:
    """How a code point shares class, pause or queue with RoCE data on a port; None: it does not.

    A data class that is outside the lossless ones by mistake, or has not the queue it was meant to
    have, is left out: that is another fault.
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
            name = traffic.name
            classes = (*into.traffic_class.doubts, *theirs.traffic_class.doubts)
            if theirs.tc == into.tc:
                places = list(into.tc_where)
                found.append(Companion(Share.CLASS, into.tc, name, lossless, places, classes))
            elif lossless and into.lossless and into.priority == theirs.priority:
                doubts = (*into.protected.doubts, *theirs.protected.doubts)
                places = _group_first(into)
                found.append(Companion(Share.GROUP, into.tc, name, lossless, places, doubts))
            elif out.queue is not None and out.queue == other.egress.queue:
                if contradiction(analysis, traffic, port) is not None:
                    continue
                places = [*([out.queue_where] if out.queue_where else []), *into.tc_where]
                if out.queue_where == other.egress.queue_where:
                    # One class, of which only the data is paused: its code points tell.
                    places = [*into.tc_where[1:2], *into.tc_where[:1], *places[:1]]
                doubts = (*classes, *out.served_by.doubts, *other.egress.served_by.doubts)
                found.append(Companion(Share.QUEUE, out.queue, name, lossless, places, doubts))
    order = list(Share)
    return min(found, key=lambda each: order.index(each.share), default=None)


def _group_first(into: Ingress) -> list[Where]:
    """Lines that put a class of its own into the group of another: that of the group first."""
    for place in (into.pg_where, into.priority_where):
        if place is not None and place.origin is Origin.STATED and place.position:
            return [place, *into.tc_where]
    return list(into.tc_where)


OTHERS = (Flow.STORAGE, Flow.OTHER)
"""Kinds of traffic that have no place in the class of RDMA data."""


@dataclass(slots=True, frozen=True)
class Foreign:
    """A code point that carries something else than RoCE, and who says so."""

    dscp: int
    what: str
    where: Where
    sure: bool = True  # that it gets into the network of RoCE


def foreign_traffic(fabric: Fabric, plan: RocePlan) -> list[Foreign]:
    """What hosts state that they send, and what the plan says of its classes, by code point."""
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

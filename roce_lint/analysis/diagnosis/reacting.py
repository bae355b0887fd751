"""Reaction of a NIC to ECN marks of a class (DCQCN)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from roce_lint.analysis.cabling import emissions_by_port, nics_at
from roce_lint.analysis.diagnosis.subject import Diagnosis, Fault, Lack
from roce_lint.analysis.stages import Acts, Stage
from roce_lint.model.change import Change
from roce_lint.model.nic import Certainty, Flow, Nic
from roce_lint.model.sourced import Part
from roce_lint.model.units import PRIORITIES, ranges
from roce_lint.text.source import Where

NOTIFICATION, REACTION = "notification point", "reaction point"
"""The two parts of DCQCN."""

OPEN = "the DCQCN priorities of the NICs (their ECN settings)"
OPEN_FOR_DATA = "the DCQCN state of the NICs for the priority of the data"


class Point(NamedTuple):
    """One part of DCQCN on a NIC: its enabled priorities, and those where it is unknown."""

    name: str
    nic: Nic
    field: str
    on: frozenset[int] | None
    open: frozenset[int]
    acts: Acts  # affected data

    def off(self, needed: list[int]) -> list[int]:
        """Priorities of the data for which it is certainly off."""
        return [p for p in needed if p not in (self.on or ()) and p not in self.open]

    def where(self, needed: list[int]) -> Where | None:
        """The setting that disables it for a priority of the data; None if it is on."""
        off = self.off(needed)
        if not off:
            return None
        own = Part(self.field, off[0])
        return self.nic.where(own if self.nic.stated(own) else self.field)


def reaction(d: Diagnosis) -> Iterator[Fault | Lack]:
    """The switches mark the class, and a NIC does not send CNPs or does not react to them."""
    nics = nics_at(d.analysis, d.port)
    if not nics or d.analysis.mode(d.traffic, d.port).marking is not True or not d.in_place:
        return
    if d.analysis.out_of_step(d.traffic, d.port):
        return  # a class without ECN marking by the switches
    sent = {
        emission.dscp
        for emission in emissions_by_port(d.analysis, d.port)
        if emission.flow is Flow.DATA and emission.certainty is Certainty.STATED
    }
    used = (dscp for dscp in d.traffic.dscps if not sent or dscp in sent)
    priorities = {d.analysis.treat(d.port, dscp).ingress.tc for dscp in used} - {None}
    needed = sorted(priority for priority in priorities if priority is not None)
    for nic in nics if needed else ():
        yield from _of_nic(d, nic, needed)


def _of_nic(d: Diagnosis, nic: Nic, needed: list[int]) -> Iterator[Fault | Lack]:
    points = (
        Point(REACTION, nic, "rp_priorities", nic.rp_priorities, nic.rp_open, "leaving"),
        Point(NOTIFICATION, nic, "np_priorities", nic.np_priorities, nic.np_open, "arriving"),
    )
    reported: Where | None = None
    for point in points:
        if point.on is None:
            if reported is None:  # if one point is off, the other adds nothing
                yield Lack(Stage.REACTION, OPEN, (nic.where(),))
            return
        off, where = point.off(needed), point.where(needed)
        if not off and point.open.intersection(needed):
            yield Lack(Stage.REACTION, OPEN_FOR_DATA, (nic.where(point.field),))
        if where is None or where == reported:
            continue
        reported, on = where, point.on
        one = len({each.where(needed) for each in points}) == 1  # one setting for both
        yield Fault(
            Stage.REACTION,
            (where,),
            f"has the DCQCN {point.name} {_state(point, off)} {d.traffic.name}",
            f"{point.name}: {ranges(on) if on else 'none'}",
            acts="both" if one else point.acts,
            kind=point.name,
            # NVIDIA's documents disagree whether one priority enables the point for all.
            slight=bool(on) and point.name == NOTIFICATION,
            changes=_with_priorities(d, nic, points if one else (point,), needed),
        )


def _with_priorities(
    d: Diagnosis, nic: Nic, points: Iterable[Point], needed: list[int]
) -> tuple[Change, ...]:
    """The points on for the priorities of the data too, or for all by a line for all of them."""
    parts = [Part(point.field, priority) for point in points for priority in needed]
    each = any(map(nic.stated, parts)) or any(point.on for point in points)
    return tuple(
        Change.on_entry(
            d.port.device,
            ("nics", nic.name),
            point.field,
            frozenset((*(point.on or ()), *needed) if each else PRIORITIES),
        )
        for point in points
    )


def _state(point: Point, off: list[int]) -> str:
    """State of a point; the message continues with the name of the class."""
    if point.open:
        return f"off for priority {ranges(off)}, the one of"
    if point.on:
        return f"on for priority {ranges(point.on)} only, not for that of"
    return "off for all priorities, including that of"

"""Whether a NIC answers and obeys the marks that the switches put on a class (DCQCN)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roce_lint.analysis.cabling import emissions_by_port, nics_at
from roce_lint.analysis.diagnosis.faults import Fault, Lack
from roce_lint.analysis.diagnosis.subject import Diagnosis
from roce_lint.analysis.stages import Acts, Stage
from roce_lint.model.nic import Certainty, Flow, Nic
from roce_lint.model.sourced import Part
from roce_lint.model.units import ranges
from roce_lint.text.source import Where

NOTIFICATION, REACTION = "notification point", "reaction point"
"""The two parts of DCQCN."""

OPEN = "for which priorities the NICs have DCQCN on (their ECN settings)"
OPEN_FOR_DATA = "whether the NICs have DCQCN on for the priority of the data"


@dataclass(slots=True, frozen=True)
class Point:
    """One part of DCQCN on a NIC: the priorities it is on for, and of which that is not known."""

    name: str
    nic: Nic
    field: str
    on: frozenset[int] | None
    open: frozenset[int]
    acts: Acts  # which data suffers without it

    def off(self, wanted: list[int]) -> list[int]:
        """The priorities of the data for which it is off, for certain."""
        return [p for p in wanted if p not in (self.on or ()) and p not in self.open]

    def where(self, wanted: list[int]) -> Where | None:
        """The setting that switches it off for a priority of the data; None: it is on."""
        off = self.off(wanted)
        if not off:
            return None
        own = Part(self.field, off[0])
        return self.nic.where(own if self.nic.stated(own) else self.field)


def _points(nic: Nic) -> tuple[Point, Point]:
    return (
        Point(REACTION, nic, "rp_priorities", nic.rp_priorities, nic.rp_open, "leaving"),
        Point(NOTIFICATION, nic, "np_priorities", nic.np_priorities, nic.np_open, "arriving"),
    )


def reaction(d: Diagnosis) -> Iterator[Fault | Lack]:
    """The switches mark the class, and a NIC does not answer or obey the marks."""
    nics = nics_at(d.analysis, d.port)
    if not nics or d.analysis.mode(d.traffic, d.port).marking is not True or not d.in_place:
        return
    if d.analysis.out_of_step(d.traffic, d.port):
        return  # a class that the switches do not mark
    sent = {
        emission.dscp
        for emission in emissions_by_port(d.analysis, d.port)
        if emission.flow is Flow.DATA and emission.certainty is Certainty.STATED
    }
    used = (dscp for dscp in d.traffic.dscps if not sent or dscp in sent)
    priorities = {d.analysis.treat(d.port, dscp).ingress.tc for dscp in used} - {None}
    wanted = sorted(priority for priority in priorities if priority is not None)
    for nic in nics if wanted else ():
        yield from _of_nic(d, nic, wanted)


def _of_nic(d: Diagnosis, nic: Nic, wanted: list[int]) -> Iterator[Fault | Lack]:
    points = _points(nic)
    told: Where | None = None
    one = len({point.where(wanted) for point in points}) == 1  # a setting that switches both
    for point in points:
        if point.on is None:
            if told is None:  # where one point is off, the other would add nothing
                yield Lack(Stage.REACTION, OPEN, (nic.where(),))
            return
        off, where = point.off(wanted), point.where(wanted)
        if not off and point.open.intersection(wanted):
            yield Lack(Stage.REACTION, OPEN_FOR_DATA, (nic.where(point.field),))
        if where is None or where == told:
            continue
        told = where
        on = point.on
        yield Fault(
            Stage.REACTION,
            (where,),
            f"has the DCQCN {point.name} {_state(point, off)} {d.traffic.name}",
            f"{point.name}: {ranges(on) if on else 'none'}",
            acts="both" if one else point.acts,
            kind=point.name,
            # NVIDIA's documents disagree whether one priority switches the point on for all.
            slight=bool(on) and point.name == NOTIFICATION,
        )


def _state(point: Point, off: list[int]) -> str:
    """How a point is set, up to the name of the class."""
    if point.open:
        return f"off for priority {ranges(off)}, that of"
    if point.on:
        return f"on for priority {ranges(point.on)} only, not for that of"
    return "off for all priorities, also for that of"

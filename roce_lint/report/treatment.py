"""What is done to one code point on one port, as texts with the places that decide them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from roce_lint.analysis.treatment import Egress, Ingress, Treatment
from roce_lint.model.qos import MarkingMode, Scheduler, SchedulerKind, ShareKind
from roce_lint.model.units import Threshold, ranges
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location, Origin, Where

UNKNOWN = "?"
NONE = "-"

_YES = {True: "yes", False: "no", None: UNKNOWN}

_SHARES = {
    ShareKind.LINK: "{}%",
    ShareKind.REMAINING: "{}% of rest",
    ShareKind.WEIGHT: "weight {}",
}


@dataclass(slots=True)
class Cell:
    """A value as shown, and the places that decide it."""

    text: str
    places: list[Location] = field(default_factory=list)


@dataclass(slots=True)
class Row:
    """Code points that are treated alike."""

    dscps: list[int]
    cells: dict[str, Cell]
    missing: list[str]

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two code points alike: every value shown, whichever lines state it."""
        return (*(cell.text for cell in self.cells.values()), *self.missing)


def row_of(treated: Treatment, dscp: int | None, excerpts: Excerpts) -> Row:
    """What is done to one code point."""
    into, out = treated.ingress, treated.egress
    answers = {
        "tc": ((into.tc_name or UNKNOWN) + ("" if into.certain else "*"), into.tc_where),
        "pg": (_number(into.pg), (into.pg_where,)),
        "lossless": (_YES[into.lossless], (into.lossless_where,)),
        "sent": (_sent_text(into), _number_places(into)),
        "obeyed": (_obeyed_text(out), (out.honour_where,)),
        "queue": (_number(out.queue), (out.queue_where,)),
        "share": (_share(out.scheduler), (_schedule_place(out.scheduler),)),
        "ecn": (_marking(out), _level_places(out)),
        "rewrite": (
            NONE if treated.rewrite is None else str(treated.rewrite),
            (treated.rewrite_where,),
        ),
    }
    cells = {
        name: Cell(text, _locate(places, excerpts)) for name, (text, places) in answers.items()
    }
    missing = [lack for lack in dict.fromkeys((into.missing, out.missing)) if lack]
    return Row([] if dscp is None else [dscp], cells, missing)


def _locate(places: Iterable[Where | None], excerpts: Excerpts) -> list[Location]:
    found = [excerpts.locate(place, "evidence") for place in places if place and place.position]
    return list(dict.fromkeys(found))


def _number_places(into: Ingress) -> tuple[Where | None, ...]:
    """Who gives the pause its priority; where no line does, the one that turns it on, and what
    was assumed.
    """
    place = into.priority_where
    if place is None or place.origin is Origin.STATED:
        return (place,)
    return (into.lossless_where,) if place.confirmed else (into.lossless_where, place)


def _level_places(out: Egress) -> tuple[Where | None, ...]:
    """Who lets the queue mark; where none of its lines does, those with its thresholds."""
    marking, place = out.marking, out.marks_where
    if marking is not None and (place is None or place.origin is not Origin.STATED):
        stated = tuple(marking.where(f) for f in ("kmin", "kmax") if marking.stated(f))
        return stated or (place,)
    return (place,)


def _number(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)


def _sent_text(into: Ingress) -> str:
    if into.lossless is None:
        return UNKNOWN
    return str(into.priority) if into.lossless else NONE


def _obeyed_text(out: Egress) -> str:
    if out.stopped_by is None:
        return UNKNOWN
    return ranges(out.stopped_by) or NONE


def _share(scheduler: Scheduler | None) -> str:
    if scheduler is None or scheduler.kind is None:
        return UNKNOWN
    if scheduler.kind is SchedulerKind.STRICT:
        return "strict"
    if scheduler.share is None or scheduler.share_of is None:
        return "weighted"
    return _SHARES[scheduler.share_of].format(f"{scheduler.share:g}")


def _schedule_place(scheduler: Scheduler | None) -> Where | None:
    if scheduler is None:
        return None
    return scheduler.where("share" if scheduler.share is not None else "kind")


def _marking(out: Egress) -> str:
    marking = out.marking
    if not out.marks:
        return _YES[out.marks]
    if marking is None or marking.mode is MarkingMode.PLATFORM:
        return "by the platform"
    levels = _levels(marking.kmin, marking.kmax)
    if marking.pmax_percent is None:
        return levels
    return f"{levels}, {marking.pmax_percent:g}%"


def _levels(kmin: Threshold | None, kmax: Threshold | None) -> str:
    if kmin is not None and kmax is not None and kmin.unit is kmax.unit:
        return f"{str(kmin).split()[0]}-{kmax}"
    return " to ".join(UNKNOWN if level is None else str(level) for level in (kmin, kmax))

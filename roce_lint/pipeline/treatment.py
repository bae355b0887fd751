"""Texts of `roce-lint show` with deciding places: treatment of DSCPs on a port, tiers, load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from roce_lint.analysis.result import Analysis
from roce_lint.analysis.treatment import Egress, Ingress, Treatment, treatment
from roce_lint.analysis.uplinks import load_of
from roce_lint.analysis.valleys import loop_free_tiers
from roce_lint.errors import UsageError
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import MarkingMode, Scheduler, SchedulerKind, ShareKind
from roce_lint.model.units import DSCPS, Threshold, ranges
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.names import did_you_mean
from roce_lint.text.source import Location, Origin, Where

UNKNOWN = "?"
NONE = "-"

_YES = {True: "yes", False: "no", None: UNKNOWN}

_SHARES = {ShareKind.LINK: "{}%", ShareKind.REMAINING: "{}% of rest", ShareKind.WEIGHT: "weight {}"}


@dataclass(slots=True)
class Cell:
    """A displayed value and its deciding places."""

    text: str
    places: list[Location] = field(default_factory=list)


@dataclass(slots=True)
class Row:
    """DSCPs with identical treatment."""

    dscps: list[int]
    cells: dict[str, Cell]
    missing: list[str]

    @property
    def key(self) -> tuple[object, ...]:
        """Equality key: every value shown, whichever lines state it."""
        return (*(cell.text for cell in self.cells.values()), *self.missing)


def row_of(treated: Treatment, dscp: int | None, excerpts: Excerpts) -> Row:
    """Treatment of one DSCP as a row."""
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
    """Places that decide the PFC priority; if no line does, the place that enables PFC, and the
    assumption.
    """
    place = into.priority_where
    if place is None or place.origin is Origin.STATED:
        return (place,)
    return (into.lossless_where,) if place.confirmed else (into.lossless_where, place)


def _level_places(out: Egress) -> tuple[Where | None, ...]:
    """Places that enable ECN marking; if no line does, those of its thresholds."""
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


def find_port(devices: Sequence[Device], spelling: str) -> tuple[Device, Interface]:
    """Find a port by its name or another spelling of it.

    Raises:
        UsageError: no device has it, or several do.
    """
    found = [
        (device, port)
        for device in devices
        for port in device.interfaces.values()
        if spelling.lower() in _names(device, port)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(device.hostname for device, _ in found[:8])
        raise UsageError(f"several devices have a port {spelling}: {names}", hint="use --device")
    known = [port.name for device in devices for port in device.interfaces.values()]
    raise UsageError(f"no port {spelling}", hint=did_you_mean(spelling, known))


def _names(device: Device, port: Interface) -> Iterator[str]:
    """Names of a port in lower case: own, aliases, RDMA device."""
    yield port.name.lower()
    yield from (alias.lower() for alias in port.aliases)
    yield from (nic.name.lower() for nic in device.nics.values() if nic.port == port.name)


def port_rows(device: Device, port: Interface, excerpts: Excerpts) -> list[Row]:
    """Rows of a port; adjacent DSCPs with identical treatment share one."""
    rows: list[Row] = []
    for dscp in DSCPS:
        row = row_of(treatment(device, port, dscp), dscp, excerpts)
        if rows and rows[-1].key == row.key:
            rows[-1].dscps.append(dscp)
            for name, cell in row.cells.items():
                known = rows[-1].cells[name].places
                known += [place for place in cell.places if place not in known]
        else:
            rows.append(row)
    return rows


# Tiers and load of switches.


@dataclass(slots=True)
class Tier:
    """Switches of a tier, and the lines that keep it valley-free; identical lines once."""

    switches: list[str]
    places: list[Location]


def known_tiers(analysis: Analysis, excerpts: Excerpts) -> list[Tier]:
    """The tiers of a fabric that are known to be valley-free."""
    found = []
    for tier in loop_free_tiers(analysis.fabric, analysis):
        places: dict[str, Location] = {}
        for where in dict.fromkeys(tier.where):
            place = excerpts.locate(where, "evidence")
            places.setdefault(place.text.strip(), place)
        found.append(Tier(tier.switches, list(places.values())))
    return found


def load_text(device: Device, analysis: Analysis) -> str:
    """Bandwidth of the downlinks and uplinks of a switch; empty if unknown."""
    load = load_of(analysis, device)
    if load is None or load.ratio is None:
        return ""
    assumed = " (what is attached to its ports is assumed)" if load.assumed else ""
    text = f"{load.below:g} Gb/s from below, {load.above:g} Gb/s of uplinks: {load.ratio:.3g}:1"
    return text + assumed

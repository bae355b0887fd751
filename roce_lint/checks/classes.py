"""Separation of classes: nothing but RoCE data shares the lossless group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Unknown,
    Where,
    device_check,
    fabric_check,
)
from roce_lint.model.device import NoteKind
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.plan import RocePlan

OTHERS = (Flow.STORAGE, Flow.OTHER)
"""Kinds of traffic that have no place in the class of RDMA data."""


def _lossless_tcs(analysis: Analysis, port: JudgedPort) -> dict[int, str]:
    """Traffic classes of a port that a RoCE data class uses losslessly: class -> its name."""
    found: dict[int, str] = {}
    for traffic in analysis.data_classes:
        for dscp in traffic.dscps:
            into = analysis.treat(port, dscp).ingress
            if into.lossless and into.tc is not None:
                found[into.tc] = traffic.name
    return found


def _protected_tcs(analysis: Analysis, port: JudgedPort) -> dict[int, str]:
    """The same, with the classes that are only marked there (designs without PFC)."""
    found = _lossless_tcs(analysis, port)
    for traffic in analysis.data_classes:
        for dscp in traffic.dscps:
            treated = analysis.treat(port, dscp)
            if treated.egress.marks and treated.ingress.tc is not None:
                found.setdefault(treated.ingress.tc, traffic.name)
    return found


@dataclass(slots=True, frozen=True)
class _Foreign:
    """A code point that carries something else than RoCE, and who says so."""

    dscp: int
    what: str
    where: Where


@fabric_check("classes.foreign_in_lossless", by_port=True)
def foreign_in_lossless(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Traffic known to be of another kind shares the lossless class of RoCE."""
    analysis = given.analysis
    data = {dscp for traffic in analysis.data_classes for dscp in traffic.dscps}
    foreign = [item for item in _foreign(fabric, given.plan) if item.dscp not in data]
    if not foreign:
        return
    for port in analysis.switch_ports():
        shared = _lossless_tcs(analysis, port)
        for item in foreign:
            into = analysis.treat(port, item.dscp).ingress
            if into.tc in shared and into.tc is not None:
                yield Problem(
                    f"{port} puts DSCP {item.dscp} ({item.what}) into class "
                    f"{into.tc}, the lossless class of {shared[into.tc]}",
                    "its bursts pause RoCE, and RoCE's congestion pauses it",
                    [into.tc_where[0], item.where],
                    port.device.hostname,
                    (port.interface.name,),
                    value=f"{item.dscp}:{into.tc}",
                    traffic=shared[into.tc],
                )


def _foreign(fabric: Fabric, plan: RocePlan) -> list[_Foreign]:
    """What hosts state that they send, and what the plan says of its classes, by code point."""
    found: dict[int, _Foreign] = {}
    for device in fabric.devices.values():
        for emission in device.emits:
            if emission.certainty is Certainty.STATED and emission.flow in OTHERS:
                what = f"{emission.flow.value} traffic, {emission.by}"
                item = _Foreign(emission.dscp, what, emission.where("dscp", emission.by))
                found.setdefault(emission.dscp, item)
    for planned in plan.classes:
        if planned.flow in OTHERS:
            what = f"{planned.flow.value} traffic, class {planned.name} of {plan.name}"
            for dscp in planned.dscps:
                found.setdefault(dscp, _Foreign(dscp, what, planned.where("dscps")))
    return [found[dscp] for dscp in sorted(found)]


@fabric_check("classes.cnp_with_data")
def cnp_with_data(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Congestion notification packets travel in the data queue or in a class that is paused."""
    analysis = given.analysis
    if not analysis.cnp_classes and analysis.data_classes:
        hosts = any(port.device.is_host for port in analysis.ports)
        missing = "the DSCP of congestion notification packets (the NIC's CNP settings tell)"
        for device in fabric.devices.values():
            ports = [port for port in analysis.ports_of(device) if _may_mark(analysis, port)]
            if ports and (device.is_host or not hosts):
                names = tuple(port.interface.name for port in ports)
                yield Unknown(missing, [ports[0].interface.where()], device.hostname, names)
        return
    data = {dscp for traffic in analysis.data_classes for dscp in traffic.dscps}
    yield from _sent_as_data(fabric, data)
    for traffic in analysis.cnp_classes:
        if data.intersection(traffic.dscps):
            continue  # no switch can tell them apart
        for port in analysis.switch_ports():
            into = analysis.treat(port, traffic.dscps[0]).ingress
            shared = _protected_tcs(analysis, port)
            if into.tc is None:
                missing = into.missing or "the traffic class of the code point"
                yield Unknown(missing, list(into.tc_where[:1]), *_at(port))
            elif into.tc in shared or into.lossless:
                with_data = into.tc in shared
                what = f"the data class of {shared[into.tc]}" if with_data else "a class it pauses"
                yield Problem(
                    f"{port} puts {traffic.name} into class {into.tc}, {what}",
                    "the packets that should end congestion wait in it"
                    if with_data
                    else "the packets that should end congestion can be paused",
                    list(into.tc_where),
                    *_at(port),
                    value=f"{traffic.dscps[0]}:{into.tc}",
                    traffic=traffic.name,
                )


def _sent_as_data(fabric: Fabric, data: set[int]) -> Iterator[Problem]:
    """Hosts that give their CNPs a code point of RDMA data."""
    for device in fabric.devices.values():
        for emission in device.emits:
            stated = emission.certainty is Certainty.STATED
            if emission.flow is Flow.CNP and stated and emission.dscp in data:
                yield Problem(
                    f"{device.hostname} sends CNPs with DSCP {emission.dscp}, "
                    "the code point of RDMA data",
                    "the packets that should end congestion wait in it",
                    [emission.where("dscp", emission.by)],
                    device.hostname,
                    emission.nics,
                    value=str(emission.dscp),
                )


def _may_mark(analysis: Analysis, port: JudgedPort) -> bool:
    """False in a design without marking: nothing is ever answered by a CNP there."""
    return any(analysis.mode(t, port).marking is not False for t in analysis.data_classes)


def _at(port: JudgedPort) -> tuple[str, tuple[str, ...]]:
    return port.device.hostname, (port.interface.name,)


@fabric_check("classes.unmarked_in_lossless", by_port=True)
def unmarked_in_lossless(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """DSCP 0, which everything carries that nobody marked, lands in the lossless class."""
    analysis = given.analysis
    if given.plan.lossless_unmarked or any(0 in t.dscps for t in analysis.data_classes):
        return
    for port in analysis.switch_ports():
        into = analysis.treat(port, 0).ingress
        if not into.lossless or not into.certain:
            continue
        yield Problem(
            f"{port} puts DSCP 0 into class {into.tc}, which is lossless",
            "all unmarked traffic can pause RoCE and fill its buffer",
            list(into.tc_where),
            port.device.hostname,
            (port.interface.name,),
            value=f"0:{into.tc}",
        )


@device_check("classes.mapped_twice")
def mapped_twice(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A table of a device that carries RoCE gives one code point two priorities."""
    for note in device.notes if given.analysis.ports_of(device) else ():
        if note.kind is NoteKind.AMBIGUOUS:
            yield Problem(
                f"{device.hostname} {note.message}",
                "packets with this code point may be paused or not, from one start of the driver "
                "to the next",
                [note.where(), *([note.where("other")] if note.stated("other") else [])],
                device.hostname,
                (note.message,),
                value=note.message,
            )

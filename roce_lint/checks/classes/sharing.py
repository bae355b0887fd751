"""Separation of classes: only RoCE data in the lossless class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from roce_lint.analysis.diagnosis import Fault
from roce_lint.analysis.diagnosis.notifications import WITH_DATA
from roce_lint.analysis.diagnosis.sending import marked_as
from roce_lint.analysis.representatives import over_kinds
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.sharing import Foreign, Share, find_companion, foreign_traffic
from roce_lint.checks.classes.senders import at_odd_senders
from roce_lint.engine import api
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Severity, Stage, Unknown
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.sourced import Concern


@api.fabric_check("classes.foreign_in_lossless")
def foreign_traffic_in_lossless_class(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Other traffic shares the lossless class of RoCE."""
    data = {dscp for traffic in given.analysis.data_classes for dscp in traffic.dscps}
    foreign = [item for item in foreign_traffic(fabric, given.plan) if item.dscp not in data]
    for _, outcome in over_kinds(given.analysis, partial(_foreign, given.analysis, foreign)):
        yield outcome


def _foreign(analysis: Analysis, foreign: list[Foreign], port: JudgedPort) -> Iterator[Outcome]:
    for item in foreign if not port.device.is_host else ():
        found = find_companion(analysis, port, item.dscp)
        if found is None or not found.lossless:
            continue
        queue = found.share is Share.QUEUE
        yield Problem(
            f"{port} maps DSCP {item.dscp} ({item.what}) to {found.spell('lossless')}",
            "it stops whenever RoCE is paused, and takes RoCE's share of the link"
            if queue
            else "its bursts pause RoCE, and RoCE's congestion pauses it",
            [found.where[0], item.where],
            *api.at_port(port),
            value=f"{item.dscp}:{analysis.treat(port, item.dscp).ingress.tc}",
            traffic=found.traffic,
            severity=Severity.WARNING if queue or not item.sure else None,
            rests_on=found.doubts,
            acts="leaving" if queue else None,
        )


@api.fabric_check("classes.cnp_with_data")
def cnp_in_data_class(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """CNPs use the data queue or a class with PFC."""
    analysis = given.analysis
    if not analysis.cnp_classes and analysis.data_classes:
        hosts = any(port.device.is_host for port in analysis.ports)
        # Without ECN marking by design there are no CNPs.
        may_mark = {
            network: any(analysis.mode(t, port).marking is not False for t in analysis.data_classes)
            for network, port in _networks(analysis)
        }
        missing = "the DSCP of CNPs (CNP settings of the NIC)"
        for device in fabric.devices.values():
            ports = [port for port in analysis.ports_of(device) if may_mark[port.network]]
            if ports and (device.is_host or not hosts):
                names = tuple(port.interface.name for port in ports)
                at = [ports[0].interface.where()]
                yield Unknown(missing, at, device.hostname, names, tells="host")
        return
    data = {dscp for traffic in analysis.data_classes for dscp in traffic.dscps}
    cnps = [dscp for traffic in analysis.cnp_classes for dscp in traffic.dscps if dscp not in data]
    yield from _sent_as_data(fabric, data - _out_of_step(analysis), cnps)
    for traffic in analysis.cnp_classes:
        if data.intersection(traffic.dscps):
            continue  # switches cannot tell them apart
        yield from at_odd_senders(given, traffic, Stage.CODE_POINT, _harm)


def _out_of_step(analysis: Analysis) -> set[int]:
    """DSCPs of data whose senders are at fault, not the switches."""
    of_networks = [port for _, port in _networks(analysis)]
    return {
        dscp
        for traffic in analysis.data_classes
        if all(analysis.out_of_step(traffic, port) for port in of_networks)
        for dscp in traffic.dscps
    }


def _networks(analysis: Analysis) -> Iterable[tuple[int, JudgedPort]]:
    """Each network with one of its ports."""
    return {port.network: port for port in analysis.ports}.items()


def _harm(broken: Fault) -> str:
    if broken.kind == WITH_DATA:
        return "CNPs queue behind the traffic they should slow down"
    return "CNPs can be stopped by the PFC that they should prevent"


def _sent_as_data(fabric: Fabric, data: set[int], cnps: list[int]) -> Iterator[Problem]:
    """Hosts that send CNPs with a DSCP of RDMA data; `cnps` are the DSCPs of CNPs of others."""
    for device in fabric.devices.values():
        for emission in device.emits:
            stated = emission.certainty is Certainty.STATED
            if emission.flow is Flow.CNP and stated and emission.dscp in data:
                yield Problem(
                    f"{device.hostname} sends CNPs with DSCP {emission.dscp}, "
                    "the DSCP of RDMA data",
                    "CNPs queue behind the traffic they should slow down",
                    [emission.where("dscp", emission.by)],
                    device.hostname,
                    emission.nics,
                    value=str(emission.dscp),
                    acts="leaving",
                    changes=marked_as(device, emission, *cnps) if len(cnps) == 1 else (),
                )


@api.port_check("classes.unmarked_in_lossless")
def unmarked_traffic_in_lossless_class(port: JudgedPort, given: Given) -> Iterator[Outcome]:
    """DSCP 0, that of unmarked traffic, is in the lossless class."""
    analysis = given.analysis
    if port.device.is_host or given.plan.lossless_unmarked:
        return
    if any(0 in t.dscps for t in analysis.data_classes):
        return
    into, shared = analysis.treat(port, 0).ingress, find_companion(analysis, port, 0)
    if not into.certain or not (into.lossless or (shared is not None and shared.lossless)):
        return
    words = f"{into.class_label}, which is lossless"
    if shared is not None and shared.share is Share.QUEUE:
        words = f"{into.class_label} and {shared.spell('data')}, which is lossless"
    yield Problem(
        f"{port} maps DSCP 0 to {words}",
        "all unmarked traffic can pause RoCE and fill its buffer"
        if into.lossless
        else "all unmarked traffic takes RoCE's share of the link and stops when it is paused",
        list(into.tc_where) if shared is None else shared.where,
        value=f"0:{into.tc}",
        acts=None if into.lossless else "leaving",
    )


@api.device_check("classes.mapped_twice")
def dscp_mapped_twice(device: Device, given: Given) -> Iterator[Outcome]:
    """A table of a RoCE device maps one DSCP, or one priority, twice."""
    for note in device.notes if given.analysis.ports_of(device) else ():
        if note.kind is NoteKind.AMBIGUOUS:
            yield Problem(
                f"{device.hostname} {note.shown}",
                "their priority, and with it PFC, may change with every restart of the driver",
                [
                    note.where(),
                    *([note.where(Concern.OTHER)] if note.stated(Concern.OTHER) else []),
                ],
                subjects=(note.message,),
                value=note.message,
            )

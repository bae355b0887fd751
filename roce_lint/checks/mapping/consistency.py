"""Maps that disagree inside one box, and rewrites that the next hop reads otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roce_lint.analysis.port_parts import link_note
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.rewriting import Rewriting, changes, rewrites
from roce_lint.engine.api import (
    Broken,
    Diagnosis,
    Fabric,
    Given,
    JudgedPort,
    NoParams,
    Outcome,
    Problem,
    RoceClass,
    Severity,
    Stage,
    Unknown,
    Where,
    class_port_check,
    fabric_check,
)
from roce_lint.model.nic import Flow


@class_port_check("mapping.maps_disagree")
def maps_disagreeing_inside_a_box(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """Inside one box, class and pause priority lead to different queues or groups."""
    lossless = diagnosis.into.lossless
    for broken in diagnosis.at(Stage.GROUP):
        if isinstance(broken, Broken):
            yield Problem(
                f"{port}: {broken.says}",
                f"{traffic.name} is not stopped when it is paused, and another queue is"
                if lossless
                else f"{traffic.name} is never paused here: its group has no priority",
                list(broken.where),
                value=broken.value,
                rests_on=broken.rests_on,
                traffic=traffic.name,
                several=broken.either,
                acts="leaving" if lossless else "arriving",  # its queue, or its group
                stage=Stage.GROUP,
            )


@fabric_check("mapping.rewrite_read_otherwise")
def code_point_rewritten_for_next_hop(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A switch changes a RoCE or CNP code point, and a later hop treats the new one otherwise."""
    analysis = given.analysis
    rewriting = {name for name, device in fabric.devices.items() if rewrites(device)}
    ports = [p for p in analysis.switch_ports() if p.device.hostname in rewriting]
    for traffic in (*analysis.data_classes, *analysis.cnp_classes):
        for port in ports:
            for dscp in traffic.dscps:
                for change in changes(analysis, port, dscp):
                    yield from _read_by(analysis, traffic, change)


def _read_by(analysis: Analysis, traffic: RoceClass, change: Rewriting) -> Iterator[Outcome]:
    """The first next hop that treats the new code point otherwise; else any later hop."""
    subject = (change.port.device.hostname, (change.port.interface.name,))
    unknown: Unknown | None = None
    for leaving in change.leaving:
        if leaving.peer is None:
            missing = "which port is at the other end (a links.yaml or LLDP output tells)"
            unknown = unknown or Unknown(missing, [change.where], *subject)
            continue
        hop = analysis.port(*leaving.peer.key)
        told = _otherwise(analysis, traffic, hop, change) if hop is not None else None
        if told is not None:
            yield _problem(traffic, change, told, assumed=leaving.assumed)
            return
    if unknown is not None:
        yield unknown
        return
    if all(leaving.peer is None or leaving.peer.device.is_host for leaving in change.leaving):
        return  # a host is the end of the way
    for hop in analysis.ports:
        if hop.network == change.port.network and hop.device is not change.port.device:
            told = _otherwise(analysis, traffic, hop, change)
            if told is not None:
                told.grave = False  # nothing says that packets of this port get there
                yield _problem(traffic, change, told, assumed=False)
                return


@dataclass(slots=True)
class _Told:
    """How a hop treats the new code point otherwise than the old one."""

    text: str
    where: list[Where]
    grave: bool


def _otherwise(
    analysis: Analysis, traffic: RoceClass, hop: JudgedPort, change: Rewriting
) -> _Told | None:
    old, new = analysis.treat(hop, change.old), analysis.treat(hop, change.new)
    before, after = old.ingress, new.ingress
    where = [w for w in (*after.tc_where[:1], *before.tc_where[:1]) if w.position]
    wanted = f"DSCP {change.new} into class {after.tc_name}"
    if before.lossless and after.lossless is False:
        return _Told(f"{hop} puts {wanted}, which is lossy", where, traffic.flow is Flow.DATA)
    if before.lossless is False and after.lossless:
        return _Told(f"{hop} puts {wanted}, which it pauses", where, traffic.flow is Flow.CNP)
    if before.lossless and after.lossless and before.priority != after.priority:
        text = f"{hop} pauses DSCP {change.new} with priority {after.priority}"
        return _Told(f"{text}, DSCP {change.old} with {before.priority}", where, grave=False)
    marking = old.egress.marks and new.egress.marks is False and not hop.device.is_host
    if marking and traffic.flow is Flow.DATA:
        return _Told(f"{hop} does not mark ECN for DSCP {change.new}", where, grave=False)
    return None


def _problem(traffic: RoceClass, change: Rewriting, told: _Told, *, assumed: bool) -> Problem:
    return Problem(
        f"{change.port} rewrites DSCP {change.old} of {traffic.name} to {change.new}; {told.text}",
        f"from the next hop on {traffic.name} is not treated as {traffic.name}",
        [change.where, *told.where],
        change.port.device.hostname,
        (change.port.interface.name,),
        value=f"{change.old}:{change.new}",
        traffic=traffic.name,
        severity=None if told.grave and not change.unsure else Severity.WARNING,
        assumed=change.unsure or link_note(assumed=assumed),
        acts=change.acts,
        dscp=change.old,
        compares=True,
    )

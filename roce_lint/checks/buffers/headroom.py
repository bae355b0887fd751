"""Headroom of lossless priority groups compared with the speed and the cable of their port."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.cable import CableSource
from roce_lint.analysis.diagnosis import Diagnosis, Fault
from roce_lint.analysis.port_parts import pfc_of
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import group_buffer
from roce_lint.engine import api
from roce_lint.engine.api import Given, Outcome, Problem, Severity, Stage, Unknown, Where
from roce_lint.model.fabric import Endpoint, Fabric
from roce_lint.model.qos import BufferProfile
from roce_lint.model.units import spell_speed


@api.port_check("buffers.headroom_of_another_link")
def headroom_profile_mismatch(port: JudgedPort, given: Given) -> Iterator[Outcome]:
    """A lossless priority group whose profile is made for another speed or cable length."""
    analysis = given.analysis
    if port.device.is_host:
        return
    groups = {
        into.pg: into
        for traffic in analysis.data_classes
        if (into := analysis.treat(port, traffic.dscps[0]).ingress).lossless
    }
    for pg in groups:
        if pg is not None and port.interface.qos is not None:
            profile, place, _ = group_buffer(port.device, port.interface.qos, pg)
            odd = _odd(port, profile) if profile is not None else None
            if odd is not None:
                field, made, own, short = odd
                yield Problem(
                    f"{port} has {own}, but PG {pg} uses the headroom profile for {made}",
                    "the headroom is too small: in-flight packets after a pause are dropped"
                    if short
                    else "the headroom is larger than needed: other ports lack this buffer",
                    [place, port.interface.where(field)],
                    value=f"{made} for {own}",
                    severity=None if short else Severity.INFO,
                    about=port.interface.where(field),
                )


def _odd(port: JudgedPort, profile: BufferProfile) -> tuple[str, str, str, bool] | None:
    """Difference as field, value of the profile, value of the port, and whether the port's is the
    larger; None where both match.
    """
    speed, length = port.interface.speed_gbps, port.interface.cable_m
    made_speed, made_length = profile.made_for_gbps, profile.made_for_m
    if speed is not None and made_speed is not None and speed != made_speed:
        return "speed_gbps", spell_speed(made_speed), spell_speed(speed), speed > made_speed
    if length and made_length is not None and length != made_length:
        return (
            "cable_m",
            f"{made_length:g} m of cable",
            f"{length:g} m of cable",
            length > made_length,
        )
    return None


@api.stage_check("buffers.headroom_not_reserved", Stage.RESERVED)
def headroom_not_reserved(diagnosis: Diagnosis, broken: Fault) -> str:
    """A lossless group that may use more headroom than its profile reserves and its pool shares."""
    return "packets after a pause have no reserved buffer: they are dropped when the pool is full"


@api.stage_check("buffers.receive_buffer_too_small", Stage.RECEIVE)
def nic_receive_buffer_too_small(diagnosis: Diagnosis, broken: Fault) -> str:
    """A NIC receive buffer that cannot hold the in-flight data after a pause."""
    return "PFC is always sent too late: packets are dropped in the NIC"


# Planned cable lengths.


@api.fabric_check("buffers.headroom_for_shorter_cable")
def headroom_for_shorter_cable(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Headroom of a port that is sized for a shorter cable than the plan states."""
    analysis = given.analysis
    for port in analysis.ports:
        link = fabric.link_of(*port.key)
        cable = analysis.cables.of_link(link) if link is not None else None
        pfc = pfc_of(port)
        if cable is None or cable.source is not CableSource.PLAN or pfc is None or not pfc.generate:
            continue
        if _states_bytes(analysis, port):
            continue
        made = _intended_length(analysis, port)
        if made is None:
            if not (port.device.is_host or port.device.limits.headroom_cable_m):
                yield Unknown(
                    "the cable length that the headroom of the port is sized for",
                    [port.interface.where("cable_m")],
                    *api.at_port(port),
                )
            continue
        metres, places = made
        if metres >= cable.metres:
            continue
        yield Problem(
            f"{port} has headroom for {metres:g} m of cable, but the cable plan states "
            f"{cable.metres:g} m",
            "in-flight packets after a pause exceed the headroom: the lossless class drops them",
            [*places, cable.where],
            *api.at_port(port),
            value=f"{metres:g} for {cable.metres:g}",
            acts="arriving",
        )


def _intended_length(analysis: Analysis, port: JudgedPort) -> tuple[float, list[Where]] | None:
    """Metres of cable that the headroom of a port covers, and the deciding lines."""
    own = analysis.cables.length_at(Endpoint(port.device, port.interface))
    for profile, place in _profiles(analysis, port):
        if profile.made_for_m is not None and (own is None or profile.made_for_m != own.metres):
            return profile.made_for_m, [place]
    return (own.metres, [own.where]) if own is not None else None


def _states_bytes(analysis: Analysis, port: JudgedPort) -> bool:
    """Whether a lossless group has a size in bytes that is not derived from a cable length."""
    return any(
        profile.made_for_m is None and not profile.computed and profile.xoff_bytes is not None
        for profile, _ in _profiles(analysis, port)
    )


def _profiles(analysis: Analysis, port: JudgedPort) -> Iterator[tuple[BufferProfile, Where]]:
    """Buffer profiles of the priority groups in which a port sends PFC for RoCE."""
    qos = port.interface.qos
    for traffic in analysis.data_classes if qos is not None else ():
        into = analysis.treat(port, traffic.dscps[0]).ingress
        if qos is not None and into.lossless and into.pg is not None:
            profile, place, _ = group_buffer(port.device, qos, into.pg)
            if profile is not None:
                yield profile, place

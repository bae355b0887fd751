"""Headroom of lossless groups against the link it is for."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import JudgedPort
from roce_lint.analysis.treatment import group_buffer
from roce_lint.engine.api import (
    Diagnosis,
    Fault,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Stage,
    port_check,
    stage_check,
)
from roce_lint.model.qos import BufferProfile
from roce_lint.model.units import spell_speed


@port_check("buffers.headroom_of_another_link")
def headroom_of_another_link(port: JudgedPort, given: Given[NoParams]) -> Iterator[Outcome]:
    """A lossless group has the buffer profile that the device made for other ports."""
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
                    f"{port} has {own}, and its group {pg} the headroom of a port with {made}",
                    "too little: packets in flight after a pause are dropped"
                    if short
                    else "more than it needs: the buffer is missing elsewhere",
                    [place, port.interface.where(field)],
                    port.device.hostname,
                    (port.interface.name,),
                    value=f"{made} for {own}",
                    severity=None if short else Severity.INFO,
                    about=port.interface.where(field),
                )


def _odd(port: JudgedPort, profile: BufferProfile) -> tuple[str, str, str, bool] | None:
    """What differs: the port's field, what the profile was made for, what the port has, and
    whether it has more of it.
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


@stage_check("buffers.headroom_not_reserved", Stage.RESERVED)
def headroom_not_reserved(diagnosis: Diagnosis, broken: Fault) -> str:
    """A lossless group may use more headroom than its profile reserves and its pool shares."""
    return (
        "what arrives after a pause has no buffer of its own: it is dropped when the pool is full"
    )


@stage_check("buffers.receive_buffer_too_small", Stage.RECEIVE)
def nic_receive_buffer_too_small(diagnosis: Diagnosis, broken: Fault) -> str:
    """The receive buffer of a lossless class is no larger than what is in flight after a pause."""
    return "pause comes too late, whenever it is sent: packets are dropped in the NIC"

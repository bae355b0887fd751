"""Headroom against the length of the cable that it has to cover."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.cable import Says
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import group_buffer
from roce_lint.engine.api import (
    Endpoint,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Unknown,
    Where,
    fabric_check,
)
from roce_lint.model.qos import BufferProfile


@fabric_check("buffers.headroom_for_shorter_cable")
def headroom_for_shorter_cable(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """The plan says how long a cable is, and the headroom of a port is made for a shorter one."""
    analysis = given.analysis
    for port in analysis.ports:
        link = fabric.link_of(*port.key)
        cable = analysis.cables.of_link(link) if link is not None else None
        pfc = port.interface.qos.pfc if port.interface.qos is not None else None
        if cable is None or cable.says is not Says.PLAN or pfc is None or not pfc.generate:
            continue
        if _has_sizes_of_its_own(analysis, port):
            continue
        made = _intended_length(analysis, port)
        if made is None:
            if not (port.device.is_host or port.device.limits.headroom_cable_m):
                yield Unknown(
                    "which length of cable the headroom of a port is made for",
                    [port.interface.where("cable_m")],
                    port.device.hostname,
                    (port.interface.name,),
                )
            continue
        metres, places = made
        if metres >= cable.metres:
            continue
        yield Problem(
            f"the headroom of {port} is made for {metres:g} m of cable, "
            f"and the plan says {cable.metres:g} m",
            "what is still in flight after a pause does not fit: packets of the lossless class "
            "are dropped",
            [*places, cable.where],
            port.device.hostname,
            (port.interface.name,),
            value=f"{metres:g} for {cable.metres:g}",
            acts="arriving",
        )


def _intended_length(analysis: Analysis, port: JudgedPort) -> tuple[float, list[Where]] | None:
    """Metres of cable that the headroom of a port covers, and the lines that decide it."""
    told = analysis.cables.length_at(Endpoint(port.device, port.interface))
    for profile, place in _profiles(analysis, port):
        if profile.made_for_m is not None and (told is None or profile.made_for_m != told.metres):
            return profile.made_for_m, [place]
    return (told.metres, [told.where]) if told is not None else None


def _has_sizes_of_its_own(analysis: Analysis, port: JudgedPort) -> bool:
    """True where bytes are stated for a lossless group that follow from no length of cable."""
    return any(
        profile.made_for_m is None and not profile.computed and profile.xoff_bytes is not None
        for profile, _ in _profiles(analysis, port)
    )


def _profiles(analysis: Analysis, port: JudgedPort) -> Iterator[tuple[BufferProfile, Where]]:
    """The buffers of the priority groups that a port pauses RoCE in."""
    qos = port.interface.qos
    for traffic in analysis.data_classes if qos is not None else ():
        into = analysis.treat(port, traffic.dscps[0]).ingress
        if qos is not None and into.lossless and into.pg is not None:
            profile, place, _ = group_buffer(port.device, qos, into.pg)
            if profile is not None:
                yield profile, place

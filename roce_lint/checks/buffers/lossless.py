"""Buffers behind lossless classes: priority groups with headroom, cable lengths."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from roce_lint.analysis.diagnosis import Diagnosis, Fault
from roce_lint.analysis.diagnosis.buffers import is_outside_table, is_sized, is_too_slow_for_table
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import group_buffer
from roce_lint.engine import api
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Severity, Stage, Unknown
from roce_lint.model.qos import HeadroomModel, PfcConfig
from roce_lint.model.units import spell_speed


@api.stage_check("buffers.lossless_without_buffer", Stage.BUFFER)
def lossless_class_without_buffer(diagnosis: Diagnosis, broken: Fault) -> str:
    """A lossless class whose priority group has no lossless buffer."""
    return "in-flight packets after a pause find no headroom and are dropped"


@api.fabric_check("buffers.cable_length_missing")
def cable_length_missing(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A port whose headroom is sized from a missing or zero cable length."""
    analysis = given.analysis
    for port in analysis.switch_ports():
        system = port.device.system
        if system.headroom not in (HeadroomModel.STATIC, HeadroomModel.DYNAMIC):
            continue
        qos = port.interface.qos
        if qos is None or qos.pfc is None or not qos.pfc.generate:
            continue
        length = port.interface.cable_m
        if length is not None and length > 0:
            continue
        # A device with another cable length has a file that states lengths.
        others = [p for p in analysis.ports_of(port.device) if p.interface.cable_m is not None]
        if length is None and is_sized(port) and not others:
            continue
        if length is None and not system.headroom_in_file and not others:
            yield Unknown(
                "the cable length of the port",
                [port.interface.where("cable_m")],
                *api.at_port(port),
            )
            continue
        yield _no_length(port, qos.pfc, others, zero=length is not None)


def _no_length(
    port: JudgedPort, pfc: PfcConfig, others: list[JudgedPort], *, zero: bool
) -> Problem:
    sized = not zero and is_sized(port)
    harm = "the device cannot size the headroom of the port"
    if zero:
        harm = "the device allocates no lossless headroom to the port"
    elif sized:
        harm = "its current headroom is not updated when the speed or the priorities change"
    beside = f", unlike that of {others[0].interface.name}" if others and not zero else ""
    return Problem(
        f"{port} sends PFC, but its cable length is "
        + ("0 m" if zero else f"not configured{beside}"),
        harm,
        [
            port.interface.where("cable_m"),
            pfc.where("generate"),
            *(other.interface.where("cable_m") for other in others[:1] if not zero),
        ],
        *api.at_port(port),
        value="0" if zero else "absent",
        severity=None if zero else Severity.INFO if sized else Severity.WARNING,
    )


@api.port_check("buffers.cable_outside_table")
def cable_length_outside_headroom_table(port: JudgedPort, given: Given) -> Iterator[Outcome]:
    """A port whose speed and cable length have no row in the headroom table of the device."""
    qos = port.interface.qos
    if port.device.is_host or qos is None or qos.pfc is None or not qos.pfc.generate:
        return
    if not is_outside_table(port):
        return
    speed, length = port.interface.speed_gbps, port.interface.cable_m
    table = port.device.headroom_table
    known = sorted(metres for gbps, metres in table if gbps == speed)
    rows = ", ".join(f"{metres:g} m" for metres in known)
    rows = f"it has {rows}" if known else "none for this speed"
    example = next((row for (gbps, _), row in table.items() if gbps == speed), None)
    place = example or next(iter(table.values()))
    yield Problem(
        f"{port} sends PFC at {spell_speed(speed or 0)} over {length:g} m of cable, "
        f"but the headroom table has no such row ({rows})",
        "the device allocates no lossless headroom to the port",
        [port.interface.where("cable_m"), place.where(), qos.pfc.where("generate")],
        value=f"{speed:g}/{length:g}",
        compares=True,
        severity=Severity.WARNING if is_too_slow_for_table(port) else None,
        stage=Stage.CABLE,
    )


@api.fabric_check("buffers.long_cable_without_buffer")
def long_cable_without_pause_buffer(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A cable beyond the built-in headroom of the platform, without a configured pause buffer."""
    far = [port for port in given.analysis.switch_ports() if _is_beyond(given.analysis, port)]
    for traffic, port in product(given.analysis.data_classes, far):
        into = given.analysis.treat(port, traffic.dscps[0]).ingress
        longest = port.device.limits.headroom_cable_m
        cable = given.analysis.cables.of_port(port.device, port.interface)
        qos = port.interface.qos
        if not into.lossless or into.pg is None or cable is None or qos is None:
            continue
        profile, own, _ = group_buffer(port.device, qos, into.pg)
        if profile is not None and profile.reserved_bytes is not None:
            continue
        pauses = [into.priority_where] if into.priority_where is not None else [own]
        yield Problem(
            f"{port} sends PFC for {traffic.name} over {cable.metres:g} m of cable, but traffic "
            f"class {into.tc_name} has no configured pause buffer",
            f"the built-in headroom covers {longest:g} m: the extra in-flight data of the longer "
            "cable is dropped",
            [*pauses, cable.where],
            *api.at_port(port),
            value=f"{cable.metres:g} m",
            traffic=traffic.name,
        )


def _is_beyond(analysis: Analysis, port: JudgedPort) -> bool:
    longest = port.device.limits.headroom_cable_m
    if longest is None:
        return False
    cable = analysis.cables.of_port(port.device, port.interface)
    return cable is not None and cable.source.stated and cable.metres > longest


@api.stage_check("buffers.no_room_after_pause", Stage.ROOM)
def pause_buffer_without_headroom(diagnosis: Diagnosis, broken: Fault) -> str:
    """A lossless buffer that is already full when PFC is sent."""
    return "in-flight packets after a pause are dropped"

"""Marking thresholds against what bounds them: the ASIC, the speed of the port, the other boxes."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from roce_lint.analysis.depths import Depths, depths_by_kind, depths_of, each_depths, find_outliers
from roce_lint.engine.api import (
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
    class_port_check,
    fabric_check,
)
from roce_lint.model.units import spell_size, spell_speed


@class_port_check("ecn.kmin_above_asic")
def kmin_above_buffer_of_asic(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """Marking begins at a depth that the packet buffer of the switch does not have."""
    depths = depths_of(given.analysis, traffic, port)
    if depths is None:
        return
    asic, device = depths.port.device.asic, depths.port.device
    if asic is None or asic.buffer_bytes is None or depths.kmin <= asic.buffer_bytes:
        return
    beyond = ("kmin", "kmax") if depths.kmax > asic.buffer_bytes else ("kmin",)
    yield Problem(
        f"{depths.port} begins to mark {depths.traffic.name} at {spell_size(depths.kmin)}, and the "
        f"{asic.name} of {device.model} has a buffer of {spell_size(asic.buffer_bytes)} in all",
        "the buffer is full before the first packet is marked: it pauses or drops instead",
        [depths.marking.where(field) for field in beyond],
        device.hostname,
        (depths.port.interface.name,),
        value=f"{depths.marking.kmin} of {asic.buffer_bytes}",
        traffic=depths.traffic.name,
        stage=Stage.DEPTHS,
        several=True,
        severity=None if asic.confirmed else Severity.WARNING,
    )


class TimeParams(BaseModel):
    """Parameters of `ecn.kmin_worth_no_time`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    microseconds: float = Field(default=1.0, gt=0)
    """Time that the packets below Kmin have to take at the speed of the port, at least."""


@fabric_check("ecn.kmin_worth_no_time", params=TimeParams)
def kmin_below_a_microsecond(fabric: Fabric, given: Given[TimeParams]) -> Iterator[Outcome]:
    """Marking begins at a depth that the port sends in less than a microsecond."""
    short = [
        kind
        for kind in depths_by_kind(given.analysis)
        if kind.microseconds is not None
        and kind.microseconds < given.params.microseconds
        and kind.port.interface.enabled is not False
    ]
    for depths in each_depths(given.analysis, short):
        yield Problem(
            f"{depths.port} begins to mark {depths.traffic.name} at {spell_size(depths.kmin)}: "
            f"at {spell_speed(depths.gbps or 0)} that is {depths.microseconds:.2g} microseconds",
            "senders slow down at every short burst: the link is never filled",
            [depths.marking.where("kmin"), depths.port.interface.where("speed_gbps")],
            depths.device,
            (depths.port.interface.name,),
            value=f"{depths.marking.kmin} at {depths.gbps:g}",
            traffic=depths.traffic.name,
            stage=Stage.DEPTHS,
        )


class OutlierParams(BaseModel):
    """Parameters of `ecn.thresholds_far_apart`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    factor: float = Field(default=8.0, gt=1)
    """How far the thresholds of two boxes may lie apart, in bytes and in bytes for each Gb/s."""


@fabric_check("ecn.thresholds_far_apart", params=OutlierParams)
def thresholds_far_apart_in_tier(fabric: Fabric, given: Given[OutlierParams]) -> Iterator[Outcome]:
    """Boxes of one tier, or the two ends of a cable, mark at depths that are worlds apart."""
    for apart in find_outliers(given.analysis, given.params.factor):
        odd, usual = apart.odd, apart.usual
        field = "kmax" if odd.kmin == usual.kmin else "kmin"
        yield Problem(
            f"{odd.port} marks {odd.traffic.name} from {_spell(odd)}, and {usual.port}, "
            f"{apart.what}, from {_spell(usual)}",
            "flows through one of the two are slowed down long before, or long after, all others",
            [odd.marking.where(field), usual.marking.where(field)],
            odd.device,
            (odd.port.interface.name,),
            value=f"{odd.marking.kmin}/{odd.marking.kmax}",
            traffic=odd.traffic.name,
            stage=Stage.DEPTHS,
            several=apart.tied,
            assumed="nothing tells which of the two is meant" if apart.tied else "",
        )


def _spell(depths: Depths) -> str:
    speed = f" at {spell_speed(depths.gbps)}" if depths.gbps is not None else ""
    return f"{spell_size(depths.kmin)} to {spell_size(depths.kmax)}{speed}"


@class_port_check("ecn.depth_averaged")
def marking_by_averaged_depth(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A queue marks by its average depth over many packets, not by the depth it has."""
    depths = depths_of(given.analysis, traffic, port)
    if depths is None:
        return
    weight = depths.marking.averaged_over
    if weight:
        yield Problem(
            f"{depths.port} marks {depths.traffic.name} by the depth of its queue averaged "
            f"over some {2**weight} packets (weight {weight})",
            "a burst fills the buffer and pauses before the average reaches the threshold, "
            "and senders are slowed down when it is over",
            [depths.marking.where("averaged_over")],
            depths.device,
            (depths.port.interface.name,),
            value=f"weight {weight}",
            traffic=depths.traffic.name,
            stage=Stage.DEPTHS,
        )

"""Marking thresholds against what bounds them: the ASIC, the speed of the port, the other boxes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.catalog.published import marking_span
from roce_lint.engine.api import (
    Diagnosis,
    Fabric,
    Given,
    Link,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Stage,
    class_port_check,
    fabric_check,
)
from roce_lint.model.device import Role
from roce_lint.model.qos import Marking, MarkingMode

BYTES_PER_MICROSECOND = 1e9 / 8 / 1e6
"""Bytes that pass in a microsecond, for each Gb/s."""


@dataclass(slots=True, frozen=True)
class _Depths:
    """The thresholds of a class on a port, in bytes, and the speed of the link."""

    traffic: RoceClass
    port: JudgedPort
    marking: Marking
    kmin: float
    kmax: float
    gbps: float | None

    @property
    def device(self) -> str:
        return self.port.device.hostname


def _depths(analysis: Analysis) -> Iterator[_Depths]:
    for port in analysis.switch_ports():
        for traffic in analysis.data_classes:
            found = _depths_of(analysis, traffic, port)
            if found is not None:
                yield found


def _depths_of(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> _Depths | None:
    """None where they are not known, or in no order, or the class is none of the design's here."""
    marking = None if port.device.is_host else analysis.treat(port, traffic.dscps[0]).egress.marking
    if marking is None or not marking.ecn or marking.mode is not MarkingMode.STATIC:
        return None
    low = marking.kmin.bytes if marking.kmin is not None else None
    high = marking.kmax.bytes if marking.kmax is not None else None
    if low is None or high is None or low > high:
        return None
    if not diagnose(analysis, traffic, port).in_place:
        return None
    return _Depths(traffic, port, marking, low, high, _gbps(port))


def _gbps(port: JudgedPort) -> float | None:
    """Speed of a port: of the two ends of a cable it is one."""
    own = port.interface.speed_gbps
    return own if own is not None or port.peer is None else port.peer.interface.speed_gbps


@class_port_check("ecn.kmin_above_asic")
def kmin_above_buffer_of_asic(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """Marking begins at a depth that the packet buffer of the switch does not have."""
    depths = _depths_of(given.analysis, traffic, port)
    if depths is None:
        return
    asic, device = depths.port.device.asic, depths.port.device
    if asic is None or asic.buffer_bytes is None or depths.kmin <= asic.buffer_bytes:
        return
    beyond = ("kmin", "kmax") if depths.kmax > asic.buffer_bytes else ("kmin",)
    yield Problem(
        f"{depths.port} begins to mark {depths.traffic.name} at {depths.marking.kmin}, and the "
        f"{asic.name} of {device.model} has a buffer of {asic.buffer_bytes} bytes in all",
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
    for depths in _depths(given.analysis):
        if depths.gbps is None or depths.port.interface.enabled is False:
            continue
        time = depths.kmin / (depths.gbps * BYTES_PER_MICROSECOND)
        if time < given.params.microseconds:
            yield Problem(
                f"{depths.port} begins to mark {depths.traffic.name} at {depths.marking.kmin}: "
                f"at {depths.gbps:g} Gb/s that is {time:.2g} microseconds",
                "senders slow down at every short burst: the link is never filled",
                [depths.marking.where("kmin"), depths.port.interface.where("speed_gbps")],
                depths.device,
                (depths.port.interface.name,),
                value=f"{depths.marking.kmin} at {depths.gbps:g}",
                traffic=depths.traffic.name,
                stage=Stage.DEPTHS,
            )


class ApartParams(BaseModel):
    """Parameters of `ecn.thresholds_far_apart`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    factor: float = Field(default=8.0, gt=1)
    """How far the thresholds of two boxes may lie apart, in bytes and in bytes for each Gb/s."""


@fabric_check("ecn.thresholds_far_apart", params=ApartParams)
def thresholds_far_apart_in_tier(fabric: Fabric, given: Given[ApartParams]) -> Iterator[Outcome]:
    """Boxes of one tier, or the two ends of a cable, mark at depths that are worlds apart."""
    factor = given.params.factor
    found = list(_depths(given.analysis))
    told: set[tuple[str, str, str]] = set()
    tiers: dict[tuple[str, int, Role], list[_Depths]] = defaultdict(list)
    for depths in found:
        if depths.gbps is not None and depths.port.device.role is not None:
            key = (depths.traffic.name, depths.port.network, depths.port.device.role)
            tiers[key].append(depths)
    for members in tiers.values():
        for odd, usual, tied in _odd(members, factor):
            told.add((odd.traffic.name, *odd.port.key))
            yield _apart(odd, usual, "a box of its tier", tied=tied)
    by_port = {(depths.traffic.name, *depths.port.key): depths for depths in found}
    for link in fabric.links:
        for traffic in given.analysis.data_classes:
            pair = _odd_end(by_port, link, traffic, factor)
            if pair is not None and (traffic.name, *pair[0].port.key) not in told:
                told.add((traffic.name, *pair[0].port.key))
                yield _apart(*pair, "the other end of its link", tied=False)


def _odd(members: list[_Depths], factor: float) -> Iterator[tuple[_Depths, _Depths, bool]]:
    """Those far from what the middle device of a tier has, and whether it is one against one.

    Where both are within what is published for their speed, makers differ: that is no fault.
    """
    for field in ("kmin", "kmax"):
        first: dict[str, _Depths] = {}
        for depths in members:
            first.setdefault(depths.device, depths)
        ordered = sorted(first.values(), key=lambda each: _value(each, field) / (each.gbps or 1))
        if len(ordered) < 2:
            return
        usual = ordered[(len(ordered) - 1) // 2]
        far = {
            each.device
            for each in ordered
            if _is_far(each, usual, field, factor) and (_is_outside(each) or _is_outside(usual))
        }
        if not far:
            continue
        tied = 2 * len(far) == len(ordered)
        for each in members:
            if each.device in far and _is_far(each, usual, field, factor):
                yield each, usual, tied
        return


def _value(depths: _Depths, field: str) -> float:
    return max(depths.kmin if field == "kmin" else depths.kmax, 1.0)


def _is_far(one: _Depths, other: _Depths, field: str, factor: float) -> bool:
    """Far apart in bytes and in bytes by speed: thresholds may grow with it, and need not."""
    plain = _value(one, field) / _value(other, field)
    scaled = plain * (other.gbps or 1) / (one.gbps or 1)
    return all(ratio > factor or ratio < 1 / factor for ratio in (plain, scaled))


def _odd_end(
    by_port: dict[tuple[str, str, str], _Depths], link: Link, traffic: RoceClass, factor: float
) -> tuple[_Depths, _Depths] | None:
    """The end of a link whose thresholds lie far from the other's and outside all published ones.

    Boxes of two tiers may well differ: one with memory outside marks late. So what is published
    has to take sides.
    """
    ends = [by_port.get((traffic.name, *end.key)) for end in link.ends]
    if ends[0] is None or ends[1] is None:
        return None
    if not any(_is_far(ends[0], ends[1], field, factor) for field in ("kmin", "kmax")):
        return None
    outside = [_is_outside(each) for each in ends if each is not None]
    if outside[0] == outside[1]:
        return None
    return (ends[0], ends[1]) if outside[0] else (ends[1], ends[0])


def _is_outside(depths: _Depths) -> bool:
    span = marking_span(depths.gbps)
    return depths.kmax < span.lowest_kmax or depths.kmin > span.highest_kmin


def _apart(odd: _Depths, usual: _Depths, what: str, *, tied: bool) -> Problem:
    def spelt(depths: _Depths) -> str:
        speed = f" at {depths.gbps:g} Gb/s" if depths.gbps is not None else ""
        return f"{depths.marking.kmin} to {depths.marking.kmax}{speed}"

    field = "kmax" if odd.kmin == usual.kmin else "kmin"
    return Problem(
        f"{odd.port} marks {odd.traffic.name} from {spelt(odd)}, and {usual.port}, {what}, "
        f"from {spelt(usual)}",
        "flows through one of the two are slowed down long before, or long after, all others",
        [odd.marking.where(field), usual.marking.where(field)],
        odd.device,
        (odd.port.interface.name,),
        value=f"{odd.marking.kmin}/{odd.marking.kmax}",
        traffic=odd.traffic.name,
        stage=Stage.DEPTHS,
        several=tied,
        assumed="nothing tells which of the two is meant" if tied else "",
    )


@class_port_check("ecn.depth_averaged")
def marking_by_averaged_depth(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A queue marks by its average depth over many packets, not by the depth it has."""
    depths = _depths_of(given.analysis, traffic, port)
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

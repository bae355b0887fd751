"""Unusual ECN marking of the RoCE queue: thresholds compared with published values, buffer, speed
and other switches; one step, colours, Not-ECT packets.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, Field

from roce_lint.analysis.diagnosis import Diagnosis
from roce_lint.analysis.ecn_thresholds import (
    EcnThresholds,
    find_outliers,
    thresholds_by_kind,
    thresholds_of,
    thresholds_of_ports,
)
from roce_lint.analysis.port_parts import needs
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.stages import Stage
from roce_lint.catalog.profiles import PublishedThresholds, marking_span
from roce_lint.engine.api import Given, Outcome, Problem, Unknown, class_port_check, fabric_check
from roce_lint.engine.finding import Severity
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.model.qos import Marking, MarkingMode
from roce_lint.model.units import Threshold, spell_size, spell_speed

NOT_ECT = 0
"""ECN bits of a packet that must not be marked (RFC 3168)."""


class FarParams(BaseModel, extra="forbid", frozen=True):
    """Parameters of `ecn.thresholds_far`."""

    factor: float = Field(default=8.0, ge=1)
    """Factor by which a threshold has to be outside the published range."""


@class_port_check("ecn.thresholds_far", params=FarParams)
def ecn_thresholds_far_from_published(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[FarParams]
) -> Iterator[Outcome]:
    """An ECN threshold is far outside the values published for the speed."""
    marking = _marking(diagnosis)
    if marking is None or marking.mode is not MarkingMode.STATIC:
        return
    span, factor = marking_span(port.interface.speed_gbps), given.params.factor
    low = marking.kmin.bytes if marking.kmin is not None else None
    high = marking.kmax.bytes if marking.kmax is not None else None
    if low is not None and low < span.lowest.kmin_bytes / factor:
        yield _far(traffic, port, marking, "kmin", span.lowest)
    if high is not None and high > span.highest.kmax_bytes * factor:
        yield _far(traffic, port, marking, "kmax", span.highest)


def _far(
    traffic: RoceClass, port: JudgedPort, marking: Marking, field: str, nearest: PublishedThresholds
) -> Problem:
    speed = port.interface.speed_gbps
    at_speed = f" at {spell_speed(speed)}" if speed else ""
    if field == "kmin":
        mine, theirs = marking.kmin, nearest.kmin_bytes
        what = f"starts ECN marking of {traffic.name} at {_spell(mine)}; the lowest published value"
        harm = "senders back off at the first short burst and never fill the link"
    else:
        mine, theirs = marking.kmax, nearest.kmax_bytes
        what = f"marks every packet of {traffic.name} only above {_spell(mine)}; the "
        what += "highest published value"
        harm = "the buffer fills and triggers PFC or drops long before senders back off"
    return Problem(
        f"{port} {what}{at_speed} is {spell_size(theirs)} ({nearest.by})",
        harm,
        [marking.where(field)],
        value=str(mine),
        traffic=traffic.name,
        about=marking.where("kmax" if field == "kmin" else "kmin"),
        stage=Stage.DEPTHS,
    )


def _spell(depth: Threshold | None) -> str:
    return "an unknown depth" if depth is None else depth.text


@class_port_check("ecn.one_threshold")
def single_ecn_threshold(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given
) -> Iterator[Outcome]:
    """Kmin and Kmax are the same: ECN marking is a step."""
    marking = _marking(diagnosis)
    if marking is None or marking.mode is not MarkingMode.STATIC or marking.kmin is None:
        return
    if marking.in_force and marking.kmin == marking.kmax:
        yield Problem(
            f"{port} has one ECN threshold for {traffic.name}: Kmin and Kmax are both "
            f"{marking.kmin.text}",
            "all senders back off at once, and the marking probability has no effect",
            [marking.where("kmin"), marking.where("kmax")],
            value=str(marking.kmin),
            traffic=traffic.name,
            stage=Stage.DEPTHS,
        )


@class_port_check("ecn.marking_not_enabled")
def ecn_profile_colour_not_enabled(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given
) -> Iterator[Outcome]:
    """ECN is configured for the queue, but WRED for the colour of RoCE packets is off."""
    marking = _marking(diagnosis)
    if marking is None or marking.enabled is not False:
        return
    stated = marking.stated("enabled")
    first, second = ("enabled", "ecn") if stated else ("ecn", "enabled")
    yield Problem(
        f"{port}: profile {marking.name} has ECN for {traffic.name} but WRED for its colour is "
        + ("off" if stated else "not enabled"),
        "some switches then mark nothing: congestion goes straight to PFC or drops",
        [marking.where(first), marking.where(second)],
        value=f"{marking.name}: off" if stated else f"{marking.name}: absent",
        lacks=() if stated else (marking.where("enabled"),),
        traffic=traffic.name,
        changes=needs(port, {f"qos.egress.queues[{diagnosis.out.queue}].marking.enabled": True}),
        stage=Stage.DEPTHS,
    )


def _marking(diagnosis: Diagnosis) -> Marking | None:
    """ECN marking of the queue of a RoCE class on a switch port, if any. A queue that two classes
    share is reported with the first.
    """
    analysis, port, out = diagnosis.analysis, diagnosis.port, diagnosis.out
    if port.device.is_host or not out.marks or not diagnosis.in_place:
        return None
    for other in analysis.data_classes:
        if other is diagnosis.traffic:
            return out.marking
        if analysis.treat(port, other.dscps[0]).egress.queue == out.queue:
            return None
    return out.marking


@fabric_check("ecn.not_capable_in_marking_queue")
def non_ect_traffic_in_ecn_queue(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A host sends Not-ECT packets into a queue with ECN, which drops them."""
    analysis = given.analysis
    for device in fabric.devices.values():
        seen: set[tuple[int, Flow]] = set()
        for emission in device.emits:
            key = (emission.dscp, emission.flow)
            if emission.ect == NOT_ECT and _counts(emission) and key not in seen:
                seen.add(key)
                yield from _drops(analysis, device, emission)


def _counts(emission: Emission) -> bool:
    """Whether a host states this of packets of RDMA queue pairs."""
    flows = (Flow.DATA, Flow.RESPONSE, Flow.CONTROL)
    return emission.certainty is Certainty.STATED and emission.flow in flows


def _drops(analysis: Analysis, device: Device, emission: Emission) -> Iterator[Outcome]:
    for nic in analysis.nics_of(device):
        port = analysis.port(device.hostname, nic.port or "")
        if port is None or (emission.nics and nic.name not in emission.nics):
            continue
        dropping = _drops_not_ect(analysis, port.network, emission.dscp)
        if dropping is None:
            continue
        capable = _makes_capable(analysis, port, nic, emission.dscp)
        stated = emission.where("dscp", emission.by)
        if capable is None:
            missing = "the DCQCN state of the NIC (its ecn/roce_rp settings)"
            yield Unknown(missing, [nic.where("rp_priorities")], device.hostname, (nic.port or "",))
        elif not capable:
            marks = analysis.treat(dropping, emission.dscp).egress.marks_where
            yield Problem(
                f"{device.hostname} {nic.name} sends DSCP {emission.dscp} as Not-ECT "
                f"({emission.by}), but {dropping} has ECN on its queue",
                "packets that cannot be marked are dropped there as soon as the queue grows",
                [stated, nic.where("rp_priorities"), *([marks] if marks is not None else [])],
                device.hostname,
                (nic.port or "",),
                value=f"{emission.dscp}:{emission.ect}",
            )


def _makes_capable(analysis: Analysis, port: JudgedPort, nic: Nic, dscp: int) -> bool | None:
    """Whether the NIC sets the ECN bits itself, as it does with its reaction point on."""
    if not nic.rp_priorities:
        return None if nic.rp_priorities is None else False
    priority = analysis.treat(port, dscp).ingress.priority
    return None if priority is None else priority in nic.rp_priorities


def _drops_not_ect(analysis: Analysis, network: int, dscp: int) -> JudgedPort | None:
    """A port of a network with ECN on the queue of the DSCP and no exception for Not-ECT."""
    for port, _ in analysis.kinds_in(network):
        out = analysis.treat(port, dscp).egress
        if port.device.is_host or not out.marks or out.marking is None:
            continue
        if not (out.marking.allow_non_ect or port.device.system.allow_non_ect):
            return port
    return None


# Thresholds compared with the ASIC buffer, the speed of the port and other switches.


@class_port_check("ecn.kmin_above_asic")
def kmin_above_asic_buffer(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given
) -> Iterator[Outcome]:
    """Kmin is above the packet buffer of the switch."""
    depths = thresholds_of(given.analysis, traffic, port)
    if depths is None:
        return
    asic, device = depths.port.device.asic, depths.port.device
    if asic is None or asic.buffer_bytes is None or depths.kmin <= asic.buffer_bytes:
        return
    beyond = ("kmin", "kmax") if depths.kmax > asic.buffer_bytes else ("kmin",)
    yield Problem(
        f"{depths.port} starts ECN marking of {depths.traffic.name} at {spell_size(depths.kmin)}, "
        f"above the buffer of its {asic.name} ({spell_size(asic.buffer_bytes)}, {device.model})",
        "the buffer is full before the first packet is marked: PFC or drops instead of ECN",
        [depths.marking.where(field) for field in beyond],
        value=f"{depths.marking.kmin} of {asic.buffer_bytes}",
        traffic=depths.traffic.name,
        stage=Stage.DEPTHS,
        several=True,
        severity=None if asic.confirmed else Severity.WARNING,
    )


class TimeParams(BaseModel, extra="forbid", frozen=True):
    """Parameters of `ecn.kmin_worth_no_time`."""

    microseconds: float = Field(default=1.0, gt=0)
    """Shortest time to send Kmin at the speed of the port."""


@fabric_check("ecn.kmin_worth_no_time", params=TimeParams)
def kmin_below_a_microsecond(fabric: Fabric, given: Given[TimeParams]) -> Iterator[Outcome]:
    """The port sends Kmin in less than a microsecond."""
    short = [
        kind
        for kind in thresholds_by_kind(given.analysis)
        if kind.microseconds is not None
        and kind.microseconds < given.params.microseconds
        and kind.port.interface.enabled is not False
    ]
    for depths in thresholds_of_ports(given.analysis, short):
        yield Problem(
            f"{depths.port} starts ECN marking of {depths.traffic.name} at "
            f"{spell_size(depths.kmin)} ({depths.microseconds:.2g} microseconds at "
            f"{spell_speed(depths.gbps or 0)})",
            "senders back off at every short burst and never fill the link",
            [depths.marking.where("kmin"), depths.port.interface.where("speed_gbps")],
            depths.device,
            (depths.port.interface.name,),
            value=f"{depths.marking.kmin} at {depths.gbps:g}",
            traffic=depths.traffic.name,
            stage=Stage.DEPTHS,
        )


class OutlierParams(BaseModel, extra="forbid", frozen=True):
    """Parameters of `ecn.thresholds_far_apart`."""

    factor: float = Field(default=8.0, gt=1)
    """Largest ratio of the thresholds of two switches, in bytes and in bytes per Gb/s."""


@fabric_check("ecn.thresholds_far_apart", params=OutlierParams)
def ecn_thresholds_differ_within_tier(
    fabric: Fabric, given: Given[OutlierParams]
) -> Iterator[Outcome]:
    """ECN thresholds within a tier, or at the two ends of a cable, differ widely."""
    for apart in find_outliers(given.analysis, given.params.factor):
        odd, usual = apart.odd, apart.usual
        field = "kmax" if odd.kmin == usual.kmin else "kmin"
        yield Problem(
            f"{odd.port} marks {odd.traffic.name} from {_spell_range(odd)}, but {usual.port}, "
            f"{apart.what}, from {_spell_range(usual)}",
            "flows through one of the two back off much earlier than the rest",
            [odd.marking.where(field), usual.marking.where(field)],
            odd.device,
            (odd.port.interface.name,),
            value=f"{odd.marking.kmin}/{odd.marking.kmax}",
            traffic=odd.traffic.name,
            stage=Stage.DEPTHS,
            several=apart.tied,
            assumed="it is unclear which of the two is intended" if apart.tied else "",
        )


def _spell_range(depths: EcnThresholds) -> str:
    speed = f" at {spell_speed(depths.gbps)}" if depths.gbps is not None else ""
    return f"{spell_size(depths.kmin)} to {spell_size(depths.kmax)}{speed}"


@class_port_check("ecn.depth_averaged")
def ecn_on_average_queue_length(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given
) -> Iterator[Outcome]:
    """ECN marking follows the average queue length, not the current one."""
    depths = thresholds_of(given.analysis, traffic, port)
    if depths is None:
        return
    weight = depths.marking.averaged_over
    if weight:
        yield Problem(
            f"{depths.port} marks {depths.traffic.name} by average queue length (weight {weight}, "
            f"about {2**weight} packets)",
            "a burst fills the buffer before the average reaches the threshold; ECN marks come "
            "after it is over",
            [depths.marking.where("averaged_over")],
            value=f"weight {weight}",
            traffic=depths.traffic.name,
            stage=Stage.DEPTHS,
            changes=needs(
                port, {f"qos.egress.queues[{diagnosis.out.queue}].marking.averaged_over": 0}
            ),
        )

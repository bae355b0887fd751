"""Marking of the RoCE queue that is there, and yet odd: depths, steps, what is not marked."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.catalog.published_thresholds import PublishedThresholds, marking_span
from roce_lint.engine.api import (
    Device,
    Diagnosis,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Stage,
    Unknown,
    class_port_check,
    fabric_check,
)
from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.model.qos import Marking, MarkingMode
from roce_lint.model.units import Threshold, spell_size, spell_speed

NOT_ECT = 0
"""ECN bits of a packet that must not be marked (RFC 3168)."""


class FarParams(BaseModel):
    """Parameters of `ecn.thresholds_far`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    factor: float = Field(default=8.0, ge=1)
    """How far outside the published span a threshold has to be."""


@class_port_check("ecn.thresholds_far", params=FarParams)
def ecn_thresholds_far_from_published(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[FarParams]
) -> Iterator[Outcome]:
    """Marking begins far below, or ends far above, everything that is published for the speed."""
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
        what = f"begins to mark {traffic.name} at {_spell(mine)}, the lowest published value"
        harm = "senders slow down at the first short burst: the link is not filled"
    else:
        mine, theirs = marking.kmax, nearest.kmax_bytes
        what = f"marks every packet of {traffic.name} only from {_spell(mine)} on, the "
        what += "highest published value"
        harm = "the buffer is full and pauses, or drops, long before senders slow down"
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
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """Kmin and Kmax are the same depth: marking is a step."""
    marking = _marking(diagnosis)
    if marking is None or marking.mode is not MarkingMode.STATIC or marking.kmin is None:
        return
    if marking.in_force and marking.kmin == marking.kmax:
        yield Problem(
            f"{port} marks {traffic.name} from {marking.kmin.text} on, all or nothing: "
            "both thresholds are the same",
            "all senders are slowed down at once, and the probability has no effect",
            [marking.where("kmin"), marking.where("kmax")],
            value=str(marking.kmin),
            traffic=traffic.name,
            stage=Stage.DEPTHS,
        )


@class_port_check("ecn.marking_not_enabled")
def ecn_profile_colour_not_enabled(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """ECN is configured for the queue, and the switch for the packets' colour is off."""
    marking = _marking(diagnosis)
    if marking is None or marking.enabled is not False:
        return
    stated = marking.stated("enabled")
    first, second = ("enabled", "ecn") if stated else ("ecn", "enabled")
    yield Problem(
        f"{port} has ECN for {traffic.name} in profile {marking.name}, "
        "and early detection of its packets is " + ("off" if stated else "not switched on"),
        "some switches then mark nothing: congestion goes straight to PFC or drops",
        [marking.where(first), marking.where(second)],
        value=f"{marking.name}: off" if stated else f"{marking.name}: absent",
        lacks=() if stated else (marking.where("enabled"),),
        traffic=traffic.name,
        stage=Stage.DEPTHS,
    )


def _marking(diagnosis: Diagnosis) -> Marking | None:
    """The marking of the queue of a RoCE class on a switch port, where it marks. A queue that two
    classes share is told of with the first.
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
def not_ecn_capable_traffic_in_marking_queue(
    fabric: Fabric, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A host sends packets without ECN capability into a queue that marks: it drops them."""
    analysis = given.analysis
    for device in fabric.devices.values():
        told: set[tuple[int, Flow]] = set()
        for emission in device.emits:
            key = (emission.dscp, emission.flow)
            if emission.ect == NOT_ECT and _counts(emission) and key not in told:
                told.add(key)
                yield from _drops(analysis, device, emission)


def _counts(emission: Emission) -> bool:
    """True for a statement of a host about packets that RDMA queue pairs send."""
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
        said = emission.where("dscp", emission.by)
        if capable is None:
            missing = "whether DCQCN is on at the NIC (its ecn/roce_rp settings tell)"
            yield Unknown(missing, [nic.where("rp_priorities")], device.hostname, (nic.port or "",))
        elif not capable:
            marks = analysis.treat(dropping, emission.dscp).egress.marks_where
            yield Problem(
                f"{device.hostname} {nic.name} sends DSCP {emission.dscp} without ECN capability "
                f"({emission.by}), and {dropping} marks the queue it uses",
                "what cannot be marked is dropped there as soon as the queue grows",
                [said, nic.where("rp_priorities"), *([marks] if marks is not None else [])],
                device.hostname,
                (nic.port or "",),
                value=f"{emission.dscp}:{emission.ect}",
            )


def _makes_capable(analysis: Analysis, port: JudgedPort, nic: Nic, dscp: int) -> bool | None:
    """Whether the NIC sets the ECN bits itself: it does where its reaction point is on."""
    if not nic.rp_priorities:
        return None if nic.rp_priorities is None else False
    priority = analysis.treat(port, dscp).ingress.priority
    return None if priority is None else priority in nic.rp_priorities


def _drops_not_ect(analysis: Analysis, network: int, dscp: int) -> JudgedPort | None:
    """A port of a network that marks the code point's queue and makes no exception."""
    for port in analysis.switch_ports():
        out = analysis.treat(port, dscp).egress
        if port.network != network or not out.marks or out.marking is None:
            continue
        if not (out.marking.allow_non_ect or port.device.system.allow_non_ect):
            return port
    return None

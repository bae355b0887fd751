"""Sizes of headroom and pools compared with in-flight data, peers, and the ASIC."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator

from pydantic import BaseModel, Field

from roce_lint.analysis.equal_switches import model_of
from roce_lint.analysis.headroom_sizes import (
    HeadroomSize,
    Need,
    all_headrooms,
    headrooms_by_kind,
    largest_need,
    need_of,
    with_reaction,
)
from roce_lint.analysis.result import Analysis
from roce_lint.engine import api
from roce_lint.engine.api import Device, Fabric, Given, Outcome, Problem, Severity, Unknown
from roce_lint.model.units import spell_size


@api.fabric_check("buffers.headroom_below_least_need")
def headroom_below_physical_minimum(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Headroom below the data that any peer still sends after a pause."""
    analysis = given.analysis
    kinds = [kind for kind in headrooms_by_kind(analysis) if kind.xoff > 0 and not kind.shipped]
    for sized in all_headrooms(analysis, (kind for kind in kinds if _may_lack(analysis, kind))):
        need = need_of(analysis, sized, certain=False)
        speed = "however fast the peer reacts"
        if sized.xoff >= need.bytes:
            need, speed = with_reaction(need, sized), "unless the peer reacts faster than that"
        short = sized.xoff < need.bytes
        yield _too_small(given, sized, need, speed) if short else _unknown_size(sized)


def _may_lack(analysis: Analysis, sized: HeadroomSize) -> bool:
    need = need_of(analysis, sized, certain=False)
    known = sized.gbps is not None and sized.cable is not None
    most = with_reaction(need, sized).bytes if known else largest_need(need, sized)
    return sized.xoff < most


def _unknown_size(sized: HeadroomSize) -> Unknown:
    lacking = "speed" if sized.gbps is None else "cable length"
    return Unknown(
        f"the {lacking} of a port with configured headroom",
        [sized.profile.where("xoff_bytes")],
        *api.at_port(sized.port),
    )


def _too_small(given: Given, sized: HeadroomSize, likely: Need, speed: str) -> Problem:
    port, certain = sized.port, need_of(given.analysis, sized, certain=True)
    sure = sized.xoff < certain.bytes
    need = certain if sure else likely
    places = [sized.profile.where("xoff_bytes"), *need.by, *sized.paused_by(given.analysis)]
    return Problem(
        f"{port} has {spell_size(sized.xoff)} of headroom for {sized.traffic.name}, but "
        f"{need.words} need at least {spell_size(round(need.bytes))}",
        f"in-flight packets of the lossless class are dropped after a pause, {speed}",
        places,
        *api.at_port(port),
        value=f"{sized.xoff} of {need.bytes:.0f}",
        traffic=sized.traffic.name,
        severity=None if sure else Severity.WARNING,
        rests_on=tuple(places),
    )


class EqualParams(BaseModel, extra="forbid", frozen=True):
    """Parameters of `buffers.headroom_differing_among_equals`."""

    share: float = Field(default=0.6, gt=0, le=1)
    """Share of similar ports from which a size counts as usual."""


@api.fabric_check("buffers.headroom_differing_among_equals", params=EqualParams)
def headroom_differs_from_peers(fabric: Fabric, given: Given[EqualParams]) -> Iterator[Outcome]:
    """Headroom that differs from ports of the same model, role, speed, MTU and cable length."""
    groups: dict[Hashable, list[HeadroomSize]] = defaultdict(list)
    for kind in headrooms_by_kind(given.analysis):
        if kind.gbps is not None and kind.cable is not None:
            groups[_peer_key(kind)].append(kind)
    for members in groups.values():
        usual = _usual(members, given.params.share)
        if usual is not None:
            odd = (kind for kind in members if kind.xoff != usual.xoff and not kind.shipped)
            for sized in all_headrooms(given.analysis, odd):
                yield _difference(sized, usual)


def _difference(sized: HeadroomSize, usual: HeadroomSize) -> Problem:
    more = sized.xoff > usual.xoff
    return Problem(
        f"{sized.port} has {spell_size(sized.xoff)} of headroom for {sized.traffic.name}, "
        f"its peers have {spell_size(usual.xoff)}",
        "other ports lack this buffer"
        if more
        else "in-flight packets after a pause may be dropped on this port only",
        [sized.profile.where("xoff_bytes"), usual.profile.where("xoff_bytes")],
        *api.at_port(sized.port),
        value=str(sized.xoff),
        traffic=sized.traffic.name,
    )


def _peer_key(sized: HeadroomSize) -> Hashable:
    """Properties in which ports have to match to be compared."""
    device, port = sized.port.device, sized.port.interface
    return (
        sized.traffic.name,
        device.nos,
        model_of(device),
        device.role,
        sized.gbps,
        sized.cable.metres if sized.cable is not None else None,
        port.ip_mtu,
        port.lanes,
    )


def _usual(members: list[HeadroomSize], share: float) -> HeadroomSize | None:
    """A port with the usual size: that of most devices, or of most ports of a single device."""
    voters: dict[int, set[Hashable]] = defaultdict(set)
    together = len({member.port.device.hostname for member in members}) > 1
    for member in members:
        own = {member.port.device.hostname}
        voters[member.xoff] |= own if together else {port.key for port in member.alike}
    if len(voters) == 1:
        return None
    size = max(voters, key=lambda xoff: (len(voters[xoff]), -xoff))
    everybody = {voter for each in voters.values() for voter in each}
    if len(voters[size]) < 2 or len(voters[size]) < share * len(everybody):
        return None
    return next(member for member in members if member.xoff == size)


@api.device_check("buffers.pool_above_asic")
def pool_exceeds_asic_buffer(device: Device, given: Given) -> Iterator[Outcome]:
    """A buffer pool larger than the packet buffer of the ASIC."""
    asic = device.asic
    if asic is None or asic.buffer_bytes is None or not given.analysis.ports_of(device):
        return
    for pool in device.pools.values():
        for name in ("size_bytes", "headroom_bytes"):
            size: int | None = getattr(pool, name)
            if size is not None and size > asic.buffer_bytes:
                yield Problem(
                    f"{device.hostname}: pool {pool.name} is {spell_size(size)}, but the "
                    f"{asic.name} of {device.model} has {spell_size(asic.buffer_bytes)} in total",
                    "the device rejects the pool, or its thresholds are never reached: "
                    "the buffer is full before PFC is sent",
                    [pool.where(name), device.where("model")],
                    value=f"{pool.name}: {size}",
                    severity=None if asic.confirmed else Severity.WARNING,
                )

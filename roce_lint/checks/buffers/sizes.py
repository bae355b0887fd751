"""Stated sizes of headroom and pools: against what is in flight, their equals, and the ASIC."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from roce_lint.analysis.cable import CableLength, Cables, Says
from roce_lint.analysis.makes import Makes
from roce_lint.analysis.packet import LARGEST_PAYLOAD, largest_roce
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.treatment import group_buffer
from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Unknown,
    Where,
    device_check,
    fabric_check,
)
from roce_lint.model.buffer import BufferPool, BufferProfile
from roce_lint.model.units import (
    BYTES_PER_METRE_AND_GBPS,
    ETHERNET_FRAMING,
    PAUSE_FRAME,
    ROCE_HEADERS_IPV4,
)
from roce_lint.text.source import Origin

LONGEST_M = 300.0
"""Metres up to which a cable may be that nobody tells a length: the longest row of the tables that
switches in data centres are delivered with."""


@dataclass(slots=True, frozen=True)
class _Sized:
    """The stated headroom of a class on a port, and what is known of the link it is for."""

    traffic: RoceClass
    port: JudgedPort
    profile: BufferProfile
    xoff: int
    speed: tuple[float, Where] | None
    cable: CableLength | None

    @property
    def gbps(self) -> float | None:
        return self.speed[0] if self.speed is not None else None


@dataclass(slots=True, frozen=True)
class _Need:
    """Bytes that may arrive after a pause was sent, at least, and the lines that say so."""

    bytes: float
    by: tuple[Where, ...]
    words: str


@fabric_check("buffers.headroom_below_least_need")
def headroom_below_least_need(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """The stated headroom is less than what no peer can avoid to send after it was paused."""
    analysis = given.analysis
    for sized in _sized(analysis):
        port = sized.port
        if sized.xoff <= 0 or _is_shipped(sized):
            continue
        likely = _need(analysis, sized, certain=False)
        if sized.xoff >= likely.bytes:
            if (sized.gbps is None or sized.cable is None) and sized.xoff < _at_most(likely, sized):
                lacking = "speed" if sized.gbps is None else "length of the cable"
                yield Unknown(
                    f"the {lacking} that a stated headroom is for",
                    [sized.profile.where("xoff_bytes")],
                    port.device.hostname,
                    (port.interface.name,),
                )
            continue
        certain = _need(analysis, sized, certain=True)
        sure = sized.xoff < certain.bytes
        need = certain if sure else likely
        places = [sized.profile.where("xoff_bytes"), *need.by, *_paused_by(analysis, sized)]
        yield Problem(
            f"{port} has {sized.xoff} bytes of headroom for {sized.traffic.name}, and {need.words} "
            f"need {need.bytes:.0f} at least",
            "packets of the lossless class are dropped after the pause was sent, however fast "
            "the other end stops",
            places,
            port.device.hostname,
            (port.interface.name,),
            value=f"{sized.xoff} of {need.bytes:.0f}",
            traffic=sized.traffic.name,
            severity=None if sure else Severity.WARNING,
            rests_on=tuple(places),
        )


def _sized(analysis: Analysis) -> Iterator[_Sized]:
    """Headrooms that are stated in bytes, for classes that their ports pause."""
    for traffic in analysis.data_classes:
        for port in analysis.switch_ports():
            qos = port.interface.qos
            into = analysis.treat(port, traffic.dscps[0]).ingress
            if qos is None or into.pg is None or not into.lossless:
                continue
            profile, _, _ = group_buffer(port.device, qos, into.pg)
            if profile is None or profile.computed or profile.xoff_bytes is None:
                continue
            yield _Sized(
                traffic,
                port,
                profile,
                profile.xoff_bytes,
                _speed(port, profile),
                _cable(analysis.cables, port, profile),
            )


def _paused_by(analysis: Analysis, sized: _Sized) -> list[Where]:
    """What makes the class lossless, in the group that has the headroom."""
    into = analysis.treat(sized.port, sized.traffic.dscps[0]).ingress
    return [where for where in (into.pg_where, into.lossless_where) if where is not None]


def _speed(port: JudgedPort, profile: BufferProfile) -> tuple[float, Where] | None:
    """Gb/s of the link, by either end, else what the profile was made for."""
    ends = [port.interface, *([port.peer.interface] if port.peer is not None else [])]
    for end in ends:
        if end.speed_gbps is not None:
            return end.speed_gbps, end.where("speed_gbps")
    if profile.made_for_gbps is not None:
        return profile.made_for_gbps, profile.where("made_for_gbps")
    return None


def _cable(cables: Cables, port: JudgedPort, profile: BufferProfile) -> CableLength | None:
    """The length of the cable; what the profile was made for, where nothing else says one."""
    known = cables.of_port(port.device, port.interface)
    if known is None and profile.made_for_m:
        return CableLength(profile.made_for_m, Says.STEP, profile.where("made_for_m"))
    return known


def _need(analysis: Analysis, sized: _Sized, *, certain: bool) -> _Need:
    """The largest frame of the port the other way, the pause frame, the cable both ways, and the
    largest frame of the class; with `certain` only as far as lines or confirmed defaults say so.
    """
    port = sized.port
    total, by, words = float(PAUSE_FRAME), [], []
    own = port.interface.where("ip_mtu")
    if port.interface.ip_mtu is not None and (_holds(own) or not certain):
        total += port.interface.ip_mtu + ETHERNET_FRAMING
        by.append(own)
        words.append(f"a frame of MTU {port.interface.ip_mtu} the other way")
    largest, where = _largest_of_class(analysis, port, certain=certain)
    if largest:
        total += largest + ETHERNET_FRAMING
        by += where
        words.append(f"a packet of {largest} bytes on its way")
    if sized.speed is not None and sized.cable is not None:
        (gbps, stated), cable = sized.speed, sized.cable
        if not certain or (_holds(stated) and cable.says.stated and not port.assumed):
            total += cable.metres * gbps * BYTES_PER_METRE_AND_GBPS
            by += [cable.where, stated]
            words.append(f"{cable.metres:g} m of cable at {gbps:g} Gb/s")
    return _Need(total, tuple(by), ", ".join(words) or "a pause frame")


def _largest_of_class(
    analysis: Analysis, port: JudgedPort, *, certain: bool
) -> tuple[int, tuple[Where, ...]]:
    """Bytes of the largest RoCE packet; the largest that RoCE has, where no host says its own."""
    need = analysis.required.get(port.network)
    if need is not None and not need.assumed:
        return largest_roce(need), need.where[:1]
    if certain:
        return 0, ()
    most = LARGEST_PAYLOAD + ROCE_HEADERS_IPV4
    return min(most, port.interface.ip_mtu or most), ()


def _at_most(need: _Need, sized: _Sized) -> float:
    """The need where the cable is as long as one may be that nobody tells a length."""
    metres = sized.cable.metres if sized.cable is not None else LONGEST_M
    gbps = sized.gbps if sized.gbps is not None else 400.0
    return need.bytes + metres * gbps * BYTES_PER_METRE_AND_GBPS


def _holds(where: Where) -> bool:
    """True for a line, and for a default that is confirmed."""
    if where.origin is Origin.ABSENT:
        return False
    return where.citation is None or where.confirmed


def _is_shipped(sized: _Sized) -> bool:
    """True for the size that the maker delivers the platform with for this speed and length."""
    device, gbps = sized.port.device, sized.gbps
    metres = sized.cable.metres if sized.cable is not None else None
    for length in {metres, sized.profile.made_for_m} - {None}:
        row = device.headroom_table.get((gbps or 0, length or 0))
        if row is not None and row.xoff_bytes == sized.xoff:
            return True
        if device.asic is not None and (gbps, length, sized.xoff) in device.asic.shipped:
            return True
    return False


class EqualParams(BaseModel):
    """Parameters of `buffers.headroom_differing_among_equals`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    share: float = Field(default=0.6, gt=0, le=1)
    """Share of equal ports that makes a size the usual one."""


@fabric_check("buffers.headroom_differing_among_equals", params=EqualParams)
def headroom_differing_among_equals(fabric: Fabric, given: Given[EqualParams]) -> Iterator[Outcome]:
    """Ports that are alike in model, role, speed, MTU and cable have headrooms that differ."""
    groups: dict[Hashable, list[_Sized]] = defaultdict(list)
    for sized in _sized(given.analysis):
        kind = _kind(sized, given.analysis.makes)
        if kind is not None:
            groups[kind].append(sized)
    for members in groups.values():
        usual = _usual(members, given.params.share)
        if usual is None:
            continue
        for sized in members:
            if sized.xoff != usual.xoff:
                more = sized.xoff > usual.xoff
                yield Problem(
                    f"{sized.port} has {sized.xoff} bytes of headroom for {sized.traffic.name}, "
                    f"ports like it {usual.xoff}",
                    "the buffer is missing elsewhere"
                    if more
                    else "packets in flight after a pause may be dropped here and nowhere else",
                    [sized.profile.where("xoff_bytes"), usual.profile.where("xoff_bytes")],
                    sized.port.device.hostname,
                    (sized.port.interface.name,),
                    value=str(sized.xoff),
                    traffic=sized.traffic.name,
                    severity=Severity.INFO if more else None,
                )


def _kind(sized: _Sized, makes: Makes) -> Hashable:
    """What makes ports alike; None where it is not known of this one."""
    device, port = sized.port.device, sized.port.interface
    if sized.gbps is None or sized.cable is None:
        return None
    return (
        sized.traffic.name,
        device.nos,
        makes.of(device),
        device.role,
        sized.gbps,
        sized.cable.metres,
        port.ip_mtu,
        port.lanes,
    )


def _usual(members: list[_Sized], share: float) -> _Sized | None:
    """One of those that have what most devices have; on one device, what most of its ports have."""
    voters: dict[int, set[Hashable]] = defaultdict(set)
    together = len({member.port.device.hostname for member in members}) > 1
    for member in members:
        voters[member.xoff].add(member.port.device.hostname if together else member.port.key)
    if len(voters) == 1:
        return None
    size = max(voters, key=lambda xoff: (len(voters[xoff]), -xoff))
    everybody = {voter for each in voters.values() for voter in each}
    if len(voters[size]) < 2 or len(voters[size]) < share * len(everybody):
        return None
    return next(member for member in members if member.xoff == size)


@device_check("buffers.pool_above_asic")
def pool_above_buffer_of_asic(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A buffer pool is larger than all the packet buffer that the switch has."""
    asic = device.asic
    if asic is None or asic.buffer_bytes is None or not given.analysis.ports_of(device):
        return
    for pool in device.pools.values():
        for name, size in _sizes(pool):
            if size > asic.buffer_bytes:
                yield Problem(
                    f"{device.hostname}: pool {pool.name} has {size} bytes, and the {asic.name} "
                    f"of {device.model} has {asic.buffer_bytes} in all",
                    "the device refuses the pool, or its thresholds are never reached: "
                    "the buffer is full before a pause is sent",
                    [pool.where(name), device.where("model")],
                    value=f"{pool.name}: {size}",
                    severity=None if asic.confirmed else Severity.WARNING,
                )


def _sizes(pool: BufferPool) -> Iterator[tuple[str, int]]:
    if pool.size_bytes is not None:
        yield "size_bytes", pool.size_bytes
    if pool.headroom_bytes is not None:
        yield "headroom_bytes", pool.headroom_bytes

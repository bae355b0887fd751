"""Headroom stated in bytes, and the data in flight after a pause frame, by kind of port."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from roce_lint.analysis.cable import CableLength, CableSource
from roce_lint.analysis.cache import cached
from roce_lint.analysis.packet import LARGEST_PAYLOAD, largest_roce
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.treatment import group_buffer
from roce_lint.model.buffer import BufferProfile
from roce_lint.model.units import (
    BYTES_PER_METRE_AND_GBPS,
    ETHERNET_FRAMING,
    PAUSE_FRAME,
    ROCE_HEADERS_IPV4,
    spell_speed,
)
from roce_lint.text.numbers import real
from roce_lint.text.source import Origin, Where

LONGEST_M = 300.0
"""Length in metres assumed as a maximum for an unknown cable: the longest row of the tables that
data centre switches ship with."""

FASTEST_GBPS = 400.0
"""Speed in Gb/s assumed as a maximum for a link of unknown speed."""


@dataclass(slots=True, frozen=True)
class HeadroomSize:
    """Stated headroom of a class on a port, with the speed and cable of its link.

    `alike` are the ports of its kind with a cable of that length: they share the result, but not
    the lines.
    """

    traffic: RoceClass
    port: JudgedPort
    profile: BufferProfile
    xoff: int
    speed: tuple[float, Where] | None
    cable: CableLength | None
    alike: Sequence[JudgedPort] = field(default=(), compare=False)

    @property
    def gbps(self) -> float | None:
        """Speed of the link; None if unknown."""
        return self.speed[0] if self.speed is not None else None

    @property
    def shipped(self) -> bool:
        """True for the size that the vendor ships for this speed and length."""
        device, gbps = self.port.device, self.gbps
        metres = self.cable.metres if self.cable is not None else None
        for length in {metres, self.profile.made_for_m} - {None}:
            row = device.headroom_table.get((gbps or 0, length or 0))
            if row is not None and row.xoff_bytes == self.xoff:
                return True
            if device.asic is not None and (gbps, length, self.xoff) in device.asic.shipped:
                return True
        return False

    def paused_by(self, analysis: Analysis) -> list[Where]:
        """Places that make the class lossless, in the group that has the headroom."""
        into = analysis.treat(self.port, self.traffic.dscps[0]).ingress
        return [where for where in (into.pg_where, into.lossless_where) if where is not None]


@cached
def headrooms_by_kind(analysis: Analysis) -> list[HeadroomSize]:
    """Headrooms stated in bytes for lossless classes: one per kind of port and cable length, in the
    order of classes and ports.
    """
    found: list[HeadroomSize] = []
    for traffic in analysis.data_classes:
        for ports in analysis.equals.values():
            first = None if ports[0].device.is_host else _headroom_size(analysis, traffic, ports[0])
            for alike in _by_cable(analysis, first, ports) if first is not None else ():
                own = first if alike[0] is ports[0] else _headroom_size(analysis, traffic, alike[0])
                found += [replace(own, alike=alike)] if own is not None else []
    return _in_order(analysis, found)


def all_headrooms(analysis: Analysis, kinds: Iterable[HeadroomSize]) -> list[HeadroomSize]:
    """Headrooms of all ports of these kinds, in the order of classes and ports."""
    found = (_headroom_size(analysis, kind.traffic, port) for kind in kinds for port in kind.alike)
    return _in_order(analysis, [sized for sized in found if sized is not None])


def _in_order(analysis: Analysis, found: list[HeadroomSize]) -> list[HeadroomSize]:
    classes = [traffic.name for traffic in analysis.data_classes]
    return sorted(found, key=lambda s: (classes.index(s.traffic.name), analysis.position(s.port)))


def _by_cable(
    analysis: Analysis, first: HeadroomSize, ports: list[JudgedPort]
) -> Iterator[list[JudgedPort]]:
    """Ports of a kind by cable length and its source."""
    found: dict[Hashable, list[JudgedPort]] = {}
    for port in ports:
        cable = _cable(analysis, port, first.profile)
        key = None if cable is None else (cable.metres, cable.source, port.assumed)
        found.setdefault(key, []).append(port)
    yield from found.values()


def _headroom_size(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> HeadroomSize | None:
    qos = port.interface.qos
    into = analysis.treat(port, traffic.dscps[0]).ingress
    if qos is None or into.pg is None or not into.lossless:
        return None
    profile, _, _ = group_buffer(port.device, qos, into.pg)
    if profile is None or profile.computed or profile.xoff_bytes is None:
        return None
    cable = _cable(analysis, port, profile)
    return HeadroomSize(traffic, port, profile, profile.xoff_bytes, _speed(port, profile), cable)


def _speed(port: JudgedPort, profile: BufferProfile) -> tuple[float, Where] | None:
    """Speed of the link in Gb/s, from either end, else from the profile."""
    ends = [port.interface, *([port.peer.interface] if port.peer is not None else [])]
    for end in ends:
        if end.speed_gbps is not None:
            return end.speed_gbps, end.where("speed_gbps")
    if profile.made_for_gbps is not None:
        return profile.made_for_gbps, profile.where("made_for_gbps")
    return None


def _cable(analysis: Analysis, port: JudgedPort, profile: BufferProfile) -> CableLength | None:
    """Length of the cable; the one in the profile if nothing else states it."""
    known = analysis.cables.of_port(port.device, port.interface)
    if known is None and profile.made_for_m:
        return CableLength(profile.made_for_m, CableSource.STEP, profile.where("made_for_m"))
    return known


@dataclass(slots=True, frozen=True)
class Need:
    """Minimum bytes in flight after a pause frame, with the deciding lines."""

    bytes: float
    by: tuple[Where, ...]
    words: str


def need_of(analysis: Analysis, sized: HeadroomSize, *, certain: bool) -> Need:
    """Sum of the largest frame in the other direction, the pause frame, the cable both ways and the
    largest frame of the class; with `certain` only the parts that lines or confirmed defaults
    state.
    """
    port = sized.port
    total, by, words = real(PAUSE_FRAME), [], []
    own = port.interface.where("ip_mtu")
    if port.interface.ip_mtu is not None and (_holds(own) or not certain):
        total += port.interface.ip_mtu + ETHERNET_FRAMING
        by.append(own)
        words.append(f"a frame of MTU {port.interface.ip_mtu} in the other direction")
    largest, where = _largest_of_class(analysis, port, certain=certain)
    if largest:
        total += largest + ETHERNET_FRAMING
        by += where
        words.append(f"a packet of {largest} bytes in flight")
    if sized.speed is not None and sized.cable is not None:
        (gbps, stated), cable = sized.speed, sized.cable
        if not certain or (_holds(stated) and cable.source.stated and not port.assumed):
            total += cable.metres * gbps * BYTES_PER_METRE_AND_GBPS
            by += [cable.where, stated]
            words.append(f"{cable.metres:g} m of cable at {spell_speed(gbps)}")
    return Need(total, tuple(by), " and ".join(words) or "a pause frame")


REACTION_QUANTA = {10: 67, 25: 80, 40: 118, 50: 147, 100: 394, 200: 453, 400: 905, 800: 905}
"""Quanta of 512 bits within which a peer must react, by Gb/s: IEEE 802.3, 31B.3.7 (800G: SONiC)."""


def with_reaction(need: Need, sized: HeadroomSize) -> Need:
    """The need with a tenth of the reaction time that the standard allows (experience)."""
    quanta = REACTION_QUANTA.get(round(sized.gbps or 0), 0) if sized.cable is not None else 0
    words = f"{need.words} and a peer reaction in a tenth of the IEEE 802.3 limit"
    return Need(need.bytes + 0.1 * quanta * 64, need.by, words)


def largest_need(need: Need, sized: HeadroomSize) -> float:
    """The need with the longest plausible cable where its length is unknown."""
    metres = sized.cable.metres if sized.cable is not None else LONGEST_M
    gbps = sized.gbps if sized.gbps is not None else FASTEST_GBPS
    return need.bytes + metres * gbps * BYTES_PER_METRE_AND_GBPS


def _largest_of_class(
    analysis: Analysis, port: JudgedPort, *, certain: bool
) -> tuple[int, tuple[Where, ...]]:
    """Bytes of the largest RoCE packet; the RoCE maximum where no host states its own."""
    need = analysis.required.get(port.network)
    if need is not None and not need.assumed:
        return largest_roce(need), need.where[:1]
    if certain:
        return 0, ()
    most = LARGEST_PAYLOAD + ROCE_HEADERS_IPV4
    return min(most, port.interface.ip_mtu or most), ()


def _holds(where: Where) -> bool:
    """True for a line and for a confirmed default."""
    return where.origin is not Origin.ABSENT and (where.citation is None or where.confirmed)

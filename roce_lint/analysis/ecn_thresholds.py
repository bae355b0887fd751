"""ECN thresholds in bytes, by kind of port, and outliers among them.

Ports of a kind (`representatives.py`) share a result; `thresholds_of_ports` gives each port its
own, with its own lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.catalog.profiles import marking_span
from roce_lint.model.device import Role
from roce_lint.model.qos import Marking, MarkingMode

BYTES_PER_MICROSECOND = 1e9 / 8 / 1e6
"""Bytes per microsecond for each Gb/s."""


@dataclass(slots=True, frozen=True, eq=False)
class EcnThresholds:
    """ECN thresholds of a class on a port in bytes, and the speed of the link."""

    traffic: RoceClass
    port: JudgedPort
    marking: Marking
    kmin: float
    kmax: float
    gbps: float | None
    alike: Sequence[JudgedPort] = ()

    @property
    def device(self) -> str:
        """Name of the device."""
        return self.port.device.hostname

    @property
    def key(self) -> tuple[str, str, str]:
        """Class and port."""
        return (self.traffic.name, *self.port.key)

    @property
    def microseconds(self) -> float | None:
        """Time in which the link sends Kmin bytes; None for an unknown speed."""
        return None if self.gbps is None else self.kmin / (self.gbps * BYTES_PER_MICROSECOND)

    def value(self, name: str) -> float:
        """Kmin or Kmax, at least 1 byte, so that they can be divided."""
        return max(self.kmin if name == "kmin" else self.kmax, 1.0)

    def is_outside(self) -> bool:
        """True below or above all thresholds published for the speed."""
        span = marking_span(self.gbps)
        return self.kmax < span.lowest_kmax or self.kmin > span.highest_kmin

    def is_far(self, other: EcnThresholds, name: str, factor: float) -> bool:
        """True where both differ by more than a factor, in bytes and in bytes per speed."""
        plain = self.value(name) / other.value(name)
        scaled = plain * (other.gbps or 1) / (self.gbps or 1)
        return all(ratio > factor or ratio < 1 / factor for ratio in (plain, scaled))


def thresholds_of(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> EcnThresholds | None:
    """Thresholds of a class on a port; None if unknown, inverted, or for a misplaced class."""
    marking = None if port.device.is_host else analysis.treat(port, traffic.dscps[0]).egress.marking
    if marking is None or not marking.ecn or marking.mode is not MarkingMode.STATIC:
        return None
    low = marking.kmin.bytes if marking.kmin is not None else None
    high = marking.kmax.bytes if marking.kmax is not None else None
    if low is None or high is None or low > high:
        return None
    if not diagnose(analysis, traffic, port).in_place:
        return None
    return EcnThresholds(traffic, port, marking, low, high, port.gbps)


def thresholds_by_kind(analysis: Analysis) -> list[EcnThresholds]:
    """Thresholds of every class on one port of every kind."""
    found = (
        (thresholds_of(analysis, traffic, ports[0]), ports)
        for ports in analysis.equals.values()
        for traffic in analysis.data_classes
    )
    return [
        replace(thresholds, alike=ports) for thresholds, ports in found if thresholds is not None
    ]


def thresholds_of_ports(analysis: Analysis, kinds: Iterable[EcnThresholds]) -> list[EcnThresholds]:
    """Thresholds of every port of these kinds, in the order of ports."""
    found = (thresholds_of(analysis, kind.traffic, port) for kind in kinds for port in kind.alike)
    every = [thresholds for thresholds in found if thresholds is not None]
    return sorted(every, key=lambda thresholds: analysis.position(thresholds.port))


@dataclass(slots=True, frozen=True)
class Outlier:
    """Thresholds far from comparable ones; `tied` if it is unclear which are wrong."""

    odd: EcnThresholds
    usual: EcnThresholds
    what: str
    tied: bool = False


def find_outliers(analysis: Analysis, factor: float) -> Iterator[Outlier]:
    """Switches far from the median of their tier, and link ends far from the other end."""
    links, found = analysis.fabric.links, thresholds_by_kind(analysis)
    classes = analysis.data_classes if links else []
    reported: set[tuple[str, str, str]] = set()
    tiers: dict[tuple[str, int, Role], list[EcnThresholds]] = defaultdict(list)
    for thresholds in found:
        port = thresholds.port
        if thresholds.gbps is not None and port.device.role is not None:
            tiers[thresholds.traffic.name, port.network, port.device.role].append(thresholds)
    for members in tiers.values():
        for outlier in _in_tier(analysis, members, factor):
            reported.add(outlier.odd.key)
            yield outlier
    # One end has to be outside the published range: most fabrics have none.
    outside = any(thresholds.is_outside() for thresholds in found)
    kinds = {(d.traffic.name, *port.key): d for d in found for port in d.alike} if outside else {}
    odd_end = cache(partial(_odd_end, factor=factor))
    for link in links if kinds else ():
        for traffic in classes:
            keys = [(traffic.name, *end.key) for end in link.ends]
            odd = odd_end(kinds.get(keys[0]), kinds.get(keys[1]))
            if odd is not None and keys[odd] not in reported:
                reported.add(keys[odd])
                ends = [_own(analysis, kinds[key], key) for key in keys]
                yield Outlier(ends[odd], ends[1 - odd], "the other end of its link")


def _own(analysis: Analysis, kind: EcnThresholds, key: tuple[str, str, str]) -> EcnThresholds:
    """Thresholds of one port of a kind, with its own lines."""
    port = analysis.port(key[1], key[2])
    own = thresholds_of(analysis, kind.traffic, port) if port is not None else None
    return own or kind


def _in_tier(analysis: Analysis, members: list[EcnThresholds], factor: float) -> Iterator[Outlier]:
    """Thresholds far from those of the median switch of a tier.

    Differences within the published range are differences between vendors, not a fault.
    """
    for name in ("kmin", "kmax"):
        first: dict[str, EcnThresholds] = {}
        for thresholds in members:
            first.setdefault(thresholds.device, thresholds)
        ordered = sorted(first.values(), key=lambda each: each.value(name) / (each.gbps or 1))
        if len(ordered) < 2:
            return
        usual = ordered[(len(ordered) - 1) // 2]
        far = {
            each.device
            for each in ordered
            if each.is_far(usual, name, factor) and (each.is_outside() or usual.is_outside())
        }
        if not far:
            continue
        tied = 2 * len(far) == len(ordered)
        odd = (m for m in members if m.device in far and m.is_far(usual, name, factor))
        for each in thresholds_of_ports(analysis, odd):
            yield Outlier(each, usual, "a switch of its tier", tied)
        return


def _odd_end(one: EcnThresholds | None, other: EcnThresholds | None, factor: float) -> int | None:
    """Index of the link end whose thresholds are far from the other end's and unpublished.

    Switches of two tiers may well differ: one with external buffers marks late. The published range
    decides.
    """
    if one is None or other is None or one.is_outside() == other.is_outside():
        return None
    if not any(one.is_far(other, name, factor) for name in ("kmin", "kmax")):
        return None
    return 0 if one.is_outside() else 1

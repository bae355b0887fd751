"""How full a queue is when it begins to mark, and when it marks everything: bytes, by kind of port.

Ports of a kind share their answer (`representatives.py`), so it is worked out for one of each;
`each` gives every port of the kind its own, with its own lines, where something is to be said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.catalog.published_thresholds import marking_span
from roce_lint.model.device import Role
from roce_lint.model.qos import Marking, MarkingMode

BYTES_PER_MICROSECOND = 1e9 / 8 / 1e6
"""Bytes that pass in a microsecond, for each Gb/s."""


@dataclass(slots=True, frozen=True, eq=False)
class Depths:
    """The thresholds of a class on a port, in bytes, and the speed of the link."""

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
        """The class and the port."""
        return (self.traffic.name, *self.port.key)

    @property
    def microseconds(self) -> float | None:
        """What the link takes to send as much as waits below Kmin; None for an unknown speed."""
        return None if self.gbps is None else self.kmin / (self.gbps * BYTES_PER_MICROSECOND)

    def value(self, name: str) -> float:
        """Kmin or Kmax; a byte at least, so that they can be divided."""
        return max(self.kmin if name == "kmin" else self.kmax, 1.0)

    def is_outside(self) -> bool:
        """True where they are below, or above, all that is published for the speed."""
        span = marking_span(self.gbps)
        return self.kmax < span.lowest_kmax or self.kmin > span.highest_kmin

    def is_far(self, other: Depths, name: str, factor: float) -> bool:
        """Far apart in bytes and in bytes by speed: thresholds may grow with it, and need not."""
        plain = self.value(name) / other.value(name)
        scaled = plain * (other.gbps or 1) / (self.gbps or 1)
        return all(ratio > factor or ratio < 1 / factor for ratio in (plain, scaled))


def depths_of(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Depths | None:
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
    return Depths(traffic, port, marking, low, high, port.gbps)


def depths_by_kind(analysis: Analysis) -> list[Depths]:
    """Those of every class on one port of every kind."""
    found = (
        (depths_of(analysis, traffic, ports[0]), ports)
        for ports in analysis.equals.values()
        for traffic in analysis.data_classes
    )
    return [replace(depths, alike=ports) for depths, ports in found if depths is not None]


def each_depths(analysis: Analysis, kinds: Iterable[Depths]) -> list[Depths]:
    """The same of every port of these kinds, in the order of ports."""
    found = (depths_of(analysis, kind.traffic, port) for kind in kinds for port in kind.alike)
    every = [depths for depths in found if depths is not None]
    return sorted(every, key=lambda depths: analysis.position(depths.port))


@dataclass(slots=True, frozen=True)
class Outlier:
    """Thresholds that lie far from others they should be near to; `tied`: nothing tells which."""

    odd: Depths
    usual: Depths
    what: str
    tied: bool = False


def find_outliers(analysis: Analysis, factor: float) -> Iterator[Outlier]:
    """Boxes far from the middle of their tier, and ends of links far from the other one."""
    links, found = analysis.fabric.links, depths_by_kind(analysis)
    classes = analysis.data_classes if links else []
    told: set[tuple[str, str, str]] = set()
    tiers: dict[tuple[str, int, Role], list[Depths]] = defaultdict(list)
    for depths in found:
        port = depths.port
        if depths.gbps is not None and port.device.role is not None:
            tiers[depths.traffic.name, port.network, port.device.role].append(depths)
    for members in tiers.values():
        for apart in _in_tier(analysis, members, factor):
            told.add(apart.odd.key)
            yield apart
    # An end has to be outside of what is published: most fabrics have none.
    outside = any(depths.is_outside() for depths in found)
    kinds = {(d.traffic.name, *port.key): d for d in found for port in d.alike} if outside else {}
    odd_end = cache(partial(_odd_end, factor=factor))
    for link in links if kinds else ():
        for traffic in classes:
            keys = [(traffic.name, *end.key) for end in link.ends]
            odd = odd_end(kinds.get(keys[0]), kinds.get(keys[1]))
            if odd is not None and keys[odd] not in told:
                told.add(keys[odd])
                ends = [_own(analysis, kinds[key], key) for key in keys]
                yield Outlier(ends[odd], ends[1 - odd], "the other end of its link")


def _own(analysis: Analysis, kind: Depths, key: tuple[str, str, str]) -> Depths:
    """The same of one port of a kind, with its own lines."""
    port = analysis.port(key[1], key[2])
    own = depths_of(analysis, kind.traffic, port) if port is not None else None
    return own or kind


def _in_tier(analysis: Analysis, members: list[Depths], factor: float) -> Iterator[Outlier]:
    """Those far from what the middle device of a tier has, and whether it is one against one.

    Where both are within what is published for their speed, makers differ: that is no fault.
    """
    for name in ("kmin", "kmax"):
        first: dict[str, Depths] = {}
        for depths in members:
            first.setdefault(depths.device, depths)
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
        for each in each_depths(analysis, odd):
            yield Outlier(each, usual, "a box of its tier", tied)
        return


def _odd_end(one: Depths | None, other: Depths | None, factor: float) -> int | None:
    """Which end of a link has thresholds far from the other's and outside all published ones.

    Boxes of two tiers may well differ: one with memory outside marks late. So what is published
    has to take sides.
    """
    if one is None or other is None or one.is_outside() == other.is_outside():
        return None
    if not any(one.is_far(other, name, factor) for name in ("kmin", "kmax")):
        return None
    return 0 if one.is_outside() else 1

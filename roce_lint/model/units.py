"""Units of the model: DSCP names, thresholds with their unit, header sizes."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from itertools import groupby

from roce_lint.text.numbers import whole_number, whole_part

DSCP_NAMES: dict[str, int] = {
    "default": 0,
    "be": 0,
    "df": 0,
    "ef": 46,
    "va": 44,
    "voice-admit": 44,
    **{f"cs{n}": 8 * n for n in range(8)},
    **{f"af{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)},
}
"""Names of per-hop behaviours (RFC 2474, 2597, 3246, 5865) -> DSCP."""

DSCPS = range(64)
PRIORITIES = range(8)

ROCE_HEADERS_IPV4 = 20 + 8 + 12 + 16 + 4 + 4
"""Bytes an RC packet adds to its payload inside an IPv4 packet, at most: IP, UDP, BTH, RETH,
immediate data, ICRC (InfiniBand Architecture Specification 1, annex A17)."""

ROCE_HEADERS_IPV6 = ROCE_HEADERS_IPV4 + 20

VXLAN_OVERHEAD = 20 + 8 + 8 + 14
"""Overhead of an IP packet of the underlay over the one inside, in bytes: outer IPv4, UDP and VXLAN
headers and the inner Ethernet header (RFC 7348)."""

VXLAN_OVERHEAD_IPV6 = VXLAN_OVERHEAD + 20

ETHERNET_FRAMING = 14 + 4
"""Header and check sequence of an Ethernet frame without a tag, in bytes (IEEE 802.3)."""

PAUSE_FRAME = 64
"""Bytes of a PFC frame (IEEE 802.1Q): the minimum Ethernet frame."""

BYTES_PER_METRE_AND_GBPS = 2 * 5e-9 * 1e9 / 8
"""Bytes in flight both ways per metre of cable and Gb/s: 5 ns per metre of fibre or copper."""


class ThresholdUnit(enum.Enum):
    """Unit of a queue or buffer threshold, as the device states it."""

    BYTES = "bytes"
    CELLS = "cells"
    PERCENT = "percent"
    PACKETS = "packets"
    MICROSECONDS = "microseconds"
    UNITS = "units"  # a number without a unit


@dataclass(slots=True, frozen=True)
class Threshold:
    """A queue depth as written. `bytes` is None if the unit cannot be resolved."""

    value: float
    unit: ThresholdUnit = ThresholdUnit.BYTES

    @property
    def bytes(self) -> float | None:
        """The depth in bytes, if known (kbytes count as 1000: vendors do not define it)."""
        return self.value if self.unit is ThresholdUnit.BYTES else None

    def __str__(self) -> str:
        value = whole_part(self.value) if self.value == whole_part(self.value) else self.value
        return f"{value} {self.unit.value}"

    @property
    def text(self) -> str:
        """The depth as printed in messages; `str` is the stable form for programs."""
        return spell_size(self.value) if self.unit is ThresholdUnit.BYTES else str(self)


def spell_size(size: float) -> str:
    """Format a size in bytes: `9214 bytes`, `20,000 kB`, `119,537,664 bytes`."""
    if size < 10_000:
        return f"{size:g} bytes" if size >= 1 else "0 bytes"
    return f"{size / 1000:,.0f} kB" if size % 1000 == 0 else f"{size:,.0f} bytes"


def parse_dscp(text: str) -> int | None:
    """Parse a DSCP given as number or name; None when it is neither."""
    text = text.strip().lower()
    if text.isascii() and text.isdigit():
        return whole_number(text, high=63)
    return DSCP_NAMES.get(text)


def ranges(numbers: frozenset[int] | set[int] | tuple[int, ...] | list[int]) -> str:
    """Format numbers as ranges: `3`, `24-31`, `0,3-5`."""
    out: list[str] = []
    for _, run in groupby(enumerate(sorted(set(numbers))), key=lambda pair: pair[1] - pair[0]):
        members = [number for _, number in run]
        out.append(str(members[0]) if len(members) == 1 else f"{members[0]}-{members[-1]}")
    return ",".join(out)


def spell_speed(gbps: float) -> str:
    """Format a port speed: `400G`, `100M`."""
    return f"{gbps:g}G" if gbps >= 1 else f"{gbps * 1000:g}M"


def spell_rate(bps: float | None) -> str:
    """Format a rate; empty if unknown."""
    if bps is None:
        return ""
    for unit, size in (("Gb/s", 1e9), ("Mb/s", 1e6), ("kb/s", 1e3)):
        if bps >= size:
            return f"{bps / size:g} {unit}"
    return f"{bps:g} b/s"

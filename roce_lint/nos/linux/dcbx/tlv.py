"""DCBX elements as they travel (IEEE 802.1Q annex D): octets in, what they state out."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.model.interface import Neighbor
from roce_lint.model.qos import CodeMap
from roce_lint.nos.linux.host import Host, whole
from roce_lint.nos.reading import ABSENT, Value

IEEE_8021 = "00,80,C2"
ETS_SUBTYPE = 9
PFC_SUBTYPE = 11
APP_SUBTYPE = 12
"""Organisation, and subtypes of the ETS, PFC and APP TLVs (annex D.2)."""

WILLING = 0x80
"""Bit of the first octet of a PFC TLV."""

PRIORITIES = 8
DSCP_SELECTOR = 5
"""Selector of an APP entry whose protocol is a DSCP (table D-9)."""


@dataclass(slots=True)
class Heard:
    """What one neighbour said of itself, each with the place that shows it."""

    device: Value[str] = ABSENT
    names: dict[str, int] = field(default_factory=dict)  # spellings of its port
    max_frame: Value[int] = ABSENT
    pfc: Value[frozenset[int]] = ABSENT
    willing: Value[bool] = ABSENT
    dscps: Value[dict[int, int]] = ABSENT  # DSCP to priority
    classes: Value[dict[int, int]] = ABSENT  # priority to traffic class

    def take(self, subtype: int, octets: str, position: int) -> bool:
        """Take in one element of IEEE 802.1; False where it is none that is read."""
        numbers = [whole(f"0x{text}", 0, 255) for text in octets.split(",")]
        found = [number for number in numbers if number is not None]
        if len(found) != len(numbers):
            return False
        if subtype == PFC_SUBTYPE and len(found) >= 2:
            bits = frozenset(n for n in range(PRIORITIES) if found[1] >> n & 1)
            self.pfc = Value(bits, position)
            self.willing = Value(bool(found[0] & WILLING), position)
        elif subtype == ETS_SUBTYPE and len(found) >= 5:
            nibbles = [half for octet in found[1:5] for half in (octet >> 4, octet & 15)]
            self.classes = Value(dict(enumerate(nibbles)), position)
        elif subtype == APP_SUBTYPE:
            self.dscps = Value(dict(_dscps(found[1:])), position)
        else:
            return False
        return True

    def build(self, host: Host) -> Neighbor:
        """The neighbour; `device` is known."""
        begin = self.device.position
        return host.reading.build(
            Neighbor,
            begin,
            device=self.device,
            names=Value(tuple(self.names), next(iter(self.names.values()), 0)),
            max_frame=self.max_frame,
            pfc_priorities=self.pfc,
            pfc_willing=self.willing,
            dscp_to_priority=_map(host, self.dscps),
            priority_to_tc=_map(host, self.classes),
        )


def _dscps(octets: list[int]) -> list[tuple[int, int]]:
    """DSCP and priority of the APP entries that speak of DSCPs; entries have three octets."""
    return [
        (octets[i + 1] << 8 | octets[i + 2], octets[i] >> 5)
        for i in range(0, len(octets) - 2, 3)
        if octets[i] & 7 == DSCP_SELECTOR and octets[i + 1] == 0 and octets[i + 2] < 64
    ]


def _map(host: Host, stated: Value[dict[int, int]]) -> Value[CodeMap]:
    """An element's map; all its entries stand in one place."""
    if not stated.value:
        return ABSENT
    at: dict[Hashable, int] = {"": stated.position}
    at.update(dict.fromkeys(stated.value, stated.position))
    codes = CodeMap(entries=stated.value, src=host.reading.src, at=at)
    return Value(codes, stated.position)


def hear(host: Host, port: str, heard: Heard) -> Neighbor | None:
    """Attach what was heard to a port, once."""
    if not heard.device:
        return None
    neighbor = heard.build(host)
    known = host.neighbors.setdefault(port, [])
    if neighbor not in known:
        known.append(neighbor)
    return neighbor

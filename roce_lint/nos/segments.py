"""Ends of VXLAN tunnels: what they carry, and the VLANs and VRFs behind their VNIs."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from roce_lint.model.interface import Interface, InterfaceKind, Tunnel
from roce_lint.nos.reading import ABSENT, Reading, Value

T = TypeVar("T")

LAST_VNI = 16_777_214
"""VNIs have 24 bits (RFC 7348, section 5)."""


def is_ipv6(text: str) -> bool | None:
    """Whether an address is one of IPv6; None for what is no address, such as a loopback's name."""
    try:
        return ipaddress.ip_interface(text.strip()).version == 6
    except ValueError:
        return None


def some(members: Iterable[T], position: int) -> Value[frozenset[T]]:
    """A set that the line at `position` tells of; absent where nothing is in it."""
    found = frozenset(members)
    return Value(found, position) if found else ABSENT


def union_of(values: Iterable[Value[T]]) -> Value[frozenset[T]]:
    """What several lines state one by one, at the place of the first; absent without any."""
    known = [(value.value, value.position) for value in values if value.value is not None]
    return some((value for value, _ in known), known[0][1] if known else 0)


def end_of_tunnels(
    reading: Reading, begin: int, name: str, tunnel: Tunnel, **fields: Any
) -> Interface:
    """The interface of a device that stands for the end of its tunnels."""
    return reading.build(
        Interface, begin, name=name, kind=InterfaceKind.TUNNEL, tunnel=tunnel, **fields
    )


@dataclass(slots=True)
class Segments:
    """Who is in which segment: VLANs and VRFs by VNI."""

    vlans: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    vrfs: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def members(
        self, members: Iterable[int], position: int
    ) -> tuple[Value[frozenset[int]], Value[frozenset[str]]]:
        """VLANs and VRFs of these VNIs, stated at `position`.

        The VLANs are not known where nothing tells who is in one of the segments.
        """
        wanted = set(members)
        vlans = frozenset(vlan for vni in wanted for vlan in self.vlans.get(vni, ()))
        vrfs = frozenset(vrf for vni in wanted for vrf in self.vrfs.get(vni, ()))
        told = all(vni in self.vlans or vni in self.vrfs for vni in wanted)
        return (
            Value(vlans, position) if told else Value(None, position),
            some(vrfs, position),
        )

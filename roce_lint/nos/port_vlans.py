"""VLANs of switched ports, tagging of their packets, and the segments of VXLAN tunnels."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from roce_lint.model.interface import WIRED, Interface, InterfaceKind, Tunnel
from roce_lint.nos.port_names import LAST_VLAN, vlan_number
from roce_lint.nos.quantities import numbers, upto, whole, write_ranges
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value, put
from roce_lint.nos.stanzas import first
from roce_lint.nos.switch_ports import Port


@dataclass(slots=True, frozen=True)
class Vlans:
    """VLAN settings in the lines of a switched port."""

    untagged: Value[int] = ABSENT
    tagged: Value[frozenset[int]] = ABSENT  # all that the port carries, the untagged one or not
    access: Value[bool] = ABSENT  # True: untagged only, with its line


NO_VLANS = Vlans()


def set_vlans(interface: Interface, vlans: Vlans = NO_VLANS) -> None:
    """Set the VLANs of an interface, and whether its packets are certainly tagged or untagged."""
    tagged_vlans = vlans.tagged.map(lambda every: every - {vlans.untagged.value or 0})
    put(interface, untagged_vlan=vlans.untagged, tagged_vlans=tagged_vlans)
    tagged: Value[bool] = ABSENT
    if vlans.access.value:
        tagged = Value(False, vlans.access.position)
        interface.tagged_vlans = None
        interface.at.pop("tagged_vlans", None)
    elif interface.routed and interface.kind in WIRED:
        tagged = Value(False, interface.at.get("routed", 0))
    elif interface.kind is InterfaceKind.VLAN:
        interface.untagged_vlan = vlan_number(interface.name)
    put(interface, tagged=tagged)


def vlans_of_lines(reader: Reader) -> Value[frozenset[int]]:
    """VLANs of all lines of a trunk, each a list such as `10 20 to 30`; `all` is not a list."""
    found: frozenset[int] = frozenset()
    position = 0
    for value in reader.all("allowed_vlans"):
        position = position or value.position
        if value.value == "all":
            return ABSENT
        given = reader.convert(
            value, lambda text: numbers(write_ranges(text), upto(LAST_VLAN)), "a list of VLANs"
        )
        if given.value is None:
            return given
        found |= given.value
    return Value(found, position) if position else ABSENT


def vlans_by_mode(
    port: Port, mode: str, allowed: Callable[[Reader], Value[frozenset[int]]] = vlans_of_lines
) -> Vlans:
    """VLANs of a port with a line for its mode, access or another.

    `mode` is the variable of that line; `allowed` reads the list of a trunk. Without a native VLAN
    the access VLAN is untagged on a trunk too.
    """
    kind, tagged = port.text(mode), port.inherit(allowed)
    untagged = first(port.vlan("native_vlan"), port.vlan("access_vlan"))
    return Vlans(untagged, tagged, access=kind.map(lambda word: word == "access"))


# VXLAN tunnel endpoints: their VLANs and VRFs, by VNI.

T = TypeVar("T")

LAST_VNI = 16_777_214
"""VNIs have 24 bits (RFC 7348, section 5)."""


def is_ipv6(text: str) -> bool | None:
    """Whether an address is IPv6; None if it is not an address, such as a loopback's name."""
    try:
        return ipaddress.ip_interface(text.strip()).version == 6
    except ValueError:
        return None


def some(members: Iterable[T], position: int) -> Value[frozenset[T]]:
    """A set stated by the line at `position`; absent if empty."""
    found = frozenset(members)
    return Value(found, position) if found else ABSENT


def union_of(values: Iterable[Value[T]]) -> Value[frozenset[T]]:
    """Union of values of several lines, at the place of the first; absent without any."""
    known = [(value.value, value.position) for value in values if value.value is not None]
    return some((value for value, _ in known), known[0][1] if known else 0)


def vni_of(reader: Reader, name: str = "vni", what: str = "vni") -> Value[int]:
    """The VNI of a line; `what` is for notes."""
    return whole(reader, reader.text(name), LAST_VNI, what, 1)


def routed_vrfs(readers: Iterable[Reader]) -> Value[frozenset[str]]:
    """VRFs of stanzas with a VNI, each at the line of the VNI."""
    named = [(reader.text("vrf").value, vni_of(reader)) for reader in readers]
    return union_of(Value(name, vni.position) for name, vni in named if vni)


def end_of_tunnels(
    reading: Reading, begin: int, name: str, tunnel: Tunnel, **fields: Any
) -> Interface:
    """Interface of a device that represents the end of its tunnels."""
    return reading.build(
        Interface, begin, name=name, kind=InterfaceKind.TUNNEL, tunnel=tunnel, **fields
    )


def add_end(
    reading: Reading,
    interfaces: dict[str, Interface],
    name: str,
    begin: int,
    full: set[str],
    partly: set[str],
    **fields: Any,
) -> None:
    """Add the end of the tunnels of ports with all (untagged) packets or some in them."""
    ports, others = some(full, begin), some(partly - full, begin)
    tunnel = reading.build(Tunnel, begin, ports=ports, partly=others, **fields)
    interfaces[name] = end_of_tunnels(reading, begin, name, tunnel)


@dataclass(slots=True)
class Segments:
    """Members of segments: VLANs and VRFs by VNI."""

    vlans: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    vrfs: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def members(
        self, members: Iterable[int], position: int
    ) -> tuple[Value[frozenset[int]], Value[frozenset[str]]]:
        """VLANs and VRFs of VNIs, stated at `position`; VLANs are unknown if one segment's are."""
        vnis = set(members)
        vlans = frozenset(vlan for vni in vnis for vlan in self.vlans.get(vni, ()))
        vrfs = frozenset(vrf for vni in vnis for vrf in self.vrfs.get(vni, ()))
        complete = all(vni in self.vlans or vni in self.vrfs for vni in vnis)
        return (Value(vlans, position) if complete else Value(None, position), some(vrfs, position))

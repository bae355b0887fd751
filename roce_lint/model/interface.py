"""Interfaces: ports, channels, VLAN interfaces, and their neighbours."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Interface, IPv6Interface, ip_interface

from roce_lint.model.qos import CodeMap, PortQos
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import VXLAN_OVERHEAD, VXLAN_OVERHEAD_IPV6

OSPF = "OSPF"
ISIS = "IS-IS"

AGAIN = "again"
"""Key in `Neighbor.at` for the place in another output that also shows the neighbour."""


NO_VRF = "(none)"
"""Instead of a VRF name: a routed port outside all routing tables, which forwards nothing."""


class InterfaceKind(enum.Enum):
    """Kind of an interface; only PHYSICAL and BREAKOUT members carry packets on a wire."""

    PHYSICAL = "physical"
    BREAKOUT_PARENT = "breakout-parent"
    LAG = "lag"
    SUBINTERFACE = "subinterface"
    VLAN = "vlan"
    BRIDGE = "bridge"
    VF = "vf"
    TUNNEL = "tunnel"
    LOOPBACK = "loopback"
    MANAGEMENT = "management"
    INTERNAL = "internal"
    OTHER = "other"


WIRED = frozenset({InterfaceKind.PHYSICAL, InterfaceKind.LAG})
"""Kinds that may be switched or routed, and that QoS applies to."""


class Fec(enum.Enum):
    """Forward error correction of a port (IEEE 802.3 clauses 74, 91, 108, 134)."""

    NONE = "none"
    RS = "rs"
    FC = "fc"
    AUTO = "auto"


@dataclass(slots=True, kw_only=True)
class Neighbor(Sourced):
    """The neighbour of a port according to a protocol or table.

    `names` are the spellings of the neighbour port it gave (port id, description, MAC). `planned`
    is True for a configured neighbour table, False for a received one (LLDP).
    """

    device: str
    names: tuple[str, ...] = ()
    planned: bool = False
    by: str = "LLDP"
    is_cut: bool | None = None  # a table may have truncated the device name
    is_host: bool | None = None  # a server, or a switch, according to the table
    max_frame: int | None = None  # bytes, 802.3 maximum frame size TLV
    pfc_priorities: frozenset[int] | None = None  # DCBX PFC TLV
    pfc_willing: bool | None = None
    dscp_to_priority: CodeMap | None = None  # DCBX APP TLV, the entries for DSCPs
    priority_to_tc: CodeMap | None = None  # DCBX ETS configuration TLV


@dataclass(slots=True, kw_only=True)
class Detour(Sourced):
    """Maps of a tunnel to the peer switch on a shared cable, used instead of port maps: outer DSCP
    and queue per class at the near end, class and priority group per inner DSCP at the far end.
    """

    tc_to_dscp: CodeMap
    tc_to_queue: CodeMap
    dscp_to_tc: CodeMap
    tc_to_pg: CodeMap


@dataclass(slots=True, kw_only=True)
class Tunnel(Sourced):
    """Treatment of DSCP and ECN in an overlay (RFC 2983, RFC 6040).

    It carries the packets of `vlans` and `vrfs` to other switches; `ports` feed it directly. None:
    not known. An empty set of VLANs is known to be empty.
    """

    ecn_copied: bool | None = None  # ECN marks pass between inner and outer header
    dscp_copied: bool | None = None  # the outer header gets the inner DSCP
    outer_decides: bool | None = None  # at the far end the outer DSCP gives the traffic class
    inner_replaced: bool | None = None  # there the outer DSCP replaces the inner (uniform model)
    dscp: int | None = None  # the outer header always gets this one
    rewrites_outer: bool | None = None  # a rewrite at the near end keeps the inner header
    vlans: frozenset[int] | None = None
    vrfs: frozenset[str] | None = None
    ports: frozenset[str] | None = None  # a channel represents its members
    partly: frozenset[str] | None = None  # ports of which it carries only part of the traffic
    detour: Detour | None = None
    outer_ipv6: bool | None = None  # the underlay is IPv6; None where no address is stated

    @property
    def adds(self) -> int:
        """Minimum overhead in bytes of a packet inside it."""
        return VXLAN_OVERHEAD_IPV6 if self.outer_ipv6 else VXLAN_OVERHEAD


Address = IPv4Interface | IPv6Interface


@lru_cache(maxsize=1 << 16)
def _address(text: str) -> Address | None:
    try:
        return ip_interface(text)
    except ValueError:
        return None


@dataclass(slots=True, kw_only=True)
class Interface(Sourced):
    """One interface of a device as it is in effect, after inheritance."""

    name: str  # the device's own spelling
    aliases: tuple[str, ...] = ()  # names a neighbour may use: alias, short form, MAC
    kind: InterfaceKind = InterfaceKind.PHYSICAL
    enabled: bool | None = None
    description: str | None = None
    routed: bool | None = None
    addresses: tuple[str, ...] = ()  # "10.0.0.1/31", also IPv6
    gateway: str | None = None  # of a host: next hop of its routes through the port
    vrf: str | None = None
    untagged_vlan: int | None = None
    tagged_vlans: frozenset[int] | None = None
    speed_gbps: float | None = None
    live_gbps: float | None = None  # the speed of the link according to an output
    lanes: int | None = None
    autoneg: bool | None = None
    fec: Fec | None = None
    ip_mtu: int | None = None  # largest IP packet in bytes: one meaning for all vendors
    frame_mtu: int | None = None  # the vendor's MTU on the medium, where it differs
    igp: tuple[str, ...] = ()  # routing protocols that look for neighbours on it: OSPF, ISIS
    igp_any_mtu: tuple[str, ...] = ()  # those that do not compare its MTU with a neighbour's
    lag: str | None = None  # the channel this port is a member of
    members: tuple[str, ...] = ()
    parent: str | None = None
    parts: int | None = None
    """Ports that a port is broken out into; on the first of them, if it keeps the port's name."""
    parts_gbps: float | None = None  # speed of one part
    cable_m: float | None = None
    rail: int | None = None
    neighbors: tuple[Neighbor, ...] = ()
    qos: PortQos | None = None
    tagged: bool | None = None  # True: RoCE on it is 802.1Q tagged and so carries a PCP
    idle: bool | None = None  # True: no address, VLAN or channel lets a packet through
    peer_link: bool | None = None  # True: joins the two switches of an MLAG pair
    shared_with: str | None = None
    """The peer switch on a shared cable. Only one of the two sends to the host at a time; the
    standby sends packets for the host through a tunnel to the peer."""
    uplink: bool | None = None  # True: configured as a port to another switch or router
    adaptive_routing: bool | None = None  # True: picks among equal-cost ports by their load
    tunnel: Tunnel | None = None  # of a TUNNEL

    @property
    def parsed_addresses(self) -> list[Address]:
        """Addresses with their networks, without texts that are none."""
        return [found for text in self.addresses if (found := _address(text)) is not None]

"""Interfaces: ports and breakouts, bonds, bridges, VLAN interfaces, tunnel, addresses, MTU."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.device import Device
from roce_lint.model.interface import Fec, Interface, InterfaceKind, Tunnel
from roce_lint.model.units import parse_dscp
from roce_lint.nos.cumulus import defaults, naming
from roce_lint.nos.cumulus.naming import is_port, listed, vlans_in
from roce_lint.nos.cumulus.repeats import Repeats, StatementLayout, layout_of
from roce_lint.nos.cumulus.statements import EVERY_PORT, SHOWN, Node, Statements, View
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.nos.port_vlans import end_of_tunnels, is_ipv6
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.switch_ports import is_address
from roce_lint.text.numbers import decimal_of, whole_of

# VXLAN tunnel endpoint: its VLANs and the treatment of their DSCPs. `encapsulation dscp action`
# writes the outer DSCP: `copy`, `set` to a value, or `derive` from the switch priority.
# `decapsulation dscp action` sets the inner one: `copy` from the outer, `preserve`, or `derive`.
# The derived DSCP is not modelled, hence unknown.

TUNNEL = "vxlan"
"""Name of the tunnel endpoint that `nve vxlan` configures."""

_INNER_REPLACED = {"preserve": False, "copy": True}


def read_tunnel(reading: Reading, top: View, device: Device) -> None:
    """Add the VXLAN tunnel endpoint of the switch to its interfaces."""
    view = top.get("nve", "vxlan")
    if not view:
        return
    enabled = view.enabled()
    action = view.word("encapsulation", "dscp", "action")
    value = view.word("encapsulation", "dscp", "value")
    kept = view.word("decapsulation", "dscp", "action")
    source = view.word("source", "address")
    tunnel = reading.build(
        Tunnel,
        view.begin,
        dscp_copied=action.map(lambda word: word == "copy"),
        dscp=view.convert(value, _dscp, "a DSCP") if action.value == "set" else ABSENT,
        inner_replaced=kept.map(_INNER_REPLACED.get),
        vlans=_carried_vlans(top),
        outer_ipv6=source.map(is_ipv6),
    )
    device.interfaces[TUNNEL] = end_of_tunnels(reading, view.begin, TUNNEL, tunnel, enabled=enabled)


def _dscp(text: str) -> int:
    found = parse_dscp(text)
    if found is None:
        raise ValueError(text)
    return found


def _carried_vlans(top: View) -> frozenset[int]:
    """VLANs of the bridges that have a VNI."""
    domains = (domain for _, domain in top.members("bridge", "domain"))
    lists = (text for each in domains for text, place in each.members("vlan") if place.get("vni"))
    return frozenset(vlan for text in lists for vlan in vlans_in(text))


# Interfaces.

FECS = {"rs": Fec.RS, "baser": Fec.FC, "off": Fec.NONE, "none": Fec.NONE, "auto": Fec.AUTO}
_SPEED = re.compile(r"(?P<number>\d{1,7}(?:\.\d)?)(?P<unit>[GM]?)")
_WAYS = re.compile(r"(?P<ways>[1-8])x(?:\d+G)?")

_FIXED = (InterfaceKind.LOOPBACK, InterfaceKind.MANAGEMENT)
"""Kinds with an MTU independent of that of the ports."""


@dataclass(slots=True)
class _Settings:
    """Settings of one set of lines, common to all ports that the lines name."""

    plain: dict[str, Any] = field(default_factory=dict)
    at: dict[Hashable, int] = field(default_factory=dict)
    members: dict[str, int] = field(default_factory=dict)
    addresses: dict[str, int] = field(default_factory=dict)
    breakout: Value[int] = ABSENT
    kind: InterfaceKind | None = None
    peerlink: int = 0
    skipped: bool = False

    def keep(self, name: str, value: Value[Any]) -> None:
        """Add a value unless it is absent."""
        if value.value is not None:
            self.plain[name] = value.value
            if value.position:
                self.at[name] = value.position


class PortReader:
    """Builds the interfaces; lines shared by many ports are read once."""

    def __init__(self, statements: Statements, device: Device) -> None:
        self.statements = statements
        self.reading = statements.reading
        self.device = device
        self.seen: dict[int, _Settings] = {}
        self.layouts: dict[int, StatementLayout | None] = {}
        """Layout of the statements about a port, by the identity of its nodes."""
        self.repeats = Repeats(self.reading, _move)

    def read(self) -> None:
        """Fill `device.interfaces` except for QoS."""
        every = self.statements.ports.get(EVERY_PORT, ())
        found: list[tuple[Interface, _Settings]] = []
        for name, nodes in self.statements.ports.items():
            if name == EVERY_PORT:
                continue
            settings = self._settings(nodes)
            if settings.skipped:
                continue
            interface = self._interface(name, nodes, settings)
            self.device.interfaces[name] = interface
            found.append((interface, settings))
        for interface, settings in found:
            if settings.breakout:
                self._breakout(interface, settings)
            for member, position in settings.members.items():
                if member != interface.name:
                    self._member(interface, member, position)
        self._peers()
        if every:
            self.reading.take(every[0].line)
        self._inherit({interface.name: settings for interface, settings in found})
        self._idle()
        read_tunnel(self.reading, self.statements.top, self.device)

    def _settings(self, nodes: tuple[Node, ...]) -> _Settings:
        known = self.seen.get(id(nodes))
        if known is None:
            own = layout_of(self.reading, nodes[0]) if len(nodes) == 1 else None
            self.layouts[id(nodes)] = own
            known = self.repeats.read(own, lambda: self._read(View(self.reading, nodes)))
            self.seen[id(nodes)] = known
        return known

    def _read(self, view: View) -> _Settings:
        made = _Settings()
        view.take()
        stated = view.word("type")
        made.skipped = stated.value == "vrf"
        made.kind = naming.KINDS.get(stated.value or "")
        if stated.value == "peerlink":
            made.peerlink = stated.position
        self._link(view, made)
        self._bridge(view, made)
        for family in ("ip", "ipv4", "ipv6"):
            for address, place in view.members(family, "address"):
                position = place.take().position or place.begin
                if address in ("dhcp", "dhcp6"):
                    continue
                if is_address(address):
                    made.addresses.setdefault(address, position)
                else:
                    view.reading.bad(f"{address[:SHOWN]!r} is not an address", position)
        made.keep("vrf", view.word("vrf") or view.word("ip", "vrf"))
        made.keep("description", view.word("description"))
        made.members = view.names_below("bond", "member")
        made.keep("untagged_vlan", view.integer("vlan", low=1, high=LAST_VLAN))
        uplink = view.switch("evpn", "multihoming", "uplink")
        made.keep("uplink", uplink if uplink.value else ABSENT)
        made.keep("adaptive_routing", view.get("router", "adaptive-routing").enabled())
        return made

    def _link(self, view: View, made: _Settings) -> None:
        link = view.get("link")
        made.keep("enabled", link.switch("state").stated_or(self.reading.default(defaults.UP)))
        made.keep("ip_mtu", link.integer("mtu"))
        made.keep("speed_gbps", link.convert(link.word("speed"), _gbps, "a speed"))
        made.keep("autoneg", link.switch("auto-negotiate"))
        made.keep("fec", link.choice(FECS, "fec"))
        ways = link.word("breakout")
        if ways.value == "disabled":
            made.keep("enabled", Value(False, ways.position))
        elif ways.value is not None:
            made.breakout = link.convert(ways, _ways, "a breakout such as 4x")
            for node in link.get("breakout").all_below():
                self.reading.take(node.stated)

    def _bridge(self, view: View, made: _Settings) -> None:
        for _, domain in view.members("bridge", "domain"):
            made.keep("routed", Value(False, domain.take().position or domain.begin))
            access = domain.integer("access", low=1, high=LAST_VLAN)
            native = domain.word("untagged")
            tagged: set[int] = set()
            for text, place in domain.members("vlan"):
                position = place.take().position or place.begin
                made.at.setdefault("tagged_vlans", position)
                tagged |= vlans_in(text)
            if access.value is not None:
                made.keep("untagged_vlan", access)
                made.keep("tagged", Value(False, access.position))
                continue
            if native.value not in (None, "none"):
                number = domain.integer("untagged", low=1, high=LAST_VLAN)
                made.keep("untagged_vlan", number)
            if tagged:
                made.plain["tagged_vlans"] = frozenset(tagged)
            if native.value == "none" and tagged:
                made.keep("tagged", Value(True, native.position))

    def _interface(self, name: str, nodes: tuple[Node, ...], settings: _Settings) -> Interface:
        begin = nodes[0].line  # of the file that is about ports, if there is one
        kind = settings.kind or naming.kind_of(name)
        if settings.kind is None and settings.members and not is_port(name):
            kind = InterfaceKind.LAG
        if settings.kind is None and kind is InterfaceKind.PHYSICAL and not is_port(name):
            kind = InterfaceKind.OTHER
        if kind is InterfaceKind.LAG and name.rpartition(".")[0]:
            kind = InterfaceKind.SUBINTERFACE
        interface = Interface(
            src=self.reading.src,
            at={"": begin, **settings.at},
            name=name,
            kind=kind,
            addresses=tuple(settings.addresses),
            **settings.plain,
        )
        if settings.addresses:
            interface.at["addresses"] = min(settings.addresses.values())
            interface.at.update(settings.addresses)
            if interface.routed is None and kind is not InterfaceKind.MANAGEMENT:
                interface.routed = True
                interface.at["routed"] = interface.at["addresses"]
        if interface.vrf is not None and interface.routed is None:
            interface.routed, interface.at["routed"] = True, interface.at["vrf"]
        if interface.ip_mtu is None and kind not in _FIXED:
            mtu = self.reading.default(defaults.MTU)
            interface.ip_mtu, interface.at["ip_mtu"] = mtu.value, mtu.position
        interface.parent = naming.parent_of(name)
        self._numbers(interface, kind)
        return interface

    def _numbers(self, interface: Interface, kind: InterfaceKind) -> None:
        """VLANs implied by the name, and whether packets are tagged."""
        own = naming.vlan_of(interface.name)
        if kind is InterfaceKind.VLAN and interface.untagged_vlan is None and own is not None:
            interface.untagged_vlan = own
            interface.at["untagged_vlan"] = interface.at[""]
        elif kind is InterfaceKind.SUBINTERFACE:
            number = interface.untagged_vlan or own
            interface.untagged_vlan = None
            interface.tagged_vlans = frozenset({number}) if number else None
            interface.tagged = True
        elif interface.tagged is None and interface.routed:
            interface.tagged = False

    def _breakout(self, parent: Interface, settings: _Settings) -> None:
        """Ports that a breakout creates, whether or not a line names them."""
        ways = settings.breakout.value or 1
        if ways == 1 or not is_port(parent.name) or parent.parent is not None:
            return
        parent.kind = InterfaceKind.BREAKOUT_PARENT
        parent.parts, parent.at["parts"] = settings.breakout
        for number in range(ways):
            name = f"{parent.name}s{number}"
            if name in self.device.interfaces:
                continue
            mtu = self.reading.default(defaults.MTU)
            self.device.interfaces[name] = self.reading.build(
                Interface, settings.breakout.position, name=name, parent=parent.name, ip_mtu=mtu
            )

    def _member(self, bond: Interface, name: str, position: int) -> None:
        bond.members = (*bond.members, name)
        bond.at.setdefault("members", position)
        member = self.device.interfaces.get(name)
        if member is None:
            if not is_port(name):
                return
            up = self.reading.default(defaults.UP)
            member = self.reading.build(Interface, position, name=name, enabled=up)
            self.device.interfaces[name] = member
        member.lag, member.at["lag"] = bond.name, position

    def _peers(self) -> None:
        """Ports with a routing protocol neighbour: unnumbered BGP sessions."""
        for _, vrf in self.statements.top.members("vrf"):
            for text, neighbor in vrf.members("router", "bgp", "neighbor"):
                if text[:1].isdigit() or ":" in text:
                    continue
                for name in listed(text):
                    port = self.device.interfaces.get(name)
                    if port is None or port.kind is not InterfaceKind.PHYSICAL:
                        continue
                    kind = neighbor.word("type")
                    place = neighbor.take().position or kind.position or neighbor.begin
                    self.reading.take(place)
                    port.uplink, port.at["uplink"] = True, place
                    if port.routed is None:
                        port.routed, port.at["routed"] = True, place
                        port.tagged = False

    def _inherit(self, settings: dict[str, _Settings]) -> None:
        """Give bond members the bond's settings, and VLAN interfaces the VLANs of their ports."""
        interfaces = self.device.interfaces
        for name, found in settings.items():
            bond = interfaces[name]
            if found.peerlink or (name == "peerlink" and bond.members):
                bond.peer_link = True
                bond.at["peer_link"] = found.peerlink or bond.at[""]
        for port in interfaces.values():
            bond = interfaces.get(port.lag or "", port)
            if bond is not port:
                _follow(port, bond)
        bridged = [p for p in interfaces.values() if p.routed is False and p.ip_mtu is not None]
        lowest = min(bridged, key=lambda port: port.ip_mtu or 0, default=None)
        for port in interfaces.values():
            owner = interfaces.get(port.parent or "")
            if port.kind is InterfaceKind.VLAN and not port.stated("ip_mtu"):
                owner = lowest
            if owner is None or port.stated("ip_mtu") or not owner.stated("ip_mtu"):
                continue
            if port.kind in (InterfaceKind.VLAN, InterfaceKind.SUBINTERFACE):
                port.ip_mtu, port.at["ip_mtu"] = owner.ip_mtu, owner.at["ip_mtu"]

    def _idle(self) -> None:
        """Mark ports that neither switch nor route and have no other statement."""
        parents = {port.parent for port in self.device.interfaces.values()}
        for port in self.device.interfaces.values():
            bond = self.device.interfaces.get(port.lag or "", port)
            described = port.description or bond.description
            stated = port.routed is not None or described or port.neighbors
            if port.kind is InterfaceKind.PHYSICAL and port.name not in parents and not stated:
                port.idle = True


def _move(made: _Settings, of: StatementLayout, to: StatementLayout) -> _Settings:
    """Settings copied to another port, with that port's words and lines."""
    by = to.begin - of.begin
    plain = dict(made.plain)
    if "description" in plain:
        plain["description"] = to.description
    return _Settings(
        plain,
        {key: line + by if line > 0 else line for key, line in made.at.items()},
        {name: line + by for name, line in made.members.items()},
        {name: line + by for name, line in made.addresses.items()}
        if to.addresses is None
        else to.addresses,
        Value(made.breakout.value, made.breakout.position and made.breakout.position + by),
        made.kind,
        made.peerlink and made.peerlink + by,
        made.skipped,
    )


_SHARED = ("ip_mtu", "routed", "untagged_vlan", "tagged_vlans", "tagged", "peer_link")


def _follow(member: Interface, bond: Interface) -> None:
    for name in _SHARED:
        value = getattr(bond, name)
        if value is not None:
            setattr(member, name, value)
            if name in bond.at:
                member.at[name] = bond.at[name]


def _gbps(text: str) -> float | None:
    if text == "auto":
        return None
    found = _SPEED.fullmatch(text)
    if found is None:
        raise ValueError(text)
    number = decimal_of(found["number"])
    return number if found["unit"] == "G" else number / 1000


def _ways(text: str) -> int:
    found = _WAYS.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return whole_of(found["ways"])

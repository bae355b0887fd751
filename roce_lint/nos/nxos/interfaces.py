"""Effective interfaces: inheritance between channel and members, then defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.model.qos import PfcMode, PortQos
from roce_lint.nos.copies import Copy, move_of
from roce_lint.nos.declare import Default
from roce_lint.nos.nxos import defaults, naming
from roce_lint.nos.nxos.binding import System, port_qos
from roce_lint.nos.nxos.platform import Extent, Family, Platform, as_unconfirmed
from roce_lint.nos.nxos.ports import VLANS, Lines, Ports
from roce_lint.nos.port_names import parent_of, vlan_number
from roce_lint.nos.reading import ABSENT, Reading, Value, put
from roce_lint.nos.stanzas import first
from roce_lint.nos.switch_ports import rename

PORT_KINDS = WIRED | {InterfaceKind.BREAKOUT_PARENT}
"""Kinds that are switched or routed as a whole."""

UNSTATED = {
    InterfaceKind.VLAN: defaults.VLAN_DOWN,
    InterfaceKind.SUBINTERFACE: defaults.SUBINTERFACE_DOWN,
    InterfaceKind.LAG: defaults.CHANNEL_UP,
}
"""Whether interfaces are up without a line; those that depend on more are not here."""

AGREED = ("mtu", "speed", "routed", "mode", "pfc_mode", "qos_input", "queuing_output")
"""Settings that a channel without its own lines inherits from members if these agree."""


@dataclass(slots=True)
class Switching:
    """Global lines about ports."""

    routed: Value[bool] = ABSENT  # `[no] system default switchport`
    up: Value[bool] = ABSENT  # `[no] system default switchport shutdown`
    tag_native: Value[bool] = ABSENT  # the native VLAN is tagged too


@dataclass(slots=True)
class Builder:
    """Builds the interfaces of one device; ports with the same lines share the results."""

    reading: Reading
    ports: Ports
    system: System
    platform: Platform
    switching: Switching
    extent: Extent
    split: frozenset[str] = frozenset()  # ports whose lanes are ports of their own
    agreed: dict[str, Lines] = field(default_factory=dict)  # of the members of each channel
    inherited: dict[tuple[int, int], Lines] = field(default_factory=dict)
    qos: dict[int, PortQos] = field(default_factory=dict)

    def build(self) -> dict[str, Interface]:
        """All interfaces by name, in order of first appearance."""
        lines = self.ports.lines
        lanes = filter(None, map(naming.breakout_parent, lines))
        self.split = frozenset({*self.ports.breakouts, *lanes})
        for channel, members in self.ports.members.items():
            self.agreed[channel] = _agree([lines[member] for member in members])
        built: dict[str, Interface] = {}
        for name, own in lines.items():
            copy = self.ports.copies.get(name)
            if copy is None:
                built[name] = self._interface(name, own)
            else:
                built[name] = _copy(name, built[copy.of], copy)
        for name, split in self.ports.breakouts.items():
            if name not in built:  # a port that is broken out has no stanza
                kind = InterfaceKind.BREAKOUT_PARENT
                built[name] = self.reading.build(Interface, split.position, name=name, kind=kind)
            lanes_gbps = split.map(naming.lane_gbps)
            put(built[name], parts=split.map(naming.lanes_of), parts_gbps=lanes_gbps)
        self.system.lists.spread(built)
        self.system.objects.policing = self.system.lists.found
        return built

    def _interface(self, name: str, own: Lines) -> Interface:
        kind = InterfaceKind.BREAKOUT_PARENT if name in self.split else naming.kind_of(name)
        lines = self._effective(name, own)
        routed = self._reads_as_routed(kind, lines)
        split = self.ports.breakouts.get(naming.breakout_parent(name) or "", ABSENT)
        interface = self.reading.build(
            Interface,
            own.begin,
            name=name,
            aliases=naming.aliases(name),
            kind=kind,
            enabled=self._is_enabled(kind, own, routed),
            description=own.description,
            routed=routed,
            vrf=lines.vrf,
            speed_gbps=first(lines.speed, split.map(naming.lane_gbps)),
            autoneg=lines.autoneg,
            fec=lines.fec,
            ip_mtu=self._mtu(kind, lines, routed),
            lag=own.channel,
            peer_link=lines.peer_link,
            parent=parent_of(name),
        )
        members = self.ports.members.get(name)
        if members:
            interface.members = tuple(members)
            interface.at["members"] = self.ports.lines[members[0]].channel.position
        put(interface, addresses=own.addresses, igp=lines.igp, igp_any_mtu=lines.igp_any_mtu)
        self._vlans(interface, lines, routed)
        if kind in WIRED:
            if id(lines) not in self.qos:
                self.qos[id(lines)] = port_qos(self.system, lines)
            interface.qos = self.qos[id(lines)]
        self.system.lists.bind_lines(interface, lines.filters.value or ())
        return interface

    def _effective(self, name: str, own: Lines) -> Lines:
        """Lines of a port, then those of its channel or of the channel's members."""
        channel = own.channel.value
        if channel is not None:
            behind = self.ports.lines[channel]
        elif name in self.agreed:
            behind = self.agreed[name]
        else:
            return own
        key = id(own), id(behind)
        found = self.inherited.get(key)
        if found is None:
            if channel is not None:
                _compare(self.reading, own, behind)
            found = self.inherited[key] = own.behind(behind)
        return found

    def _default(self, default: Default) -> Value[Any]:
        """A cited default, if the absence of a line from the stanza is meaningful."""
        return self.reading.default(default) if self.extent.ports else ABSENT

    def _reads_as_routed(self, kind: InterfaceKind, lines: Lines) -> Value[bool]:
        """Whether it routes: stated, implied by lines of one kind of port, or by default."""
        if kind not in PORT_KINDS:
            routes = kind in (InterfaceKind.VLAN, InterfaceKind.SUBINTERFACE)
            return Value(True, lines.begin) if routes else ABSENT
        of_routed = lines.addresses.position or lines.vrf.position
        switched = (lines.mode, lines.access_vlan, lines.native_vlan, lines.allowed)
        of_switched = next((line.position for line in switched if line.position), 0)
        return first(
            lines.routed,
            Value(True, of_routed),
            Value(False, of_switched),
            self.switching.routed,
            self._default(
                defaults.ROUTED if self.platform.family.value is Family.N7000 else defaults.SWITCHED
            ),
        )

    def _is_enabled(self, kind: InterfaceKind, own: Lines, routed: Value[bool]) -> Value[bool]:
        channel = self.ports.lines.get(own.channel.value or "")
        if channel is not None and channel.up.value is False and own.up.value is not False:
            return channel.up  # a shut channel shuts its members
        if own.up.position:
            return own.up
        if kind not in (InterfaceKind.PHYSICAL, InterfaceKind.BREAKOUT_PARENT):
            return self._default(UNSTATED.get(kind, defaults.VIRTUAL_UP))
        if not routed.value:
            return first(self.switching.up, self._default(defaults.SWITCHED_UP))
        shut = self.platform.shuts_routed_ports
        return self._default(defaults.ROUTED_DOWN if shut else defaults.ROUTED_UP)

    def _mtu(self, kind: InterfaceKind, lines: Lines, routed: Value[bool]) -> Value[int]:
        """The largest packet; unknown if the class decides it (Nexus 3000, 5000, 6000)."""
        if kind in PORT_KINDS and not routed.value and self.platform.class_mtu_limits.value:
            return ABSENT
        default = defaults.MTU_1500
        if kind is InterfaceKind.SUBINTERFACE:
            default = as_unconfirmed(default)
        elif kind not in PORT_KINDS and kind is not InterfaceKind.VLAN:
            return lines.mtu
        return first(lines.mtu, self._default(default))

    def _vlans(self, interface: Interface, lines: Lines, routed: Value[bool]) -> None:
        """Set VLANs, and whether packets on the port are certainly tagged or untagged."""
        if interface.kind is InterfaceKind.SUBINTERFACE:
            vlan = lines.encapsulation
            tagged = vlan.map(lambda _: True)
            put(interface, tagged_vlans=vlan.map(lambda one: frozenset({one})), tagged=tagged)
            return
        if interface.kind is InterfaceKind.VLAN:
            put(interface, untagged_vlan=Value(vlan_number(interface.name), lines.begin))
            return
        if interface.kind not in PORT_KINDS:
            return
        if routed.value is not False:
            put(interface, tagged=routed.map(lambda _: False))
            return
        one = self._default(defaults.VLAN_ONE)
        mode = lines.mode.value
        if mode == "access" or (mode is None and not lines.mode.position):
            untagged = first(lines.access_vlan, one)
            by = lines.mode.position or routed.position
            put(interface, untagged_vlan=untagged, tagged=Value(False if by else None, by))
        elif mode == "trunk":
            native = first(lines.native_vlan, one)
            carried = lines.allowed.map(lambda vlans: vlans - {native.value or 0})
            put(interface, tagged_vlans=carried)
            if self.switching.tag_native.value:
                put(interface, tagged=self.switching.tag_native)
            elif native.value not in (
                VLANS if lines.allowed.value is None else lines.allowed.value
            ):
                put(interface, tagged=Value(True, lines.allowed.position))
            else:
                put(interface, untagged_vlan=native)


def _copy(name: str, model: Interface, copy: Copy) -> Interface:
    interface = move_of(copy).interface(model)
    rename(interface, name, naming.aliases(name), copy.record)
    interface.parent = parent_of(name)
    return interface


def _agree(members: list[Lines]) -> Lines:
    agreed = Lines()
    head, *rest = members
    for name in AGREED:
        value: Value[Any] = getattr(head, name)
        if all(getattr(lines, name).value == value.value for lines in rest):
            setattr(agreed, name, value)
    return agreed


def _compare(reading: Reading, member: Lines, channel: Lines) -> None:
    """Note differences between a member and its channel; a device would not have both."""
    for what, mine, theirs in (
        ("MTU", member.mtu, channel.mtu),
        ("PFC mode", member.pfc_mode.map(_word), channel.pfc_mode.map(_word)),
        ("input policy", member.qos_input, channel.qos_input),
    ):
        if mine and theirs and mine.value != theirs.value:
            message = f"{what} {mine.value}; on its channel {theirs.value}"
            reading.note(NoteKind.CONFLICT, message, mine.position)


def _word(mode: PfcMode) -> str:
    return mode.value

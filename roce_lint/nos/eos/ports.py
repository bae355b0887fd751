"""Interfaces: kind, state, MTU, VLANs; and ports that repeat the stanza of another."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import ip_interface

from roce_lint.model.interface import WIRED, Fec, Interface, InterfaceKind, Tunnel
from roce_lint.nos.bgp import protocols
from roce_lint.nos.copies import Copy, Stanza, move_of
from roce_lint.nos.eos import defaults, naming
from roce_lint.nos.eos.context import SOURCE, Context, captured_values
from roce_lint.nos.eos.lines import QosLines, accepted, read_lines
from roce_lint.nos.eos.naming import ALL_VLANS, change_vlans, without
from roce_lint.nos.eos.queues import Egress
from roce_lint.nos.port_names import vlan_number
from roce_lint.nos.reading import ABSENT, Reader, Value
from roce_lint.nos.switch_ports import address, by_name, likeness, rename
from roce_lint.text.match import Record
from roce_lint.text.numbers import real, whole_of

# Ports that repeat the stanza of another.

LINK_LOCAL = ""
"""Marks a link-local address, which does not identify neighbours."""


@lru_cache(maxsize=8192)
def address_of(text: str) -> str | None:
    """An address with its prefix length; None if the text is not an address."""
    found = address(text)
    if found is not None and ":" in found and ip_interface(found).is_link_local:
        return LINK_LOCAL
    return found


def repeat(name: str, copy: Copy, model: Interface, own: Egress | None) -> Interface:
    """Interface with the same stanza as `model`; `own` builds a policy that its lines state."""
    move = move_of(copy)
    made = move.interface(model)
    rename(made, name, naming.aliases(name), copy.record, address_of)
    qos = made.qos
    if own is not None and qos is not None and qos.egress is not None:
        if qos is model.qos:  # of another port of the same range
            qos = made.qos = move(qos)
        qos.egress = own.repeat(name, str(qos.egress), move)
    return made


# Stanzas of ports.

ROUTED_KINDS = frozenset(
    {
        InterfaceKind.SUBINTERFACE,
        InterfaceKind.VLAN,
        InterfaceKind.LOOPBACK,
        InterfaceKind.MANAGEMENT,
    }
)
"""Kinds that are routed by nature."""

INACTIVE_IN_CHANNEL = (
    "routed", "switched", "default_switched", "mtu", "no_mtu", "mode", "access_vlan",
    "native_vlan", "allowed_vlans",
)  # fmt: skip
"""Lines of a member port that its channel overrules."""

INTERFACE_PROFILE = "interface profile"
"""Kind of the named stanzas whose lines ports inherit."""

_SPEED = re.compile(r"\b(?P<number>\d{1,7})(?P<giga>g)?(?:full|half)?(?:-(?P<lanes>\d{1,2}))?\b")


@dataclass(slots=True)
class Port:
    """The stanza (or stanzas) of one interface, before inheritance."""

    name: str
    kind: InterfaceKind
    reader: Reader
    lines: QosLines
    profile: Value[str]
    lag: Value[str]
    routed: Value[bool]
    mtu: Value[int]
    has_address: bool
    copy: Copy | None = None  # of the port whose lines these repeat, and which is read instead


@dataclass(slots=True)
class PortDefaults:
    """Lines that change the defaults of all interfaces."""

    routed: Value[bool] = ABSENT
    mtu: Value[int] = ABSENT
    ethernet_up: Value[bool] = ABSENT


def read_port_defaults(context: Context) -> PortDefaults:
    """`interface defaults` and `switchport default mode`."""
    found = PortDefaults()
    for reader in context.reading.groups(SOURCE, "port_mode"):
        found.routed = reader.text("mode").map(lambda mode: mode == "routed")
    for reader in context.reading.groups(SOURCE, "interface_defaults"):
        reader.text("scope")
        found.mtu = accepted(context, reader.integer("mtu"), "mtu").or_else(found.mtu)
        for child in reader.children("ethernet"):
            child.text("scope")
            found.ethernet_up = child.switch(on="no_shutdown", off="shutdown")
    return found


def read_ports(context: Context) -> dict[str, Port]:
    """All interfaces by full name; ranges and repeated stanzas add up in file order."""
    records = by_name(context.reading, naming.expand)
    laid_over = _with_profiles(context, records)
    parents = {name.rpartition(".")[0] for name in records} | laid_over
    ports: dict[str, Port] = {}
    models: dict[Hashable, tuple[Port, Stanza] | None] = {}  # None: noted, so never copied
    for name, found in records.items():
        alone = name in parents or "channel" in found[0].values
        key = None if alone else likeness(naming.kind_of(name), found, address_of)
        model = models.get(key)
        if model is not None:
            like, stanza = model
            ports[name] = replace(
                like,
                name=name,
                reader=Reader(found[0], context.reading),
                copy=Copy(like.name, found[0], stanza),
            )
            continue
        noted = len(context.reading.notes)
        ports[name] = read_port(context, name, Reader.over(found, context.reading))
        if key is not None:
            clean = len(context.reading.notes) == noted
            models.setdefault(key, (ports[name], Stanza.of(found[0])) if clean else None)
    return ports


def _with_profiles(context: Context, records: dict[str, list[Record]]) -> set[str]:
    """Put lines of named `interface profile` stanzas before a port's own; returns these ports."""
    profiles: dict[str, Record] = {}
    for name, reader in context.reading.define(SOURCE, "interface_profile", INTERFACE_PROFILE):
        profiles[name] = reader.record
    ports = set()
    for name, found in records.items():
        stated = Reader.over(found, context.reading).text("interface_profile")
        if not stated:
            continue
        ports.add(name)
        for each in (stated.value or "").split():
            context.reading.names.refer(INTERFACE_PROFILE, each, stated.position)
            if each in profiles:
                lines = profiles[each]
                captures = {key: kept for key, kept in lines.values.items() if key != "name"}
                found.insert(0, Record(lines.group, found[0].position, captures, lines.children))
    return ports


def read_port(context: Context, name: str, reader: Reader) -> Port:
    """Settings in the stanza of one interface, without inheritance."""
    kind = naming.kind_of(name)
    lag = reader.text("channel", reset=("no_channel",)).map(
        lambda text: f"Port-Channel{whole_of(text.split()[0][:9])}"
    )
    if lag:  # a member's own switching, VLAN and MTU lines wait until it leaves its channel
        waiting = (line for name in INACTIVE_IN_CHANNEL for line in captured_values(reader, name))
        context.settle_lines([line.position for line in waiting], ())
    return Port(
        name=name,
        kind=kind,
        reader=reader,
        lines=read_lines(context, reader, profile=False),
        profile=reader.text("profile", reset=("no_profile",)),
        lag=lag,
        routed=ABSENT if lag else reader.switch(on="routed", off=("switched", "default_switched")),
        mtu=ABSENT if lag else accepted(context, reader.integer("mtu", reset=("no_mtu",)), "mtu"),
        has_address="ip_address" in reader,
    )


def build_interface(
    context: Context, port: Port, ports: dict[str, Port], common: PortDefaults
) -> Interface:
    """The interface in effect; a channel member has the channel's VLANs, MTU, mode."""
    channel = ports.get(port.lag.value or "")
    leading = channel or port
    reader = port.reader
    routed: Value[bool] = ABSENT
    fields: dict[str, object] = {}
    if channel or not port.lag:  # else the channel is in a file that is not here
        routed = _reads_as_routed(context, leading, common)
        if leading.kind in WIRED:
            fields = _layer_two(context, leading.reader, routed)
    if port.kind is InterfaceKind.SUBINTERFACE:
        vlan = reader.text("encapsulation").map(lambda text: whole_of(text.split()[3][:9]))
        if vlan:
            tagged = vlan.map(lambda number: frozenset({number}))
            fields = {"tagged": Value(True, vlan.position), "tagged_vlans": tagged}
    if port.kind is InterfaceKind.VLAN:
        fields = {"untagged_vlan": Value(vlan_number(port.name), reader.begin)}
    any_mtu = leading.reader.text
    reader.text("six")  # sessions by port are made of its address, and nothing else of RoCE
    return reader.build(
        Interface,
        name=port.name,
        aliases=naming.aliases(port.name),
        kind=port.kind,
        enabled=_is_enabled(context, port, channel, common),
        description=reader.text("description", reset=("no_description",)),
        routed=routed,
        addresses=_addresses(context, reader),
        vrf=reader.text("vrf"),
        fec=_fec(reader),
        ip_mtu=_ip_mtu(context, leading, ports, common, routed),
        frame_mtu=_frame_mtu(leading.reader),
        igp=_igp(leading.reader),
        igp_any_mtu=protocols(ospf=any_mtu("ospf_any_mtu"), isis=any_mtu("isis_any_mtu")),
        lag=port.lag,
        parent=port.name.rpartition(".")[0] or None,
        tunnel=_tunnel(context, reader) if port.kind is InterfaceKind.TUNNEL else None,
        **_speed(context, reader),
        **fields,
    )


def mark_peer_links(context: Context, interfaces: dict[str, Interface]) -> None:
    """Mark the channel that joins the two switches of an MLAG pair, and its members."""
    for reader in context.reading.groups(SOURCE, "mlag"):
        reader.text("scope")
        peer_link = reader.text("peer_link", reset=("no_peer_link",))
        channels = naming.expand(peer_link.value or "").names
        for interface in interfaces.values():
            if interface.name in channels or interface.lag in channels:
                interface.peer_link = True
                interface.at["peer_link"] = peer_link.position


def _is_enabled(
    context: Context, port: Port, channel: Port | None, common: PortDefaults
) -> Value[bool]:
    own = port.reader.switch(on=("no_shutdown", "default_shutdown"), off="shutdown")
    if own.value is not False and channel is not None:
        above = channel.reader.switch(on=("no_shutdown", "default_shutdown"), off="shutdown")
        if above.value is False:
            return above
    if not own and port.kind is InterfaceKind.PHYSICAL and common.ethernet_up:
        return common.ethernet_up
    return own.or_else(context.default(defaults.ENABLED))


def _reads_as_routed(context: Context, port: Port, common: PortDefaults) -> Value[bool]:
    if port.kind in ROUTED_KINDS:
        return Value(value=True)
    if port.kind not in WIRED:
        return ABSENT
    if port.routed:
        return port.routed
    if port.has_address and not context.whole:
        return ABSENT  # an excerpt without the obvious lines
    return common.routed.or_else(context.default(defaults.SWITCHED))


def _ip_mtu(
    context: Context, port: Port, ports: dict[str, Port], common: PortDefaults, routed: Value[bool]
) -> Value[int]:
    """The largest IP packet: `mtu` applies to routed packets."""
    if port.kind in (InterfaceKind.TUNNEL, InterfaceKind.INTERNAL, InterfaceKind.OTHER):
        return ABSENT
    if routed.value is False:
        return _frame_mtu(port.reader).or_else(context.default(defaults.MTU_SWITCHED))
    if port.mtu:
        return port.mtu
    parent = ports.get(port.name.rpartition(".")[0])
    if parent is not None and parent.mtu:
        return parent.mtu
    if routed.value is None:
        return ABSENT
    return common.mtu.or_else(context.default(defaults.MTU_ROUTED))


def _igp(reader: Reader) -> Value[tuple[str, ...]]:
    """Routing protocols configured on the interface; `network` lines of a process are not read."""
    isis, passive = reader.text("isis"), reader.text("isis_passive")
    return protocols(ospf=reader.text("ospf"), isis=ABSENT if passive else isis)


def _frame_mtu(reader: Reader) -> Value[int]:
    value = reader.text("frame_mtu", reset=("no_frame_mtu",))
    return value.map(lambda text: whole_of(text.split()[-1][:9]))


def _layer_two(context: Context, reader: Reader, routed: Value[bool]) -> dict[str, object]:
    """VLANs and tagging; on a routed port the switchport lines have no effect."""
    mode = reader.text("mode").value or "access"
    access = reader.integer("access_vlan").or_else(context.default(defaults.ACCESS_VLAN))
    native = reader.text("native_vlan")
    allowed = _allowed_vlans(context, reader)
    if routed.value is not False:
        return {"tagged": False} if routed.value else {}
    if mode == "access":
        return {"untagged_vlan": access, "tagged_vlans": frozenset(), "tagged": False}
    if not mode.startswith("trunk"):
        return {"untagged_vlan": access}
    vlan = native.map(lambda text: whole_of(text[:9]) if text != "tag" else None)
    if native.value != "tag":
        vlan = vlan.or_else(context.default(defaults.NATIVE_VLAN))
    carried = allowed.value or frozenset()
    plain = vlan.value in carried
    return {
        "untagged_vlan": vlan if plain else ABSENT,
        "tagged_vlans": allowed.map(lambda vlans: without(vlans, vlan.value)),
        "tagged": None if plain else True,
    }


def _allowed_vlans(context: Context, reader: Reader) -> Value[frozenset[int]]:
    """VLANs of a trunk; `add`, `remove` and `except` modify the list so far."""
    vlans: frozenset[int] = ALL_VLANS
    stated = captured_values(reader, "allowed_vlans")
    alive: list[int] = []
    for line in stated:
        changed = change_vlans(vlans, line.value or "")
        if changed is None:
            context.bad(f"{line.value!r} is not a list of VLANs", line.position)
            continue
        if not (line.value or "").startswith(("add", "remove")):
            alive.clear()
        alive.append(line.position)
        vlans = changed
    context.settle_lines([line.position for line in stated], alive)
    position = alive[-1] if alive else 0
    return Value(vlans, position) if position else context.default(defaults.ALLOWED_VLANS)


def _addresses(context: Context, reader: Reader) -> Value[tuple[str, ...]]:
    """Addresses with prefix length, without link-local ones, which do not identify neighbours."""
    found: list[str] = []
    position = 0
    for line in reader.all("ip_address"):
        text = line.value or ""
        stated = address_of(text)
        if stated is None:
            context.bad(f"{text.split()[0]!r} is not an address with its prefix", line.position)
        elif stated != LINK_LOCAL:
            found.append(stated)
            position = position or line.position
    return Value(tuple(found) or None, position).or_else(Value(()))


def _fec(reader: Reader) -> Value[Fec]:
    """Stated FEC; if both kinds are allowed, the link chooses."""
    stated: set[str] = set()
    position = 0
    reset = reader.text("default_fec").position
    for value in reader.all("fec"):
        text = " ".join((value.value or "").split())
        if text.startswith("no ") or value.position < reset:
            stated.clear()
        if value.position > reset:
            stated.add(text)
            position = value.position
    if not stated:
        return ABSENT
    kinds = {"reed-solomon": Fec.RS, "fire-code": Fec.FC}
    named = [kinds[text] for text in sorted(stated) if text in kinds]
    if not named:
        return Value(Fec.NONE, position)
    return Value(named[0] if len(named) == 1 else Fec.AUTO, position)


def _speed(context: Context, reader: Reader) -> dict[str, object]:
    """`forced 100gfull`, `100g-2`, `400g-8`, `auto`, `auto 100g-1`, `1000full`."""
    value = reader.text("speed", reset=("no_speed",))
    if value.value is None:
        return {}
    auto = "auto" in value.value.split()
    found = [match for match in _SPEED.finditer(value.value) if match["number"] != "0"]
    if not found and not auto:
        context.bad(f"{value.value!r} is not a speed", value.position)
        return {}
    fields: dict[str, object] = {"autoneg": Value(auto, value.position)}
    if found:
        last = found[-1]
        gbps = whole_of(last["number"]) if last["giga"] else whole_of(last["number"]) / 1000
        fields["speed_gbps"] = Value(real(gbps), value.position)
        if last["lanes"]:
            fields["lanes"] = Value(whole_of(last["lanes"]), value.position)
    return fields


def _tunnel(context: Context, reader: Reader) -> Tunnel:
    """DSCP copying of the overlay, and the VLANs and VRFs with a VNI."""
    vlans: frozenset[int] = frozenset()
    vrfs: set[str] = set()
    for child in reader.children("carried"):
        child.text("vni")
        kind, _, what = (child.text("carried").value or "").partition(" ")
        listed = change_vlans(frozenset(), what.strip()) if kind == "vlan" else frozenset[int]()
        if listed is None:
            context.bad(f"{what!r} is not a list of VLANs", child.begin)
        vlans |= listed or frozenset()
        vrfs |= {what.strip()} if kind == "vrf" else set()
    return reader.build(
        Tunnel,
        vlans=vlans,
        vrfs=frozenset(vrfs) or None,
        ecn_copied=reader.switch(on="ecn_copied", off="ecn_not_copied"),
        dscp_copied=reader.switch(on="dscp_copied", off="dscp_not_copied"),
        outer_decides=reader.switch(on="outer_decides", off="inner_decides"),
    )

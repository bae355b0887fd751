"""PORT, PORTCHANNEL, VLAN and address tables, cable lengths and stated neighbours."""

from __future__ import annotations

import re
from typing import Any

from roce_lint.model.device import Device, NoteKind, Role
from roce_lint.model.interface import Fec, Interface, InterfaceKind, Neighbor
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.nos.reading import Value, put
from roce_lint.nos.refusals import words
from roce_lint.nos.sonic import defaults
from roce_lint.nos.sonic.tables import ADDRESS_TABLES, NOTE_LENGTH, Namespace, Row, pass_over, whole
from roce_lint.text.numbers import decimal_of, whole_of

MTU_RANGE = (68, 9216)
SPEED_LIMIT_MBPS = 1_600_000

UP_DOWN = {"up": True, "down": False}
TRUTHS = {"true": True, "false": False}
UP = UP_DOWN | TRUTHS
ON_OFF = {"on": True, "off": False} | TRUTHS
DIGITS = {"1": True, "0": False}
FECS = {"rs": Fec.RS, "fc": Fec.FC, "none": Fec.NONE, "auto": Fec.AUTO}

_INTERNAL_ROLES = ("Int", "Inb", "Rec", "Dpc")
_INTERNAL_NAME = re.compile(r"Ethernet-(?:IB|Rec|BP)")
_CABLE = re.compile(r"(\d{1,7})m", re.ASCII)
_NO_PORTS = ("CPU", "global", "GLOBAL")
_SHORT_PARENT = re.compile(r"(Ethernet|Eth|PortChannel|Po)(\d+)\Z", re.ASCII)
_LONG_NAME = {"Eth": "Ethernet", "Po": "PortChannel"}

KINDS = {
    "VLAN_INTERFACE": InterfaceKind.VLAN,
    "VLAN_SUB_INTERFACE": InterfaceKind.SUBINTERFACE,
    "LOOPBACK_INTERFACE": InterfaceKind.LOOPBACK,
    "MGMT_INTERFACE": InterfaceKind.MANAGEMENT,
    "PORTCHANNEL_INTERFACE": InterfaceKind.LAG,
    "VOQ_INBAND_INTERFACE": InterfaceKind.INTERNAL,
    "MGMT_PORT": InterfaceKind.MANAGEMENT,
    "PORTCHANNEL": InterfaceKind.LAG,
    "VLAN": InterfaceKind.VLAN,
}

BY_PREFIX = {
    "Loopback": InterfaceKind.LOOPBACK,
    "Vlan": InterfaceKind.VLAN,
    "PortChannel": InterfaceKind.LAG,
}
"""Interface kinds by name prefix for rows of INTERFACE without a PORT table: intfmgrd treats every
row as an interface of the kind that its name begins with.
"""

ROLES = {
    "ToRRouter": Role.LEAF,
    "BackEndToRRouter": Role.LEAF,
    "LowerSpineRouter": Role.SUPERSPINE,
    "UpperSpineRouter": Role.SUPERSPINE,
    "FabricSpineRouter": Role.SUPERSPINE,
}
"""Device types that name one place in a fabric. LeafRouter and SpineRouter do not: see `role`."""
ABOVE_LEAVES = words(
    "SpineRouter Spine SpineChassisFrontendRouter LowerSpineRouter UpperSpineRouter"
    " FabricSpineRouter"
)
"""Device types of tiers that hosts are not connected to."""
_WITHOUT_STATUS = {"PORT": defaults.PORT_DOWN, "VLAN": defaults.VLAN_UP}
HOSTS = {"Server": True}
_LEAF_TYPES = ("LeafRouter", "BackEndLeafRouter")

_BREAKOUT = re.compile(r"(?P<parts>\d{1,2})x(?P<gbps>\d{1,4})G(?![^+]*\+)", re.ASCII)
"""A mode with parts of one speed: `4x100G[50G]`."""


def read_ports(space: Namespace, device: Device) -> None:
    """Fill `device.interfaces` with everything but QoS."""
    interfaces = device.interfaces
    rows = space.rows("PORT")
    timed = any("speed" in row for row in rows.values())
    lanes: dict[str, str] = {}
    for name, row in rows.items():
        own = dict.fromkeys((row.strings("lanes").value or ()), name)
        first = next((lanes[lane] for lane in own if lane in lanes), None)
        lanes.update((lane, name) for lane in own if first is None)
        if first is not None:
            message = f"PORT|{name} has lanes of PORT|{first}: one of the two does not come up"
            space.reading.note(NoteKind.DUPLICATE, message, row.position, rows[first].position)
        internal = row.text("role").value in _INTERNAL_ROLES or _INTERNAL_NAME.match(name)
        kind = InterfaceKind.INTERNAL if internal else InterfaceKind.PHYSICAL
        interfaces[name] = _interface(space, row, kind)
        if timed and "speed" not in row:
            row.complain("speed", "the row is refused without it", row.position)
    for name, row in space.rows("BREAKOUT_CFG").items():
        pass_over(row)
        mode = row.text("brkout_mode")
        split = _BREAKOUT.match(mode.value or "")
        if split and name in interfaces and whole_of(split["parts"]) > 1:
            parts, speed = whole_of(split["parts"]), decimal_of(split["gbps"])
            at = mode.position
            put(interfaces[name], parts=Value(parts, at), parts_gbps=Value(speed, at))
    for table in ("MGMT_PORT", "PORTCHANNEL", "VLAN"):
        for name, row in space.rows(table).items():
            interfaces[name] = _interface(space, row, KINDS[table])
    _channel_members(space, device)
    _vlan_members(space, device)
    _addresses(space, device)
    _members_follow(device)
    _peer_links(space, device)
    _cables(space, device)
    _neighbors(space, device)


def port_of(space: Namespace, device: Device, name: str, row: Row) -> Interface | None:
    """Interface of a row.

    If the files have no PORT table, ports are known by such rows only. A port missing from the PORT
    table is noted: the device ignores the row.
    """
    port = device.interfaces.get(name)
    if port is not None or name in _NO_PORTS:
        return port
    if "PORT" not in space and name.startswith("Eth"):
        kind = InterfaceKind.INTERNAL if _INTERNAL_NAME.match(name) else InterfaceKind.PHYSICAL
        port = space.reading.build(Interface, row.position, name=name, kind=kind)
        device.interfaces[name] = port
    elif space.first(row.table, name):
        message = f"{row.table}|{row.key}: there is no port {name}"
        space.reading.bad(message[:NOTE_LENGTH], row.position)
    return port


def _interface(space: Namespace, row: Row, kind: InterfaceKind) -> Interface:
    """Interface of a row of PORT, MGMT_PORT, PORTCHANNEL or VLAN."""
    fields: dict[str, Any] = {}
    if kind is InterfaceKind.VLAN:
        fields["untagged_vlan"] = Value(vlan_number(row), row.position)
    enabled = row.one_of("admin_status", UP_DOWN)
    if row.table in _WITHOUT_STATUS:
        enabled = space.default(enabled, _WITHOUT_STATUS[row.table])
    description = row.text("description").map(lambda text: text or None)
    if row.table == "PORT":
        alias = row.text("alias").map(lambda name: (name,) if name and name != row.key else None)
        fields["aliases"] = alias or ()
        fields["speed_gbps"] = row.integer("speed", 1, SPEED_LIMIT_MBPS).map(lambda n: n / 1000)
        fields["lanes"] = row.strings("lanes").map(len)
        fields["autoneg"] = row.one_of("autoneg", ON_OFF | (DIGITS if space.old_words else {}))
        fields["fec"] = row.one_of("fec", FECS)
    if kind is not InterfaceKind.MANAGEMENT:
        fields["ip_mtu"] = space.default(row.integer("mtu", *MTU_RANGE), defaults.MTU)
    return space.reading.build(
        Interface,
        row.position,
        name=row.key,
        kind=kind,
        enabled=enabled,
        description=description,
        **fields,
    )


def _channel_members(space: Namespace, device: Device) -> None:
    """Both sides of membership, from the newer table and from the list of older files."""
    found: dict[str, dict[str, int]] = {}
    for row in space.rows("PORTCHANNEL_MEMBER").values():
        channel, _, port = row.key.partition("|")
        found.setdefault(channel, {})[port] = row.position
    for channel, row in space.rows("PORTCHANNEL").items():
        for key in ("members", "members@"):
            listed = row.strings(key)
            for port in listed.value or ():
                found.setdefault(channel, {}).setdefault(port, listed.position)
    for channel, members in found.items():
        lag = device.interfaces.get(channel)
        for name, position in members.items():
            member = device.interfaces.get(name)
            if member is not None:
                put(member, lag=Value(channel, position))
            if lag is not None:
                lag.members += (name,)
                lag.at.setdefault("members", position)


def _vlan_members(space: Namespace, device: Device) -> None:
    tagged: dict[str, set[int]] = {}
    numbered = {vlan: vlan_number(row) for vlan, row in space.rows("VLAN").items()}
    for row in space.rows("VLAN_MEMBER").values():
        vlan, _, name = row.key.partition("|")
        number = numbered.get(vlan)
        mode = row.text("tagging_mode")
        port = device.interfaces.get(name)
        if port is None or number is None:
            continue
        put(port, routed=Value(False, row.position))
        if mode.value == "tagged":
            tagged.setdefault(name, set()).add(number)
            port.at.setdefault("tagged_vlans", mode.position)
        elif mode.value is not None:
            put(port, untagged_vlan=Value(number, mode.position))
    for name, numbers in tagged.items():
        device.interfaces[name].tagged_vlans = frozenset(numbers)


def vlan_number(row: Row) -> int | None:
    """Number of a VLAN, from its row, else from its name."""
    stated = row.integer("vlanid", 1, LAST_VLAN)
    digits = row.key.removeprefix("Vlan")
    if not stated.position and digits.isascii() and digits.isdigit():
        return whole(digits[:5])
    return stated.value


def _addresses(space: Namespace, device: Device) -> None:
    """Addresses and VRF; the port of an address is routed."""
    for table in ADDRESS_TABLES:
        for row in space.rows(table).values():
            name, bar, address = row.key.partition("|")
            port = _interface_of_address(space, device, table, name, row)
            if port is None:
                continue
            if bar:
                port.addresses += (address,)
                port.at.setdefault("addresses", row.position)
                port.at[address] = row.position
            put(port, vrf=row.text("vrf_name").map(lambda vrf: vrf or None))
            if table in ("INTERFACE", "PORTCHANNEL_INTERFACE") and not port.routed:
                put(port, routed=Value(True, row.position))


def _interface_of_address(
    space: Namespace, device: Device, table: str, name: str, row: Row
) -> Interface | None:
    port = device.interfaces.get(name)
    kind = KINDS.get(table)
    if kind is None:  # INTERFACE
        kind = next((kind for word, kind in BY_PREFIX.items() if name.startswith(word)), None)
        if port is None and kind is None:
            return port_of(space, device, name, row)
    if port is None:
        port = space.reading.build(Interface, row.position, name=name, kind=kind)
        device.interfaces[name] = port
    elif kind is InterfaceKind.INTERNAL:
        port.kind = kind
    if table == "VLAN_SUB_INTERFACE":
        _subinterface(port, row)
    return port


def _subinterface(port: Interface, row: Row) -> None:
    parent, _, number = port.name.rpartition(".")
    short = _SHORT_PARENT.match(parent)
    port.parent = _LONG_NAME.get(short[1], short[1]) + short[2] if short else parent
    vlan = row.integer("vlan", 1, LAST_VLAN)
    if vlan.value is None and not vlan.position and number.isascii() and number.isdigit():
        vlan = Value(whole(number[:5]), row.position)
    if "|" not in row.key:
        tagged = vlan.map(lambda value: frozenset({value}))
        put(port, tagged_vlans=tagged, enabled=row.one_of("admin_status", UP_DOWN))


def _members_follow(device: Device) -> None:
    """Give members the channel's MTU, VLANs and addressing, then set the tagging."""
    for port in device.interfaces.values():
        lag = device.interfaces.get(port.lag or "")
        if lag is not None:
            for name in ("ip_mtu", "routed", "untagged_vlan", "tagged_vlans"):
                put(port, **{name: Value(getattr(lag, name), lag.at.get(name, 0))})
    parents = {port.parent for port in device.interfaces.values() if port.parent}
    for port in device.interfaces.values():
        port.tagged = _is_tagged(port, port.name in parents or port.lag in parents)


def _is_tagged(port: Interface, has_subinterfaces: bool) -> bool | None:  # noqa: FBT001
    """Whether packets on the wire carry a tag for certain; None if both kinds may occur."""
    if port.kind is InterfaceKind.SUBINTERFACE:
        return True
    if has_subinterfaces:
        return None if port.routed else True
    if port.untagged_vlan is not None and port.kind is not InterfaceKind.VLAN:
        return None if port.tagged_vlans else False
    return True if port.tagged_vlans else False if port.routed else None


def _peer_links(space: Namespace, device: Device) -> None:
    """The channel or port that joins the switches of an MLAG pair, and the channel's members."""
    for row in space.rows("MCLAG_DOMAIN").values():
        peer_link = row.text("peer_link")
        for port in device.interfaces.values():
            if peer_link.value in (port.name, port.lag):
                put(port, peer_link=Value(True, peer_link.position))


def _cables(space: Namespace, device: Device) -> None:
    for row in space.rows("CABLE_LENGTH").values():
        for name in row.fields():
            length = row.convert(name, _metres, "a length such as 40m")
            port = device.interfaces.get(name)
            if port is None and "PORT" not in space:
                port = port_of(space, device, name, row)
            if port is not None:
                put(port, cable_m=length)


def _metres(text: str) -> float:
    found = _CABLE.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return decimal_of(found[1])


def _neighbors(space: Namespace, device: Device) -> None:
    """DEVICE_NEIGHBOR, keyed by local port, or in older files by the neighbour's name."""
    for row in space.rows("DEVICE_NEIGHBOR").values():
        local = row.text("local_port")
        name = row.text("name")
        port = device.interfaces.get(local.value or row.key)
        peer = name.value or (row.key if local.value else None)
        if port is None or not peer:
            continue
        peer_port = row.text("port")
        facts = space.rows("DEVICE_NEIGHBOR_METADATA").get(peer)
        kind = facts.text("type") if facts is not None else row.text("type")
        names: tuple[str, ...] = (peer_port.value,) if peer_port.value else ()
        neighbor = space.reading.build(
            Neighbor,
            row.position,
            device=Value(peer, name.position or row.position),
            names=Value(names, peer_port.position),
            planned=True,
            by="DEVICE_NEIGHBOR",
            is_host=kind.map(lambda word: False if word.endswith("Router") else HOSTS.get(word)),
        )
        port.neighbors += (neighbor,)


def role(space: Namespace) -> Value[Role]:
    """Role of the device by its `type`.

    The names come from a fabric of three tiers: ToRRouter, LeafRouter, SpineRouter. LeafRouter is
    also the factory default of every router, so it counts as second tier only next to a stated
    ToRRouter. SpineRouter is the tier above the leaves in one site and the next one in another,
    which only the links show.
    """
    stated = space.metadata.text("type")
    if stated.value not in _LEAF_TYPES:
        return stated.map(ROLES.get)
    around = (facts.text("type") for facts in space.rows("DEVICE_NEIGHBOR_METADATA").values())
    below = any(ROLES.get(kind.value or "") is Role.LEAF for kind in around)
    return Value(Role.SPINE if below else None, stated.position)

"""Builds the Device of a SONiC switch, its BGP sessions included, from the tables of its files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from roce_lint.model.device import Device, Limits, NoteKind
from roce_lint.model.interface import Detour, Interface, InterfaceKind, Tunnel
from roce_lint.model.qos import CodeMap
from roce_lint.model.routing import Balancing, BgpSession, Routing
from roce_lint.nos.declare import Default
from roce_lint.nos.port_vlans import is_ipv6
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.sonic import defaults
from roce_lint.nos.sonic.access import read_access_lists
from roce_lint.nos.sonic.buffers import read_buffers, read_groups, read_lookup
from roce_lint.nos.sonic.maps import DSCP_TC, TC_DSCP, TC_GROUP, TC_QUEUE, Maps, read_maps
from roce_lint.nos.sonic.port_qos import read_port_qos
from roce_lint.nos.sonic.ports import ABOVE_LEAVES, port_of, read_ports, role, vlan_number
from roce_lint.nos.sonic.queues import read_queues
from roce_lint.nos.sonic.tables import (
    BUFFER_TABLES,
    CONFIG,
    NOTE_LENGTH,
    QOS_TABLES,
    RENAMED,
    TABLES,
    Namespace,
    Row,
    state,
)
from roce_lint.nos.trees import TreeReader
from roce_lint.text.numbers import whole_of

# `BGP_NEIGHBOR`: BGP sessions, and properties of the generated daemon configuration.

TABLE = "BGP_NEIGHBOR"

OTHERS = ("STATIC_ROUTE", "OSPFV2_ROUTER", "BGP_PEER_RANGE", "BGP_GLOBALS_LISTEN_PREFIX")
"""Tables of routes other than BGP, and of peers without a name."""


BY_TYPE: dict[str, Default] = {
    "ToRRouter": defaults.OWN_AS_AT_TOR,
    "SpineRouter": defaults.NO_OWN_AS,
}
"""Occurrences of the own AS allowed in a path, by device `type`; not determined by this table for
other types."""


def read_bgp(space: Namespace, device: Device) -> None:
    """Add the sessions of one namespace. The keys are `ADDRESS`, `VRF|ADDRESS` in later releases.

    Filters are route maps in other files: whether they accept a route is unknown.
    """
    rows = space.rows(TABLE)
    if not rows:
        if _is_split(space) and space.rows("DEVICE_METADATA"):  # the daemon may have some
            device.routing = device.routing or space.reading.build(Routing)
        return
    own_as = _own_as(space)
    for key, row in rows.items():
        vrf, _, address = key.rpartition("|")
        if device.routing is None:
            device.routing = space.reading.build(Routing, row.position)
            if not (_is_split(space) or any(space.rows(table) for table in OTHERS)):
                device.routing.complete = device.routing.only_bgp = True
        asn = row.integer("asn", 0, HIGHEST_ASN).map(lambda number: number or None)
        row.text("local_addr")
        if own := row.text("local_asn"):
            device.routing.complete = None
        if row.text("admin_status").value == "down" or own:
            continue
        name = f"{vrf} {address}" if vrf not in ("", "default") else address
        device.routing.sessions[name] = space.reading.build(
            BgpSession, row.position, peer=address, asn=asn, own_as_allowed=own_as
        )


def read_hash(space: Namespace, device: Device) -> None:
    """Hash fields of equal-cost paths (`SWITCH_HASH`, sonic-hash.yang)."""
    row = space.rows("SWITCH_HASH").get("GLOBAL")
    if row is None:
        return
    fields = row.strings("ecmp_hash")
    if fields.value:
        ports = fields.map(lambda names: any(name.startswith("L4_") for name in names))
        device.balancing = space.reading.build(Balancing, row.position, l4_ports=ports)


def _own_as(space: Namespace) -> Value[int]:
    """AS in the templates of the routing daemon's configuration."""
    row = space.rows("DEVICE_METADATA").get("localhost")
    if row is None or _is_split(space):
        return ABSENT
    default = BY_TYPE.get(row.text("type").value or "")
    return space.reading.default(default) if default is not None else ABSENT


def _is_split(space: Namespace) -> bool:
    """True if the daemon has a separate configuration, or if that is unknown."""
    row = space.rows("DEVICE_METADATA").get("localhost")
    return row is None or (row.text("docker_routing_config_mode").value or "").startswith("split")


# Tables of a device's files: nested or flat, of one ASIC or of several.

_NEW_REFERENCES = (3, 0, 3)
_NEW_WORDS = (3, 0, 1)
"""Versions with bare names as references; digits alone are not a name (docs/nos/sonic.md)."""

_DUMPED = frozenset(("expireat", "ttl", "type", "value"))
"""Members of a key in sonic-db-dump output, as in `show techsupport`."""

_NAMESPACE = re.compile(r"localhost|asic\d{1,3}")
_VERSION = re.compile(r"version_(\d{1,6})_(\d{1,6})(?:_(\d{1,6}))?", re.ASCII)


def namespaces(reading: Reading) -> list[Namespace]:
    """The tables of all files of a device, one Namespace per ASIC."""
    found: list[tuple[str, TreeReader]] = []
    for entry in reading[CONFIG]:
        root = TreeReader(reading, entry)
        if not isinstance(root.data, dict):
            continue
        found += _roots(root, entry.args.get("asic") or "")
    names = {name for name, _ in found if name}
    several = len(names) > 1
    by_name: dict[str, Namespace] = {}
    for name, root in found:
        kept = name if several else ""
        space = by_name.setdefault(kept, Namespace(reading, kept, several))
        _add(space, root)
    for space in by_name.values():
        version = _version(space)
        space.old_references = version < _NEW_REFERENCES
        space.old_words = version < _NEW_WORDS
    return list(by_name.values())


def _roots(root: TreeReader, asic: str) -> Iterator[tuple[str, TreeReader]]:
    """Objects that hold tables: the root itself, or one per namespace below it."""
    if root.data and all(_NAMESPACE.fullmatch(str(key)) for key in root.data):
        for key in root.data:
            yield ("" if key == "localhost" else key), root.get(key)
        return
    if not asic:
        metadata = root.data.get("DEVICE_METADATA|localhost")
        if metadata is None:
            metadata = root.get("DEVICE_METADATA", "localhost").data
        named = metadata.get("asic_name") if isinstance(metadata, dict) else None
        asic = named if isinstance(named, str) else ""
    yield (f"asic{asic}" if asic.isdigit() else asic.lower()), root


def _add(space: Namespace, root: TreeReader) -> None:
    if not isinstance(root.data, dict):
        return
    for raw in root.data:
        table, bar, key = str(raw).partition("|")
        table = RENAMED.get(table, table)
        if table not in _CLAIMED:
            continue
        node = root.get(raw)
        if bar:
            _add_row(space, table, key, node)
        elif isinstance(node.data, dict):
            space.tables.setdefault(table, {})
            node.exists()
            for name, row in node.items():
                _add_row(space, table, str(name), row)
        else:
            space.reading.note(NoteKind.BAD_VALUE, f"{table}: no table of rows", node.position)


def _add_row(space: Namespace, table: str, key: str, node: TreeReader) -> None:
    if not isinstance(node.data, dict):
        message = f"{table}|{key}: {type(node.data).__name__} where fields belong"
        space.reading.note(NoteKind.BAD_VALUE, message[:NOTE_LENGTH], node.position)
        return
    node.exists()
    node = _value(node)
    rows = space.tables.setdefault(table, {})
    if key in rows:
        rows[key].parts.append(node)
    else:
        rows[key] = Row(table, key, node)


def _value(node: TreeReader) -> TreeReader:
    """The row, unwrapped if a database dump added Redis metadata around it."""
    if node.data.get("type") != "hash" or not _DUMPED.issuperset(map(str, node.data)):
        return node
    value = node.get("value")
    if not isinstance(value.data, dict):
        return node
    for key in ("expireat", "ttl", "type"):
        node.text(key)
    value.exists()
    return value


def _version(space: Namespace) -> tuple[int, ...]:
    """Version of the database; (0,) if not stated."""
    row = space.rows("VERSIONS").get("DATABASE")
    text = row.text("VERSION").value if row is not None else None
    found = _VERSION.match(text or "")
    return tuple(whole_of(part or "0") for part in found.groups()) if found else (0,)


# The device.

_CLAIMED = frozenset(TABLES)


HIGHEST_ASN = (1 << 32) - 1

LIMITS = Limits(
    stock_pfc_priorities=frozenset({3, 4}),
    watchdog_polling_ms=(100, 3000),
    watchdog_detection_ms=(100, 5000),
    watchdog_restoration_ms=(100, 60_000),
    watchdog_polls=1,
)
"""Priorities of the stock qos_config.j2, and time limits of sonic-pfcwd.yang, whose longest polling
interval is 1000 ms; that of Enterprise SONiC is used."""

REMAPPED = ("AZURE_UPLINK", frozenset({2, 3, 4, 6}))
"""DSCP map of the stock qos_config.j2 with tunnel remapping, and its PFC priorities: traffic that a
standby ToR returns uses 2 and 6."""

_PORT_TABLES = ("PORT_QOS_MAP", "QUEUE", "BUFFER_QUEUE", "BUFFER_PG", "PFC_WD")

FROM_CLASS = "from-tc"
TRIMMING_ASIDE = ("size", "tc_value", "queue_index")
"""Other settings of trimming: remaining size of a packet, and its queue on this switch."""

OTHER_SWITCH = "the other switch"
"""Name of the switch at the other end of a shared cable, if no table names it."""

TUNNEL_MAPS = {
    "decap_dscp_to_tc_map": DSCP_TC,
    "decap_tc_to_pg_map": TC_GROUP,
    "encap_tc_to_dscp_map": TC_DSCP,
    "encap_tc_to_queue_map": TC_QUEUE,
}


def normalize(reading: Reading) -> Device:
    """Make the Device of one switch; a multi-ASIC chassis is one device."""
    device = reading.build(Device, hostname=reading.hostname, nos=reading.nos)
    read_lookup(reading, device)
    spaces = namespaces(reading)
    device.partial = not any("PORT" in space for space in spaces)
    device.system.src = reading.src
    if spaces:
        device.limits = LIMITS
    for space in spaces:
        _identity(space, device)
        _read(space, device)
        if REMAPPED[0] in space.rows("DSCP_TO_TC_MAP"):
            device.limits = replace(LIMITS, stock_pfc_priorities=REMAPPED[1])
    if spaces:
        device.system.has_qos = any(table in s for s in spaces for table in QOS_TABLES)
    return device


def _read(space: Namespace, device: Device) -> None:
    read_ports(space, device)
    if "PORT" not in space:
        for table in _PORT_TABLES:
            for name, _, row in space.port_rows(table):
                port_of(space, device, name, row)
    maps = read_maps(space, device)
    profiles = read_buffers(space, device)
    if any(table in space for table in (*QOS_TABLES, *BUFFER_TABLES)):
        read_port_qos(space, device, maps)
        read_queues(space, device, profiles)
        read_groups(space, device, profiles)
    read_access_lists(space, device)
    _tunnels(space, device, maps)
    _overlays(space, device)
    _shared_cables(space, device)
    read_bgp(space, device)
    read_hash(space, device)
    _trimming(space, device)


def _trimming(space: Namespace, device: Device) -> None:
    """DSCP of trimmed packets (`SWITCH_TRIMMING`); `from-tc` uses that of a class."""
    row = space.rows("SWITCH_TRIMMING").get("GLOBAL")
    if row is None:
        return
    state(device.system, "trimming", Value(True, row.position))
    for name in TRIMMING_ASIDE:
        row.text(name)
    if row.text("dscp_value").value not in (None, FROM_CLASS):
        dscp = row.integer("dscp_value", 0, 63)
        if dscp.value is not None:
            state(device.system, "trim_dscp", dscp)


def _identity(space: Namespace, device: Device) -> None:
    row = space.rows("DEVICE_METADATA").get("localhost")
    if row is None:
        return
    device.at.setdefault("", row.position)
    stated = row.text("hostname")
    if stated.position:
        device.at.setdefault("hostname", stated.position)
    state(device, "model", row.text("hwsku").map(lambda text: text or None))
    asn = row.text("bgp_asn")
    if asn.value not in (None, "None", "none", "null"):
        state(device, "asn", row.integer("bgp_asn", 1, HIGHEST_ASN))
    if (row.text("type").value or "") in ABOVE_LEAVES:
        state(device, "above_leaves", row.text("type").map(lambda _: True))
    found = role(space)
    state(device, "role", Value(device.role, 0) if device.role is not None else found)


def _tunnels(space: Namespace, device: Device, maps: Maps) -> None:
    """Tunnels with their maps; one with all of them is that of a dual-ToR pair."""
    for row in space.rows("TUNNEL").values():
        space.define("tunnel", row, matters=False)
        found: dict[str, CodeMap] = {}
        for name, table in TUNNEL_MAPS.items():
            known = maps.get(table, space.refer(row, name, table.kind).value)
            if known is not None:
                found[name] = known
        if len(found) < len(TUNNEL_MAPS):
            continue
        detour = space.reading.build(
            Detour,
            row.position,
            tc_to_dscp=found["encap_tc_to_dscp_map"],
            tc_to_queue=found["encap_tc_to_queue_map"],
            dscp_to_tc=found["decap_dscp_to_tc_map"],
            tc_to_pg=found["decap_tc_to_pg_map"],
        )
        device.interfaces[row.key] = space.reading.build(
            Interface,
            row.position,
            name=row.key,
            kind=InterfaceKind.TUNNEL,
            tunnel=space.reading.build(Tunnel, row.position, vlans=frozenset(), detour=detour),
        )


def _overlays(space: Namespace, device: Device) -> None:
    """VXLAN tunnel endpoints with their VLANs; no table states their DSCP."""
    numbered = {name: vlan_number(row) for name, row in space.rows("VLAN").items()}
    sources = {name: row.text("src_ip") for name, row in space.rows("VXLAN_TUNNEL").items()}
    for row in space.rows("VXLAN_TUNNEL_MAP").values():
        name = row.key.partition("|")[0]
        number = numbered.get(row.text("vlan").value or "")
        end = device.interfaces.get(name)
        if end is None:
            end = space.reading.build(
                Interface,
                row.position,
                name=name,
                kind=InterfaceKind.TUNNEL,
                tunnel=space.reading.build(
                    Tunnel,
                    row.position,
                    vlans=frozenset(),
                    outer_ipv6=sources.get(name, ABSENT).map(is_ipv6),
                ),
            )
            device.interfaces[name] = end
        if end.tunnel is not None and number is not None:
            end.tunnel.vlans = (end.tunnel.vlans or frozenset()) | {number}
            end.tunnel.at.setdefault("vlans", row.position)


def _shared_cables(space: Namespace, device: Device) -> None:
    """Ports of a dual-ToR pair: the cable also leads to the peer switch."""
    peers = list(space.rows("PEER_SWITCH"))
    for name, _, row in space.port_rows("MUX_CABLE"):
        port = device.interfaces.get(name)
        if port is not None:
            row.text("state")
            port.shared_with = peers[0] if len(peers) == 1 else OTHER_SWITCH
            port.at["shared_with"] = row.position

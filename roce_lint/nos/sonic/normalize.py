"""Builds the Device of a SONiC switch, its BGP sessions included, from the tables of its files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from roce_lint.model.device import Device, Limits
from roce_lint.model.interface import Detour, Interface, Tunnel
from roce_lint.model.qos import CodeMap
from roce_lint.model.routing import Balancing, BgpSession, Routing
from roce_lint.nos.bgp import MOST_PATHS, Peer, Peers
from roce_lint.nos.declare import Default
from roce_lint.nos.port_vlans import end_of_tunnels, is_ipv6
from roce_lint.nos.reading import ABSENT, Reading, Value, put
from roce_lint.nos.sonic import defaults, tables
from roce_lint.nos.sonic.access import read_access_lists
from roce_lint.nos.sonic.buffers import read_buffers, read_groups, read_lookup
from roce_lint.nos.sonic.maps import DSCP_TC, TC_DSCP, TC_GROUP, TC_QUEUE, Maps, read_maps
from roce_lint.nos.sonic.port_qos import read_port_qos
from roce_lint.nos.sonic.ports import (
    ABOVE_LEAVES,
    TRUTHS,
    UP,
    port_of,
    read_ports,
    role,
    vlan_number,
)
from roce_lint.nos.sonic.queues import read_queues
from roce_lint.nos.sonic.tables import Namespace, Row, pass_over
from roce_lint.nos.stanzas import LAST_AS
from roce_lint.nos.trees import TreeReader
from roce_lint.text.numbers import whole_of

# `BGP_NEIGHBOR`: BGP sessions, and properties of the generated daemon configuration.

TABLE = "BGP_NEIGHBOR"

OTHERS = ("STATIC_ROUTE", "OSPFV2_ROUTER", "BGP_PEER_RANGE", "BGP_GLOBALS_LISTEN_PREFIX")
"""Tables of routes other than BGP, and of peers without a name."""


_FIRST = re.compile(r"Loopback0\|\d+\.")
IP = ("ipv4", "ipv6")

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
    if _is_managed(space):
        _read_managed(space, device)
        return
    rows = space.rows(TABLE)
    if not rows:
        if _is_split(space) and space.rows("DEVICE_METADATA"):  # the daemon may have some
            device.routing = device.routing or space.reading.build(Routing)
        return
    default = None if _is_split(space) else BY_TYPE.get(space.metadata.text("type").value or "")
    own_as = space.reading.default(default) if default is not None else ABSENT
    router_id = _router_id(space)
    for key, row in rows.items():
        vrf, _, address = key.rpartition("|")
        if device.routing is None:
            device.routing = space.reading.build(Routing, row.position, router_id=router_id)
            if not (_is_split(space) or any(space.rows(table) for table in OTHERS)):
                device.routing.complete = device.routing.only_bgp = True
        asn = row.integer("asn", 0, LAST_AS).map(lambda number: number or None)
        if own := row.text("local_asn"):
            device.routing.complete = None
        if row.text("admin_status").value == "down" or own:
            continue
        name = f"{vrf} {address}" if vrf not in ("", "default") else address
        device.routing.sessions[name] = space.reading.build(
            BgpSession, row.position, peer=address, asn=asn, own_as_allowed=own_as
        )


def _read_managed(space: Namespace, device: Device) -> None:
    """Add BGP of the management framework, whose rows are lines of the routing daemon."""
    peers = Peers(space.reading.default(defaults.NO_OWN_AS))
    own = space.row("BGP_GLOBALS", "default")
    put(device, asn=own.integer("local_asn", 1, LAST_AS))
    peers.router_id = own.text("router_id")
    _read_peers(space, peers, own)
    families = [space.row("BGP_GLOBALS_AF", f"default|{name}_unicast") for name in IP]
    paths = [row.integer("max_ebgp_paths", 1, MOST_PATHS) for row in families]
    peers.max_paths = next(filter(None, paths), ABSENT)
    for row in space.rows("ROUTE_REDISTRIBUTE").values():
        vrf, source, *into = row.key.split("|")
        if vrf == "default" and into[:1] == ["bgp"]:
            peers.announce([Value(f"redistribute {source}", row.position)])
    for table in ("BGP_GLOBALS_AF_NETWORK", "BGP_GLOBALS_AF_AGGREGATE_ADDR"):
        own_keys = (key for key in space.rows(table) if key.startswith("default|"))
        peers.announced += [key.rpartition("|")[2] for key in own_keys]
    peers.dynamic = bool(space.rows("BGP_GLOBALS_LISTEN_PREFIX"))
    peers.only_bgp = not any(space.rows(table) for table in OTHERS)
    if own.parts or peers.peers:
        made = peers.routing(space.reading, own.position, whole=not device.partial)
        device.routing = device.routing or made
        device.routing.sessions |= made.sessions


def _read_peers(space: Namespace, peers: Peers, own: Row) -> None:
    """Neighbours and groups with their active address families.

    Without a route map the daemon exchanges no routes with another AS (RFC 8212).
    """
    active = set()
    for kind in ("BGP_PEER_GROUP", TABLE):
        for key, row in space.rows(kind).items():
            vrf, bar, name = key.partition("|")
            if not bar:  # a row for the templates
                pass_over(row)
                continue
            full, vrf = f"{vrf} {name}", "" if vrf == "default" else vrf
            begin, neighbour = row.position, kind == TABLE
            peer = peers.peer(vrf, name, begin) if neighbour else peers.group(full, begin)
            _read_peer(peer, row)
            for family in IP:
                if _read_family(space, peer, space.row(f"{kind}_AF", f"{key}|{family}_unicast")):
                    active.add(full)
    required = own.one_of("ebgp_requires_policy", TRUTHS)
    everyone = own.one_of("default_ipv4_unicast", TRUTHS).value
    for (vrf, name), peer in peers.peers.items():
        whole = peer.over(peers.groups.get(peer.group))
        peer.shut |= not everyone and active.isdisjoint((f"{vrf or 'default'} {name}", peer.group))
        peer.filtered_in = whole.filtered_in.or_else(required).or_else(Value(True))
        peer.filtered_out = whole.filtered_out.or_else(required).or_else(Value(True))


def _read_peer(peer: Peer, row: Row) -> None:
    peer.asn = row.integer("asn", 0, LAST_AS).map(lambda number: number or None)
    peer.unknown = bool(row.text("local_asn"))
    peer.shut = not row.one_of("admin_status", UP).or_else(Value(True)).value
    group = row.text("peer_group_name").value
    peer.group = f"{row.key.partition('|')[0]} {group}" if group else ""


def _read_family(space: Namespace, peer: Peer, row: Row) -> bool:
    """Read an address family of a neighbour or group; True if it is active."""
    peer.filtered_in = _filtered(space, row, "in").or_else(peer.filtered_in)
    peer.filtered_out = _filtered(space, row, "out").or_else(peer.filtered_out)
    peer.default_route |= bool(row.one_of("send_default_route", TRUTHS).value)
    if row.one_of("allow_as_in", TRUTHS).value:
        peer.own_as = row.integer("allow_as_count", 1, 10)
        peer.own_as_unclear = not peer.own_as
    return bool(row.one_of("admin_status", UP).value)


def _filtered(space: Namespace, row: Row, way: str) -> Value[bool]:
    """Whether a policy decides about routes; a route map that permits each of them does not."""
    lists = row.text(f"prefix_list_{way}").or_else(row.text(f"filter_list_{way}"))
    named = row.strings(f"route_map_{way}")
    maps = [f"{name}|" for name in named.value or ()]
    terms = [term for key, term in space.rows("ROUTE_MAP").items() if key.startswith(tuple(maps))]
    passes = [term.fields() == ["route_operation"] for term in terms] == [True]
    passes = passes and terms[0].text("route_operation").value == "permit"
    return lists.map(lambda _: True).or_else(named.map(lambda _: not passes))


def _router_id(space: Namespace) -> Value[str]:
    """Router id in the daemon's template: the stated one, or the IPv4 address of Loopback0."""
    if _is_split(space):
        return ABSENT
    stated = space.metadata.text("bgp_router_id")
    own = (row for key, row in space.rows("LOOPBACK_INTERFACE").items() if _FIRST.match(key))
    first = next(own, None)
    if stated.value or first is None:
        return stated
    return Value(first.key.partition("|")[2].partition("/")[0], first.position)


def read_hash(space: Namespace, device: Device) -> None:
    """Hash fields of equal-cost paths (`SWITCH_HASH`, sonic-hash.yang)."""
    row = space.row("SWITCH_HASH", "GLOBAL")
    fields = row.strings("ecmp_hash")
    if fields.value:
        ports = fields.map(lambda names: any(name.startswith("L4_") for name in names))
        device.balancing = space.reading.build(Balancing, row.position, l4_ports=ports)


def _is_split(space: Namespace) -> bool:
    """True if the daemon has a separate configuration, or if that is unknown."""
    row = space.metadata
    return not row.parts or (row.text("docker_routing_config_mode").value or "").startswith("split")


def _is_managed(space: Namespace) -> bool:
    """True if the management framework configures the daemon, in place of the templates."""
    on = space.metadata.one_of("frr_mgmt_framework_config", TRUTHS).value
    return bool(on) and not _is_split(space)


# Tables of a device's files: nested or flat, of one ASIC or of several.

_NEW_REFERENCES = (3, 0, 3)
_NEW_WORDS = (3, 0, 1)
"""Versions with bare names as references; digits alone are not a name (docs/nos/sonic.md)."""

_DUMPED = frozenset(("expireat", "ttl", "type", "value"))
"""Members of a key in sonic-db-dump output, as in `show techsupport`."""

_NAMESPACE = re.compile(r"localhost|asic\d{1,3}")
_CLAIMED = frozenset(tables.TABLES)
_VERSION = re.compile(r"version_(\d{1,6})_(\d{1,6})(?:_(\d{1,6}))?", re.ASCII)


def namespaces(reading: Reading) -> list[Namespace]:
    """The tables of all files of a device, one Namespace per ASIC."""
    found: list[tuple[str, TreeReader]] = []
    for entry in reading[tables.CONFIG]:
        root = TreeReader(reading, entry)
        if isinstance(root.data, dict):
            found += _roots(root, entry.args.get("asic") or "")
    names = {name for name, _ in found if name}
    several = len(names) > 1
    by_name: dict[str, Namespace] = {}
    for name, root in found:
        kept = name if several else ""
        _add(by_name.setdefault(kept, Namespace(reading, kept, several)), root)
    for space in by_name.values():
        stated = space.row("VERSIONS", "DATABASE").text("VERSION").value or ""
        found_version = _VERSION.match(stated)
        version = tuple(whole_of(n or "0") for n in found_version.groups()) if found_version else ()
        space.old_references = version < _NEW_REFERENCES
        space.old_words = version < _NEW_WORDS
    return list(by_name.values())


def has_namespaces(root: Any) -> bool:
    """Whether a document has an object of tables for each ASIC."""
    return bool(root) and all(_NAMESPACE.fullmatch(str(key)) for key in root)


def _roots(root: TreeReader, asic: str) -> Iterator[tuple[str, TreeReader]]:
    """Objects that hold tables: the root itself, or one per namespace below it."""
    if has_namespaces(root.data):
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
        table = tables.RENAMED.get(table, table)
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
            space.reading.bad(f"{table}: no table of rows", node.position)


def _add_row(space: Namespace, table: str, key: str, node: TreeReader) -> None:
    if not isinstance(node.data, dict):
        message = f"{table}|{key}: {type(node.data).__name__} where fields belong"
        space.reading.bad(message[: tables.NOTE_LENGTH], node.position)
        return
    node.exists()
    node = _value(node)
    space.tables.setdefault(table, {}).setdefault(key, Row(table, key)).parts.append(node)


def is_dumped(row: Any) -> bool:
    """Whether a database dump added Redis metadata around a row."""
    plain = not isinstance(row, dict) or row.get("type") != "hash"
    return not plain and _DUMPED.issuperset(row) and isinstance(row.get("value"), dict)


def _value(node: TreeReader) -> TreeReader:
    """The row, unwrapped if a database dump added Redis metadata around it."""
    if not is_dumped(node.data):
        return node
    value = node.get("value")
    for key in ("expireat", "ttl", "type"):
        node.text(key)
    value.exists()
    return value


# The device.

LIMITS = Limits(
    stock_pfc_priorities=frozenset({3, 4}),
    watchdog_polling_ms=(100, 3000),
    watchdog_detection_ms=(100, 5000),
    watchdog_start_ms=200,
    watchdog_restoration_ms=(100, 60_000),
    watchdog_polls=1,
)
"""Priorities of the stock qos_config.j2, time limits of sonic-pfcwd.yang, whose longest polling
interval is 1000 ms; that of Enterprise SONiC is used; and the time of `pfcwd start_default`."""

REMAPPED = ("AZURE_UPLINK", frozenset({2, 3, 4, 6}))
"""DSCP map of the stock qos_config.j2 with tunnel remapping, and its PFC priorities: traffic that a
standby ToR returns uses 2 and 6."""

_PORT_TABLES = ("PORT_QOS_MAP", "QUEUE", "BUFFER_QUEUE", "BUFFER_PG", "PFC_WD")


TUNNEL_MAPS = {
    "decap_dscp_to_tc_map": ("dscp_to_tc", DSCP_TC),
    "decap_tc_to_pg_map": ("tc_to_pg", TC_GROUP),
    "encap_tc_to_dscp_map": ("tc_to_dscp", TC_DSCP),
    "encap_tc_to_queue_map": ("tc_to_queue", TC_QUEUE),
}
"""Fields of a tunnel, each with its field of `Detour` and the table that it refers to."""


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
        device.system.has_qos = any(table in s for s in spaces for table in tables.QOS_TABLES)
    return device


def _read(space: Namespace, device: Device) -> None:
    read_ports(space, device)
    if "PORT" not in space:
        for table in _PORT_TABLES:
            for name, _, row in space.port_rows(table):
                port_of(space, device, name, row)
    maps = read_maps(space, device)
    profiles = read_buffers(space, device)
    if any(table in space for table in (*tables.QOS_TABLES, *tables.BUFFER_TABLES)):
        read_port_qos(space, device, maps)
        read_queues(space, device, profiles)
        read_groups(space, device, profiles)
    read_access_lists(space, device)
    _tunnels(space, device, maps)
    _overlays(space, device)
    _shared_cables(space, device)
    read_bgp(space, device)
    read_hash(space, device)
    for row in space.rows("FEATURE").values():
        pass_over(row)
    if "PORT" in space:
        cited = space.reading.default(defaults.FORWARDS).position
        put(device, forwards=Value(frozenset({"ipv4", "ipv6"}), cited))
        lldp = space.row("FEATURE", "lldp").text("state").map(lambda word: word != "disabled")
        put(device, lldp=lldp.or_else(space.reading.default(defaults.LLDP_ON)))
    _trimming(space, device)


def _trimming(space: Namespace, device: Device) -> None:
    """DSCP of trimmed packets (`SWITCH_TRIMMING`); `from-tc` uses that of a class."""
    row = space.row("SWITCH_TRIMMING", "GLOBAL")
    if not row.parts:
        return
    put(device.system, trimming=Value(True, row.position))
    for name in ("size", "tc_value", "queue_index"):  # of a trimmed packet on this switch
        row.text(name)
    if row.text("dscp_value").value not in (None, "from-tc"):
        put(device.system, trim_dscp=row.integer("dscp_value", 0, 63))


def _identity(space: Namespace, device: Device) -> None:
    row = space.metadata
    if not row.parts:
        return
    device.at.setdefault("", row.position)
    stated = row.text("hostname")
    if stated.position:
        device.at.setdefault("hostname", stated.position)
    put(device, model=row.text("hwsku").map(lambda text: text or None))
    asn = row.text("bgp_asn")
    if asn.value not in (None, "None", "none", "null") and not _is_managed(space):
        put(device, asn=row.integer("bgp_asn", 1, LAST_AS))
    if (row.text("type").value or "") in ABOVE_LEAVES:
        put(device, above_leaves=row.text("type").map(lambda _: True))
    found = role(space)
    put(device, role=Value(device.role, 0) if device.role is not None else found)


def _tunnels(space: Namespace, device: Device, maps: Maps) -> None:
    """Tunnels with their maps; one with all of them is that of a dual-ToR pair."""
    for row in space.rows("TUNNEL").values():
        space.define("tunnel", row, matters=False)
        found: dict[str, CodeMap] = {}
        for name, (field, table) in TUNNEL_MAPS.items():
            known = maps.get(table, space.refer(row, name, table.kind).value)
            if known is not None:
                found[field] = known
        if len(found) == len(TUNNEL_MAPS):
            detour = space.reading.build(Detour, row.position, **found)
            _tunnel(space, device, row, row.key, detour=detour)


def _tunnel(space: Namespace, device: Device, row: Row, name: str, **fields: Any) -> Interface:
    """Add an endpoint without VLANs."""
    tunnel = space.reading.build(Tunnel, row.position, vlans=frozenset(), **fields)
    made = end_of_tunnels(space.reading, row.position, name, tunnel)
    device.interfaces[name] = made
    return made


def _overlays(space: Namespace, device: Device) -> None:
    """VXLAN tunnel endpoints with their VLANs; no table states their DSCP."""
    numbered = {name: vlan_number(row) for name, row in space.rows("VLAN").items()}
    sources = {name: row.text("src_ip") for name, row in space.rows("VXLAN_TUNNEL").items()}
    for row in space.rows("VXLAN_TUNNEL_MAP").values():
        name = row.key.partition("|")[0]
        number = numbered.get(row.text("vlan").value or "")
        end = device.interfaces.get(name)
        if end is None:
            outer = sources.get(name, ABSENT).map(is_ipv6)
            end = _tunnel(space, device, row, name, outer_ipv6=outer)
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
            port.shared_with = peers[0] if len(peers) == 1 else "the other switch"
            port.at["shared_with"] = row.position

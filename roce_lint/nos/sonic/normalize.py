"""What the files of a SONiC switch mean, in the terms of the model."""

from __future__ import annotations

from dataclasses import replace

from roce_lint.model.device import Device, Limits
from roce_lint.model.interface import Detour, Interface, InterfaceKind, Tunnel
from roce_lint.model.qos import CodeMap
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.segments import is_ipv6
from roce_lint.nos.sonic.access import read_access_lists
from roce_lint.nos.sonic.buffers import read_buffers, read_groups, read_lookup
from roce_lint.nos.sonic.maps import DSCP_TC, TC_DSCP, TC_GROUP, TC_QUEUE, Maps, read_maps
from roce_lint.nos.sonic.namespaces import namespaces
from roce_lint.nos.sonic.port_qos import read_port_qos
from roce_lint.nos.sonic.ports import ABOVE_LEAVES, port_of, read_ports, role, vlan_number
from roce_lint.nos.sonic.queues import read_queues
from roce_lint.nos.sonic.routing import read_bgp, read_hash
from roce_lint.nos.sonic.tables import (
    BUFFER_TABLES,
    QOS_TABLES,
    Namespace,
    state,
)

HIGHEST_ASN = (1 << 32) - 1

LIMITS = Limits(
    stock_pfc_priorities=frozenset({3, 4}),
    watchdog_polling_ms=(100, 3000),
    watchdog_detection_ms=(100, 5000),
    watchdog_restoration_ms=(100, 60_000),
    watchdog_polls=1,
)
"""Priorities of the stock qos_config.j2, and times that sonic-pfcwd.yang takes. The longest polling
interval is that of Enterprise SONiC; the community's model ends at 1000 ms."""

REMAPPED = ("AZURE_UPLINK", frozenset({2, 3, 4, 6}))
"""DSCP map of the stock qos_config.j2 with tunnel remapping, and the priorities it pauses then:
what a standby ToR sends back through the tunnel travels as 2 and 6."""

_PORT_TABLES = ("PORT_QOS_MAP", "QUEUE", "BUFFER_QUEUE", "BUFFER_PG", "PFC_WD")

FROM_CLASS = "from-tc"
TRIMMING_ASIDE = ("size", "tc_value", "queue_index")
"""What else is said of trimming: how much is left of a packet, and its queue on this switch."""

OTHER_SWITCH = "the other switch"
"""Stands for the switch at the other end of a shared cable, where no table names it."""

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
    """The code point of trimmed packets (`SWITCH_TRIMMING`); `from-tc` takes that of a class."""
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
    """Tunnels with the maps they refer to. One that has all of them is that of a dual-ToR pair."""
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
    """The ends of VXLAN tunnels with the VLANs they carry; which DSCP they write, no table says."""
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
    """Ports of a dual-ToR pair: the cable goes to the peer switch too."""
    peers = list(space.rows("PEER_SWITCH"))
    for name, _, row in space.port_rows("MUX_CABLE"):
        port = device.interfaces.get(name)
        if port is not None:
            row.text("state")
            port.shared_with = peers[0] if len(peers) == 1 else OTHER_SWITCH
            port.at["shared_with"] = row.position

"""The tables of config_db.json that tell a SONiC switch what is wished of it.

They hold what an intent states. What the image brings along for its hardware (lanes, aliases and
indexes of ports, sizes of pools, the MAC address) is not in them: a row is laid over the row of
the same key that the switch has. docs/nos/sonic.md has the sources of names and units.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roce_lint.errors import RenderError
from roce_lint.model.device import Device, Role
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.qos import HeadroomModel
from roce_lint.nos.base import WHOLE, RenderedFiles, RenderRequest
from roce_lint.nos.port_vlans import is_ipv6
from roce_lint.nos.render import json_text
from roce_lint.nos.selection import whole
from roce_lint.nos.sonic import render_qos
from roce_lint.nos.sonic.render_tables import Tables

MBPS = 1000
"""Megabits in a gigabit: PORT states speeds in Mb/s."""

TYPES = {
    Role.LEAF: "LeafRouter",
    Role.SPINE: "SpineRouter",
    Role.SUPERSPINE: "SpineRouter",
}
"""The `type` by which the routing daemon's templates know a tier. That of a ToRRouter is not used:
its templates take routes that hold the own AS, which nobody wishes.
"""

ADDRESSES = ("SRC_IP", "DST_IP", "IP_PROTOCOL")
L4_PORTS = ("L4_SRC_PORT", "L4_DST_PORT")


def render(asked: RenderRequest) -> RenderedFiles:
    """`<device>.json`: all tables, or those of QoS and buffers alone.

    Raises:
        RenderError: a wish has a value that no field takes.
    """
    device, tables = asked.device, Tables()
    if asked.part == WHOLE:
        _identity(device, tables)
        _ports(device, tables)
        _sessions(device, tables)
        _hash(device, tables)
    elif device.system.headroom is HeadroomModel.STATIC:
        tables.row("DEVICE_METADATA", "localhost", buffer_model="traditional")
    render_qos.add_qos(device, tables)
    left = tuple(_rest(device)) if asked.part == WHOLE else ()
    return RenderedFiles({f"{device.hostname}.json": json_text(tables.sort())}, left)


def _identity(device: Device, tables: Tables) -> None:
    row: dict[str, Any] = {"hostname": device.hostname}
    if device.model:
        row["hwsku"] = device.model
    if device.role in TYPES:
        row["type"] = TYPES[device.role]
    if device.asn is not None:
        row["bgp_asn"] = str(device.asn)
    if device.system.headroom is HeadroomModel.STATIC:
        row["buffer_model"] = "traditional"
    tables.row("DEVICE_METADATA", "localhost", **row)


def _ports(device: Device, tables: Tables) -> None:
    for port in device.interfaces.values():
        loopback = port.kind is InterfaceKind.LOOPBACK
        table = "LOOPBACK_INTERFACE" if loopback else "INTERFACE"
        if not loopback:
            tables.row("PORT", port.name, **_port(port))
        if loopback or port.routed:
            tables.row(table, port.name)
        for address in port.addresses:
            tables.row(table, f"{port.name}|{address}")


def _port(port: Interface) -> dict[str, str]:
    row = {"admin_status": "down" if port.enabled is False else "up"}
    if port.fec is not None:
        row["fec"] = port.fec.value
    if port.ip_mtu is not None:
        row["mtu"] = str(port.ip_mtu)
    speed = whole(port.speed_gbps * MBPS if port.speed_gbps is not None else None)
    if speed is None:
        raise RenderError(f"{port.name}: PORT takes no row without a speed")
    return row | {"speed": str(speed)}


def _sessions(device: Device, tables: Tables) -> None:
    for session in device.routing.sessions.values() if device.routing is not None else ():
        if is_ipv6(session.peer) is not None and session.asn is not None:
            tables.row("BGP_NEIGHBOR", session.peer, asn=str(session.asn))


def _hash(device: Device, tables: Tables) -> None:
    if device.balancing is not None and device.balancing.l4_ports is not None:
        fields = [*ADDRESSES, *(L4_PORTS if device.balancing.l4_ports else ())]
        tables.row("SWITCH_HASH", "GLOBAL", ecmp_hash=fields)


def _rest(device: Device) -> Iterator[str]:
    """What is wished and stands in no table whose wording is confirmed."""
    routing = device.routing
    if routing is None:
        return
    ports = [session.peer for session in routing.sessions.values() if is_ipv6(session.peer) is None]
    if ports:
        yield f"BGP sessions by port ({len(ports)}): BGP_NEIGHBOR names peers by address"
    if routing.max_paths is not None:
        yield f"{routing.max_paths} paths of BGP: the routing daemon's templates set their number"

"""Devices without a configuration in the folder, known from their neighbours, and device names
shortened for comparison.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container
from functools import lru_cache

from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.interface import Interface, Neighbor

UNREAD = ""
"""Operating system of a device without a configuration."""

_HOST_PORT = re.compile(r"eth\d+|en[opsx]\w+|ib\w*\d+|bond\d+")
"""Names of server network interfaces in Linux; `Eth5` is an alias in SONiC."""

_MAC = re.compile(r"(?:[0-9a-f]{2}[:.-]?){6}|(?:[0-9a-f]{4}[.-]?){3}", re.IGNORECASE)
"""A MAC address: the only port id that NIC firmware sends by LLDP. A switch adds a port name."""


_TOKEN = re.compile(r"[^\s_:,;()\[\]<>|=\"']+")

_LACK = "the configuration of "

Absent = dict[tuple[str, str], Neighbor]
"""Neighbours by port, heard or planned: switches without a configuration."""


def find_absent(fabric: Fabric, *, hosts: bool = False) -> Absent:
    """Ports of switches (or of hosts) that lead to a switch without a configuration.

    Ports with a known link are left out, and those that a server may be behind. A description
    counts if its name is in the series of a known or missing switch.
    """
    known = {short(name) for name in fabric.devices}
    free = _free(fabric, hosts=hosts)
    found = {
        (device.hostname, port.name): neighbor
        for device, port in free
        if (neighbor := _switch_at(fabric, device, port, known)) is not None
    }
    series = {numberless(name) for name, device in fabric.devices.items() if not device.is_host}
    series |= {numberless(neighbor.device) for neighbor in found.values()}
    return found if hosts else found | _described(fabric, free, series, known)


def _free(fabric: Fabric, *, hosts: bool) -> list[tuple[Device, Interface]]:
    """Ports without a known link that have a neighbour, a planned peer or a description."""
    return [
        (device, port)
        for device in fabric.devices.values()
        if device.is_host is hosts
        for port in device.interfaces.values()
        if port.neighbors or port.description or (device.hostname, port.name) in fabric.unread
        if (device.hostname, port.name) not in fabric.by_port
    ]


def _described(
    fabric: Fabric, ports: list[tuple[Device, Interface]], series: set[str], known: Container[str]
) -> Absent:
    """Ports without a neighbour whose description names a device of one of the series."""
    found = {}
    for device, port in ports:
        if port.description and not _neighbors(fabric, device, port):
            names = [*_TOKEN.findall(port.description), *port.description.split()]
            named = (name for name in names if numberless(name) in series)
            name = next((name for name in named if short(name) not in known), None)
            if name is not None and any(map(str.isdigit, name)):
                found[device.hostname, port.name] = Neighbor(
                    device=name, names=(names[-1],), planned=True, by="a description",
                    src=port.src, at={"": port.where("description").position},
                )  # fmt: skip
    return found


def _switch_at(fabric: Fabric, device: Device, port: Interface, known: set[str]) -> Neighbor | None:
    """The first neighbour with a name that is none of a known device, nor a prefix of one."""
    for neighbor in _neighbors(fabric, device, port):
        name = short(neighbor.device)
        cut = neighbor.is_cut and any(each.startswith(name) for each in known)
        if neighbor.device and name not in known and not cut:
            return None if _is_host(neighbor) or not neighbor.names else neighbor
    return None


def _neighbors(fabric: Fabric, device: Device, port: Interface) -> tuple[Neighbor, ...]:
    """Neighbours of a port, the one in the cable plan first."""
    planned = fabric.unread.get((device.hostname, port.name))
    return (planned, *port.neighbors) if planned is not None else port.neighbors


def _is_host(neighbor: Neighbor) -> bool:
    """Whether a neighbour is a host, by its capabilities or the name of its port."""
    if neighbor.is_host is not None:
        return neighbor.is_host
    names = neighbor.names
    addresses = bool(names) and all(map(_MAC.fullmatch, names))
    return addresses or any(map(_HOST_PORT.fullmatch, names))


def find_absent_hosts(fabric: Fabric, captured: Collection[str]) -> Absent:
    """Switch ports with a host as neighbour whose NICs are unknown.

    `captured` are the short names of the hosts with NICs.
    """
    switches = {short(name) for name, device in fabric.devices.items() if not device.is_host}
    free = _free(fabric, hosts=False)
    series = {numberless(name) for name, device in fabric.devices.items() if device.is_host}
    return _described(fabric, free, series, {*switches, *captured}) | {
        (device.hostname, port.name): neighbor
        for device, port in free
        for neighbor in _neighbors(fabric, device, port)[:1]
        if short(neighbor.device) not in switches
        and short(neighbor.device) not in captured
        and _is_host(neighbor)
    }


def is_unread(device: Device) -> bool:
    """True for a device without a configuration."""
    return device.nos == UNREAD


def lack_of(name: str) -> str:
    """Missing input for the behaviour of a device without a configuration."""
    return f"{_LACK}{bare(name)}"


def missing_device(missing: str) -> str | None:
    """The device named by a text of `lack_of`; None for any other text."""
    name = missing.removeprefix(_LACK)
    return name if name != missing and " " not in name else None


def bare(name: str) -> str:
    """A device name without its domain, for people; addresses stay whole."""
    first = name.split(".", 1)[0]
    return name if first.isdigit() else first


def short(name: str) -> str:
    """A device name without domain and case, because neighbours spell it either way."""
    return name.split(".", 1)[0].lower()


@lru_cache(maxsize=1 << 14)
def numberless(name: str) -> str:
    """A device name with `#` for each number, equal for devices of one series."""
    return re.sub(r"[0-9]+", "#", short(name))

"""Switches of a fabric whose configuration is not in the folder: who is heard at the other end."""

from __future__ import annotations

import re

from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.interface import Interface, Neighbor

UNREAD = ""
"""In the place of the operating system, for a device of which nothing was read."""

_HOST_PORT = re.compile(
    r"(?:[0-9a-f]{2}[:.-]?){6}|(?:[0-9a-f]{4}[.-]?){3}|eth\d+|en[opsx]\w+|ib\w*\d+|bond\d+",
    re.IGNORECASE,
)
"""How network interfaces of servers are called: Linux's own names, and MAC addresses."""


_LACK = "the configuration of "

Absent = dict[tuple[str, str], Neighbor]
"""By port: what is heard or planned at its other end, a switch of which nothing was read."""


def find_absent(fabric: Fabric, *, hosts: bool = False) -> Absent:
    """The ports of switches (or of hosts) at whose end there is a switch without a configuration.

    Left out are ports with a known link, and those that a server may be behind.
    """
    known = {short(name) for name in fabric.devices}
    return {
        (device.hostname, port.name): neighbor
        for device in fabric.devices.values()
        if device.is_host is hosts
        for port in device.interfaces.values()
        if (device.hostname, port.name) not in fabric.by_port
        if (neighbor := _switch_at(fabric, device, port, known)) is not None
    }


def _switch_at(fabric: Fabric, device: Device, port: Interface, known: set[str]) -> Neighbor | None:
    planned = fabric.unread.get((device.hostname, port.name))
    for neighbor in (planned, *port.neighbors) if planned is not None else port.neighbors:
        if not neighbor.device or short(neighbor.device) in known:
            continue
        by_name = neighbor.is_host is None and any(map(_HOST_PORT.fullmatch, neighbor.names))
        return None if neighbor.is_host or by_name or not neighbor.names else neighbor
    return None


def is_unread(device: Device) -> bool:
    """True for a device of which nothing was read."""
    return device.nos == UNREAD


def lack_of(name: str) -> str:
    """What would tell what a device does of which nothing was read."""
    return f"{_LACK}{bare(name)}"


def missing_device(missing: str) -> str | None:
    """The device of which `lack_of` speaks; None for any other words."""
    name = missing.removeprefix(_LACK)
    return name if name != missing and " " not in name else None


def bare(name: str) -> str:
    """A device name without its domain, for people; addresses stay whole."""
    first = name.split(".", 1)[0]
    return name if first.isdigit() else first


def short(name: str) -> str:
    """A device name without domain and case: neighbours spell it either way."""
    return name.split(".", 1)[0].lower()

"""Finds devices and ports by any spelling a neighbour, plan or description may use."""

from __future__ import annotations

import re
from collections.abc import Iterable

from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint
from roce_lint.model.interface import Interface

_ADDRESS = re.compile(r"^\d+\.\d+\.\d+\.\d+$")


class Names:
    """Index of devices by name (any case, full or short) and of ports by name and alias."""

    def __init__(self, devices: Iterable[Device]):
        self._devices: dict[str, Device] = {}
        self._ports: dict[str, dict[str, Interface]] = {}
        short: dict[str, list[Device]] = {}
        for device in devices:
            full = device.hostname.lower()
            self._devices.setdefault(full, device)
            if not _ADDRESS.match(full):
                short.setdefault(full.split(".", 1)[0], []).append(device)
        for name, found in short.items():
            if len(found) == 1:
                self._devices.setdefault(name, found[0])

    def device(self, name: str) -> Device | None:
        """The device of that name; a domain may be missing on either side."""
        key = name.strip().lower()
        found = self._devices.get(key)
        if found is None and not _ADDRESS.match(key):
            found = self._devices.get(key.split(".", 1)[0])
        return found

    def port(self, device: Device, name: str) -> Interface | None:
        """The port of a device by its name or any alias, in any case, with or without blanks."""
        ports = self._ports.get(device.hostname)
        if ports is None:
            ports = self._ports[device.hostname] = {}
            for port in device.interfaces.values():
                ports[_plain(port.name)] = port
            for port in device.interfaces.values():
                for alias in port.aliases:
                    ports.setdefault(_plain(alias), port)
            for nic in device.nics.values():
                if nic.port in device.interfaces:
                    ports.setdefault(_plain(nic.name), device.interfaces[nic.port])
        return ports.get(_plain(name))

    def endpoint(self, device: str, port: str) -> Endpoint | None:
        """Both at once."""
        found = self.device(device)
        interface = self.port(found, port) if found is not None else None
        return Endpoint(found, interface) if found is not None and interface is not None else None


def _plain(name: str) -> str:
    return name.replace(" ", "").lower()

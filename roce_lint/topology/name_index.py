"""Finds devices and ports by any spelling in a neighbour, plan or description."""

from __future__ import annotations

import re
from collections.abc import Iterable

from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint
from roce_lint.model.interface import Interface, InterfaceKind

_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")
_MAC = re.compile(
    r"(?:[0-9a-f]{12}|(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4})"
)


class Names:
    """Index of devices by name (any case, full or short) and of ports by name and alias."""

    def __init__(self, devices: Iterable[Device]):
        self._devices: dict[str, Device] = {}
        self._ports: dict[str, dict[str, Interface]] = {}
        self._short: dict[str, list[str]] = {}
        self._macs: dict[str, Endpoint | None] | None = None
        self._known: dict[str, Device | None] = {}
        for device in devices:
            full = device.hostname.lower()
            if full in self._devices:
                continue
            self._devices[full] = device
            if not _ADDRESS.fullmatch(full):
                self._short.setdefault(full.split(".", 1)[0], []).append(full)

    def device(self, name: str) -> Device | None:
        """The device with that name; a domain, or the end of one, may be missing on either side."""
        if name not in self._known:  # descriptions repeat the same words
            self._known[name] = self._device(name)
        return self._known[name]

    def _device(self, name: str) -> Device | None:
        key = name.strip().rstrip(".").lower()
        found = self._devices.get(key)
        if found is not None or not key or _ADDRESS.fullmatch(key):
            return found
        near = [
            full
            for full in self._short.get(key.split(".", 1)[0], ())
            if full.startswith(f"{key}.") or key.startswith(f"{full}.")
        ]
        return self._devices[near[0]] if len(near) == 1 else None

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
        """The port of a device, both by name."""
        found = self.device(device)
        interface = self.port(found, port) if found is not None else None
        return Endpoint(found, interface) if found is not None and interface is not None else None

    def heard(self, device: str, ports: Iterable[str], *, is_cut: bool = False) -> Endpoint | None:
        """The port that a neighbour names by several spellings.

        The LLDP agent in a NIC's firmware may not know its host's name; its MAC address identifies
        it. A truncated name matches the only device whose name begins with it.
        """
        names = tuple(ports)
        found = self.device(device)
        if found is None and is_cut:
            head = device.strip().lower()
            near = [each for name, each in self._devices.items() if head and name.startswith(head)]
            found = near[0] if len(near) == 1 else None
        if found is not None:
            port = next((p for name in names if (p := self.port(found, name))), None)
            return Endpoint(found, port) if port is not None else None
        for name in (*names, device):
            if _MAC.fullmatch(name.strip().lower()):
                return self._by_mac().get(_plain(name))
        return None

    def absent_port(self, device: Device, ports: Iterable[str]) -> str | None:
        """The first name in the form of the device's port names that is not one of its ports."""
        names = tuple(ports)
        if any(self.port(device, name) is not None for name in names):
            return None
        shapes = {
            _shape(name)
            for port in device.interfaces.values()
            if port.kind is InterfaceKind.PHYSICAL
            for name in (port.name, *port.aliases)
            if not _MAC.fullmatch(name.lower())
        }
        return next((name for name in names if _shape(name) in shapes), None)

    def _by_mac(self) -> dict[str, Endpoint | None]:
        """Ports by MAC address; None if several ports share one."""
        if self._macs is None:
            self._macs = {}
            for device in self._devices.values():
                for port in device.interfaces.values():
                    for alias in port.aliases:
                        if _MAC.fullmatch(alias.lower()):
                            mac = _plain(alias)
                            new = Endpoint(device, port) if mac not in self._macs else None
                            self._macs[mac] = new
        return self._macs


def _shape(name: str) -> str:
    """The form of a port name without its numbers; a number alone has none."""
    return re.sub(r"\d+", "#", _plain(name)) if re.search(r"[^\W\d]", name) else ""


def _plain(name: str) -> str:
    plain = name.replace(" ", "").lower()
    if len(plain) in (12, 14, 17) and _MAC.fullmatch(plain):
        return re.sub(r"[:.-]", "", plain)
    return plain

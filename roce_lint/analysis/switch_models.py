"""Hardware models of switches: by name, else by their ports."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.model.device import Device
from roce_lint.model.interface import InterfaceKind


@dataclass(slots=True)
class SwitchModels:
    """Hardware model of every device."""

    _known: dict[str, Hashable] = field(default_factory=dict)

    def of(self, device: Device) -> Hashable:
        """Key that two switches of one model share: the ASIC, else the model name.

        Many systems do not print the model into the configuration; there the names of all physical
        ports identify the front panel. A file with only some of the ports proves nothing: such a
        device matches no other.
        """
        found = self._known.get(device.hostname)
        if found is None:
            found = self._known[device.hostname] = _make(device)
        return found


def _make(device: Device) -> Hashable:
    if device.asic is not None:
        return device.asic.name
    if device.model:
        return device.model
    if device.partial:
        return device.hostname
    return frozenset(
        port.name for port in device.interfaces.values() if port.kind is InterfaceKind.PHYSICAL
    )

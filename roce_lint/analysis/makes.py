"""Which switches are of one make: what they are called, else the ports they have."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.model.device import Device
from roce_lint.model.interface import InterfaceKind


@dataclass(slots=True)
class Makes:
    """The make of every device, found once."""

    _known: dict[str, Hashable] = field(default_factory=dict)

    def of(self, device: Device) -> Hashable:
        """What two switches of one make have in common: the ASIC, else the model.

        Many systems do not print their model into the configuration; there the names of all
        physical ports stand for it, which tell one front panel from another. A file that holds a
        part of the ports tells nothing: such a device is like no other.
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

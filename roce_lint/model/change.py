"""A change that would fix a finding, and the rollout order."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from roce_lint.model.apply import value_at
from roce_lint.model.device import Device, Role
from roce_lint.model.path import Path, of_device, of_entry, of_port
from roce_lint.model.values import spell_value
from roce_lint.text.source import Citation

REQUIRED = "required by the class"
"""Source of a value without which a class of traffic cannot pass."""


class Safety(enum.Enum):
    """Effect on traffic of applying a change."""

    SAFE = "safe"  # no traffic effect expected
    DISRUPTIVE = "disruptive"  # a link or queue may restart
    MANUAL = "manual"  # shown, never written


@dataclass(slots=True, frozen=True)
class Change:
    """Set the field at `path` to `value` (in terms of the model); `old` is its current value.

    `why` is the source of the value: "as 7 of 8 equal ports". With `default` no line states the
    value: the line there is removed, and the default of the platform applies. `instead` are file
    and line of a statement without effect that was meant to state it, and is removed. With `falls`
    an entry of a map is removed, since the rest of the map has the value.
    """

    path: Path
    value: object = field(hash=False)  # objects of the model have no hash
    safety: Safety
    old: object = field(default=None, hash=False)
    why: str = REQUIRED
    default: Citation | None = None
    instead: tuple[str, int] | None = None
    falls: bool = False

    @classmethod
    def on_device(cls, device: Device, field: str, value: object, why: str = "") -> Change:
        """Set a field of a device; `field` is its full name, such as `system.own_tc`."""
        return cls.at(device, of_device(device.hostname, field), value, why)

    @classmethod
    def on_port(cls, device: Device, port: str, field: str, value: object, why: str = "") -> Change:
        """Set a field of a port; `field` is its full name from there, such as `ip_mtu`."""
        return cls.at(device, of_port(device.hostname, port, field), value, why)

    @classmethod
    def on_entry(cls, device: Device, entry: tuple[str, str], field: str, value: object) -> Change:
        """Set a field of an entry, given by collection and key; without a field, the entry."""
        return cls.at(device, of_entry(device.hostname, *entry, field), value)

    @classmethod
    def at(cls, device: Device, path: Path, value: object, why: str = "") -> Change:
        """Set the field at a path."""
        why = why or "required by the class"
        return cls(path, value, Safety.DISRUPTIVE, value_at(device, path), why)

    def __str__(self) -> str:
        field = self.path.field.removeprefix("qos.")
        where = " ".join(name for name in (self.path.device, self.path.port) if name)
        if self.value is None:
            return f"unset {field} of {where}"
        value = spell_value(self.value, field)
        if self.value and isinstance(self.value, frozenset | tuple):
            value = ", ".join(map(str, sorted(self.value)))
        return f"set {field} of {where} to {value}"


# Rollout order of devices.

ORDER = (Role.SUPERSPINE, Role.SPINE, Role.LEAF, Role.HOST)
"""Switches far from hosts first: changed traffic then gets the new treatment all the way."""


def rollout_rank(role: Role | None) -> int:
    """Place of a role in the rollout order, from 0; roles without one come last."""
    return ORDER.index(role) if role in ORDER else len(ORDER)

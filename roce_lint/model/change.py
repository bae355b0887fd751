"""A change that would fix a finding, and the rollout order."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from roce_lint.model.device import Role
from roce_lint.model.path import Path, of_port


class Safety(enum.Enum):
    """Effect on traffic of applying a change."""

    SAFE = "safe"  # no traffic effect expected
    DISRUPTIVE = "disruptive"  # a link or queue may restart
    MANUAL = "manual"  # shown, never written


@dataclass(slots=True, frozen=True)
class Change:
    """Set the field at `path` to `value` (in terms of the model); `old` is its current value."""

    path: Path
    value: object
    safety: Safety
    old: object = None

    @classmethod
    def on_port(
        cls, device: str, port: str, field: str, value: object, safety: Safety, *, old: object
    ) -> Change:
        """Set a field of a port; `field` is its full name from there, such as `ip_mtu`."""
        return cls(of_port(device, port, field), value, safety, old)

    def __str__(self) -> str:
        value = self.value
        if isinstance(value, frozenset | set):
            value = ", ".join(str(item) for item in sorted(value))
        field = self.path.field.removeprefix("qos.")
        where = " ".join(name for name in (self.path.device, self.path.port) if name)
        return f"set {field} of {where} to {value}"


# Rollout order of devices.

ORDER = (Role.SUPERSPINE, Role.SPINE, Role.LEAF, Role.HOST)
"""Switches far from hosts first: changed traffic then gets the new treatment all the way."""


def rollout_rank(role: Role | None) -> int:
    """Place of a role in the rollout order, from 0; roles without one come last."""
    return ORDER.index(role) if role in ORDER else len(ORDER)

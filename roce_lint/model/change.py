"""A change that would put a finding right."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from roce_lint.model.path import Path, of_port


class Safety(enum.Enum):
    """What applying a change may do to traffic."""

    SAFE = "safe"  # no traffic effect expected
    DISRUPTIVE = "disruptive"  # a link or queue may restart
    MANUAL = "manual"  # shown, never written


@dataclass(slots=True, frozen=True)
class Change:
    """Set what `path` names to `value` (in the model's terms); `old` is what it has now."""

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

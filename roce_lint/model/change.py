"""A change that would put a finding right."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Safety(enum.Enum):
    """What applying a change may do to traffic."""

    SAFE = "safe"  # no traffic effect expected
    DISRUPTIVE = "disruptive"  # a link or queue may restart
    MANUAL = "manual"  # shown, never written


@dataclass(slots=True, frozen=True)
class Change:
    """Set `field` of the object `subject` of `device` to `value` (in the model's terms)."""

    device: str
    subject: str
    field: str
    value: object
    safety: Safety

    def __str__(self) -> str:
        value = self.value
        if isinstance(value, frozenset | set):
            value = ", ".join(str(item) for item in sorted(value))
        return f"set {self.field} of {self.device} {self.subject} to {value}"

"""Vendor commands that fix a finding (rules/remedies/*.toml)."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from roce_lint.errors import UsageError
from roce_lint.model.device import Device
from roce_lint.resources import resource_dir
from roce_lint.text.files import list_files, read_small

_STRICT = ConfigDict(extra="forbid", frozen=True)

Action = Literal[
    "pfc", "watchdog", "trust", "map", "marking", "strict", "share", "mtu", "headroom", "attach",
    "link_pause", "mark", "congestion_control",
]  # fmt: skip
"""Actions of an operator; rules/remedies has the lines of each system."""


class Entry(BaseModel):
    """The lines of one action on one system, or the reason why there are none."""

    model_config = _STRICT

    lines: tuple[str, ...] = ()
    open: str = ""  # reason for having no lines
    source: str = ""
    adds: int = Field(default=0, ge=0, le=64)
    """Bytes that `mtu` counts besides the IP packet."""

    @model_validator(mode="after")
    def _whole(self) -> Entry:
        if bool(self.lines) != bool(self.source) or bool(self.lines) == bool(self.open):
            raise ValueError("either lines and their source, or open, the reason for having none")
        return self


_ENTRIES = TypeAdapter(dict[Action, Entry])


@dataclass(slots=True, frozen=True)
class System:
    """A system with known remedies: an operating system, or one vendor's NICs below it."""

    name: str
    nos: str
    devices: tuple[str, ...]  # names and parts of the NICs that it is about; none: all others
    entries: Mapping[Action, Entry]

    def fits(self, device: Device, port: str) -> bool:
        """Whether it is the system of a port; one without NIC names covers the remaining ports."""
        if device.nos != self.nos:
            return False
        words = [
            word
            for nic in device.nics.values()
            if not port or nic.port in (port, None)
            for word in (nic.name, nic.family or "")
        ]
        chosen = (fnmatch.fnmatchcase(word, each) for word in words for each in self.devices)
        return not self.devices or any(chosen)


@cache
def systems() -> tuple[System, ...]:
    """All systems, those of one vendor before the general ones.

    Raises:
        UsageError: a file is broken.
    """
    found = [_read(path) for path in list_files(resource_dir("rules") / "remedies", "*.toml")]
    return tuple(sorted(found, key=lambda system: (not system.devices, system.name)))


def _read(path: Path) -> System:
    try:
        data = tomllib.loads(read_small(path).decode("utf-8"))
        name, nos, devices = data.pop("name"), data.pop("nos"), data.pop("devices", ())
        return System(name, nos, tuple(devices), _ENTRIES.validate_python(data))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError) as error:
        raise UsageError(f"cannot be used: {error}", location=str(path)) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: {first['msg']}", location=str(path)) from error


def names() -> list[str]:
    """The operating systems with known remedies."""
    return sorted({system.nos for system in systems()})

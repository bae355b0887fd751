"""Effects of changes on traffic, and the commands that verify them (rules/changes.toml)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError

from roce_lint.catalog.refusals import Closed
from roce_lint.errors import UsageError
from roce_lint.model.change import Safety
from roce_lint.model.path import PORTS, Path
from roce_lint.model.schema import REFERENCES
from roce_lint.resources import resource_dir
from roce_lint.text.files import read_small


class KnownChange(Closed):
    """Verification of changed fields, and their effect on traffic.

    `live` disturbs nothing, `queue` drops what waits in a queue, `port` stops a port for a moment
    or longer; None is unknown. In `show` {port} and {device} stand for the port and RDMA device.
    """

    fields: tuple[str, ...] = Field(min_length=1)
    show: str = Field(min_length=2)
    expect: str = ""
    effect: Literal["live", "queue", "port"] | None = None
    source: str = Field(min_length=8)

    def command(self, port: str = "", device: str = "") -> str:
        """The command for a port or RDMA device, or for all if it is not named."""
        return " ".join(self.show.replace("{port}", port).replace("{device}", device).split())


_FILE = TypeAdapter(dict[str, tuple[KnownChange, ...]])


@cache
def known_changes() -> Mapping[str, tuple[KnownChange, ...]]:
    """All entries by system.

    Raises:
        UsageError: the file is broken.
    """
    path = resource_dir("rules") / "changes.toml"
    try:
        return _FILE.validate_python(tomllib.loads(read_small(path).decode("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot be used: {error}", location=str(path)) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: {first['msg']}", location=str(path)) from error


def known_change(nos: str, path: Path) -> KnownChange | None:
    """The entry with the longest field that a path begins with; None if nothing is known."""
    field = field_of(path)
    found = [
        (len(each), entry)
        for entry in known_changes().get(nos, ())
        for each in entry.fields
        if f"{field}.".startswith(f"{each}.")
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def safety(nos: str, path: Path) -> Safety:
    """Safety of a change; an unknown effect counts as the worst."""
    known = known_change(nos, path)
    return Safety.SAFE if known is not None and known.effect == "live" else Safety.DISRUPTIVE


_COLLECTIONS = {f"qos.{name}": f"{PORTS}.qos.{field}" for field, name in REFERENCES.items()}


def field_of(path: Path) -> str:
    """The fields of a path without keys; an object of the device counts as that of its ports."""
    field = ".".join(step.field for step in path.steps)
    for own, seen in _COLLECTIONS.items():
        if f"{field}.".startswith(f"{own}."):
            return seen + field[len(own) :]
    return field

"""Request of a run, and selection of devices."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roce_lint.loading.discover import Discovery
    from roce_lint.model.device import Device


@dataclass(slots=True, frozen=True)
class Request:
    """Inputs and selection of one run; options that are not given leave it to the settings."""

    paths: tuple[str, ...] = (".",)
    links: str | None = None
    intent: str | None = None
    profile: str | None = None
    rules: tuple[str, ...] = ()  # folders of further rule pages
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    device: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    jobs: int = 0  # 0: as many as there are processors
    executor: str | None = None  # address of a Dask scheduler, whose workers read
    cache: bool = True
    isolated: bool = False  # read only configurations of the tree
    stdin: str | None = None  # text of standard input, where "-" is among the paths
    remedies: bool = False  # with the lines that fix each finding
    found: Discovery | None = field(default=None, compare=False)  # below the paths, where known


def is_asked_for(device: Device, names: Sequence[str], roles: Sequence[str]) -> bool:
    """Whether a device has one of the names (globs) and roles; none given selects all."""
    role = device.role.value if device.role is not None else ""
    return matches(device.hostname, names) and (not roles or role in roles)


def matches(name: str, globs: Sequence[str]) -> bool:
    """Whether a name matches one of the globs; none given matches all."""
    return not globs or any(fnmatch.fnmatchcase(name, glob) for glob in globs)

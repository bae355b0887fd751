"""Registry of checks by name."""

from __future__ import annotations

import enum
import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from roce_lint.analysis.stages import Stage
from roce_lint.errors import RoceLintError, RulePageError

ENTRY_POINTS = "roce_lint.rules"


class Scope(enum.Enum):
    """Subject a check is called with."""

    DEVICE = "device"
    OBJECT = "object"
    LINK = "link"
    PORT = "port"
    CLASS_PORT = "class on a port"
    FABRIC = "fabric"


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check: the function, what it is called with, and its parameters' model."""

    name: str
    scope: Scope
    function: Callable[..., Iterable[Any]]
    params: type[Any] | None
    over: str = ""  # for OBJECT: the collection of QosObjects it looks at
    stage: Stage | None = None  # the stage of the diagnosis that it reports, if any


CHECKS: dict[str, Check] = {}


def register(check: Check) -> None:
    """Add a check.

    Raises:
        RoceLintError: the name is taken by another function.
    """
    known = CHECKS.get(check.name)
    if known is not None and known.function.__qualname__ != check.function.__qualname__:
        message = f"two checks are named {check.name!r}"
        raise RoceLintError(message)
    CHECKS[check.name] = check


def get(name: str, page: str) -> Check:
    """Return the check that a page names.

    Raises:
        RulePageError: no such check.
    """
    try:
        return CHECKS[name]
    except KeyError:
        near = ", ".join(
            sorted(
                known for known in CHECKS if known.split(".")[0] == name.split(".", maxsplit=1)[0]
            )
        )
        message = f"no check is named {name!r}" + (f" (known: {near})" if near else "")
        raise RulePageError(message, location=page) from None


@cache
def import_checks(package: ModuleType) -> None:
    """Import every module of a package and of its folders, so that their functions register."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)


@cache
def plugin_pages() -> tuple[Path, ...]:
    """Folders of rule pages from other packages; loading them registers their checks.

    An entry point in the group `roce_lint.rules` names a `pathlib.Path` to a folder of pages, in
    a module whose import registers the checks the pages refer to.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415  (25 ms, only when judging)

    folders = []
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda p: p.name):
        try:
            folder = Path(str(point.load()))
        except (ImportError, AttributeError, SyntaxError) as error:
            message = f"the plug-in {point.name} ({point.value}) cannot be loaded: {error}"
            raise RoceLintError(message) from error
        if not folder.is_dir():
            message = f"entry point {point.value} of group {ENTRY_POINTS} is not a folder: {folder}"
            raise RoceLintError(message)
        folders.append(folder)
    return tuple(folders)

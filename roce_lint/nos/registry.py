"""Finds every NOS: folders of this package, and entry points of other packages."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from roce_lint import nos as package
from roce_lint.errors import RoceLintError
from roce_lint.nos.base import Nos

ENTRY_POINTS = "roce_lint.nos"


@cache
def all_nos() -> dict[str, Nos]:
    """Every NOS by its public name, sorted; ours first, then those of installed packages.

    Raises:
        RoceLintError: two packages bring the same name, or an entry point gives no Nos or
            cannot be loaded.
    """
    found: dict[str, Nos] = {}
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        if module.ispkg:
            _add(found, importlib.import_module(f"{package.__name__}.{module.name}").NOS, "")
    # Entry points cost 25 ms to list, so they are listed only when a fabric is read.
    from importlib.metadata import entry_points  # noqa: PLC0415

    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda p: p.name):
        try:
            nos = point.load()
        except (ImportError, AttributeError, SyntaxError) as error:
            message = f"the plug-in {point.name} ({point.value}) cannot be loaded: {error}"
            raise RoceLintError(message) from error
        _add(found, nos, f" (entry point {point.value})")
    return found


def _add(found: dict[str, Nos], nos: object, origin: str) -> None:
    if not isinstance(nos, Nos):
        message = f"a NOS must be a roce_lint.nos.base.Nos, not {type(nos).__name__}{origin}"
        raise RoceLintError(message)
    if nos.name in found:
        message = f"two packages declare the NOS {nos.name!r}{origin}"
        raise RoceLintError(message)
    found[nos.name] = nos

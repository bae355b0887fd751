"""File names in reports: relative, so that they can be clicked and compared."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roce_lint.engine.finding import Finding
from roce_lint.model.apply import WHAT_IF
from roce_lint.resources import resource_dir
from roce_lint.text.source import Location

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

_MEMBER = re.compile(r"\.(?:tar|tar\.gz|tgz|zip)!", re.IGNORECASE)

STDIN = "<stdin>"


class Places:
    """Converts file names relative to the base of a report into names relative to a folder."""

    def __init__(self, base: str, cwd: str):
        self._base = os.path.normpath(Path(cwd, base))
        self._cwd = cwd
        self._known: dict[str, str] = {}

    def name(self, file: str) -> str:
        """`file` relative to the working directory.

        Archive members and standard input cannot be opened and stay unchanged.
        """
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._name(file)
        return known

    def _name(self, file: str) -> str:
        if is_virtual(file):
            return file
        if Path(file).is_absolute():
            own = _own(file)
            return own if own is not None else os.path.relpath(file, self._cwd)
        return os.path.relpath(Path(self._base, file), self._cwd)

    def within_base(self, file: str) -> str:
        """`file` relative to the base: absolute names would differ between machines."""
        if is_virtual(file) or not Path(file).is_absolute():
            return file
        own = _own(file)
        return own if own is not None else os.path.relpath(file, self._base)


class WithinBase(Places):
    """File names relative to the base: for a report that may be read elsewhere."""

    def name(self, file: str) -> str:
        """`file` relative to the base."""
        return self.within_base(file)


def outside(report: Report, places: Places) -> list[str]:
    """Files of findings outside the folder that names are relative to.

    Code scanning annotates files of one repository only.
    """
    files = {
        place.file
        for finding in report.findings
        for occurrence in finding.occurrences
        for place in occurrence.locations
        if not is_virtual(place.file)
    }
    names = sorted(places.name(file) for file in files)
    return [
        name for name in names if Path(name).is_absolute() or Path(name).parts[:1] == (os.pardir,)
    ]


def known_places(locations: Iterable[Location]) -> tuple[Location, ...]:
    """Locations with a file: a crash, or an unread object, has none."""
    return tuple(place for place in locations if place.file)


def place_of(finding: Finding) -> Location | None:
    """The deciding place of a finding, where it has one."""
    return next(iter(known_places(finding.occurrences[0].locations)), None)


def homes(report: Report) -> dict[str, str]:
    """The first file of every device, for findings without a place."""
    return {device.name: device.files[0] for device in report.devices if device.files}


def is_virtual(file: str) -> bool:
    """True for names that cannot be opened: empty, standard input, hypothetical changes, members of
    an archive.
    """
    return not file or file in (STDIN, WHAT_IF) or _MEMBER.search(file) is not None


def _own(file: str) -> str | None:
    """The name of a built-in rule page, wherever it is installed: rules/mtu/MTU001-x.md."""
    root = str(resource_dir("rules").parent)
    return os.path.relpath(file, root) if file.startswith(root + os.sep) else None


def place_data(place: Location) -> dict[str, Any]:
    """A place as plain data, as in the JSON report."""
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "text": place.text,
        "origin": place.origin.value,
        "note": place.note,
        "path": place.path,
    }

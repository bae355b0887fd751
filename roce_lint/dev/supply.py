"""Bill of materials of roce-lint, and known vulnerabilities of its parts.

The bill is CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/). Vulnerabilities are read from a
folder of OSV entries (https://ossf.github.io/osv-schema/), which the caller provides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from roce_lint._version import __version__
from roce_lint.errors import UsageError

LOCK = "requirements.lock"
_PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:(?P<hex>[0-9a-f]{64})")


@dataclass(slots=True, frozen=True)
class Pin:
    """One pinned distribution with the SHA-256 of all its files."""

    name: str
    version: str
    hashes: tuple[str, ...]

    @property
    def purl(self) -> str:
        """Its package URL."""
        return f"pkg:pypi/{self.name}@{self.version}"


def pins(text: str) -> list[Pin]:
    """The pins of a lock file.

    Raises:
        UsageError: a pin has no hash.
    """
    found = []
    for entry in text.replace("\\\n", " ").splitlines():
        pin = _PIN.match(entry)
        if pin is None:
            continue
        hashes = tuple(_HASH.findall(entry))
        if not hashes:
            raise UsageError(f"{pin['name']} is pinned without a hash", location=LOCK)
        found.append(Pin(canonicalize_name(pin["name"]), pin["version"], hashes))
    return found


def find_needed() -> dict[str, list[str]]:
    """The distributions that an installed roce-lint needs, each with its own requirements."""
    found: dict[str, list[str]] = {}
    waiting = ["roce-lint"]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        requirements = map(Requirement, metadata.requires(name) or ())
        wanted = (r for r in requirements if not r.marker or r.marker.evaluate({"extra": ""}))
        found[name] = sorted({canonicalize_name(each.name) for each in wanted})
        waiting += found[name]
    return found


def bill(pinned: Iterable[Pin]) -> str:
    """The bill of materials: the requirements of an installed roce-lint, in the locked versions."""
    by_name = {pin.name: pin for pin in pinned}
    depends = find_needed()
    parts = [by_name[name] for name in sorted(depends) if name in by_name]
    own = f"pkg:pypi/roce-lint@{__version__}"
    refs = {"roce-lint": own} | {pin.name: pin.purl for pin in parts}
    data = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": _component("application", "roce-lint", __version__, own)},
        "components": [_component("library", pin.name, pin.version, pin.purl) for pin in parts],
        "dependencies": [
            {"ref": ref, "dependsOn": [refs[each] for each in depends[name] if each in refs]}
            for name, ref in sorted(refs.items())
        ],
    }
    return json.dumps(data, indent=2) + "\n"


def _component(kind: str, name: str, version: str, purl: str) -> dict[str, Any]:
    made: dict[str, Any] = {"type": kind, "bom-ref": purl, "name": name, "version": version}
    about = metadata.metadata(name)
    keys = [key for key in ("License-Expression", "License") if key in about]
    stated = about[keys[0]] if keys else ""
    if stated and "\n" not in stated:
        made["licenses"] = [{"license": {"name": stated}}]
    return made | {"purl": purl}


def advisories_for(pinned: Iterable[Pin], folder: Path) -> Iterator[str]:
    """A line for every entry of the folder (OSV, one JSON file each) that is about a pin.

    Raises:
        UsageError: there is no such folder, or nothing about Python packages in it.
    """
    by_name = {pin.name: pin for pin in pinned}
    read = 0
    for path in sorted(folder.rglob("*.json")):
        entry = json.loads(path.read_text(encoding="utf-8"))
        for affected in entry.get("affected", ()):
            package = affected.get("package", {})
            if package.get("ecosystem") != "PyPI":
                continue
            read += 1
            pin = by_name.get(canonicalize_name(package.get("name", "")))
            if pin is not None and not entry.get("withdrawn") and _is_affected(pin, affected):
                yield f"{entry['id']}: {pin.name} {pin.version}: {entry.get('summary', '')}"
    if not read:
        raise UsageError("contains no entry about a Python package", location=str(folder))


def _is_affected(pin: Pin, affected: dict[str, Any]) -> bool:
    if pin.version in affected.get("versions", ()):
        return True
    version = Version(pin.version)
    ranges = (each for each in affected.get("ranges", ()) if each.get("type") == "ECOSYSTEM")
    return any(_is_inside(version, each.get("events", ())) for each in ranges)


def _is_inside(version: Version, events: Iterable[dict[str, str]]) -> bool:
    inside = False
    for event in events:
        kind, text = next(iter(event.items()))
        try:
            bound = Version(text)
        except InvalidVersion:
            continue
        if kind == "introduced" and version >= bound:
            inside = True
        elif (kind == "fixed" and version >= bound) or (
            kind == "last_affected" and version > bound
        ):
            inside = False
    return inside

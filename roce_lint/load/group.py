"""Which device a file belongs to, and what to do when two files claim to be one device."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from roce_lint.engine.finding import Diagnostic
from roce_lint.load.identify import Identity
from roce_lint.load.part import Part, text_of
from roce_lint.nos.base import Form, Source
from roce_lint.nos.registry import all_nos
from roce_lint.text.tree import load_json

_PART = re.compile(
    r"[-_. ](?:qos|buffers?|ports?|config[-_]?db\d*|config|running(?:[-_]config)?"
    r"|startup(?:[-_]config)?|lldp(?:[-_]neighbors)?|show[-_]run(?:ning)?)$",
    re.IGNORECASE,
)
"""Endings of a file stem that say which part of a device it holds, not which device."""

_TIME = re.compile(r"^!\s*(?:Time|Last configuration change).*?:\s*(?P<time>.+)$", re.MULTILINE)

HEAD = 64 << 10


@dataclass(slots=True)
class Group:
    """The files of one device."""

    device: str
    nos: str
    parts: list[Part] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(part.size for part in self.parts)


def source_of(identity: Identity) -> Source:
    """The declared source a file was identified as."""
    return all_nos()[identity.nos].by_source[identity.source]


def hostname_in(source: Source, text: str) -> str | None:
    """The hostname a text states, found without taking the text apart."""
    if source.hostname:
        match = re.search(source.hostname, text, re.MULTILINE)
        return match["name"].strip('"') if match else None
    if source.hostname_path and source.form is Form.JSON:
        # A config_db of 5 MB is parsed once, by the reader; here its own key is enough.
        key = source.hostname_path[-1]
        match = re.search(rf'"{re.escape(key)}"\s*:\s*"([^"\\]+)"', text)
        return match[1] if match else None
    return None


def written_at(text: str) -> str | None:
    """What the header of a saved configuration says about when it was saved."""
    match = _TIME.search(text[:HEAD])
    return match["time"].strip() if match else None


def group(parts: list[Part]) -> tuple[list[Group], list[Diagnostic]]:
    """Attribute parts to devices and settle which are judged."""
    _name_folders(parts)
    by_device: dict[str, list[Part]] = {}
    for part in parts:
        by_device.setdefault(part.device or "", []).append(part)
    groups: list[Group] = []
    diagnostics: list[Diagnostic] = []
    for device in sorted(by_device):
        kept = _settle(device, by_device[device], diagnostics)
        if kept:
            groups.append(Group(device, kept[0].identity.nos, kept))
    return groups, diagnostics


def _name_folders(parts: list[Part]) -> None:
    """Give every part its device: header, content, settings, the folder's only device, the
    folder itself for command outputs, the file stem.
    """
    folders: dict[str, set[str]] = {}
    for part in parts:
        part.device = part.identity.host or part.hostname or part.device
        if part.device:
            folders.setdefault(_folder(part.name), set()).add(part.device)
    for part in parts:
        if part.device:
            continue
        folder = _folder(part.name)
        named = folders.get(folder, set())
        if len(named) == 1:
            part.device = next(iter(named))
        elif not source_of(part.identity).base and PurePosixPath(folder).name:
            part.device = PurePosixPath(folder).name.split("!")[-1]
        else:
            part.device = _stem(part.name)


def _folder(name: str) -> str:
    return (
        str(PurePosixPath(name).parent)
        if "/" in name
        else (name.split("!", maxsplit=1)[0] if "!" in name else "")
    )


def _stem(name: str) -> str:
    base = PurePosixPath(name.rsplit("!", 1)[-1]).name
    stem = base.rsplit(".", 1)[0] if "." in base[1:] else base
    shorter = _PART.sub("", stem)
    return shorter or stem


def _settle(device: str, parts: list[Part], diagnostics: list[Diagnostic]) -> list[Part]:
    """Parts of one name that may be merged; others are dropped with a diagnostic."""
    unique: dict[tuple[str, str, str, tuple[tuple[str, str], ...]], Part] = {}
    for part in parts:
        key = (
            part.identity.nos,
            part.identity.source,
            part.sha256,
            tuple(part.identity.args.items()),
        )
        unique.setdefault(key, part)
    parts = list(unique.values())
    platforms = sorted({part.identity.nos for part in parts})
    if len(platforms) > 1:
        files = " and ".join(part.name for part in parts[:4])
        message = (
            f"{files} call themselves {device} but are {' and '.join(platforms)}; none is judged"
        )
        diagnostics.append(Diagnostic(parts[0].name, "two-devices", message))
        return []
    by_source: dict[str, list[Part]] = {}
    for part in parts:
        if source_of(part.identity).base:
            by_source.setdefault(part.identity.source, []).append(part)
    dropped: set[int] = set()
    for same in by_source.values():
        if len(same) < 2 or _complementary(same):
            continue
        newest = _newest(same)
        names = " and ".join(part.name for part in same)
        if newest is None:
            message = (
                f"{names} are different whole configurations of one device, {device}, and do not "
                "say which is newer; none is judged"
            )
            diagnostics.append(Diagnostic(same[0].name, "two-configs", message))
            return []
        message = f"{names} are different whole configurations of {device}; judged is {newest.name}, the newest by its header"
        diagnostics.append(Diagnostic(newest.name, "two-configs", message, incomplete=False))
        dropped |= {id(part) for part in same if part is not newest}
    return [part for part in parts if id(part) not in dropped]


def _newest(parts: list[Part]) -> Part | None:
    dated = [(moment, part) for part in parts if (moment := _moment(part.written)) is not None]
    if len(dated) != len(parts):
        return None
    dated.sort(key=lambda pair: pair[0])
    return dated[-1][1] if dated[-1][0] > dated[-2][0] else None


def _moment(written: str | None) -> tuple[int, ...] | None:
    """A sortable moment from `Sat Mar  7 10:11:12 2026`; None where it is not understood."""
    if not written:
        return None
    match = re.search(
        r"(?P<month>[A-Z][a-z]{2})\s+(?P<day>\d+)\s+(?P<h>\d+):(?P<m>\d+):(?P<s>\d+)\s+(?:\S+\s+)??(?P<year>\d{4})",
        written,
    )
    months = "JanFebMarAprMayJunJulAugSepOctNovDec"
    if not match or match["month"] not in months:
        return None
    month = months.index(match["month"]) // 3 + 1
    return (int(match["year"]), month, *(int(match[k]) for k in ("day", "h", "m", "s")))


def _complementary(parts: list[Part]) -> bool:
    """True where files of one JSON source state no leaf twice with different values."""
    if source_of(parts[0].identity).form is not Form.JSON:
        return False
    merged: dict[Hashable, Any] = {}
    for part in parts:
        data = load_json(text_of(part)).data
        if not isinstance(data, dict) or not _merge(merged, data):
            return False
    return True


def _merge(into: dict[Hashable, Any], data: dict[Hashable, Any]) -> bool:
    for key, value in data.items():
        known = into.get(key)
        if known is None:
            into[key] = dict(value) if isinstance(value, dict) else value
        elif isinstance(known, dict) and isinstance(value, dict):
            if not _merge(known, value):
                return False
        elif known != value:
            return False
    return True

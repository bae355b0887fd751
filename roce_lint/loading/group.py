"""Which device a file belongs to, and what to do when two files claim to be one device."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import ReadError
from roce_lint.loading.dates import above_days, day_in, without_day
from roce_lint.loading.discover import device_folder
from roce_lint.loading.part import Part, read_as, text_of
from roce_lint.nos.base import Form, Plane
from roce_lint.nos.registry import all_nos
from roce_lint.text.tree import load_json

PART_WORDS = (
    "qos", "buffer", "buffers", "port", "ports", "config", "running", "startup", "run", "show",
    "lldp", "neighbors", "detail", "db", "all",
)  # fmt: skip
"""Words at the end of a file's name that say which part of a device it holds, not which device."""

OWN_FOLDERS = ("etc", "proc", "sys", "var", "dump", "Support")
"""Folders at the top of a device's file system, or of the archive that its support asks for."""

SCRIPTS = (Form.SHELL, Form.ENV)
"""Forms of what sets up a host."""

TEXTS = (".cfg", ".conf", ".json", ".txt", ".yaml", ".yml")
"""Endings that stand before a day at the end of a file's name."""

SHOWN = 4
"""Files that a message names."""


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

    @property
    def role(self) -> str | None:
        """The role that the settings give one of the files."""
        return next((part.role for part in self.parts if part.role), None)


def group(parts: list[Part], base_name: str = "") -> tuple[list[Group], list[Diagnostic]]:
    """Attribute parts to devices and settle which are judged.

    `base_name` is what the folder is called that names of files are relative to.
    """
    _name(parts, base_name)
    by_device: dict[str, list[Part]] = {}
    for part in parts:
        # DNS does not know capitals from small letters; nobody has a Leaf1 beside a leaf1.
        by_device.setdefault(part.device.casefold(), []).append(part)
    groups: list[Group] = []
    diagnostics: list[Diagnostic] = []
    for key in sorted(by_device):
        same = by_device[key]
        spelled = next((p for p in same if p.source.base and p.stated_name), same[0])
        kept = _settle(spelled.device, same, diagnostics)
        if kept:
            groups.append(Group(spelled.device, kept[0].identity.nos, kept))
    return groups, diagnostics


def _name(parts: list[Part], base_name: str) -> None:
    """Give every part its device.

    That is who its header, content or the settings say; else the folder's only such device; else
    what the file is called, or for command outputs, of which there are many, the folder. Whole
    configurations that cannot be merged anyway are called like their file at once.
    """
    # By folder: command outputs come by the dozen.
    roots = {folder: root_of(folder) for folder in {part.folder for part in parts}}
    stated: dict[str, dict[str, str]] = {root: {} for root in roots.values()}
    with_hosts = set()  # folders in which a host is named
    for part in parts:
        if (named := part.stated_name) and not part.source.apart:
            stated[roots[part.folder]].setdefault(named.casefold(), named)
            with_hosts |= {roots[part.folder]} if _is_of_host(part) else set()
    above_of: dict[str, str] = {}
    for part in parts:
        source = part.source
        if source.apart:
            part.device = part.name
            continue
        if named := part.stated_name:
            part.device = named
            continue
        root = roots[part.folder]
        names = stated[root]
        own = stem(part.leaf) if source.base else ""
        # A script of a host is none of the one switch that lies beside it.
        foreign = source.form in SCRIPTS and _is_of_host(part) and root not in with_hosts
        foreign = foreign and root == part.folder
        if len(names) == 1 and not foreign and not (own and source.form is not Form.JSON):
            part.device = next(iter(names.values()))
            continue
        if root not in above_of:
            above = above_days(root)
            above_of[root] = device_folder(above) if above else base_name
        if foreign and above_of[root].casefold() in names:
            own = stem(part.leaf)
        part.device = own or above_of[root] or part.leaf


def _is_of_host(part: Part) -> bool:
    return all_nos()[part.identity.nos].is_host


def root_of(folder: str) -> str:
    """The folder that holds a device's own tree of files, of which this one is a part."""
    parts = folder.split("/")
    inside = next((n for n, part in enumerate(parts) if part in OWN_FOLDERS), len(parts))
    return "/".join(parts[:inside])


def stem(leaf: str) -> str:
    """The name a file gives a device: without its ending and without what says which part it is.

    Empty where nothing else is left (`running-config.txt`, `config_db.json`).
    """
    name, _, ending = leaf.rpartition(".") if "." in leaf[1:] else (leaf, "", "")
    if day_in(ending) is not None and name.lower().endswith(TEXTS):
        name = name.rpartition(".")[0]
    if day_in(name) is not None:
        name = without_day(name)
    while name:
        cut = max(name.rfind(mark) for mark in "-_. ")
        if name[cut + 1 :].rstrip("0123456789").lower() not in PART_WORDS:
            break
        name = name[: max(cut, 0)]
    return name


def _settle(device: str, parts: list[Part], diagnostics: list[Diagnostic]) -> list[Part]:
    """The parts of one name that may be merged; others are dropped with a diagnostic."""
    parts = _one_platform(device, _distinct(parts), diagnostics)
    parts = _newest_copies(device, parts, diagnostics)
    whole: dict[Hashable, list[Part]] = {}
    for part in parts:
        if part.source.base:
            key = (part.identity.source, *sorted(part.identity.args.items()))
            whole.setdefault(key, []).append(part)
    for same in whole.values():
        if len(same) < 2 or _complementary(same):
            continue
        newest = _newest(same)
        if newest is None:
            message = (
                f"two configurations of {device}: {_list(same)}; neither says when it was "
                "written, so none is judged"
            )
            diagnostics.append(_about(same[0], "two-configs", message, device))
            return []
        message = (
            f"two configurations of {device}: {_list(same)}; judging {newest.name}, the newer "
            "by its header"
        )
        diagnostics.append(_about(newest, "two-configs", message, device, incomplete=False))
        parts = [part for part in parts if part is newest or part not in same]
    return parts


def _newest_copies(device: str, parts: list[Part], diagnostics: list[Diagnostic]) -> list[Part]:
    """Of files that hold the same of a device and are called by different days, the newest.

    What their own headers say about when they were written goes before their names.
    """
    copies: dict[Hashable, list[Part]] = {}
    for part in parts:
        key = (part.identity.source, *sorted(part.identity.args.items()))
        copies.setdefault(key, []).append(part)
    old: list[Part] = []
    kept: list[Part] = []
    for same in copies.values():
        if len(same) < 2:
            continue
        days = [part.day for part in same]
        if None in days or len(set(days)) < len(days):
            continue
        newest = _newest(same) or max(same, key=lambda part: str(part.day))
        kept.append(newest)
        old += [part for part in same if part is not newest]
    if kept:
        first = next((part for part in kept if part.source.base), kept[0])
        message = (
            f"{_list([*kept, *old])} are copies of {device} from different days; judged is "
            f"{_list(kept)}, the newest"
        )
        diagnostics.append(_about(first, "dated-copies", message, device, incomplete=False))
    return [part for part in parts if part not in old]


def _distinct(parts: list[Part]) -> list[Part]:
    """Without copies: same source, same arguments, same bytes."""
    unique: dict[Hashable, Part] = {}
    for part in parts:
        identity = part.identity
        key = (identity.nos, identity.source, part.sha256, tuple(sorted(identity.args.items())))
        unique.setdefault(key, part)
    return list(unique.values())


def _one_platform(device: str, parts: list[Part], diagnostics: list[Diagnostic]) -> list[Part]:
    """The parts of one NOS: the only one with a whole configuration, else the only one stated.

    Outputs that look like another's and merely lie beside a configuration give way to it.
    """
    decided = [part for part in parts if not part.identity.undecided]
    if not decided:
        return []  # outputs that several systems have, and nothing else of the device
    # What says nothing of RoCE contradicts nothing: a switch has a shell, and that a `uname`.
    saying = [part for part in decided if part.source.says] or decided
    platforms = {part.identity.nos for part in saying}
    for chosen in (
        {part.identity.nos for part in decided if part.source.base},
        {part.identity.nos for part in decided if part.stated_name},
    ):
        if len(platforms) > 1 and len(chosen) == 1:
            platforms = chosen
    if len(platforms) > 1:
        message = (
            f"{_list(parts)} are taken for one device, {device}, but are "
            f"{' and '.join(sorted(platforms))}; none is judged"
        )
        diagnostics.append(_about(parts[0], "two-devices", message, device))
        return []
    (platform,) = platforms
    for part in parts:
        if part.identity.nos != platform and not read_as(part, platform) and part in saying:
            message = (
                f"not judged: belongs to {device}, which is {platform}, but is "
                f"{part.identity.nos} {part.identity.source}"
            )
            # In a switch's own tree of files lie those of any host: its shell is one. An output
            # that is not read is no part of the configuration.
            stated = part.stated_name is not None and root_of(part.folder) == part.folder
            stated = stated and part.source.plane is not Plane.STATE
            diagnostics.append(_about(part, "two-devices", message, device, incomplete=stated))
    return [part for part in parts if part.identity.nos == platform]


def _about(
    part: Part, kind: str, message: str, device: str, *, incomplete: bool = True
) -> Diagnostic:
    return Diagnostic(
        part.name, kind, message, incomplete=incomplete, device=device,
        source=(part.path, part.sha256),
    )  # fmt: skip


def _list(parts: list[Part]) -> str:
    names = [part.name for part in parts[:SHOWN]]
    if len(parts) > SHOWN:
        names.append(f"{len(parts) - SHOWN} more")
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _newest(parts: list[Part]) -> Part | None:
    dated = [(part.written, part) for part in parts if part.written is not None]
    if len(dated) != len(parts):
        return None
    dated.sort(key=lambda pair: pair[0])
    return dated[-1][1] if dated[-1][0] > dated[-2][0] else None


def _complementary(parts: list[Part]) -> bool:
    """True where files of one JSON source state no leaf twice with different values."""
    if parts[0].source.form is not Form.JSON:
        return False
    merged: dict[Hashable, Any] = {}
    for part in parts:
        try:
            data = load_json(text_of(part)).data
        except ReadError:  # the reader will say so, and read the others
            continue
        if not isinstance(data, dict) or not _merge(merged, data):
            return False
    return True


def _merge(into: dict[Hashable, Any], data: dict[str, Any]) -> bool:
    for key, value in data.items():
        if key not in into:
            into[key] = dict(value) if isinstance(value, dict) else value
            continue
        known = into[key]
        if isinstance(known, dict) and isinstance(value, dict):
            if not _merge(known, value):
                return False
        elif known != value:
            return False
    return True

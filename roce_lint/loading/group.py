"""Assignment of files to devices, conflicts between files of a device, host names in texts."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import ReadError
from roce_lint.loading.discover import device_folder
from roce_lint.loading.file_part import FilePart, read_as, text_of
from roce_lint.loading.naming import above_days, day_in, device_name, without_day
from roce_lint.loading.signature_search import searcher
from roce_lint.nos.declare import Form, Plane, Signature, Source
from roce_lint.nos.registry import all_nos
from roce_lint.text.numbers import parse_whole, whole_of
from roce_lint.text.tree import load_json

PART_WORDS = (
    "qos", "buffer", "buffers", "port", "ports", "config", "running", "startup", "run", "show",
    "lldp", "neighbors", "detail", "db", "all",
)  # fmt: skip
"""Final words of a file name that name a part of a device, not the device."""

OWN_FOLDERS = ("etc", "proc", "sys", "var", "dump", "Support")
"""Folders at the top of a device's file system, or of its support archive."""

SCRIPTS = (Form.SHELL, Form.ENV)
"""Forms that set up a host."""

TEXTS = (".cfg", ".conf", ".json", ".txt", ".yaml", ".yml")
"""Endings that precede a date at the end of a file name."""

SHOWN = 4
"""Files that a message lists."""


@dataclass(slots=True)
class Group:
    """The files of one device."""

    device: str
    nos: str
    parts: list[FilePart] = field(default_factory=list)
    startup: list[FilePart] = field(default_factory=list)
    """At most one: the startup configuration, which the running one is compared with."""

    @property
    def files(self) -> list[FilePart]:
        """All files."""
        return [*self.parts, *self.startup]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(part.size for part in self.files)

    @property
    def role(self) -> str | None:
        """The role that the settings assign to one of the files."""
        return next((part.role for part in self.parts if part.role), None)


def group(parts: list[FilePart], base_name: str = "") -> tuple[list[Group], list[Diagnostic]]:
    """Assign parts to devices and select those to check.

    `base_name` is the name of the folder that file names are relative to.
    """
    _name(parts, base_name)
    by_device: dict[str, list[FilePart]] = {}
    for part in parts:
        # DNS is not case-sensitive: Leaf1 and leaf1 are one device.
        by_device.setdefault(part.device.casefold(), []).append(part)
    groups: list[Group] = []
    diagnostics: list[Diagnostic] = []
    for key in sorted(by_device):
        same = by_device[key]
        spelled = next((p for p in same if p.source.base and p.stated_name), same[0])
        startup = _startup_of(same)
        rest = [part for part in same if part not in startup]
        kept = _settle(spelled.device, rest, diagnostics)
        if kept:
            groups.append(Group(spelled.device, kept[0].identity.nos, kept, startup))
    return groups, diagnostics


def _name(parts: list[FilePart], base_name: str) -> None:
    """Assign every part to its device.

    The name comes from header, content or settings; else from the folder's only such device; else
    from the file name, or for command outputs, of which there are many, from the folder. Complete
    configurations that cannot be merged anyway are named after their file at once.
    """
    # By folder: command outputs are numerous.
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
        # A host's script does not belong to the only switch next to it.
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


def _is_of_host(part: FilePart) -> bool:
    return all_nos()[part.identity.nos].is_host


def root_of(folder: str) -> str:
    """The folder that contains the device's own file tree around this one."""
    parts = folder.split("/")
    inside = next((n for n, part in enumerate(parts) if part in OWN_FOLDERS), len(parts))
    return "/".join(parts[:inside])


def stem(leaf: str) -> str:
    """The device name implied by a file name: without its ending and without part words.

    Empty if nothing else is left (`running-config.txt`, `config_db.json`).
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


def _startup_of(parts: list[FilePart]) -> list[FilePart]:
    """The startup configuration beside the running one, both in lines; empty without either."""
    found = [part for part in parts if part.source.base and part.startup]
    if len(found) != 1 or found[0].source.form in (Form.JSON, Form.YAML):
        return []
    keys = [(p.identity.nos, p.identity.source, p.identity.args) for p in (*found, *parts)]
    return found if keys.count(keys[0]) == 3 else []  # itself twice, and the running one


def _settle(device: str, parts: list[FilePart], diagnostics: list[Diagnostic]) -> list[FilePart]:
    """The parts of one device that may be merged; others are dropped with a diagnostic."""
    parts = _one_platform(device, _distinct(parts), diagnostics)
    parts = _newest_copies(device, parts, diagnostics)
    whole: dict[Hashable, list[FilePart]] = {}
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


def _newest_copies(
    device: str, parts: list[FilePart], diagnostics: list[Diagnostic]
) -> list[FilePart]:
    """Of dated copies of the same file, keep the newest; dates in headers come before names."""
    copies: dict[Hashable, list[FilePart]] = {}
    for part in parts:
        key = (part.identity.source, *sorted(part.identity.args.items()))
        copies.setdefault(key, []).append(part)
    old: list[FilePart] = []
    kept: list[FilePart] = []
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
            f"{_list([*kept, *old])} are copies of {device} from different days; using "
            f"{_list(kept)}, the newest"
        )
        diagnostics.append(_about(first, "dated-copies", message, device, incomplete=False))
    return [part for part in parts if part not in old]


def _distinct(parts: list[FilePart]) -> list[FilePart]:
    """Drop duplicates: same source, same arguments, same bytes."""
    unique: dict[Hashable, FilePart] = {}
    for part in parts:
        identity = part.identity
        key = (identity.nos, identity.source, part.sha256, tuple(sorted(identity.args.items())))
        unique.setdefault(key, part)
    return list(unique.values())


def _one_platform(
    device: str, parts: list[FilePart], diagnostics: list[Diagnostic]
) -> list[FilePart]:
    """The parts of one NOS: the only one with a complete configuration, else the only one stated.

    Outputs of another NOS that are beside a configuration are dropped.
    """
    decided = [part for part in parts if not part.identity.undecided]
    if not decided:
        return []  # ambiguous outputs, and nothing else of the device
    # Outputs irrelevant to RoCE do not conflict: a switch's shell also has a `uname`.
    relevant = [part for part in decided if part.source.has_settings] or decided
    platforms = {part.identity.nos for part in relevant}
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
        if part.identity.nos != platform and not read_as(part, platform) and part in relevant:
            message = (
                f"skipped: {device} is {platform}, but this file looks like "
                f"{part.identity.nos} {part.identity.source}"
            )
            # A switch's file tree contains the files of any host, since its shell is one. An output
            # that is not read is not part of the configuration.
            stated = part.stated_name is not None and root_of(part.folder) == part.folder
            stated = stated and part.source.plane is not Plane.STATE
            diagnostics.append(_about(part, "two-devices", message, device, incomplete=stated))
    return [part for part in parts if part.identity.nos == platform]


def _about(
    part: FilePart, kind: str, message: str, device: str, *, incomplete: bool = True
) -> Diagnostic:
    return Diagnostic(
        part.name, kind, message, incomplete=incomplete, device=device,
        source=(part.path, part.sha256),
    )  # fmt: skip


def _list(parts: list[FilePart]) -> str:
    names = [part.name for part in parts[:SHOWN]]
    if len(parts) > SHOWN:
        names.append(f"{len(parts) - SHOWN} more")
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _newest(parts: list[FilePart]) -> FilePart | None:
    dated = [(part.written, part) for part in parts if part.written is not None]
    if len(dated) != len(parts):
        return None
    dated.sort(key=lambda pair: pair[0])
    return dated[-1][1] if dated[-1][0] > dated[-2][0] else None


def _complementary(parts: list[FilePart]) -> bool:
    """Whether files of one JSON source set no leaf to different values."""
    if parts[0].source.form is not Form.JSON:
        return False
    if devices := {part.bundled for part in parts} - {""}:  # without their texts
        return len(devices) == 1 and all(part.bundled for part in parts)
    merged: dict[Hashable, Any] = {}
    for part in parts:
        try:
            data = load_json(text_of(part)).data
        except ReadError:  # the reader will report it, and read the others
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


# Host name and time of writing stated in a text, before it is parsed.

HEADING_LINES = 40
"""Lines at the beginning in which a saved configuration states its time."""

LINE_LIMIT = 300
_COMMENT = re.compile(r"\s*(?:[!#]|$)")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CTIME = re.compile(
    rf"\b(?P<month>{'|'.join(_MONTHS)}) {{1,2}}(?P<day>\d{{1,2}}) (?P<clock>\d\d:\d\d:\d\d)"
    r"(?:\.\d+)?(?: [A-Z]{2,5})? (?P<year>\d{4})\b"
)
_ISO = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?")


def hostname_in(source: Source, text: str) -> str | None:
    """The hostname a text states, found without parsing it."""
    if not source.hostname:
        return None
    match = searcher(Signature(source.hostname, 0, "hostname"))(text)
    return device_name(match["name"]) if match else None


def time_of_writing(text: str, stated: str | None = None) -> datetime | None:
    """Time of writing: from the header, else the latest date in the heading.

    A date without a zone is read as UTC: it is compared with those of the same device only.
    """
    if stated is not None:
        return _moment(stated)
    moments = []
    for line in text[: HEADING_LINES * LINE_LIMIT].split("\n", HEADING_LINES)[:HEADING_LINES]:
        if not _COMMENT.match(line):
            break
        moment = _moment(line[:LINE_LIMIT])
        if moment is not None:
            moments.append(moment)
    return max(moments, default=None)


def _moment(text: str) -> datetime | None:
    try:
        if found := _CTIME.search(text):
            month = _MONTHS.index(found["month"]) + 1
            hour, minute, second = map(whole_of, found["clock"].split(":"))
            day = datetime(parse_whole(found["year"]), month, parse_whole(found["day"]), tzinfo=UTC)
            return day.replace(hour=hour, minute=minute, second=second)
        if found := _ISO.search(text):
            moment = datetime.fromisoformat(found[0])
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except ValueError:  # 2026-13-45
        return None
    return None

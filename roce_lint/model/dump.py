"""A device as plain JSON data with the source of every value."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Hashable, Mapping
from typing import Any

from roce_lint.model.device import Device, Structure
from roce_lint.model.qos import CodeMap
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import Threshold, ranges
from roce_lint.text.redaction import MASK, names_secret, redact
from roce_lint.text.source import TREE, Confidence, SourceMap


def dump(device: Device) -> dict[str, Any]:
    """Everything known about a device, in the order of the model's fields.

    Unknown (None) and empty values are left out. A value with a place is the pair `[value, place]`;
    `"@"` is where an object begins. A place is one of

    * `@leaf1.cfg:12`, the line that states the value,
    * `@config_db.json#PORT|Ethernet0|mtu`, the leaf that states it,
    * `@default: ...` or `@default, unconfirmed: ...`, a default of the platform.

    Sets of numbers are in short form (`"3,24-31"`), thresholds with their unit. Entries of a map
    that share value and place are one entry. `lines` are places of parts that are not fields, such
    as one priority of a set.
    """
    return _dump_sourced(device)


def place(src: SourceMap, position: int) -> str:
    """A position in the notation of `dump`; empty for a position without information."""
    if position < 0:
        citation = src.citation(position)
        doubt = "" if citation.confidence is Confidence.CONFIRMED else ", unconfirmed"
        return f"@default{doubt}: {citation.says}"
    if position == 0 or not src.files:
        return ""
    name = src.files[src.file_of(position)].name
    if position < TREE:
        return f"@{name}:{src.line_of(position)}"
    keys = "|".join(redact(str(key)) for key in src.keys_of(position)[1])
    return f"@{name}#{keys}"


def _dump_sourced(item: Sourced) -> dict[str, Any]:
    found: dict[str, Any] = {}
    begin = place(item.src, item.at.get("", 0))
    if begin:
        found["@"] = begin
    used: set[Hashable] = {""}
    for field in dataclasses.fields(item):
        if not field.compare:  # metadata of reading
            continue
        value = getattr(item, field.name)
        used.add(field.name)
        if isinstance(item, CodeMap) and field.name == "entries":
            found.update(_entries(item))
            used.update(value)
            continue
        if isinstance(item, Structure) and field.name == "references":
            value = tuple(place(item.src, position) for position in value)
        if isinstance(value, dict):
            used.update(value)
        if value is None or (_is_empty(value) and field.name not in item.at):
            continue
        found[field.name] = _pair(item, field.name, _plain(value, item))
    lines = {_key(k): place(item.src, p) for k, p in item.at.items() if k not in used}
    if lines:
        found["lines"] = lines
    return found


def _plain(value: object, owner: Sourced | None = None) -> Any:
    """A value as JSON data; entries of a mapping of `owner` may have their own places."""
    if isinstance(value, Sourced):
        return _dump_sourced(value)
    if isinstance(value, Threshold):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        inner = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.compare}
        return {
            name: _plain(given)
            for name, given in inner.items()
            if given is not None and not _is_empty(given)
        }
    if isinstance(value, Mapping):
        return {
            _key(k): _pair(owner, k, MASK if names_secret(k) and isinstance(v, str) else _plain(v))
            for k, v in value.items()
        }
    if isinstance(value, frozenset | set):
        numbers = all(isinstance(entry, int) for entry in value)
        return ranges(frozenset(value)) if numbers else sorted(_key(entry) for entry in value)
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if isinstance(value, str):
        return redact(value)
    return value.value if isinstance(value, enum.Enum) else value


def _pair(item: Sourced | None, name: Hashable, plain: object) -> Any:
    stated = place(item.src, item.at.get(name, 0)) if item else ""
    return [plain, stated] if stated else plain


def _entries(item: CodeMap) -> dict[str, Any]:
    """The entries of a map, grouped by value and place."""
    groups: dict[tuple[int, str], list[int]] = {}
    for number in sorted(item.entries):
        key = item.entries[number], place(item.src, item.at.get(number, 0))
        groups.setdefault(key, []).append(number)
    return {
        ranges(numbers): [value, stated] if stated else value
        for (value, stated), numbers in groups.items()
    }


def _is_empty(value: object) -> bool:
    """Whether a value holds nothing; an empty set of priorities is a statement, though."""
    if isinstance(value, dict | list | tuple | str):
        return not value
    if dataclasses.is_dataclass(value) and not isinstance(value, Sourced | type):
        return all(
            getattr(value, field.name) is None or _is_empty(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if field.compare
        )
    if isinstance(value, CodeMap):
        return not value.entries and value.otherwise is None and not value.at
    return False


def _key(key: object) -> str:
    if isinstance(key, tuple):
        return " ".join(_key(part) for part in key)
    return str(key.value) if isinstance(key, enum.Enum) else redact(str(key))

"""Reads a cable plan: links.yaml, a CSV with the same columns, or the form of another tool."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roce_lint.errors import LinksError, ReadError
from roce_lint.text.files import read_source
from roce_lint.text.ignores import keep_ignores
from roce_lint.text.numbers import BEYOND, decimal_of, parse_decimal, parse_whole
from roce_lint.text.source import SourceFile, SourceMap, Where
from roce_lint.text.tree import TreeForm, load_yaml, locate

# Cable plans of other tools, as rows with our column names: CSV of NetBox and Nautobot cables,
# sheets with other words for the four columns, YAML of containerlab topologies.

_WORDS: Mapping[str, tuple[str, ...]] = {
    "a_device": ("side_a_device", "device_a", "source_device", "src_device", "local_device"),
    "a_port": (
        "side_a_name", "port_a", "interface_a", "a_interface",
        "source_port", "src_port", "source_interface", "local_port", "local_interface",
    ),
    "b_device": (
        "side_b_device", "device_b", "destination_device", "dest_device", "dst_device",
        "remote_device", "peer_device", "neighbor_device",
    ),
    "b_port": (
        "side_b_name", "port_b", "interface_b", "b_interface", "destination_port", "dest_port",
        "dst_port", "destination_interface", "remote_port", "remote_interface", "peer_port",
        "peer_interface", "neighbor_port",
    ),
    "cable_m": ("length_m", "cable_length_m"),
    "speed_gbps": ("speed_g",),
}  # fmt: skip
"""Other names of a column; NetBox's are those of its bulk import of cables (CableImportForm)."""

_METRES = {"km": 1000.0, "m": 1.0, "cm": 0.01, "mi": 1609.344, "ft": 0.3048, "in": 0.0254}
"""Units of NetBox (CableLengthUnitChoices), in metres."""

_INTERFACES = re.compile(r"(dcim\.)?interface|", re.IGNORECASE)
"""Type of a cable end in NetBox that is a port; a sheet without the column has none."""


def columns(names: Iterable[str | None]) -> dict[str, str]:
    """Our name for each recognised column of a table."""
    given = {re.sub(r"[\s.-]+", "_", name.strip().lower()): name for name in names if name}
    found = {}
    for ours, others in _WORDS.items():
        name = next((given[word] for word in (ours, *others) if word in given), None)
        if name is not None:
            found[name] = ours
    for word in ("rail", "length", "length_unit", "side_a_type", "side_b_type"):
        if word in given:
            found[given[word]] = word
    return found


def plan_row(values: Mapping[str, str]) -> dict[str, str] | None:
    """A row by our columns; None for a cable that does not join two ports (power, patch panel).

    Raises:
        ValueError: a length has no number or an unknown unit.
    """
    given = dict(values)
    kinds = [given.pop(name, "") or "" for name in ("side_a_type", "side_b_type")]
    if not all(_INTERFACES.fullmatch(kind.strip()) for kind in kinds):
        return None
    length, unit = given.pop("length", ""), given.pop("length_unit", "")
    if length and "cable_m" not in given:
        given["cable_m"] = str(_metres(length, unit))
    return given


def _metres(length: str, unit: str) -> float:
    factor = _METRES.get((unit or "m").strip().lower())
    if factor is None:
        raise ValueError(f"length_unit: {unit[:40]!r} is not one of {', '.join(_METRES)}")
    try:
        return round(parse_decimal(length) * factor, 3)
    except ValueError:
        raise ValueError(f"length: {length[:40]!r} is not a number") from None


def is_containerlab(data: Any) -> bool:
    """Whether a document is a topology of containerlab."""
    topology = data.get("topology") if isinstance(data, dict) else None
    return isinstance(topology, dict) and isinstance(topology.get("links"), list)


def containerlab(data: Any) -> Iterator[tuple[tuple[str | int, ...], list[Any]]]:
    """Path and ends (device:port) of each link between two nodes.

    Links to the host, to bridges and the like have one end, and are skipped.
    """
    for number, link in enumerate(data["topology"]["links"]):
        ends = link.get("endpoints") if isinstance(link, dict) else None
        if isinstance(ends, list) and len(ends) == 2:
            yield ("topology", "links", number), [_cable_end(end) for end in ends]


def _cable_end(end: Any) -> Any:
    """`node:interface`, split into two keys in the long form."""
    if isinstance(end, dict) and {"node", "interface"} <= end.keys():
        return f"{end['node']}:{end['interface']}"
    return end


# Plan files.

COLUMNS = ("a_device", "a_port", "b_device", "b_port")
OPTIONS = ("cable_m", "speed_gbps", "rail")

SIZE_LIMIT = 64 << 20
"""Bytes of a plan; one of 100,000 cables has 10 MB."""


@dataclass(slots=True)
class PlannedLink:
    """One line of the plan."""

    a: tuple[str, str]
    b: tuple[str, str]
    where: Where
    cable_m: float | None = None
    speed_gbps: float | None = None
    rail: int | None = None


def read_plan(path: Path, name: str, file: SourceFile | None = None) -> list[PlannedLink]:
    """Read a plan file; `name` is its name in reports, `file` its text where it is not on disk.

    Raises:
        LinksError: it cannot be read, or an item is not a link; the location has the line.
    """
    file = file or read_source(path, name, SIZE_LIMIT, LinksError)
    src = SourceMap()
    keep_ignores(src, src.add(file, "links"), file, "#")
    return list(_csv(file, src) if path.suffix.lower() == ".csv" else _yaml(file, src))


def _yaml(file: SourceFile, src: SourceMap) -> Iterator[PlannedLink]:
    try:
        documents = load_yaml(file)
    except ReadError as error:
        raise LinksError(error.message, location=error.location or file.name) from error
    if len(documents) > 1:
        raise LinksError("must be one document", location=file.name)
    for tree in documents:
        for note in tree.notes:
            raise LinksError(note.message, location=f"{file.name}:{note.line}")
        if tree.data in (None, ""):
            continue
        if is_containerlab(tree.data):
            for path, ends in containerlab(tree.data):
                yield _at(file, src, path, ends)
            continue
        if not isinstance(tree.data, list):
            raise LinksError("must be a list of links", location=file.name)
        for number, item in enumerate(tree.data):
            yield _at(file, src, (number,), item)


def _at(file: SourceFile, src: SourceMap, path: tuple[str | int, ...], item: Any) -> PlannedLink:
    where = Where(src, src.path(0, path))
    try:
        if isinstance(item, list) and len(item) == 2:
            return _link(item[0], item[1], where, {})
        if isinstance(item, dict) and "a" in item and "b" in item:
            options = {key: value for key, value in item.items() if key not in ("a", "b")}
            return _link(item["a"], item["b"], where, options)
        raise ValueError("expected [device:port, device:port] or {a: device:port, b: device:port}")
    except ValueError as error:
        line, _ = locate(file.text, TreeForm.YAML, path)
        raise LinksError(str(error), location=f"{file.name}:{line}") from None


def _csv(file: SourceFile, src: SourceMap) -> Iterator[PlannedLink]:
    rows = csv.DictReader(file.lines(), skipinitialspace=True)
    try:
        known = columns(rows.fieldnames or ())
        missing = [column for column in COLUMNS if column not in known.values()]
        if missing:
            message = f"columns are missing: {', '.join(missing)}"
            raise LinksError(message, location=f"{file.name}:1")
        for values in rows:
            row = plan_row({ours: values.get(name) or "" for name, ours in known.items()})
            if row is None:
                continue
            a, b = (f"{row[f'{e}_device']}:{row[f'{e}_port']}" for e in ("a", "b"))
            given = {key: value for key in OPTIONS if (value := row.get(key))}
            if given or (a, b) != (":", ":"):  # spreadsheets end with empty rows
                yield _link(a, b, Where(src, rows.line_num), given)
    except csv.Error as error:
        raise LinksError(str(error), location=f"{file.name}:{rows.line_num + 1}") from None
    except ValueError as error:
        raise LinksError(str(error), location=f"{file.name}:{rows.line_num}") from None


def _link(a: Any, b: Any, where: Where, options: dict[str, Any]) -> PlannedLink:
    unknown = sorted(str(key) for key in set(options) - set(OPTIONS))
    if unknown:
        raise ValueError(f"unknown key: {', '.join(unknown)}")
    values = {key: _number(key, text) for key, text in options.items() if text is not None}
    ends = _end(a), _end(b)
    if ends[0] == ends[1]:
        raise ValueError(f"both ends are {':'.join(ends[0])}")
    return PlannedLink(*ends, where, **values)


def _end(text: Any) -> tuple[str, str]:
    device, colon, port = text.partition(":") if isinstance(text, str) else ("", "", "")
    if not colon or not device.strip() or not port.strip():
        raise ValueError(f"{str(text)[:80]!r} is not device:port")
    return device.strip(), port.strip()


def _number(key: str, text: Any) -> Any:
    try:
        value = parse_whole(str(text)) if key == "rail" else decimal_of(str(text))
    except ValueError:
        value = -1
    if not 0 <= value < BEYOND:
        raise ValueError(f"{key}: {str(text)[:80]!r} is not a number of 0 or more")
    return value

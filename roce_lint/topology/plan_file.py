"""Reads a cable plan: links.yaml or a CSV with the same columns."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roce_lint.errors import LinksError, ReadError
from roce_lint.text.source import SourceFile, SourceMap, Where, digest
from roce_lint.text.tree import load_yaml

COLUMNS = ("a_device", "a_port", "b_device", "b_port")
OPTIONS = ("cable_m", "speed_gbps", "rail")


@dataclass(slots=True)
class PlannedLink:
    """One line of the plan."""

    a: tuple[str, str]
    b: tuple[str, str]
    where: Where
    cable_m: float | None = None
    speed_gbps: float | None = None
    rail: int | None = None


def read_plan(path: Path, name: str) -> list[PlannedLink]:
    """Read a plan file; `name` is how reports call it.

    Raises:
        LinksError: it cannot be read, or an item is not a link; the message names the item.
    """
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise LinksError(f"cannot be read: {error.strerror}", location=name) from error
    except UnicodeDecodeError as error:
        raise LinksError("is not UTF-8", location=name) from error
    file = SourceFile(name, text, digest(data), str(path.resolve()))
    src = SourceMap()
    return _csv(file, src) if path.suffix.lower() == ".csv" else _yaml(file, src)


def _yaml(file: SourceFile, src: SourceMap) -> list[PlannedLink]:
    try:
        documents = load_yaml(file)
    except ReadError as error:
        raise LinksError(error.message, location=error.location or file.name) from error
    src.add(file, "links")
    data = documents[0].data if documents else None
    if data in (None, ""):
        return []
    if not isinstance(data, list):
        raise LinksError("must be a list of links", location=file.name)
    return [_item(item, number, file, src) for number, item in enumerate(data)]


def _item(item: Any, number: int, file: SourceFile, src: SourceMap) -> PlannedLink:
    where = Where(src, src.path(0, (number,)))
    place = f"{file.name}, item {number + 1}"
    options: dict[str, Any] = {}
    if isinstance(item, list) and len(item) == 2:
        ends = item
    elif isinstance(item, dict) and "a" in item and "b" in item:
        ends = [item["a"], item["b"]]
        options = {key: value for key, value in item.items() if key not in ("a", "b")}
    else:
        raise LinksError(
            "a link is [device:port, device:port] or {a: device:port, b: device:port}",
            location=place,
        )
    return _link(_end(ends[0], place), _end(ends[1], place), where, options, place)


def _end(text: Any, place: str) -> tuple[str, str]:
    device, colon, port = str(text).partition(":")
    if not colon or not device.strip() or not port.strip():
        raise LinksError(f"{text!r} is not device:port", location=place)
    return device.strip(), port.strip()


def _csv(file: SourceFile, src: SourceMap) -> list[PlannedLink]:
    src.add(file, "links")
    rows = csv.DictReader(file.text.split("\n"))
    missing = [column for column in COLUMNS if column not in (rows.fieldnames or ())]
    if missing:
        raise LinksError(f"columns are missing: {', '.join(missing)}", location=f"{file.name}:1")
    links = []
    try:
        for row in rows:
            place = f"{file.name}:{rows.line_num}"
            a, b = (
                _end(f"{row[f'{end}_device'] or ''}:{row[f'{end}_port'] or ''}", place)
                for end in ("a", "b")
            )
            given = {key: value for key in OPTIONS if (value := row.get(key))}
            links.append(_link(a, b, Where(src, rows.line_num), given, place))
    except csv.Error as error:
        raise LinksError(f"not CSV: {error}", location=file.name) from error
    return links


def _link(
    a: tuple[str, str], b: tuple[str, str], where: Where, options: dict[str, Any], place: str
) -> PlannedLink:
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise LinksError(f"unknown key: {', '.join(map(str, unknown))}", location=place)
    values: dict[str, Any] = {}
    for key, text in options.items():
        try:
            values[key] = int(text) if key == "rail" else float(text)
        except (TypeError, ValueError):
            raise LinksError(f"{key}: {text!r} is not a number", location=place) from None
    return PlannedLink(a, b, where, **values)

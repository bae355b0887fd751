"""Reads a cable plan: links.yaml, a CSV with the same columns, or the form of another tool."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roce_lint.errors import LinksError, ReadError
from roce_lint.text.ignores import keep_ignores
from roce_lint.text.numbers import BEYOND, decimal_of, parse_whole
from roce_lint.text.source import SourceFile, SourceMap, Where, digest
from roce_lint.text.tree import TreeForm, load_yaml, locate
from roce_lint.topology import plan_forms

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


def read_plan(path: Path, name: str) -> list[PlannedLink]:
    """Read a plan file; `name` is how reports call it.

    Raises:
        LinksError: it cannot be read, or an item is not a link; the location has the line.
    """
    try:
        with path.open("rb") as opened:
            data = opened.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise LinksError(f"cannot be read: {error.strerror}", location=name) from error
    if len(data) > SIZE_LIMIT:
        raise LinksError(f"larger than {SIZE_LIMIT >> 20} MiB", location=name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LinksError("is not UTF-8", location=f"{name}:{line}") from error
    file = SourceFile(name, text, digest(data), str(path.resolve()))
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
        if plan_forms.is_containerlab(tree.data):
            for path, ends in plan_forms.containerlab(tree.data):
                yield _at(file, src, path, ends)
            continue
        if not isinstance(tree.data, list):
            raise LinksError("must be a list of links", location=file.name)
        for number, item in enumerate(tree.data):
            yield _at(file, src, (number,), item)


def _at(file: SourceFile, src: SourceMap, path: tuple[str | int, ...], item: Any) -> PlannedLink:
    try:
        return _item(item, Where(src, src.path(0, path)))
    except ValueError as error:
        line, _ = locate(file.text, TreeForm.YAML, path)
        raise LinksError(str(error), location=f"{file.name}:{line}") from None


def _item(item: Any, where: Where) -> PlannedLink:
    if isinstance(item, list) and len(item) == 2:
        return _link(item[0], item[1], where, {})
    if isinstance(item, dict) and "a" in item and "b" in item:
        options = {key: value for key, value in item.items() if key not in ("a", "b")}
        return _link(item["a"], item["b"], where, options)
    raise ValueError("expected [device:port, device:port] or {a: device:port, b: device:port}")


def _csv(file: SourceFile, src: SourceMap) -> Iterator[PlannedLink]:
    rows = csv.DictReader(file.lines(), skipinitialspace=True)
    try:
        known = plan_forms.columns(rows.fieldnames or ())
        missing = [column for column in COLUMNS if column not in known.values()]
        if missing:
            message = f"columns are missing: {', '.join(missing)}"
            raise LinksError(message, location=f"{file.name}:1")
        for values in rows:
            row = plan_forms.row({ours: values.get(name) or "" for name, ours in known.items()})
            if row is None:
                continue
            a, b = (f"{row[f'{e}_device']}:{row[f'{e}_port']}" for e in ("a", "b"))
            given = {key: value for key in OPTIONS if (value := row.get(key))}
            if given or (a, b) != (":", ":"):  # spreadsheets end with rows of nothing
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

"""Rows of config_db.json, as the templates print them, and the tables that they make up."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from roce_lint.model.device import Device
from roce_lint.model.qos import CodeMap
from roce_lint.nos.printer import by_value, has_value
from roce_lint.nos.sonic.maps import HIGHEST_QUEUE
from roce_lint.nos.sonic.normalize import has_namespaces, is_dumped
from roce_lint.nos.sonic.tables import BUFFER_TABLES, MOST_PORTS, QOS_TABLES, RENAMED, number_range
from roce_lint.text.places import Keys


def functions() -> Mapping[str, Callable[..., Any]]:
    """Functions for the templates."""
    return {"row": row, "filled": filled, "entries": entries, "exponent": exponent, "asic": is_asic}


def row(table: str, key: str, /, **values: Any) -> str:
    """One row as a line of JSON; fields without a value are left out."""
    texts = {k: v if isinstance(v, list) else str(v) for k, v in values.items() if has_value(v)}
    return json.dumps([table, key, texts])


def filled(table: str, key: str, /, **values: Any) -> str:
    """The row, or an empty line where no field has a value."""
    return row(table, key, **values) if any(map(has_value, values.values())) else ""


def entries(table: CodeMap, count: int = 0) -> dict[str, int]:
    """The stated entries of a map: `{"26": 3}`."""
    found = {number: value for value, numbers in by_value(table, count) for number in numbers}
    return {str(number): found[number] for number in sorted(found)}


def exponent(alpha: float | None) -> int | None:
    """The exponent n of a dynamic threshold of 2^n times the free pool."""
    return round(math.log2(alpha)) if alpha else None


def is_asic(key: str) -> bool:
    """Whether an object belongs to one of several ASICs: `asic0/AZURE`."""
    return key.startswith("asic") and "/" in key


def tables(text: str, device: Device) -> str:  # noqa: ARG001  (as every system)
    """The printed rows as tables, in the device's order; empty without rows."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            table, key, values = json.loads(line)
            found.setdefault(table, {}).setdefault(key, {}).update(values)
    made = {t: {k: dict(sorted(row.items())) for k, row in found[t].items()} for t in sorted(found)}
    return json.dumps(made, indent=4) + "\n" if made else ""


def members(path: Keys, node: Any) -> Iterator[tuple[Any, Keys]]:
    """Members of a file's object, each with the printed path that it stands for; a row may be about
    several ports and queues.
    """
    if is_dumped(node):
        yield "value", ()
        return
    if isinstance(node, list) or (not path and has_namespaces(node)):
        return
    for key in node:
        if not path and "|" in key:
            table, _, row = key.partition("|")
            yield from ((key, (RENAMED.get(table, table), each)) for each in _rows(table, row))
        elif not path:
            yield key, (RENAMED.get(key, key),)
        else:
            each = _rows(str(path[0]), key) if len(path) == 1 else [key]
            yield from ((key, (name,)) for name in each)


def _rows(table: str, key: str) -> list[str]:
    """The rows of single ports and numbers that a row stands for."""
    head, bar, rest = key.partition("|")
    if table not in QOS_TABLES + BUFFER_TABLES or not ("," in key or "-" in rest):
        return [key]
    try:
        numbers = number_range(rest, HIGHEST_QUEUE) if bar else ("",)
    except ValueError:
        return [key]
    return [f"{port.strip()}{bar}{n}" for port in head.split(",", MOST_PORTS) for n in numbers]

"""Rows of config_db.json, as the templates print them, and the tables that they make up."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from roce_lint.model.device import Device
from roce_lint.model.qos import CodeMap
from roce_lint.nos.printer import by_value, has_value


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

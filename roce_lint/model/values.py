"""Conversion of model values from and to text, by the type and name of their field."""

from __future__ import annotations

import enum
import re
import typing
from collections.abc import Callable, Iterable
from typing import Any

from roce_lint.errors import UsageError
from roce_lint.model.qos import CodeMap, QueueKind
from roce_lint.model.schema import FieldType, fields_of
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import (
    DSCP_NAMES,
    PRIORITIES,
    Threshold,
    ThresholdUnit,
    parse_dscp,
    ranges,
)
from roce_lint.text.numbers import BEYOND, decimal_of, parse_decimal, whole_of, whole_part

UNSET = "unset"
"""Text for a value that no line states and no default gives."""

NONE = "none"
"""Text for an empty set."""


class WrongValue(UsageError):
    """A text that is not a value of its field."""


_NUMBER = re.compile(
    r"(?P<number>[+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(?P<unit>\D*)", re.IGNORECASE
)

Units = dict[str, float]

_GBPS: Units = {
    **dict.fromkeys(("", "g", "gb", "gbps", "gb/s", "gbit/s"), 1),
    **dict.fromkeys(("t", "tbps", "tb/s", "tbit/s"), 1000),
    **dict.fromkeys(("m", "mbps", "mb/s", "mbit/s"), 0.001),
}
_BPS: Units = {
    **{unit: factor * 1e9 for unit, factor in _GBPS.items() if unit},
    **dict.fromkeys(("", "bps", "bit/s"), 1),
    **dict.fromkeys(("k", "kbps", "kbit/s"), 1e3),
}
_BYTES: Units = {
    **dict.fromkeys(("", "b", "byte", "bytes"), 1),
    **dict.fromkeys(("k", "kb", "kbyte", "kbytes"), 1e3),
    **dict.fromkeys(("m", "mb", "mbyte", "mbytes"), 1e6),
    "kib": 1 << 10,
    "mib": 1 << 20,
}
_METRES: Units = {"": 1, "m": 1, "metre": 1, "metres": 1, "meter": 1, "meters": 1, "km": 1000}
_MILLISECONDS: Units = {"": 1, "ms": 1, "s": 1000, "us": 0.001}
_PERCENT: Units = {"": 1, "%": 1, "percent": 1}
_PLAIN: Units = {"": 1}

_MEASURES: tuple[tuple[str, Units, str], ...] = (
    ("_gbps", _GBPS, "a speed such as 400G"),
    ("_bps", _BPS, "a rate such as 10G"),
    ("_bytes", _BYTES, "a size such as 150 kB"),
    ("mtu", _BYTES, "a size in bytes such as 9216"),
    ("_ms", _MILLISECONDS, "a time such as 200 ms"),
    ("_m", _METRES, "a length such as 300 m"),
    ("_percent", _PERCENT, "a share such as 55 %"),
)
"""Units and an example value by the end of a field's name."""

_THRESHOLDS: dict[str, tuple[ThresholdUnit, float]] = {
    **{unit: (ThresholdUnit.BYTES, factor) for unit, factor in _BYTES.items()},
    **dict.fromkeys(("%", "percent"), (ThresholdUnit.PERCENT, 1)),
    **dict.fromkeys(("cell", "cells"), (ThresholdUnit.CELLS, 1)),
    **dict.fromkeys(("packet", "packets"), (ThresholdUnit.PACKETS, 1)),
    **dict.fromkeys(("us", "microsecond", "microseconds"), (ThresholdUnit.MICROSECONDS, 1)),
    **dict.fromkeys(("unit", "units"), (ThresholdUnit.UNITS, 1)),
}

_WORDS = {
    **dict.fromkeys(("true", "yes", "on", "enabled", "up"), True),
    **dict.fromkeys(("false", "no", "off", "disabled", "down"), False),
}

_CODE_POINTS = ("dscp", "cnp_dscp", "own_dscp", "set_dscp")
_PRIORITY_SETS = ("generate", "honour", "named", "priorities", "np_priorities", "rp_priorities",
                  "pfc_priorities")  # fmt: skip


def read(text: str, field: str, known: FieldType) -> Any:
    """Parse a value for a field; None for `unset`.

    Raises:
        UsageError: it is not a value; the message states what the field takes.
    """
    word = text.strip()
    if word.lower() == UNSET and (known.optional or known.many):
        return None
    made = _make(word, field, known)
    if made is _WRONG:
        takes = _takes(field, known)
        unset = ", or unset" if known.optional else ""
        raise WrongValue(f"{field} takes {takes}{unset}, not {text!r}")
    return made


_WRONG = object()


def _make(text: str, field: str, known: FieldType) -> Any:
    item, origin = known.item, typing.get_origin(known.item)
    if origin is frozenset:
        numbers = typing.get_args(item)[0] is int
        return _numbers(text, field) if numbers else frozenset(_parts(text))
    if origin is tuple:
        return tuple(_parts(text))
    reader = _READERS.get(item)
    if reader is not None:
        return reader(text, field)
    if isinstance(item, type) and issubclass(item, enum.Enum):
        by_value = {str(member.value).lower(): member for member in item}
        return by_value.get(text.lower(), _WRONG)
    return _WRONG


def _numbers(text: str, field: str) -> Any:
    if text.lower() in (NONE, ""):
        return frozenset() if text else _WRONG
    highest = max(PRIORITIES) if field in _PRIORITY_SETS else 4094
    found: set[int] = set()
    for part in re.split(r"[\s,]+", text.strip()):
        match = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", part, re.ASCII)
        if match is None:
            return _WRONG
        first, last = whole_of(match[1]), whole_of(match[2] or match[1])
        if first > last or last > highest:
            return _WRONG
        found.update(range(first, last + 1))
    return frozenset(found)


def _parts(text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    return [] if text.lower() == NONE else [part for part in parts if part]


def _int(text: str, field: str) -> Any:
    if field in _CODE_POINTS:
        code = parse_dscp(text)
        return _WRONG if code is None else code
    value = _float(text, field)
    return whole_part(value) if value is not _WRONG and value == whole_part(value) else _WRONG


def _float(text: str, field: str) -> Any:
    units, _ = _measure(field)
    found = _NUMBER.fullmatch(text)
    factor = units.get(found["unit"].strip().lower()) if found else None
    if found is None or factor is None:
        return _WRONG
    value = round(decimal_of(found["number"].replace(",", "")) * factor, 9)
    return value if 0 <= value < BEYOND else _WRONG


def _threshold(text: str, _field: str) -> Any:
    found = _NUMBER.fullmatch(text)
    unit = _THRESHOLDS.get(found["unit"].strip().lower()) if found else None
    if found is None or unit is None:
        return _WRONG
    value = decimal_of(found["number"].replace(",", "")) * unit[1]
    return Threshold(round(value, 9), unit[0]) if 0 <= value < BEYOND else _WRONG


_READERS: dict[Any, Callable[[str, str], Any]] = {
    bool: lambda text, _field: _WORDS.get(text.lower(), _WRONG),
    int: _int,
    float: _float,
    str: lambda text, _field: text or _WRONG,
    Threshold: _threshold,
}


def _measure(field: str) -> tuple[Units, str]:
    for end, units, example in _MEASURES:
        if field.endswith(end):
            return units, example
    return _PLAIN, "a number"


_TAKES = {
    bool: "yes or no",
    Threshold: "a threshold such as 150 kB, 55 %, 1000 cells or 20 us",
    str: "a text",
}


def _takes(field: str, known: FieldType) -> str:
    item, origin = known.item, typing.get_origin(known.item)
    if origin is not None:
        return "a set such as 3,4, or none" if origin is frozenset else "names, or none"
    if field in _CODE_POINTS:
        return f"a code point from 0 to 63 or its name ({', '.join(list(DSCP_NAMES)[3:5])}, af31)"
    if item in (int, float):
        return _measure(field)[1]
    if isinstance(item, type) and issubclass(item, enum.Enum):
        return " or ".join(str(member.value) for member in item)
    return _TAKES.get(item, "no value: a path must name one of its fields")


def spell_value(value: object, field: str = "") -> str:
    """Format a value; `read` parses it back."""
    if value is None or isinstance(value, bool):
        return {None: UNSET, True: "yes", False: "no"}[value]
    if isinstance(value, enum.Enum):
        return str(value.value)
    if isinstance(value, int | float):
        return _number(value, field)
    if isinstance(value, frozenset | set):
        return _set(value)
    if isinstance(value, tuple | list):
        return ",".join(spell_value(part) for part in value) or NONE
    return _name(value) if isinstance(value, Sourced) else str(value)


def spell_object(value: object, field: str = "") -> str:
    """Format a value; an object without a name by its stated fields: `(kmin 950000 bytes)`."""
    if not isinstance(value, Sourced) or isinstance(value, CodeMap) or getattr(value, "name", None):
        return spell_value(value, field)
    names = [name for name in fields_of(type(value)) if value.stated(name)]
    own = ", ".join(f"{name} {spell_value(getattr(value, name), name)}" for name in names)
    return f"({own})" if own else spell_value(value, field)


def _name(item: Sourced) -> str:
    if isinstance(item, CodeMap) and item.name is None:
        return f"{len(item.entries)} entries"
    return str(getattr(item, "name", None) or type(item).__name__.lower())


_SHOWN_UNITS = {"_gbps": "G", "_m": " m", "_ms": " ms", "_percent": " %"}


def _number(value: float, field: str) -> str:
    text = str(whole_part(value)) if value == whole_part(value) else repr(value)
    return text + next((u for end, u in _SHOWN_UNITS.items() if field.endswith(end)), "")


def _set(value: Iterable[Any]) -> str:
    members = list(value)
    if not members:
        return NONE
    numbers = all(isinstance(member, int) for member in members)
    return ranges(frozenset(members)) if numbers else ",".join(sorted(map(spell_value, members)))


def key_of(text: str, known: FieldType, field: str = "") -> Any:
    """Parse the key of an entry in a path; None if it is not a key.

    A queue is `3`, or `multicast 3`; a row of a headroom table is `400 5`: speed and length.
    """
    kind = known.key
    if kind is str:
        return str(text)
    if kind is int:
        number = parse_dscp(text) if field.startswith("dscp") else None
        if number is None:
            number = whole_of(text) if text.isascii() and text.isdigit() else None
        return number
    first, _, last = text.rpartition(" ")
    parts = typing.get_args(kind)
    if parts and parts[0] is QueueKind:
        queue = {str(member.value): member for member in QueueKind}.get(first or "unicast")
        return (queue, whole_of(last)) if queue and last.isascii() and last.isdigit() else None
    try:
        return (parse_decimal(first), parse_decimal(last))
    except ValueError:
        return None


def key_text(key: object) -> str:
    """Format the key of an entry as in a path."""
    if isinstance(key, tuple):
        kind, number = key
        if kind is QueueKind.UNICAST:
            return str(number)
        return f"{kind.value} {number}" if isinstance(kind, enum.Enum) else f"{kind:g} {number:g}"
    return str(key.value) if isinstance(key, enum.Enum) else str(key)


def code_numbers(key: str, field: str) -> list[int]:
    """Numbers of a map entry: `3`, `24-31,40`, or a DSCP name.

    Raises:
        UsageError: it is not a number or name.
    """
    found: list[int] = []
    for part in key.split(","):
        named = parse_dscp(part) if field.startswith("dscp") else None
        first, _, last = part.strip().partition("-")
        if named is not None:
            found.append(named)
        elif first.isascii() and first.isdigit() and (last or first).isdigit():
            found += range(whole_of(first), min(whole_of(last or first), MOST) + 1)
        else:
            raise WrongValue(f"{field}[{key}]: an entry is a number, such as 26 or 24-31")
    return found


MOST = 4094
"""The greatest number of an entry."""

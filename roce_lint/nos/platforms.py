"""Platform defaults: rules/platforms/<nos>.toml, loaded on first use.

Each table is one default: its value, the sentence that a finding quotes, the heading of the facts
page with the document, and its confidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from roce_lint.errors import ReadError, UsageError
from roce_lint.model.interface import Fec
from roce_lint.model.qos import HeadroomModel, PfcMode, SchedulerKind, Trust, WatchdogAction
from roce_lint.nos.declare import Default
from roce_lint.resources import resource_dir
from roce_lint.text.numbers import whole_number
from roce_lint.text.source import Confidence
from roce_lint.text.tree import load_toml

KINDS: Mapping[str, Callable[[Any], object]] = {
    "pfc mode": PfcMode,
    "scheduler": SchedulerKind,
    "trust": Trust,
    "watchdog action": WatchdogAction,
    "fec": Fec,
    "headroom": HeadroomModel,
    "numbers": lambda text: frozenset(_range(text)),
    "words": lambda text: frozenset(text.split()),
}
"""Enumerations of the model that a word may belong to, and the sets that a text may list."""

KEYS = frozenset({"value", "kind", "says", "heading", "confidence", "unfilled", "among"})
"""Keys of a default; `says`, `heading` and `confidence` are required."""


class Defaults:
    """Defaults of one system, each an attribute named after its table."""

    def __init__(self, nos: str, folder: Path | None = None):
        self._nos = nos
        self._folder = folder
        self._read: dict[str, Default] | None = None

    def __getattr__(self, name: str) -> Default:
        if name.startswith("_") or name not in self.tables:
            raise AttributeError(f"rules/platforms/{self._nos}.toml has no table [{name}]")
        return self.tables[name]

    def __iter__(self) -> Iterator[Default]:
        return iter(self.tables.values())

    @property
    def tables(self) -> Mapping[str, Default]:
        """All defaults by table name.

        Raises:
            UsageError: the file cannot be read, or a table is not a default.
        """
        if self._read is None:
            folder = self._folder or resource_dir("rules") / "platforms"
            self._read = read_defaults(folder / f"{self._nos}.toml")
            self.__dict__.update(self._read)  # an attribute is then found without a call
        return self._read


@cache
def defaults_of(nos: str) -> Defaults:
    """Defaults of a system by its public name."""
    return Defaults(nos)


def read_defaults(path: Path) -> dict[str, Default]:
    """Defaults of one file.

    Raises:
        UsageError: the file cannot be read or is not TOML, or a table is not a default.
    """
    try:
        tables = load_toml(str(path), path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", location=str(path)) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"is no TOML: {error}", location=str(path)) from error
    except ReadError as error:
        raise UsageError(error.message, location=error.location) from error
    page = tables.pop("page", None)
    if not isinstance(page, str):
        raise UsageError("page: the path of the facts page is missing", location=str(path))
    found = {}
    for name, table in tables.items():
        try:
            found[name] = _default(page, table)
        except (ValueError, TypeError, KeyError) as error:
            raise UsageError(f"[{name}]: {error}", location=str(path)) from error
    return found


def _default(page: str, table: dict[str, Any]) -> Default:
    if not isinstance(table, dict):
        raise TypeError("not a table")
    if unknown := sorted(table.keys() - KEYS):
        raise ValueError(f"unknown: {', '.join(unknown)}")
    if missing := sorted({"says", "heading", "confidence"} - table.keys()):
        raise ValueError(f"missing: {', '.join(missing)}")
    for name in ("says", "heading"):
        if not isinstance(table[name], str) or not table[name]:
            raise ValueError(f"{name} is no text")
    unfilled = table.get("unfilled", False)
    if not isinstance(unfilled, bool):
        raise TypeError("unfilled is neither true nor false")
    return Default(
        value=_value(table.get("value"), table.get("kind")),
        says=table["says"],
        source=f"{page}#{table['heading']}",
        confidence=Confidence(table["confidence"]),
        among=frozenset(map(_number, table["among"])) if "among" in table else None,
        unfilled=unfilled,
    )


def _value(value: object, kind: object) -> object:
    """The value in the model: a list becomes a set of numbers, a table a map of them."""
    if kind is not None:
        if kind not in KINDS:
            raise ValueError(f"kind {kind!r} is not one of {', '.join(KINDS)}")
        return KINDS[str(kind)](value)
    if isinstance(value, list):
        return frozenset(_number(entry) for entry in value)
    if isinstance(value, dict):
        return {n: _number(to) for keys, to in value.items() for n in _range(keys)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"value {value!r} is of no kind that a default has")


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _range(text: str) -> range:
    """The numbers of `8` or `0-7`."""
    low, dash, high = text.partition("-")
    first, last = whole_number(low), whole_number(high if dash else low)
    if first is None or last is None or last < first:
        raise ValueError(f"{text!r} is neither a number nor a range")
    return range(first, last + 1)

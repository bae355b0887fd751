"""Errors in hand-written data, in terms of its author.

A schema reports errors in the terms of its validation library and names its own classes. Here each
becomes the path of the key, the allowed and the found value, and the name that was probably meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from roce_lint.text.names import did_you_mean

Loc = tuple[int | str, ...]

SHOWN = 40
"""Characters of a found value that are shown."""


class Closed(BaseModel):
    """Base of hand-written tables: an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Refusal:
    """One error: its path of keys, its message, and a hint (or "")."""

    keys: Loc
    message: str
    hint: str = ""


def refusals(error: ValidationError, schema: type[BaseModel]) -> list[Refusal]:
    """All errors of `schema`, in order and without duplicates."""
    entries = error.errors(include_url=False)
    inside = {entry["loc"][:-1] for entry in entries}
    found = [
        _refusal(entry, schema)
        for entry in entries
        # A list is too short only because one of its items was refused.
        if entry["type"] != "too_short" or entry["loc"] not in inside
    ]
    return list(dict.fromkeys(found))


def _refusal(entry: ErrorDetails, schema: type[BaseModel]) -> Refusal:
    keys = tuple(part for part in entry["loc"] if part != "[key]")
    name = dot_path(keys)
    match entry["type"]:
        case "extra_forbidden":
            return Refusal(
                keys, f"unknown key {name}", did_you_mean(str(keys[-1]), _keys(schema, keys))
            )
        case "missing":
            return Refusal(keys[:-1], f"{name} is missing")
        case "value_error" | "assertion_error":
            return Refusal(keys, f"{name or 'the file'} {entry['msg'].split(', ', 1)[-1]}")
    message = f"{name or 'the file'} must be {_allow(entry)}"
    return Refusal(keys, f"{message}, found {_show(entry['input'])}", _near(entry))


def dot_path(keys: Sequence[int | str]) -> str:
    """Format a path of keys: `classes.roce.dscp[0]`; unprintable characters are escaped."""
    path = ""
    for key in keys:
        if isinstance(key, int):
            path += f"[{key}]"
            continue
        shown = key[:SHOWN] if key.isprintable() else ascii(key[:SHOWN])[1:-1]
        path += f".{shown}" if path else shown
    return path


def _allow(entry: ErrorDetails) -> str:
    kind, ctx = entry["type"], entry.get("ctx", {})
    if kind in _BOUNDS:
        return _BOUNDS[kind].format(**ctx)
    if kind == "literal_error":
        return "one of " + ", ".join(_words(entry))
    known = next((words for begin, words in _KINDS.items() if kind.startswith(begin)), "")
    return known or entry["msg"].removeprefix("Input should be ")


_BOUNDS = {
    "greater_than_equal": "at least {ge:g}",
    "greater_than": "more than {gt:g}",
    "less_than_equal": "at most {le:g}",
    "less_than": "less than {lt:g}",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
    "string_pattern_mismatch": "of the form {pattern}",
}

_KINDS = {
    "int_": "a whole number",
    "float_": "a number",
    "bool_": "true or false",
    "string_type": "text",
    "string_too_short": "text of at least one character",
    "tuple_type": "a list",
    "list_type": "a list",
    "set_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def _words(entry: ErrorDetails) -> list[str]:
    return str(entry.get("ctx", {}).get("expected", "")).split("'")[1::2]


def _near(entry: ErrorDetails) -> str:
    """The word that was probably meant, where only some words are allowed."""
    if entry["type"] != "literal_error":
        return ""
    hint = did_you_mean(str(entry["input"])[:SHOWN], _words(entry))
    return hint if hint.startswith("did") else ""


_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?")


def _show(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case dict():
            return "a mapping"
        case list() | tuple():
            return f"a list of {len(value)}"
        case int() | float():
            return str(value)[:SHOWN]
        case str() if _NUMBER.fullmatch(value):
            return value
        case str():
            return ascii(value[:SHOWN])
    return ascii(str(value)[:SHOWN])


def _keys(schema: type[BaseModel], keys: Loc) -> list[str]:
    """Known keys at the position of the last of `keys`."""
    kinds: list[Any] = [schema]
    for key in keys[:-1]:
        kinds = [found for kind in kinds for found in _below(kind, key)]
    return [name for kind in kinds for name in _names(kind)]


def _names(kind: Any) -> Iterator[str]:
    for model in _flat(kind):
        if isinstance(model, type) and issubclass(model, BaseModel):
            for name, field in model.model_fields.items():
                yield field.alias or name


def _below(kind: Any, key: int | str) -> Iterator[Any]:
    for each in _flat(kind):
        if isinstance(each, type) and issubclass(each, BaseModel):
            for name, field in each.model_fields.items():
                if key in (name, field.alias):
                    yield field.annotation
        elif get_args(each):
            yield get_args(each)[-1 if isinstance(key, str) else 0]


def _flat(kind: Any) -> Iterator[Any]:
    """A type without its wrappers; each member of a union."""
    origin = get_origin(kind)
    if origin is Annotated:
        yield from _flat(get_args(kind)[0])
    elif origin in (Union, UnionType):
        for each in get_args(kind):
            yield from _flat(each)
    else:
        yield kind

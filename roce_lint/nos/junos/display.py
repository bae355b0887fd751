"""What `display xml` and `display json` print, as lines in braces that know where they stand."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from typing import Any

from roce_lint.nos.declare import ExportError
from roce_lint.nos.junos.markup import CONFIGURATION, Line, lines_of
from roce_lint.text.elements import Element, ElementsError, read_xml
from roce_lint.text.json_places import JsonPlaces
from roce_lint.text.places import DEPTH_LIMIT

TEXTS = ("configuration-text", "configuration-set", "configuration-output")
"""Elements that hold the configuration as a text."""

REPLIES = (
    "rpc-reply", "data", "multi-routing-engine-results", "multi-routing-engine-item",
    "configuration-information", "rpc", "edit-config", "config", "get-configuration",
)  # fmt: skip
"""Elements around a configuration."""

MARKS = ("@", "attributes")
"""Keys that hold what an element has for attributes in XML."""

_Path = tuple[Hashable, ...]


def from_xml(text: str) -> list[Line]:
    """The lines of a configuration in XML.

    Raises:
        ExportError: it breaks off, is nested without end, or holds no configuration.
    """
    begin = text.find("<")
    try:
        root = read_xml(text[begin:], text.count("\n", 0, begin) + 1)
    except ElementsError as error:
        raise ExportError(str(error), error.line) from error
    stack = [root]
    while stack:
        each = stack.pop()
        if each.name == CONFIGURATION:
            return lines_of(each)
        if each.name in TEXTS:
            return [(line, each.line + index) for index, line in enumerate(each.text.split("\n"))]
        if each.name in REPLIES:
            stack += reversed(each.below)
    raise ExportError("no element `configuration`", root.line)


def from_json(text: str) -> list[Line]:
    """The lines of a configuration in JSON, in its form of today and in that of before 16.1.

    Raises:
        ExportError: it breaks off, is nested without end, or holds no configuration.
    """
    begin = text.find("{")
    try:
        data, _ = json.JSONDecoder(strict=False).raw_decode(text, begin)
    except json.JSONDecodeError as error:
        raise ExportError(error.msg, error.lineno) from error
    except RecursionError:
        raise ExportError("nested deeper than any device nests", 1) from None
    if not isinstance(data, dict) or CONFIGURATION not in data:
        raise ExportError(f"no {CONFIGURATION!r}", 1)
    places = _Places(text, begin)
    return lines_of(places.element(CONFIGURATION, data[CONFIGURATION], (CONFIGURATION,)))


class _Places:
    """Makes elements of values, each with the line of its key."""

    def __init__(self, text: str, begin: int) -> None:
        self.places = JsonPlaces(text, begin)

    def element(self, name: str, value: Any, path: _Path) -> Element:
        """The element that a value is."""
        made = Element(name, self.places.place(path)[0])
        if len(path) > DEPTH_LIMIT:
            raise ExportError("nested deeper than any device nests", made.line)
        if isinstance(value, list) and len(value) == 1:
            value, path = value[0], (*path, 0)
        if isinstance(value, dict) and "data" in value and _is_value(value["data"]):
            made.marks = _marks(value)
            made.line = self.places.place((*path, "data"))[0]
            value = value["data"]
        if isinstance(value, dict):
            made.marks = _marks(value)
            made.below = list(self._below(value, path))
        elif not isinstance(value, list):
            made.text = _text(value)
        elif value != [None]:
            raise ExportError(f"several values of {name!r} where one is expected", made.line)
        return made

    def _below(self, value: dict[str, Any], path: _Path) -> Iterator[Element]:
        for key, item in value.items():
            if key in MARKS or key.startswith("@"):
                continue
            told = value.get(f"@{key}")
            marks = told if isinstance(told, list) else [told]
            items = item if isinstance(item, list) else None
            if items is None or len(items) == 1:
                each = self.element(key, item, (*path, key))
                each.marks = each.marks or _attributes(marks[0] if marks else None)
                yield each
                continue
            for index, one in enumerate(items):
                each = self.element(key, one, (*path, key, index))
                each.marks = each.marks or _attributes(marks[index] if index < len(marks) else None)
                yield each


def _is_value(value: Any) -> bool:
    return not isinstance(value, dict) and (not isinstance(value, list) or value == [None])


def _marks(value: dict[str, Any]) -> dict[str, str]:
    return next((_attributes(value[key]) for key in MARKS if key in value), {})


def _attributes(marks: Any) -> dict[str, str]:
    """What is said of an element; `false` says nothing."""
    if not isinstance(marks, dict):
        return {}
    return {key.rsplit(":", 1)[-1]: str(value) for key, value in marks.items() if value}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None or isinstance(value, list) else str(value)

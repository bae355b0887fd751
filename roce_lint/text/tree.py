"""JSON, YAML and TOML as plain values whose places are paths, resolved only when shown.

A tree holds only dicts, lists and leaves, so its users need not know the notation. A path is the
tuple of keys and indexes from the root down; `locate` turns it into a line and a column by reading
the text once more.
"""

from __future__ import annotations

import enum
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from roce_lint.errors import ReadError
from roce_lint.text import json_scan, json_text, yaml_nodes
from roce_lint.text.json_scan import JsonPlaces
from roce_lint.text.numbers import whole_of
from roce_lint.text.places import (
    BOM,
    Data,
    Keys,
    LineIndex,
    Note,
    Place,
    error_at,
    find_doubled_keys,
    line_of,
)
from roce_lint.text.source import SourceFile

__all__ = ["Data", "Keys", "Note", "Place"]


class TreeForm(enum.Enum):
    """The notations that are read into trees and located again."""

    JSON = "json"
    YAML = "yaml"


class Document(NamedTuple):
    """First key of a path into any but the first document of a YAML file."""

    number: int  # counted from 0


@dataclass(slots=True)
class Tree:
    """One document: plain values, and oddities of its text."""

    data: Data
    form: TreeForm
    notes: list[Note] = field(default_factory=list)
    document: int = 0

    @property
    def root(self) -> Keys:
        """The beginning of the path of every value in this document."""
        return (Document(self.document),) if self.document else ()


def load_json(file: SourceFile) -> Tree:
    """Read one JSON object or list; console output around it is skipped.

    Raises:
        ReadError: no JSON, cut-off JSON, a second document, or a value out of range.
    """
    data, notes = json_text.parse(file.name, json_text.characters(file.text.removeprefix(BOM)))
    return Tree(data, TreeForm.JSON, notes)


def load_yaml(file: SourceFile) -> list[Tree]:
    """Read all documents of a YAML file; none when it holds only comments.

    Every scalar stays text (`on`, `0123`, `null`), since YAML readers disagree about the meaning of
    such words. Only an empty value (`key:`) is None. Merge keys (`<<`) are resolved.

    Raises:
        ReadError: not YAML, a tag, a key that is not a scalar, or more nodes or levels than
            allowed.
    """
    text = file.text.removeprefix(BOM)
    lines = LineIndex(text)
    return [
        Tree(yaml_nodes.plain(root), TreeForm.YAML, find_doubled_keys(lines, doubled), number)
        for number, (root, doubled) in enumerate(_compose(file.name, text))
    ]


class NodeTree(NamedTuple):
    """One YAML document as nodes with offsets, and the converter of offsets into lines."""

    root: yaml_nodes.Node
    notes: list[Note]
    lines: LineIndex


def load_yaml_nodes(file: SourceFile) -> list[NodeTree]:
    """Like `load_yaml`, for readers that take every value with its line at once.

    Raises:
        ReadError: as `load_yaml`.
    """
    text = file.text.removeprefix(BOM)
    lines = LineIndex(text)
    return [
        NodeTree(root, find_doubled_keys(lines, doubled), lines)
        for root, doubled in _compose(file.name, text)
    ]


_LONG = re.compile(r"(?<![\w.])[+-]?(?:0[xob])?[0-9a-fA-F_]{17,}(?![\w.])")
_WIDEST = 1 << 63
"""TOML has whole numbers of 64 bits; the standard reader accepts more, up to a limit of `int`."""


_HEADER = re.compile(r"[ \t]*+\[{1,2}(?P<table>[^\]\n]++)\]")


def line_of_keys(text: str, keys: Sequence[int | str]) -> int:
    """The line of a key in a TOML text, given as `asics, 1, name`; of its table if it is missing; 1
    if that is missing, too.
    """
    names = [key for key in keys if isinstance(key, str)]
    tables = {".".join(names[:count]) for count in (1, len(names) - 1, len(names))}
    entry = keys[1] if len(keys) > 1 and isinstance(keys[1], int) else None
    begin, inside = 1, len(names) == 1
    for number, line in enumerate(text.splitlines(), 1):
        if head := _HEADER.match(line):
            inside = head["table"].replace('"', "").strip() in tables
            if inside and entry is not None:
                inside, entry = entry == 0, entry - 1
            begin = number if inside else begin
        elif inside and names and line.split("=")[0].strip() == names[-1]:
            return number
    return begin


def load_toml(name: str, text: str) -> dict[str, Any]:
    """Read the text of a TOML file with the standard reader.

    Raises:
        ReadError: not TOML, nested too deeply, or a number is too long; the location has the line.
    """
    text = text.removeprefix(BOM)
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise error_at(name, 1, "nests deeper than can be read") from None
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
        last = line_of(text, len(text.rstrip()))
        line = (whole_of(found[1]) if found[1] else last) if found else 1
        reason = message[: found.start()] if found else message
        raise error_at(name, line, f"not valid TOML: {reason}") from None
    except ValueError:  # more digits than `int` takes
        data = {"": _WIDEST}
    if any(not -_WIDEST <= number < _WIDEST for number in _whole_numbers(data)):
        found = _LONG.search(text)
        line = line_of(text, found.start()) if found else 1
        raise error_at(name, line, "not valid TOML: a number of more than 64 bits")
    return data


def _whole_numbers(data: Any) -> Iterator[int]:
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
        elif type(value) is int:
            yield value


def locate(text: str, form: TreeForm, keys: Keys, document: int = 0) -> Place:
    """Line and column of one path: of its key in a mapping, of the value itself in a list.

    A path that does not exist has the place of its nearest existing ancestor.

    Raises:
        ReadError: the text is not YAML (any more).
    """
    if form is TreeForm.JSON:
        return json_places(text).place(keys)
    path = (Document(document), *keys) if document else keys
    return locate_all(text, form, [path])[path]


def locate_all(text: str, form: TreeForm, paths: Iterable[Keys]) -> dict[Keys, Place]:
    """Places of many paths, each as `Tree.root` and keys, in one pass over the text.

    Raises:
        ReadError: the text is not YAML (any more).
    """
    text = text.removeprefix(BOM)
    if form is TreeForm.JSON:
        text = json_text.characters(text)
        return json_scan.places(text, json_text.document_start(text), paths)
    roots = [root for root, _ in _compose("", text)]
    lines = LineIndex(text)
    return {keys: lines.place(_offset(roots, keys)) for keys in paths}


def json_places(text: str) -> JsonPlaces:
    """Finder of places of JSON paths, one by one."""
    text = json_text.characters(text.removeprefix(BOM))
    return JsonPlaces(text, json_text.document_start(text))


def form_of(text: str) -> TreeForm:
    """Distinguish JSON from YAML.

    JSON between console lines is distinguished from YAML that contains some JSON by trying: a text
    that parses as YAML from its first line on is YAML.
    """
    text = text.removeprefix(BOM)
    start = json_text.document_start(text)
    if not json_text.is_document(text, start):
        return TreeForm.YAML
    if not any(json_text.lines_of(text[:start], 1)):
        return TreeForm.JSON
    try:
        roots = [root for root, _ in _compose("", text)]
    except ReadError:
        return TreeForm.JSON
    structured = any(isinstance(root.data, dict | list) for root in roots)
    return TreeForm.YAML if structured else TreeForm.JSON


# YAML as it is written: block mappings, whose keys are in natural order.

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*|[0-9]+[GM]?")
_PLAIN_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.,/:-]*(?<!:)")
_WORDS = {"true", "false", "null", "yes", "no", "y", "n"}
"""Words that YAML readers take for something else than text; `on` and `off` are written bare."""


def yaml_lines(tree: dict[Any, Any], margin: str) -> Iterator[str]:
    """The lines of a mapping, with a margin."""
    for key, value in sorted(tree.items(), key=lambda item: natural_order(item[0])):
        if isinstance(value, dict) and value:
            yield f"{margin}{yaml_key(key)}:"
            yield from yaml_lines(value, f"{margin}  ")
        else:
            yield f"{margin}{yaml_key(key)}: {'{}' if value == {} else yaml_scalar(value)}"


def natural_order(key: str) -> list[tuple[int, str]]:
    """Sort key of a name: swp2 is before swp10."""
    return [
        (whole_of(p), "") if p.isdecimal() else (-1, p) for p in re.split(r"([0-9]+)", key) if p
    ]


def yaml_key(key: str) -> str:
    """A key as it is written."""
    if key.isdecimal():
        return f"'{key}'"
    return key if _PLAIN_KEY.fullmatch(key) else json.dumps(key)


def yaml_scalar(value: Any) -> str:
    """A number or text as it is written."""
    if isinstance(value, int):
        return str(value)
    plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if plain else json.dumps(value)


def _offset(roots: list[yaml_nodes.Node], keys: Keys) -> int:
    number = 0
    if keys and isinstance(keys[0], Document):
        number, keys = keys[0].number, keys[1:]
    return yaml_nodes.offset_of(roots[number], keys) if number < len(roots) else 0


def _compose(name: str, text: str) -> Iterator[tuple[yaml_nodes.Node, list[yaml_nodes.Double]]]:
    """The documents of a YAML text, with the library's errors converted to ours."""
    plain = yaml_nodes.compose(text)
    if plain is not None:
        yield plain, []
        return
    import yaml  # noqa: PLC0415 - start-up time

    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        yield from yaml_nodes.Composer(name, text).compose(yaml.parse(text, Loader=loader))
    except UnicodeEncodeError as error:
        raise error_at(name, line_of(text, error.start), "not valid UTF-8") from None
    except yaml.reader.ReaderError as error:
        before = text.encode("utf-8", "surrogateescape")[: error.position]
        line = before.count(b"\n") + 1
        raise error_at(name, line, f"not valid YAML: {error.reason}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = line_of(text, mark.index) if mark else 1
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        raise error_at(name, line, f"not valid YAML: {reason}") from None

"""Variables of jobs in files that no shell runs: keys and pairs of trees, and lines of templates.

Values of Helm, vars and templates of Ansible, files of compose: what is written out in them is what
jobs get; what somebody puts in later is not known.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any

from roce_lint.catalog.applications import CLASS_BYTE, names_pattern, row_of
from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.environment import state_variable
from roce_lint.nos.linux.host import Host, witness
from roce_lint.nos.reading import Input, Value
from roce_lint.text.environment import quoted

Keys = tuple[Hashable, ...]

DEPTH = 40
"""Levels of a tree that are searched; a pod template in a list of jobs has some fifteen."""

SHOWN = 60
"""Characters of a value that a note quotes."""

_OPEN = re.compile(r"\{\{|\{%|\$[({A-Za-z_]|^<.*>$|^[|>&*!]|^$")
"""What a value holds that is put in when the file is used, or that is no value on this line."""

_VALUE = r"(?P<value>\"[^\"]*\"|'[^']*'|\{\{.*?\}\}|[^\s,;\"'}\]]*)"
_NAME = rf"[\"']?(?P<name>{names_pattern()})[\"']?"
_PAIR_NAME = re.compile(rf"[\"']?\b(?:name|option)[\"']?\s*:\s*{_NAME}\s*(?=$|[,}}])")
_PAIR_VALUE = re.compile(rf"[\"']?\bvalue[\"']?\s*:\s*{_VALUE}")
_ASSIGNED = re.compile(rf"(?<![\w-]){_NAME}\s*(?::\s|=)\s*{_VALUE}")
_TEMPLATE_COMMENT = re.compile(r"\{\{-?\s*/\*.*?\*/\s*-?\}\}|\{#.*?#\}", re.DOTALL)


def mappings(data: Any) -> Iterator[tuple[Keys, dict[Any, Any]]]:
    """Every mapping of a tree, with its path."""
    stack: list[tuple[Keys, Any]] = [((), data)]
    while stack:
        path, node = stack.pop()
        if len(path) > DEPTH:
            continue
        if isinstance(node, dict):
            yield path, node
            stack += [((*path, key), child) for key, child in reversed(node.items())]
        elif isinstance(node, list):
            stack += [((*path, row), child) for row, child in reversed(list(enumerate(node)))]


def read_mapping(host: Host, entry: Input, keys: Keys, node: dict[Any, Any], who: Witness) -> None:
    """Take in the variables of one mapping: keys that are names, and `name` beside `value`."""
    named = [(str(node.get("name", node.get("option"))), "value")]
    for name, key in [*named, *((str(key), key) for key in node)]:
        text = node.get(key)
        if isinstance(text, str) and row_of(name) is not None:
            _state(host, name, text.strip(), host.spot(entry, *keys, key), who)
            host.mark(entry, *keys, key)


def read_tree(host: Host, entry: Input) -> None:
    """Take in the variables of a whole tree."""
    for keys, node in mappings(entry.tree):
        read_mapping(host, entry, keys, node, witness(entry))


def read_lines(host: Host, entry: Input) -> None:
    """Take in the variables of a text line by line, as it is no tree before it is filled."""
    who = witness(entry)
    text = _TEMPLATE_COMMENT.sub(lambda found: "\n" * found[0].count("\n"), entry.text.text)
    name = value = ""
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.lstrip()
        if bare.startswith(("#", "//")):
            continue
        if bare.startswith("-") or not bare:
            name = value = ""
        found, given = _PAIR_NAME.search(line), _PAIR_VALUE.search(line)
        name, value = found["name"] if found else name, given["value"] if given else value
        if (found or given) and name and value:
            _state(host, name, value, host.line(entry, number), who)
            name = value = ""
        for each in () if found or given else _ASSIGNED.finditer(line):
            _state(host, each["name"], each["value"], host.line(entry, number), who)


def _state(host: Host, name: str, text: str, position: int, who: Witness) -> None:
    """State a variable; a value that is put in later is named where it marks packets."""
    bare = text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
    left = _OPEN.search(bare) is not None
    row = row_of(name)
    if left and bare and row is not None and row.kind == CLASS_BYTE:
        host.reading.note(NoteKind.BAD_VALUE, f"{name} is {quoted(bare)[:SHOWN]}", position)
    state_variable(host, name, Value(None if left else bare, position), who)

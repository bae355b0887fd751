"""One tree of NVUE in its two forms: the file that `nv config replace` takes, and commands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from roce_lint.text.numbers import whole_of

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*|[0-9]+G")
_WORDS = {"true", "false", "null", "yes", "no", "y", "n"}
"""Words that YAML takes for something else than text; `on` and `off` NVUE writes bare."""


class Tree:
    """A tree that is filled path by path."""

    def __init__(self) -> None:
        self.root: dict[str, Any] = {}

    def put(self, *path: Any) -> None:
        """State the last word at the place that the words before it name."""
        *above, key, value = path
        place = self.root
        for word in above:
            place = place.setdefault(str(word), {})
        place[str(key)] = value


def document(root: dict[str, Any], header: tuple[str, ...], release: str) -> str:
    """The tree as a file, with the header by which the switch knows the form."""
    lines = [f"# {line}" for line in header]
    lines += ["- header:", "    nvue-api-version: nvue_v1", "    rev-id: 1.0"]
    lines += [f"    version: Cumulus Linux {release}", "- set:"]
    return "\n".join([*lines, *_block(root, 2)]) + "\n"


def _block(tree: dict[str, Any], depth: int) -> Iterator[str]:
    pad = "  " * depth
    for key, value in sorted(tree.items(), key=lambda item: _order(item[0])):
        if isinstance(value, dict) and value:
            yield f"{pad}{_key(key)}:"
            yield from _block(value, depth + 1)
        else:
            yield f"{pad}{_key(key)}: {'{}' if value == {} else _scalar(value)}"


def _order(key: str) -> list[tuple[int, str]]:
    """swp2 before swp10."""
    return [
        (whole_of(p), "") if p.isdecimal() else (-1, p) for p in re.split(r"([0-9]+)", key) if p
    ]


def _key(key: str) -> str:
    if key.isdecimal():
        return f"'{key}'"
    return key if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_./:-]*(?<!:)", key) else json.dumps(key)


def _scalar(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if plain else json.dumps(value)


def commands(root: dict[str, Any], header: tuple[str, ...]) -> str:
    """The tree as `nv set` commands, which `nv config apply` puts into force."""
    lines = [f"# {line}" for line in header]
    return (
        "\n".join([*lines, *(f"nv set {words}" for words in _paths(root)), "nv config apply"])
        + "\n"
    )


def _paths(tree: dict[str, Any]) -> Iterator[str]:
    for key, value in sorted(tree.items(), key=lambda item: _order(item[0])):
        if isinstance(value, dict) and value:
            yield from (f"{key} {below}" for below in _paths(value))
        else:
            yield key if value == {} else f"{key} {value}"

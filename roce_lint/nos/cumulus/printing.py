"""The tree of NVUE that `nv config patch` takes, made of the printed `nv set` commands."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

from roce_lint.model.device import Device
from roce_lint.text.numbers import whole_of

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*|[0-9]+[GM]?")
_WORDS = {"true", "false", "null", "yes", "no", "y", "n"}
"""Words that YAML takes for something else than text; `on` and `off` NVUE writes bare."""

_MEMBER = re.compile(
    r".* (?:address|member|network|domain|link (?:state|breakout)|egress-eligibility traffic-class)"
    r"|qos pfc \S+ switch-priority|bridge domain \S+ vlan|.* bridge domain \S+ vlan"
)
"""Words above a member of a set, which is a key of the tree; below other words stands a value."""
_TEXT = re.compile(r".*(?:hostname|description)")

SET = "nv set "


def document(text: str, device: Device) -> str:
    """The commands as a file, with the header by which the switch knows the form."""
    root: dict[str, Any] = {}
    for line in text.splitlines():
        if line.startswith(SET):
            _put(root, shlex.split(line.removeprefix(SET)))
    if not root:
        return ""
    lines = [line for line in text.splitlines() if line.startswith("#")]
    lines += ["- header:", "    nvue-api-version: nvue_v1", "    rev-id: 1.0"]
    lines += [f"    version: Cumulus Linux {device.os_version or 'unknown'}", "- set:"]
    return "\n".join([*lines, *_block(root, 2)]) + "\n"


def _put(tree: dict[str, Any], words: list[str]) -> None:
    above = " ".join(words[:-1])
    member = _MEMBER.fullmatch(above) is not None
    for word in words[:-1] if member else words[:-2]:
        tree = tree.setdefault(word, {})
    if member:
        tree.setdefault(words[-1], {})
    else:
        number = words[-1].isdecimal() and not _TEXT.fullmatch(above)
        tree[words[-2]] = whole_of(words[-1]) if number else words[-1]


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

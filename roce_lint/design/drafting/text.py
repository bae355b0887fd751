"""A draft as YAML that people read: short mappings on one line, comments above what they are of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from roce_lint.catalog.refusals import Loc
from roce_lint.design.drafting.draft import Draft

WIDTH = 110
BLOCKS = 2
"""Levels of keys that stand on lines of their own, however short they are."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "none"}
"""What YAML 1.1 takes for something else than text (none only by people)."""


def text_of(draft: Draft, head: list[str]) -> str:
    """The whole file; `head` are the lines of its first comment."""
    lines = [*_comment(head, 0), ""]
    for key, value in draft.tree.items():
        lines += _entry((key,), key, value, draft, 0)
        if isinstance(value, (dict, list)):
            lines.append("")
    if draft.left:
        lines += _comment(["What no key of an intent says, or is to be answered:"], 0)
        lines += _comment([f"- {text}" for text in draft.left], 0)
    return "\n".join(lines).rstrip("\n") + "\n"


def _comment(texts: list[str], depth: int) -> Iterator[str]:
    for text in texts:
        line = " ".join(text.split())
        shown = "".join(c if c.isprintable() else "?" for c in line)
        yield f"{'  ' * depth}# {shown}".rstrip()


def _entry(keys: Loc, name: str, value: Any, draft: Draft, depth: int) -> Iterator[str]:
    yield from _comment(draft.notes.get(keys, []), depth)
    pad = "  " * depth
    flow = one_line(value)
    long = depth < BLOCKS - 1 or keys in draft.commented or len(flow) > WIDTH
    if isinstance(value, dict) and value and long:
        yield f"{pad}{scalar(name)}:"
        for key, item in value.items():
            yield from _entry((*keys, key), key, item, draft, depth + 1)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        yield f"{pad}{scalar(name)}:"
        for item in value:
            yield f"{pad}  - {one_line(item)}"
    else:
        yield f"{pad}{scalar(name)}: {flow}"


def one_line(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {one_line(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(one_line(item) for item in value) + "]"
    return scalar(value)


def scalar(value: Any) -> str:
    """A single value; text that YAML could take for something else is quoted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
        return value if plain else json.dumps(value)
    return str(value) if isinstance(value, int) else f"{value:.10g}"

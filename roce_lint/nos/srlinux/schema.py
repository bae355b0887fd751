"""Supported parts of the SR Linux model: containers, lists and values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from roce_lint.resources import resource_dir


@dataclass(frozen=True)
class Leaf:
    """A word with one value, or with several in brackets."""


@dataclass(frozen=True)
class Container:
    """A word above others; with `keys`, a list, whose first key is written without its name."""

    words: Mapping[str, Entry]
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class IgnoredNode:
    """A known word without effect on RoCE, with everything below it."""


Entry: TypeAlias = Leaf | Container | IgnoredNode

REST = "*"
"""Key for all other words, which are beside RoCE."""

IGPS = ("isis", "ospf")


def _read(text: str) -> Container:
    """The tree of an indented text, by its forms of lines.

    `a b` are values, `- a b` ignored words, `a|b: c d` containers with the values c and d and with
    the lines below, `a [key]:` a list. `+a:` names a group of words that lines `+a` repeat.
    """
    top: dict[str, Entry] = {}
    groups: dict[str, dict[str, Entry]] = {}
    open_words = [(-1, top)]  # with their indentation
    for line in filter(None, text.splitlines()):
        depth = len(line) - len(line.lstrip())
        while open_words[-1][0] >= depth:
            open_words.pop()
        words = open_words[-1][1]
        head, opens, values = line.strip().partition(":")
        below: dict[str, Entry] = dict.fromkeys(values.split(), Leaf())
        names, _, keys = head.partition(" [")
        if opens:
            open_words.append((depth, below))
        if head.startswith("+") and opens:
            groups[head] = below
        elif head.startswith("+"):
            words.update(groups[head])
        elif opens:
            made = Container(below, tuple(keys[:-1].split()))
            words.update(dict.fromkeys(names.split("|"), made))
        elif head.startswith("- "):
            words.update(dict.fromkeys(head[2:].split(), IgnoredNode()))
        else:
            words.update(dict.fromkeys(head.split(), Leaf()))
    return Container(top)


SCHEMA = _read((resource_dir("templates") / "srlinux" / "model.txt").read_text(encoding="utf-8"))
"""Words that are read. Below `system` and at the top, unlisted words stay unclaimed."""

"""Whole configurations of golden devices: the files of a device, and what no file of it states.

A system prints stanzas from its words (`nos/writing.py`), or has a function of its own where its
configuration is a table, a tree, or a script. What cannot be stated by a confirmed wording is
left out and told, so that nobody takes the file for complete.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from roce_lint.errors import RenderError
from roce_lint.nos.base import WHOLE, Nos, RenderedFiles, RenderRequest
from roce_lint.nos.writing import write

LONGEST = 1 << 10
"""Characters of one printed value."""


def render(nos: Nos, asked: RenderRequest) -> RenderedFiles:
    """The files of a device in the words of its system.

    Raises:
        RenderError: the system is not printed yet, or a value cannot stand in its files.
    """
    if nos.render is not None:
        return nos.render(asked)
    if nos.choose is None:
        raise RenderError(f"{nos.title} is designed, and not printed yet")
    if asked.part != WHOLE and not nos.roce:
        raise RenderError(f"the part of RoCE alone is not printed for {nos.title} yet")
    written = write(nos, asked.device, None if asked.part == WHOLE else nos.roce)
    left = tuple(str(each) for each in written.left)
    head = "".join(f"! {printable(line)}\n" for line in asked.header)
    return RenderedFiles({f"{asked.device.hostname}.cfg": head + written.text}, left)


def printable(text: str) -> str:
    """A value that can stand in a configuration: one line of printable text.

    Raises:
        RenderError: it holds a line break or another control character, or is far too long.
    """
    if not text.isprintable() or len(text) > LONGEST:
        raise RenderError(f"{text[:40]!a} is not one line of printable text")
    return text


def json_text(tree: Any) -> str:
    """A tree as JSON, four blanks a level.

    Raises:
        RenderError: a key or value is not one line of printable text.
    """
    require_printable(tree)
    return json.dumps(tree, indent=4) + "\n"


def require_printable(tree: Any) -> None:
    """Look at each key and value of a tree.

    Raises:
        RenderError: one is not one line of printable text.
    """
    if isinstance(tree, str):
        printable(tree)
    elif isinstance(tree, Mapping):
        for key, value in tree.items():
            printable(str(key))
            require_printable(value)
    elif isinstance(tree, (list, tuple)):
        for value in tree:
            require_printable(value)

"""What a text says that ends too early: the object it ends inside is left out, since unknown."""

from __future__ import annotations

from roce_lint.nos.junos.context import SOURCE
from roce_lint.nos.reading import Reading
from roce_lint.nos.statements import GROUPS
from roce_lint.text.source import LineState
from roce_lint.text.statements import Word

TYPED = frozenset({"classifiers", "rewrite-rules", "code-point-aliases"})
"""Stanzas of `class-of-service` that have a type above the names."""


def leave_out_cut(reading: Reading) -> None:
    """Leave out the interface, scheduler, profile ... whose end is missing.

    What it would say further down cannot be told: no default stands for that.
    """
    for entry in reading[SOURCE]:
        found = entry.statements
        if found is None or found.cut is None:
            continue
        path = _path(found.root, found.cut)
        length = _object(path)
        above = found.root.get(*path[: length - 1])
        if above is not None and len(path) >= length:
            gone = above.below.pop(path[length - 1])
            for line in gone.lines():  # of any file of the device, as the trees are one by now
                reading.mark(line, LineState.IGNORED)


def _object(path: list[str]) -> int:
    """Words of the path to the object that a path leads into."""
    inherited = 2 if path[:1] == [GROUPS] else 0
    stanza, *below = path[inherited:] or [""]
    if stanza == "interfaces":
        return inherited + 2
    return inherited + (4 if below and below[0] in TYPED else 3)


def _path(root: Word, wanted: Word) -> list[str]:
    """The words down to one; empty for the root."""
    stack: list[tuple[Word, list[str]]] = [(root, [])]
    while stack:
        word, path = stack.pop()
        if word is wanted:
            return path
        stack += [(below, [*path, name]) for name, below in word.below.items()]
    return []

"""Configurations in braces and as `set` lines: one tree of words, each with its line.

`interfaces { et-0/0/0 { mtu 9216; } }` and `set interfaces et-0/0/0 mtu 9216` are the same path of
words, so both forms give the same tree. The meaning of words, and which of them are names or
values, is left to the readers.
"""

from __future__ import annotations

import re

from roce_lint.text.braces import Braces
from roce_lint.text.statement_lines import Sets
from roce_lint.text.statement_tree import ANY, DEEPEST, EVERYTHING, KEPT, Statements, Wanted, Word

__all__ = [
    "ANY", "DEEPEST", "EVERYTHING", "KEPT", "Statements", "Wanted", "Word", "is_set_form", "parse",
]  # fmt: skip


def is_set_form(text: str) -> bool:
    """Whether most statements of a text are `set` lines."""
    sets = len(re.findall(r"^[ \t]*set ", text, re.MULTILINE))
    return sets > len(re.findall(r"\{[ \t\r]*$", text, re.MULTILINE))


def parse(lines: list[str], wanted: Wanted = EVERYTHING, first: int = 0) -> Statements:
    """The tree of a text in either form; line n of it has position `first` + n.

    Only `wanted` words are kept. Nothing raises: faults are noted.
    """
    found = Statements(Word(first + 1))
    if is_set_form("\n".join(lines)):
        Sets(found, wanted).read(lines, first)
    else:
        Braces(found, wanted).read(list(lines), first)
    return found

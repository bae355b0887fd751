"""Lines of a file that are secret because of a line above them, which says so.

A line alone tells most secrets (`redaction`). What stands in a private key, below `secret {` or
`password:`, on the second line of a command, and what a dialog sends after it asked for a password
does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from roce_lint.text.redaction import may_tell_secret, names_secret, redact

_KEY_OF_TREE = re.compile(
    r"""^(?P<before>\s*+(?:-\s++)*+)["']?(?P<key>[\w./ -]{1,128}+)["']?\s*+:\s*+"""
    r"""(?:[|>][-+\d]{0,3}\s*+)?(?:\#.*)?$"""
)
_KEY_ALONE = re.compile(r":[^\S\n]*+(?:[|>#\n]|\Z)")
"""A key of YAML, or what looks like one, below which its value stands."""

_BODY = re.compile(r"\)\s*+\{$")
_JOINED = 4096
"""Characters of the lines before that a continued command is looked at with."""


def secret_lines(lines: Sequence[str]) -> frozenset[int]:
    """Numbers of the lines, from 1, that hold a secret which only a line above them tells."""
    whole = "\n".join(lines)
    if not may_tell_secret(whole):
        return frozenset()
    found = set(in_blocks(lines)) if "{" in whole or "PRIVATE KEY" in whole else set()
    if _KEY_ALONE.search(whole):
        found.update(in_branches(lines))
    if "\\" in whole or "assword" in whole:
        found.update(in_dialogs(lines))
    return frozenset(found)


def in_blocks(lines: Sequence[str]) -> Iterator[int]:
    """Lines of private keys, and of blocks in braces whose head says that they are secret."""
    if not any("{" in line or "PRIVATE KEY" in line for line in lines):
        return
    key, depth = False, 0
    for number, line in enumerate(lines, 1):
        if "-----" in line and "PRIVATE KEY" in line:
            key = "BEGIN" in line
            continue
        text = line.strip()
        opens, closes = text.endswith("{"), text.startswith("}")
        if depth:
            depth += opens - closes
        if key or depth:
            yield number
        elif opens and not _BODY.search(text) and names_secret(text):  # a function is no secret
            depth = 1


def in_branches(lines: Sequence[str]) -> Iterator[int]:
    """Lines of YAML that stand below a key which says that they are secret."""
    column = -1  # of that key
    item = False  # the key is the first of an item: what else is one stands beside it
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text:
            continue
        if column >= 0:
            begin = len(line) - len(line.lstrip())
            if begin > column or (begin == column and not item and text.startswith("- ")):
                yield number
                continue
            column = -1
        if ":" in text and (found := _KEY_OF_TREE.match(line)) and names_secret(found["key"]):
            column, item = found.end("before"), "-" in found["before"]


def in_dialogs(lines: Sequence[str]) -> Iterator[int]:
    """Lines that a command goes on with after it told a secret, or that answer to `assword:`."""
    before, above = "", ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if before:
            whole, alone = redact(f"{before} {text}"), redact(text)
            if not whole.endswith(alone):
                yield number
        elif "assword" in above and text.startswith("send"):
            yield number
        before = f"{before} {text[:-1]}"[-_JOINED:].strip() if text.endswith("\\") else ""
        above = text or above

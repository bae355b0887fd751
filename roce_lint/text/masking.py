"""Secrets masked in a whole file, so that the rest can still be parsed.

`redaction` protects the readers of reports and may spoil a line. Here a line keeps its number and
its end: JSON stays JSON, and a statement keeps its bracket.
"""

from __future__ import annotations

import re

from roce_lint.text.redaction import (
    MASK,
    in_blocks,
    in_branches,
    in_dialogs,
    names_secret,
    redact_each,
)

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]|[^\s"{}\[\]:,]+')
_REMARK = "## SECRET-DATA"
"""Mark that Junos prints after a secret."""

_BODY_OF_KEY = re.compile(r"^(\s*)\S.*$")
_LINE_OF_TREE = re.compile(
    r"^(?P<before>\s*+(?:-\s++)*+)(?P<rest>(?:(?P<key>[^\s:#][^:]*+):(?=\s|$)(?P<value>.*))?.*)$"
)
_SCALAR_OF_LINES = re.compile(r"[|>][-+\d]{0,3}")
_VALUE_OF_TREE = re.compile(
    rf"^(?P<before>\s*+(?:-\s++)*+[^\s:#][^:]*+:\s++){re.escape(MASK)}\s*+$"
)
_BRACKETS = ("}", "};", "{", "")
_COMMUNITY_TABLES = ("snmp_community", "snmp_user", "snmp-community")
"""Tables whose keys are secret."""


def mask_secrets(text: str) -> str:
    """Mask passwords, keys, communities and hashes; the number of lines stays the same."""
    if text.lstrip()[:1] in ("{", "[") and text.rstrip()[-1:] in ("}", "]"):
        return _mask_tree(text)
    lines = text.split("\n")
    branches = frozenset(in_branches(lines))
    blocks = frozenset((*in_blocks(lines), *in_dialogs(lines))) - branches
    shown = redact_each(lines)
    for number in branches:  # the line of the key has no value, and may describe its format
        if number - 1 not in branches and "#" not in lines[number - 2]:
            shown[number - 2] = lines[number - 2]
    return "\n".join(
        _in_branch(line, number)
        if number in branches
        else _BODY_OF_KEY.sub(rf"\1{MASK}", line) + _end(line)
        if number in blocks and line.strip() not in _BRACKETS
        else _close_line(line, new)
        for number, (line, new) in enumerate(zip(lines, shown, strict=True), 1)
    )


def _in_branch(line: str, number: int) -> str:
    """Mask a line below a secret key, keeping valid YAML: different keys stay different."""
    found = _LINE_OF_TREE.match(line)
    if found is None or not found["rest"]:
        return line
    before, key, rest = found["before"], found["key"], found["rest"]
    if rest.startswith("#"):
        return f"{before}# {MASK}"
    if key is None:
        return f'{before}"{MASK}"' if "-" in before else f"{before}{MASK}"
    value = found["value"].strip()
    shown = value if _SCALAR_OF_LINES.fullmatch(value) else f'"{MASK}"'
    return f'{before}"{MASK}{number}": {shown}' if value else f'{before}"{MASK}{number}":'


def _end(line: str) -> str:
    """The bracket or semicolon that ends a line."""
    body = line.rstrip()
    if body.endswith(_REMARK):
        return ";"
    return body[-1:] if body.endswith((";", "{")) else ""


def _close_line(line: str, new: str) -> str:
    """A masked line with its original bracket or semicolon."""
    if new == line:
        return line
    if _VALUE_OF_TREE.match(new):  # a mask needs quotes to be a YAML value
        return _VALUE_OF_TREE.sub(rf'\g<before>"{MASK}"', new)
    end = _end(line)
    return (
        new if not end or new.rstrip().endswith(end) else f"{new}{' ' if end == '{' else ''}{end}"
    )


def _mask_tree(text: str) -> str:
    """Mask values below secret keys, and values recognisable as secrets by their form."""
    pieces: list[str] = []
    secret: list[bool] = [False]
    named: list[bool] = [False]  # of each level: the next value is secret
    at = 0
    tables: list[bool] = [False]
    count = 0
    last_key = ""
    tokens = list(_TOKEN.finditer(text))
    for number, found in enumerate(tokens):
        word = found[0]
        pieces.append(text[at : found.start()])
        at = found.end()
        follows = tokens[number + 1][0] if number + 1 < len(tokens) else ""
        if word in ("{", "["):
            secret.append(secret[-1] or named[-1])
            tables.append(word == "{" and last_key in _COMMUNITY_TABLES)
            named.append(False)
        elif word in ("}", "]") and len(secret) > 1:
            secret.pop()
            named.pop()
            tables.pop()
            named[-1] = False
        elif word == ",":
            named[-1] = False
        elif follows == ":":
            last_key = word.strip('"').lower()
            named[-1] = names_secret(last_key) and last_key not in _COMMUNITY_TABLES
            if tables[-1]:
                count += 1
                word = f'"{MASK}{count}"'
        elif word != ":":
            word = _scalar(word, hidden=secret[-1] or named[-1])
        pieces.append(word)
    return "".join([*pieces, text[at:]])


def _scalar(word: str, *, hidden: bool) -> str:
    if not word.startswith('"'):
        return f'"{MASK}"' if hidden and word not in ("true", "false", "null") else word
    if hidden:
        return f'"{MASK}"'
    inner = redact_each([word[1:-1]])[0]
    return f'"{inner}"' if inner != word[1:-1] else word

"""Texts inside a script whose variables the shell puts in before a command reads them."""

from __future__ import annotations

import re

from roce_lint.text.shell_values import VALUE_LIMIT, Variables

_EXPANSION = re.compile(
    r"\\(?P<kept>[\\$`\n])"
    r"|\$(?:(?P<name>[A-Za-z_]\w*|[1-9])|\{(?P<braced>[A-Za-z_]\w*|[1-9])\})"
    r"|\$\{[^}\n]*\}?|\$\([^\n]*\)|`[^`\n]*`|\$[@*#?$!0-]",
    re.ASCII,
)


def here_text(text: str, variables: Variables, unknown: str) -> str:
    """The text as the command gets it; `unknown` stands for what only the running shell knows."""
    size = 0

    def put_in(found: re.Match[str]) -> str:
        nonlocal size
        if found["kept"] is not None:
            return "" if found["kept"] == "\n" else found["kept"]
        name = found["name"] or found["braced"]
        value = variables.get(name) if name else None
        size += len(value or "")
        return unknown if value is None or size > VALUE_LIMIT else value

    return _EXPANSION.sub(put_in, text)

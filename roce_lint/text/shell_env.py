"""Files of `NAME=value` lines, which a shell or another program reads."""

from __future__ import annotations

import re

from roce_lint.text.shell import follow
from roce_lint.text.shell_items import Assignment

_ENV_LINE = re.compile(r"\s*(export\s+)?([A-Za-z_]\w*)\s*=(.*)", re.ASCII)
_SHELL_MARKS = re.compile(r"[`$\\'\"|&;<>()]|\{\{|\{%")


def parse_env(lines: list[str]) -> list[Assignment]:
    """Read `KEY=VALUE` files: nccl.conf, EnvironmentFile, scripts of `export X=...`.

    Where the shell reads a line as one thing and other readers of such files as another
    (`A=1 2`), the shell decides if the file has shell commands elsewhere; otherwise the value is
    the rest of the line, or None where that holds marks that mean something to the shell.
    """
    runner = follow(lines)
    commands = {command.number for command in runner.script.commands}
    unclear: dict[int, re.Match[str]] = {}
    for number in commands | runner.left_out:
        found = _ENV_LINE.fullmatch(lines[number - 1])
        if found and (not found[1] or number in runner.left_out):
            unclear[number] = found
    taken = [found for found in runner.direct if found.number not in unclear]
    shell = bool(commands - unclear.keys()) or any(found.exported for found in taken)
    for number, found in unclear.items():
        value = None if shell else _raw(found[3])
        taken.append(Assignment(found[2], value, number, exported=bool(found[1])))
    return sorted(taken, key=lambda entry: entry.number)


def _raw(rest: str) -> str | None:
    value = re.split(r"\s#", f" {rest}", maxsplit=1)[0].strip()
    return None if _SHELL_MARKS.search(value) else value

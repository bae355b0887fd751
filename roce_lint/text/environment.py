"""Environment variables: masking of their values, and files of `NAME=value` lines.

The name of a secret need not reveal it (`WANDB=...`): only values of variables in the table of
applications are shown.
"""

from __future__ import annotations

import re
from functools import cache

from roce_lint.resources import resource_dir
from roce_lint.text.redaction import MASK
from roce_lint.text.shell import follow
from roce_lint.text.shell_words import Assignment
from roce_lint.text.tree import load_toml

FILE = "applications/variables.toml"

LONGEST = 4096
"""Characters of a value that are examined."""

_QUOTE = r"(?:\\{0,4}[\"'])?"
_NAME = r"[A-Z_][A-Z0-9_]*+"
_SET = re.compile(
    r"(?:(?P<apart>(?:\s-|\b)(?:(?:set|g)?env|ENV)\s)|(?<=\s)--?\w++[ =])?"
    rf"{_QUOTE}(?<![\w$])(?P<name>{_NAME})"
    rf"(?:{_QUOTE}\]?(?:\[[^\]]*+\])?\s*(?:\+?=|:[-=+?]?)|(?(apart)\s|(?!)))"
)
"""A name and the text up to its value, including the option that passes it on."""

_PLAIN = re.compile(rf"\s*+{_QUOTE}-?(?:\d{{1,3}}|\$\w+|\$\{{\w+\}}|){_QUOTE}(?:[\s,;}})\]]|$)")
"""A harmless value: a small number, another variable, none."""

_VALUE = re.compile(
    rf"(?<![\w-]){_QUOTE}value{_QUOTE}\s*:\s*"
    r"(\\+\".*?\\+\"|\"(?:[^\"\\]|\\.)*+\"?|'[^']*+'?|[^\s,}\]\"'\\][^,}\]]*+)",
    re.IGNORECASE,
)
_PAIR_NAME = re.compile(rf"(?<![\w-]){_QUOTE}[Nn]ame{_QUOTE}\s*:\s*{_QUOTE}({_NAME})")
_BEFORE = re.compile(rf"{_PAIR_NAME.pattern}{_QUOTE}\s*,\s*$")
_BEHIND = re.compile(rf"\s*,\s*{_PAIR_NAME.pattern}\b")


def mask_environment(line: str, above: str = "", below: str = "") -> str:
    """Mask the values of unknown variables in a line of a script, a manifest or an environment.

    Text after such a value is masked as well, up to the next known variable. The lines around it
    name the variable of a `value:` on a separate line.
    """
    if _PAIR_NAME.search(line):
        line = _VALUE.sub(_pair, line)
    else:
        name = _PAIR_NAME.search(below if line.lstrip().startswith("-") else above)
        name = name or _PAIR_NAME.search(below)
        if name and not _known().fullmatch(name[1]):
            line = _VALUE.sub(_hide_value, line)
    shown: list[str] = []
    begin, hidden = 0, False
    for found in _SET.finditer(line):
        known = _known().fullmatch(found["name"]) is not None
        if hidden and not known:
            continue
        shown += [_hide(line[begin : found.start()]) if hidden else line[begin : found.start()]]
        shown += [found[0]]
        begin = found.end()
        hidden = not known and not _PLAIN.match(line, begin)
    return "".join([*shown, _hide(line[begin:]) if hidden else line[begin:]])


def quoted(value: str) -> str:
    """A value as quoted in messages: its first line, without other variables."""
    first, more, _ = value.strip()[:LONGEST].partition("\n")
    return mask_environment(f"{first.rstrip()}\N{HORIZONTAL ELLIPSIS}" if more else value[:LONGEST])


def _hide(text: str) -> str:
    return MASK + text[len(text.rstrip(" ,")) :] if text.strip() else text


def _pair(found: re.Match[str]) -> str:
    line = found.string
    name = _BEFORE.search(line[: found.start()]) or _BEHIND.match(line, found.end())
    if name is not None and _known().fullmatch(name[1]):
        return found[0]
    return _hide_value(found)


def _hide_value(found: re.Match[str]) -> str:
    return f'{found[0][: found.start(1) - found.start()]}"{MASK}"'


@cache
def _known() -> re.Pattern[str]:
    text = (resource_dir("rules") / FILE).read_text(encoding="utf-8")
    names = (re.escape(name).replace(r"\*", r"\w*") for name in load_toml(FILE, text))
    return re.compile("|".join(names))


# Files of `NAME=value` lines.

_ENV_LINE = re.compile(r"\s*(export\s+)?([A-Za-z_]\w*)\s*=(.*)", re.ASCII)
_SHELL_MARKS = re.compile(r"[`$\\'\"|&;<>()]|\{\{|\{%")


def parse_env(lines: list[str]) -> list[Assignment]:
    """Read `KEY=VALUE` files: nccl.conf, EnvironmentFile, scripts of `export X=...`.

    Where a shell and other readers of such files disagree about a line (`A=1 2`), the shell decides
    if the file has shell commands elsewhere; otherwise the value is the rest of the line, or None
    where it contains shell metacharacters.
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

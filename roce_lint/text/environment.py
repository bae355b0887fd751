"""Values of environment variables, masked unless the table of applications has the name.

A secret need not be called one (`WANDB=...`): in a file of variables a name must be known for its
value to be shown.
"""

from __future__ import annotations

import re
from functools import cache

from roce_lint.resources import resource_dir
from roce_lint.text.redaction import MASK
from roce_lint.text.tree import load_toml

FILE = "applications/variables.toml"

LONGEST = 4096
"""Characters of a value that are looked at."""

_QUOTE = r"(?:\\{0,4}[\"'])?"
_NAME = r"[A-Z_][A-Z0-9_]*+"
_SET = re.compile(
    r"(?:(?P<apart>(?:\s-|\b)(?:(?:set|g)?env|ENV)\s)|(?<=\s)--?\w++[ =])?"
    rf"{_QUOTE}(?<![\w$])(?P<name>{_NAME})"
    rf"(?:{_QUOTE}\]?(?:\[[^\]]*+\])?\s*(?:\+?=|:[-=+?]?)|(?(apart)\s|(?!)))"
)
"""A name and what stands between it and its value, with the option that passes it on."""

_PLAIN = re.compile(rf"\s*+{_QUOTE}-?(?:\d{{1,3}}|\$\w+|\$\{{\w+\}}|){_QUOTE}(?:[\s,;}})\]]|$)")
"""A value that tells nothing: a small number, another variable, none."""

_VALUE = re.compile(
    rf"(?<![\w-]){_QUOTE}value{_QUOTE}\s*:\s*"
    r"(\\+\".*?\\+\"|\"(?:[^\"\\]|\\.)*+\"?|'[^']*+'?|[^\s,}\]\"'\\][^,}\]]*+)",
    re.IGNORECASE,
)
_PAIR_NAME = re.compile(rf"(?<![\w-]){_QUOTE}[Nn]ame{_QUOTE}\s*:\s*{_QUOTE}({_NAME})")
_BEFORE = re.compile(rf"{_PAIR_NAME.pattern}{_QUOTE}\s*,\s*$")
_BEHIND = re.compile(rf"\s*,\s*{_PAIR_NAME.pattern}\b")


def mask_environment(line: str, above: str = "", below: str = "") -> str:
    """A line of a script, a manifest or an environment without the values of unknown variables.

    What follows such a value is masked as well, up to the next variable that is known.
    The lines around it name the variable of a `value:` that has a line of its own.
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
    """A value as messages quote it: its first line, and no other variable in it."""
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

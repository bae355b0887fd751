"""What stands before a command that somebody typed: the prompts of switches and of shells."""

from __future__ import annotations

import re
from dataclasses import dataclass

NAME = r"[A-Za-z0-9][\w.-]{0,62}"

_TYPED = """
show sh sho display dis disp info cat more less do run nv net vtysh sudo configure conf
config terminal term screen-length screen-width set delete copy write wr exit quit end logout
enable en disable edit top up commit rollback return sys system-view save ping ls cd clear no
length environment cli start admin reload debug
"""

VERBS = frozenset(_TYPED.split())
"""First words of what is typed at a switch; a prompt with another word behind it is text."""

_MODE = r"\((?P<mode>conf[\w./:+,*~ -]{0,80}|[a-z][\w./:+,*~-]{0,80})\)"
_SWITCH = re.compile(
    rf"(?:RP/\d+/\w+/\w+:)?(?:(?P<user>[\w.-]{{1,32}})@)?(?P<host>{NAME})(?:{_MODE})?"
    r"(?P<end>[#>])[ \t]?(?P<typed>.*)"
)
_ANGLES = re.compile(rf"<(?:HRP_[MS])?(?P<host>{NAME})>[ \t]?(?P<typed>.*)")
_BRACKETS = re.compile(
    rf"\[(?P<mark>[~*])?(?P<host>{NAME}(?:[/:]\d[\w/.:-]*)?)\][ \t]?(?P<typed>.*)"
)
_ARROW = re.compile(rf"[AB]:(?:[\w.-]{{1,32}}@)?(?P<host>{NAME})#[ \t]?(?P<typed>.*)")
_SHELL = re.compile(
    rf"(?:\([\w.-]{{1,40}}\) ?)?(?:"
    rf"(?P<user>[\w.-]{{1,32}})@(?P<host>{NAME}):(?:[\w.-]+:)?(?P<dir>[~/][^\s#$>]{{0,200}})?[ ]?"
    rf"|\[(?P<user2>[\w.-]{{1,32}})@(?P<host2>{NAME})(?: [^\]\s]{{1,200}})?\] ?"
    rf"|(?P<host3>{NAME}):(?P<dir3>[~/][^\s#$>]{{0,200}}) ?"
    r")(?P<end>[#$%])(?:[ \t](?P<typed>.*)|$)"
)
_BARE = re.compile(r"(?:\$|#|\+{1,3}|(?:ba|z)?sh-\d[\d.]*[#$])[ \t](?P<typed>\S.*)")
_BETWEEN = re.compile(
    r"\{(?:master|backup|primary|secondary)(?::[\w-]+)?\}|\[edit[^\]]*\]|--\{.*\}--.*"
)


LONGEST = 2000
"""Characters of a line that a prompt may stand in."""


@dataclass(slots=True, frozen=True)
class Prompt:
    """A prompt and what was typed behind it.

    `mode` is where in the configuration it was typed; None at the top level of the system.
    `in_shell` tells a host's (or a switch's) shell from the command line of a network system;
    `bare` one that names no device, so that only what is typed can tell it from a comment.
    """

    host: str | None
    typed: str
    mode: str | None = None
    in_shell: bool = False
    bare: bool = False
    sets: bool = False  # a prompt in whose mode `set` lines are typed


def read_prompt(line: str) -> Prompt | None:
    """The prompt that a line begins with, whether or not what follows is a command."""
    first = line[:1]
    if not first or first in " \t!/*" or len(line) >= LONGEST:
        return None
    if first == "<":
        found = _ANGLES.fullmatch(line)
        return Prompt(found["host"], found["typed"].strip()) if found else None
    if first == "[":
        return _in_brackets(line)
    if first in "$#+":
        return _bare(line)
    if found := _ARROW.fullmatch(line):
        return Prompt(found["host"], found["typed"].strip())
    if found := _SHELL.fullmatch(line):
        return _of_shell(found)
    found = _SWITCH.fullmatch(line)
    if found is None:
        return _bare(line) if line.startswith(("sh-", "bash-", "zsh-")) else None
    typed = found["typed"].strip()
    sets = found["user"] is not None and found["end"] == "#" and found["mode"] is None
    return Prompt(found["host"], typed, found["mode"], sets=sets)


def is_between(line: str) -> bool:
    """True for a line that a system prints above its prompt."""
    if line[:1] not in ("{", "[", "-") or len(line) >= LONGEST:
        return False
    return _BETWEEN.fullmatch(line.strip()) is not None


def is_typed_at_switch(typed: str) -> bool:
    """Whether what follows a prompt of a network system can have been typed there."""
    return not typed or typed.split(None, 1)[0].lower() in VERBS or typed in ("?", "!")


def _in_brackets(line: str) -> Prompt | None:
    found = _SHELL.fullmatch(line)
    if found:
        return _of_shell(found)
    found = _BRACKETS.fullmatch(line)
    if found is None:
        return None
    # A system of this kind writes the place in its configuration behind the name: [leaf1-10GE1/0/1]
    return Prompt(found["host"], found["typed"].strip(), mode="")


def _of_shell(found: re.Match[str]) -> Prompt:
    host = found["host"] or found["host2"] or found["host3"]
    return Prompt(host, (found["typed"] or "").strip(), in_shell=True)


def _bare(line: str) -> Prompt | None:
    found = _BARE.fullmatch(line)
    return Prompt(None, found["typed"].strip(), in_shell=True, bare=True) if found else None

"""Prompts of switches and shells before typed commands, and cheap tests for them."""

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
"""First words of commands typed at a switch; a prompt followed by another word is text."""

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
"""Maximum characters of a line with a prompt."""


@dataclass(slots=True, frozen=True)
class Prompt:
    """A prompt and the text typed after it.

    `mode` is the configuration mode; None at the top level of the system. `in_shell` distinguishes
    a shell of a host (or switch) from the CLI of a network system; `bare` marks one without a
    device name, which only the typed text distinguishes from a comment.
    """

    host: str | None
    typed: str
    mode: str | None = None
    in_shell: bool = False
    bare: bool = False
    sets: bool = False  # a prompt in whose mode `set` lines are typed


def read_prompt(line: str) -> Prompt | None:
    """The prompt at the beginning of a line, whether or not a command follows."""
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
    """Whether a system prints such a line above its prompt."""
    if line[:1] not in ("{", "[", "-") or len(line) >= LONGEST:
        return False
    return _BETWEEN.fullmatch(line.strip()) is not None


def is_typed_at_switch(typed: str) -> bool:
    """Whether the text after a prompt of a network system can be a command."""
    return not typed or typed.split(None, 1)[0].lower() in VERBS or typed in ("?", "!")


def _in_brackets(line: str) -> Prompt | None:
    found = _SHELL.fullmatch(line)
    if found:
        return _of_shell(found)
    found = _BRACKETS.fullmatch(line)
    if found is None:
        return None
    # A system of this kind appends its configuration mode to the name: [leaf1-10GE1/0/1]
    return Prompt(found["host"], found["typed"].strip(), mode="")


def _of_shell(found: re.Match[str]) -> Prompt:
    host = found["host"] or found["host2"] or found["host3"]
    return Prompt(host, (found["typed"] or "").strip(), in_shell=True)


def _bare(line: str) -> Prompt | None:
    found = _BARE.fullmatch(line)
    return Prompt(None, found["typed"].strip(), in_shell=True, bare=True) if found else None


# Cheap tests for prompts or headings at which a text may be cut.

LOOKED_AT = 5000
"""Occurrences of a character that are examined; a text with more is scanned as a whole."""

LONGEST_PROMPT = 120
"""Maximum characters before the end of a prompt."""

_HEADINGS = {
    "=": ("\n===",), "+": ("\n+++", "\n+ "), "*": ("\n***",), "~": ("\n~~~",), "`": ("\n`",),
    "#": ("\n# command:", "\n#command:", "\n###"), "_": ("\n___",),
}  # fmt: skip
"""First words of headings, by a character that is fast to find."""

_NO_PROMPT = (" ", "\t", "!", "/", "*", '"', "'", "# command:")
"""Beginnings of lines that are not a prompt."""


def may_be_cut(text: str, *, ruled: bool = True) -> bool:
    """Whether any line begins with a prompt, or is a heading; `ruled`: as in `is_marked`."""
    if ruled and "\n---" in text:
        return True
    for mark, headings in _HEADINGS.items():
        # A heading at the very top identifies the file as it is.
        if mark in text and f"\n{mark}" in text and any(each in text for each in headings):
            return True
    for end in "#>$%":
        if end in text and _ends_prompt(text, end):
            return True
    return "[" in text and _may_be_in_brackets(text)


def _ends_prompt(text: str, end: str) -> bool:
    # Most outputs of commands begin with a heading, which contains such a character.
    at = text.find(end, text.find("\n") + 1 if text.startswith(_NO_PROMPT) else 0)
    looked = 0
    while at >= 0:
        looked += 1
        if looked > LOOKED_AT:
            return True
        start = text.rfind("\n", max(0, at - LONGEST_PROMPT), at) + 1
        beside = text.startswith(_NO_PROMPT, start)
        if end == "%" and not beside:
            # Only a shell has this character, after a host name and its possible suffixes.
            beside = not text.startswith(("[", "("), start) and " " in text[start : at - 1]
        if (start or at < LONGEST_PROMPT) and not beside:
            stop = text.find("\n", at)
            line = text[start : stop if stop >= 0 else len(text)].rstrip()
            if len(line) < LONGEST_PROMPT * 10 and read_prompt(line) is not None:
                return True
        at = text.find(end, at + 1)
    return False


def _may_be_in_brackets(text: str) -> bool:
    at = 0 if text.startswith("[") else text.find("\n[") + 1
    if not at and not text.startswith("["):
        return False
    stop = text.find("\n", at)
    return read_prompt(text[at : stop if stop >= 0 else len(text)].rstrip()) is not None

"""A quick look whether a text may hold prompts or headings at which it is cut."""

from __future__ import annotations

from roce_lint.loading.captures.prompts import read_prompt

LOOKED_AT = 5000
"""Characters of a kind that are looked at; a text with more of them is looked at as a whole."""

LONGEST = 120
"""Characters before the end of a prompt."""

_HEADINGS = {
    "=": ("\n===",), "+": ("\n+++", "\n+ "), "*": ("\n***",), "~": ("\n~~~",), "`": ("\n`",),
    "#": ("\n# command:", "\n#command:", "\n###"), "_": ("\n___",),
}  # fmt: skip
"""With what headings begin, by a character that is looked for in no time."""

_NO_PROMPT = (" ", "\t", "!", "/", "*", '"', "'", "# command:")
"""How a line begins that is no prompt, whatever it holds."""


def may_be_cut(text: str, *, ruled: bool = True) -> bool:
    """Whether any line begins with a prompt, or is a heading; `ruled`: as of `is_marked`."""
    if ruled and "\n---" in text:
        return True
    for mark, headings in _HEADINGS.items():
        # A heading at the very top is the one by which a file is told as it is.
        if mark in text and f"\n{mark}" in text and any(each in text for each in headings):
            return True
    for end in "#>$%":
        if end in text and _ends_prompt(text, end):
            return True
    return "[" in text and _in_brackets(text)


def _ends_prompt(text: str, end: str) -> bool:
    # Most outputs of commands begin with a heading, which has such a character.
    at = text.find(end, text.find("\n") + 1 if text.startswith(_NO_PROMPT) else 0)
    looked = 0
    while at >= 0:
        looked += 1
        if looked > LOOKED_AT:
            return True
        start = text.rfind("\n", max(0, at - LONGEST), at) + 1
        beside = text.startswith(_NO_PROMPT, start)
        if end == "%" and not beside:
            # Only a shell has this one: behind the name of a host, and what it may be in.
            beside = not text.startswith(("[", "("), start) and " " in text[start : at - 1]
        if (start or at < LONGEST) and not beside:
            stop = text.find("\n", at)
            line = text[start : stop if stop >= 0 else len(text)].rstrip()
            if len(line) < LONGEST * 10 and read_prompt(line) is not None:
                return True
        at = text.find(end, at + 1)
    return False


def _in_brackets(text: str) -> bool:
    at = 0 if text.startswith("[") else text.find("\n[") + 1
    if not at and not text.startswith("["):
        return False
    stop = text.find("\n", at)
    return read_prompt(text[at : stop if stop >= 0 else len(text)].rstrip()) is not None

"""A quick look whether a text may hold prompts or headings at which it is cut."""

from __future__ import annotations

from roce_lint.loading.captures.prompts import read_prompt

LOOKED_AT = 5000
"""Characters of a kind that are looked at; a text with more of them is looked at as a whole."""

LONGEST = 120
"""Characters before the end of a prompt."""

_HEADINGS = (
    "---", "===", "+++", "***", "###", "~~~", "___", "`", "# command:", "#command:", "+ ",
)  # fmt: skip
_COMMAND = "# command:"
_HEADING_BEGINS = frozenset(heading[0] for heading in _HEADINGS)
_PROMPT_BEGINS = frozenset("[<$#+")


def may_be_cut(text: str, lines: list[str]) -> bool:
    """Whether any line begins with a prompt, or is a heading."""
    begins = {line[:1] for line in lines}
    # A heading at the very top is the one by which a file is told as it is.
    if begins & _HEADING_BEGINS and any(
        f"\n{heading}" in text for heading in _HEADINGS if heading[0] in begins
    ):
        return True
    if not any(begin in _PROMPT_BEGINS or begin.isalnum() for begin in begins):
        return False
    return any(_ends_prompt(text, end) for end in "#>$%") or ("[" in begins and _in_brackets(text))


def _ends_prompt(text: str, end: str) -> bool:
    at = text.find(end)
    looked = 0
    while at >= 0:
        looked += 1
        if looked > LOOKED_AT:
            return True
        start = text.rfind("\n", max(0, at - LONGEST), at) + 1
        beside = text[start : start + 1] in " \t!/*\"'" or text.startswith(_COMMAND, start)
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

"""A rule page as Markdown shows it: the examples say what their fences hide."""

from __future__ import annotations

import re

_EXAMPLE = re.compile(
    r"^(?P<marks>`{3,})(?P<language>\S+) (?P<word>bad|good|fixed)\b(?P<options>.*)$", re.MULTILINE
)
_WORDS = {"bad": "wrong", "good": "right", "fixed": "corrected"}


def add_captions(body: str) -> str:
    """A page whose examples say in a line above them what Markdown hides in their fences."""
    return _EXAMPLE.sub(_caption, body)


def _caption(fence: re.Match[str]) -> str:
    options = dict(word.split("=", 1) for word in fence["options"].split() if "=" in word)
    what = _WORDS[fence["word"]]
    if fence["word"] == "bad" and not options.get("expect"):
        what = "part of the same example"
    elif options.get("expect"):
        what += f", line {options['expect'].replace(',', ', ')}"
    file = options.get("file", "")
    return f"`{file}` ({what}):\n\n{fence['marks']}{fence['language']}"

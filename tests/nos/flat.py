"""Ways in which a configuration loses its indentation: generators, pastes, pages of a wiki."""

from __future__ import annotations

import re
from collections.abc import Callable

from roce_lint.nos.declare import Form
from roce_lint.nos.registry import all_nos

SYSTEMS = tuple(
    name
    for name, nos in all_nos().items()
    if any(s.form is Form.INDENTED and s.outer is not None for s in nos.sources)
)
"""Systems read by mode if their lines have lost their indentation."""

CHUNK = 700
"""Characters after which a partly flat text switches between flat and indented."""


def flat(text: str) -> str:
    """No line is indented."""
    return re.sub(r"(?m)^[ \t]+", "", text)


def bare(text: str) -> str:
    """No line is indented, and no `!` separates stanzas."""
    return flat(re.sub(r"(?m)^[ \t]*![ \t]*\n", "", text))


def level(text: str) -> str:
    """Every indented line is indented by one blank."""
    return re.sub(r"(?m)^[ \t]+(?=\S)", " ", text)


def equal(text: str) -> str:
    """Every line that is not blank is indented by one."""
    return re.sub(r"(?m)^[ \t]*(?=\S)", " ", text)


def patchy(text: str) -> str:
    """Every other piece of the text has lost its indentation."""
    return re.sub(
        r"(?m)^[ \t]+(?=\S)", lambda found: found[0] if found.start() // CHUNK % 2 else "", text
    )


WAYS: dict[str, Callable[[str], str]] = {
    "flat": flat,
    "bare": bare,
    "level": level,
    "patchy": patchy,
}

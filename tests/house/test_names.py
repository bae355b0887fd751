"""Modules, classes and functions are called by nouns and verbs, as docs/style.md asks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.listing import read, under

STATES = frozenset(
    [
        "alike",
        "alone",
        "anew",
        "apart",
        "aside",
        "beside",
        "bound",
        "broken",
        "built",
        "chosen",
        "drawn",
        "found",
        "given",
        "gone",
        "held",
        "here",
        "kept",
        "known",
        "laid",
        "left",
        "lost",
        "made",
        "meant",
        "said",
        "seen",
        "sent",
        "shown",
        "sought",
        "spelt",
        "spent",
        "standing",
        "taken",
        "there",
        "together",
        "told",
        "torn",
        "understood",
        "within",
        "written",
    ]
)
"""What is told of a thing, and names none. The regular ones end in -ed and -ly."""

OF_THE_FIELD = {
    "Given": "the last argument of every check, in this project and in private ones",
    "Ignored": "a state of a configuration line",
    "Sourced": "the base of the model: an object that remembers its lines",
}
VERBS_AND_NOUNS = frozenset(
    [
        "apply",
        "assembly",
        "family",
        "feed",
        "need",
        "red",
        "reply",
        "seed",
        "shed",
        "speed",
        "supply",
        "weed",
        "wred",
    ]
)


def is_state(name: str) -> bool:
    """Whether a name is one word, and that of a state."""
    words = re.findall(r"[A-Za-z][a-z]*", name)
    word = words[0].lower() if len(words) == 1 else ""
    if not word or word in VERBS_AND_NOUNS:
        return False
    return word in STATES or word.endswith(("ed", "ly"))


def names(path: str) -> Iterator[str]:
    """The name of a module, and those that it defines at its top; checks are named by faults."""
    yield Path(path).stem
    for node in ast.parse(read(path)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if "checks" in Path(path).parts and isinstance(node, ast.FunctionDef):
                continue
            yield node.name


def test_no_name_is_a_state_alone() -> None:
    found = {
        name.capitalize() for path in under("roce_lint") for name in names(path) if is_state(name)
    }
    assert found == OF_THE_FIELD.keys()


def test_states_are_known_when_seen() -> None:
    assert all(map(is_state, ("told", "_alike", "Chosen", "unasked", "partly")))
    assert not any(map(is_state, ("speed", "find_lost", "Wred", "tell", "_apply")))

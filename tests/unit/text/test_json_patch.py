"""A JSON patch turns one document into the other, checked by an independent implementation of RFC
6902.
"""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from roce_lint.nos.sonic.commands import json_patch

KEYS = st.text("ab/~|", max_size=3)
LEAVES = st.none() | st.booleans() | st.integers(0, 2) | st.text("x1", max_size=2)
TREES = st.dictionaries(
    KEYS,
    st.recursive(
        LEAVES,
        lambda below: st.lists(below, max_size=2) | st.dictionaries(KEYS, below, max_size=4),
        max_leaves=20,
    ),
    max_size=4,
)


def patched(tree: Any, steps: list[dict[str, Any]]) -> Any:
    """The document after all operations, applied one by one to existing values."""
    tree = {"": copy.deepcopy(tree)}
    for step in steps:
        names = [name.replace("~1", "/").replace("~0", "~") for name in step["path"].split("/")]
        parent = tree
        for name in names[:-1]:
            parent = parent[name]
        assert (names[-1] in parent) is (step["op"] != "add")
        if step["op"] == "remove":
            del parent[names[-1]]
        else:
            parent[names[-1]] = step["value"]
    return tree[""]


@given(TREES, TREES)
def test_the_patch_makes_the_other_document(before: Any, after: Any) -> None:
    steps = json_patch(before, after)
    assert repr_of(patched(before, steps)) == repr_of(after)


@given(TREES)
def test_what_is_the_same_needs_no_step(tree: Any) -> None:
    assert json_patch(tree, copy.deepcopy(tree)) == []


def test_names_are_written_as_pointers() -> None:
    before: dict[str, Any] = {"QUEUE": {"Ethernet1/1|3": {"a~b": "1", "kept": "1"}}}
    after = {"QUEUE": {"Ethernet1/1|3": {"a~b": "2", "kept": "1"}}}
    assert json_patch(before, after) == [
        {"op": "replace", "path": "/QUEUE/Ethernet1~11|3/a~0b", "value": "2"}
    ]


def repr_of(tree: Any) -> Any:
    """A representation in which true differs from 1, and the order of members does not matter."""
    if isinstance(tree, dict):
        return {key: repr_of(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [repr_of(value) for value in tree]
    return repr(tree)

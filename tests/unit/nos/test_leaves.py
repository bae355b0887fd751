from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from roce_lint.nos.trees import ANY, LEAF, leaf_count, leaves, read_leaves

KEYS = st.sampled_from(["a", "b", "c"])
TREES = st.recursive(
    st.sampled_from([None, 0, "", "x", True]),
    lambda inner: st.dictionaries(KEYS, inner, max_size=3) | st.lists(inner, max_size=3),
    max_leaves=20,
)
SHAPES = st.lists(st.lists(st.sampled_from(["a", "b", "c", 0, 1, ANY]), max_size=4), max_size=6)


def trie(shapes: list[list[Hashable]]) -> dict[Hashable, Any]:
    root: dict[Hashable, Any] = {}
    for shape in shapes:
        node = root
        for key in shape:
            node = node.setdefault(key, {})
        node[LEAF] = True
    return root


def covers(shape: list[Hashable], path: tuple[Hashable, ...]) -> bool:
    """Paths covered by a shape: all with the same beginning."""
    head = path[: len(shape)]
    return len(head) == len(shape) and all(
        mine in (key, ANY) for mine, key in zip(shape, head, strict=True)
    )


@given(TREES)
def test_leaves_are_counted(tree: Any) -> None:
    assert leaf_count(tree) == len(list(leaves(tree)))


@given(TREES, SHAPES)
def test_leaves_are_told_apart_in_document_order(tree: Any, shapes: list[list[Hashable]]) -> None:
    told: list[tuple[Hashable, ...] | None] = []
    for count, path in read_leaves(tree, trie(shapes)):
        told += [path] * count
    assert told == [
        None if any(covers(shape, path) for shape in shapes) else path for path, _ in leaves(tree)
    ]

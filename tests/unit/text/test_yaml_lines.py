"""The line reader agrees with the parser, including places, or leaves the text to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.text.yaml_nodes import Composer, Node, compose
from tests.house.listing import ROOT
from tests.sampling import tries


def shape(node: Node) -> Any:
    """Values with the offset of each."""
    if isinstance(node.data, dict):
        below = [(key, at, shape(value)) for key, (at, value) in node.data.items()]
        return node.offset, dict, below
    if isinstance(node.data, list):
        return node.offset, list, [shape(item) for item in node.data]
    return node.offset, node.data


def parsed(text: str) -> Any:
    """The document as the parser reads it, or None for anything else."""
    try:
        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        found = list(Composer("x", text).compose(yaml.parse(text, Loader=loader)))
    except Exception:
        return None
    return shape(found[0][0]) if len(found) == 1 and not found[0][1] else None


def by_line(text: str) -> Any:
    root = compose(text)
    return None if root is None else shape(root)


PLAIN = [
    "a: b\n",
    "---\na: b\nc:\n  d: 1\n  e:\n    f: {}\n    'g h': []\ni: \"j\"\n",
    "a:\n- b\n- c: d\n  e: f\n-  g:\n     h: i\nj: k\n",
    "- header:\n    model: vx\n- set:\n    interface:\n      swp1-4,6:\n        link:\n          mtu: 9216\n",
    "- - a\n  - b\n- - c\n",
    "# x\n\na:\n  # y\n  b: two words, and more\n\n  c: 10.0.0.1/31\n  2001:db8::1/64: {}\n",
    "a: ''\nb: \"\"\nc:\nd: on\ne: null\n",
    "a:\n  b:\n  c:\n- d\n"[:12],
    "a:\n  - b\n  - c\nd:\n    e: f\n",
    "a: http://x/y#z\n",
    "a: [b, c1,  d.e]\nf: {g: 8}\nh:\n  i: {j: on, k: l} \n",
]

LEFT = [
    "",
    "# nothing\n",
    "a: b # why\n",
    "a: b\n  c\n",
    "a: b\n  c: d\n",
    "a: |\n  b\n",
    "a: &x b\nc: *x\n",
    "a: {b: [c]}\n",
    "a: {b: c, b: d}\n",
    "a: {b}\n",
    "a: [b,]\n",
    "a: [b: c]\n",
    "a: [b, 'c']\n",
    "a: [b c]\n",
    "- [a]\n",
    "a: b\n---\nc: d\n",
    "a: b\na: c\n",
    "a:\n    b: c\n  d: e\n",
    "a:\n\tb: c\n",
    "a: b\r\n",
    "a: ä\n",
    "- a\nb: c\n",
    "a: 'b\n  c'\n",
    "<<: a\n",
    "? a\n: b\n",
    "a\n",
    "a: !!str b\n",
    "a: b: c\n",
    "- a\n - b\n",
    "a:\n- b\n  - c\n",
    "-\n  a: b\n",
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain_texts_are_read(text: str) -> None:
    found = by_line(text)
    assert found is not None
    assert found == parsed(text)


@pytest.mark.parametrize("text", LEFT)
def test_anything_else_is_left_to_the_parser(text: str) -> None:
    assert by_line(text) is None


def test_a_text_too_deep_is_left_to_the_parser() -> None:
    assert by_line("".join(f"{' ' * n}a:\n" for n in range(50))) is not None
    assert by_line("".join(f"{' ' * n}a:\n" for n in range(90))) is None


PARTS = [
    "a:",
    "b:",
    "- ",
    "-",
    " c",
    "d: e",
    "'f'",
    ": ",
    "{}",
    "[]",
    "g: [a, b]",
    "h: {a: b}",
    " #",
    '"',
    "10.0.0.1/31:",
    "g h",
]


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Lines of words that mean something in YAML, at any indent."""
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, 3), st.lists(st.sampled_from(PARTS), max_size=3)), max_size=8
        )
    )
    return "".join(f"{'  ' * deep}{''.join(words)}\n" for deep, words in rows)


@settings(max_examples=tries(600), deadline=None)
@given(texts())
def test_what_is_read_is_what_the_parser_reads(text: str) -> None:
    found = by_line(text)
    assert found is None or found == parsed(text)


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / "tests").rglob("*.y*ml")) + sorted((ROOT / "sample_configs").rglob("*.y*ml")),
    ids=lambda path: path.name,
)
def test_files_of_this_project(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = by_line(text)
    assert found is None or found == parsed(text)

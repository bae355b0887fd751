"""Nobody writes the path of a value by hand: `model/path.py` alone puts its words together."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields

from roce_lint.model.device import Device
from roce_lint.model.qos import QosObjects
from tests.conftest import ROOT

PACKAGE = ROOT / "roce_lint"
HOLDERS = sorted(
    {
        entry.name
        for kind in (Device, QosObjects)
        for entry in fields(kind)
        if str(entry.type).startswith(("dict[str, ", "list["))
    }
)
BY_HAND = re.compile(rf"(?<![\w\[])(?:{'|'.join(HOLDERS)})\[[^\]]*\]")
"""A collection of the model with an entry in brackets, as a path has it."""

HELD = re.compile(rf"(?:{'|'.join(HOLDERS)})\[")

HOME = {"model/path.py", "model/schema.py", "model/values.py"}


def made(source: str) -> Iterator[tuple[int, str]]:
    """Lines of texts, but for docstrings and help, that are or hold a path."""
    tree = ast.parse(source)
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "x" for p in node.values)
            text = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value if id(node) not in told else ""
        else:
            continue
        if BY_HAND.search(text):
            yield node.lineno, text


def test_no_path_is_written_by_hand() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line} {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).as_posix() not in HOME
        if HELD.search(source := path.read_text(encoding="utf-8"))
        for line, text in made(source)
    ]
    assert not found


def test_one_that_is_written_by_hand_is_seen() -> None:
    assert list(made("path = f'{device} interfaces[{port}].ip_mtu'"))
    assert list(made("path = 'leaf1 nics[mlx5_0].traffic_class'"))
    assert not list(made("text = f'{count} interfaces of {device}'"))

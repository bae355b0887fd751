"""Nothing but `roce_lint.text.numbers` makes numbers of text: `int` and `float` raise for what a
device never prints and somebody may have written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "roce_lint"
ALLOWED = {
    ("text/numbers.py", "*"): "the one place",
    ("text/json_text.py", "float(literal)"): "the grammar of JSON has checked it; infinite is told",
    ("budget.py", "int(pages)"): "written by the kernel",
    ("nos/linux/rdma.py", "int(address)"): "an IPv6Address, not text",
    ("new_leaf/substitution.py", "int(address)"): "an address, not text",
    ("model/schema.py", "key=int"): "the type of a key",
    ("model/schema.py", "FieldType(int, optional=True, many=False)"): "the type of a field",
    ("analysis/demand.py", "FieldType(int, optional=True, many=False)"): "the type of a field",
}
TYPES = ("defaultdict", "isinstance", "issubclass")


def uses(source: str) -> Iterator[tuple[int, str]]:
    """Lines and texts where `int` or `float` may be given text: called or passed on."""
    tree = ast.parse(source)
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Name) and node.id in ("int", "float")):
            continue
        holder = above[node]
        if isinstance(holder, ast.Call) and holder.func is node:
            if holder.args and not is_number(holder.args[0]):
                yield node.lineno, ast.unparse(holder)
        elif (isinstance(holder, ast.Call) and ast.unparse(holder.func) not in TYPES) or isinstance(
            holder, ast.keyword
        ):
            yield node.lineno, ast.unparse(holder)


def is_number(given: ast.expr) -> bool:
    """True if an argument is a number whatever its operands: a comparison, a quotient."""
    if isinstance(given, ast.BinOp):
        return not isinstance(given.op, ast.Add | ast.Mod)
    is_not = isinstance(given, ast.UnaryOp) and isinstance(given.op, ast.Not)
    return is_not or isinstance(given, ast.Compare | ast.Constant)


def found(path: Path) -> list[tuple[str, str, int]]:
    name = path.relative_to(PACKAGE).as_posix()
    return [(name, text, line) for line, text in uses(path.read_text(encoding="utf-8"))]


def is_allowed(name: str, text: str) -> bool:
    return (name, text) in ALLOWED or (name, "*") in ALLOWED


def test_numbers_are_made_of_text_in_one_place() -> None:
    made = [each for path in sorted(PACKAGE.rglob("*.py")) for each in found(path)]
    assert [each for each in made if not is_allowed(*each[:2])] == []
    seen = {(name, text) for name, text, _ in made} | {(name, "*") for name, _, _ in made}
    assert ALLOWED.keys() - seen == set()


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ("int(text)", ["int(text)"]),
        ("value.map(int)", ["value.map(int)"]),
        ("sorted(words, key=float)", ["key=float"]),
        ("int(a + b), int(text or 0)", ["int(a + b)", "int(text or 0)"]),
        ("int(a / b), int(a > b), isinstance(a, int), defaultdict(int)", []),
        ("def f(a: int) -> float: ...", []),
    ],
)
def test_what_is_found(source: str, made: list[str]) -> None:
    assert [text for _, text in uses(source)] == made

"""Broad handlers exist at four named borders only; others name their exceptions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.listing import project_files, read, under

# file: function. One device, one check or finding, one host, one template may fail; the run goes on
# with an answer.
BORDERS = {
    "roce_lint/loading/pool.py": "read_group",
    "roce_lint/engine/border.py": "border",
    "roce_lint/pull/ssh.py": "pull_host",
    "roce_lint/nos/printer.py": "print_lines",
}
EVERYTHING = {"Exception", "BaseException"}


def catches_all(node: ast.AST) -> bool:
    """True for `except:`, `except Exception` (also in a tuple) and `suppress(Exception)`."""
    if isinstance(node, ast.ExceptHandler):
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        return any(kind is None or ast.unparse(kind) in EVERYTHING for kind in caught)
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
        return any(ast.unparse(kind) in EVERYTHING for kind in node.args)
    return False


def handlers(node: ast.AST, function: str = "") -> Iterator[tuple[str, int]]:
    """Every handler that catches all, as (function, line)."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from handlers(child, child.name)
            continue
        if catches_all(child):
            yield function, child.lineno
        yield from handlers(child, function)


CATCHING = re.compile(r"\bBaseException\b|\bException\b|\bexcept\s*:")
"""In the text of every module with such a handler."""


def test_everything_is_caught_at_the_borders_only() -> None:
    strays = [
        f"{name}:{line} in {function or 'the module'}"
        for name in under("roce_lint")
        if CATCHING.search(text := read(name))
        for function, line in handlers(ast.parse(text))
        if BORDERS.get(name) != function
    ]
    assert strays == []


@pytest.mark.parametrize(("name", "function"), BORDERS.items())
def test_a_border_is_where_the_list_says(name: str, function: str) -> None:
    if name not in project_files():
        pytest.skip(f"{name} is not built yet")
    assert function in {inside for inside, _ in handlers(ast.parse(read(name)))}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f():\n    try: g()\n    except Exception: pass", [("f", 3)]),
        ("try: g()\nexcept: pass", [("", 2)]),
        ("try: g()\nexcept (OSError, BaseException): pass", [("", 2)]),
        ("async def f():\n    with contextlib.suppress(Exception): g()", [("f", 2)]),
        ("def f():\n    def g():\n        try: h()\n        except Exception: pass", [("g", 4)]),
        ("try: g()\nexcept (OSError, ValueError): pass", []),
    ],
)
def test_a_stray_is_noticed(text: str, found: list[tuple[str, int]]) -> None:
    assert list(handlers(ast.parse(text))) == found


def registers(text: str) -> bool:
    """True for a module that holds a check: a function with one of the decorators of the API."""
    functions = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return any(
        isinstance(made, ast.Call) and ast.unparse(made.func).endswith("_check")
        for function in functions
        for made in function.decorator_list
    )


def test_no_check_imports_from_another() -> None:
    """Knowledge shared by two checks belongs to the analysis."""
    checks = under("roce_lint/checks")
    holding = {name[:-3].replace("/", ".") for name in checks if registers(read(name))}
    strays = [
        f"{name} imports {node.module}"
        for name in checks
        for node in ast.walk(ast.parse(read(name)))
        if isinstance(node, ast.ImportFrom) and node.module in holding
    ]
    assert holding
    assert strays == []

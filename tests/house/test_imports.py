"""No import circles in the package, those under TYPE_CHECKING counted too."""

from __future__ import annotations

import ast

from tests.conftest import ROOT


def imports() -> dict[str, set[str]]:
    """Modules of the package and the modules of it that each one imports, anywhere in its text."""
    trees = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
            path.read_text(encoding="utf-8")
        )
        for path in (ROOT / "roce_lint").rglob("*.py")
    }
    graph: dict[str, set[str]] = {name: set() for name in trees}
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                graph[name] |= {each if each in trees else str(node.module) for each in names}
            elif isinstance(node, ast.Import):
                graph[name] |= {alias.name for alias in node.names}
        graph[name] = graph[name] & trees.keys() - {name}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The modules of each import circle."""
    reach = {name: reachable(graph, name) for name in graph}
    found = {tuple(sorted(m for m in reach[n] if n in reach[m])) for n in graph if n in reach[n]}
    return sorted(map(list, found))


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += graph[name]
    return found


def test_a_circle_is_found_with_its_members() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
    assert circles(graph) == [["a", "b", "c"]]


def test_no_modules_import_each_other() -> None:
    assert circles(imports()) == []

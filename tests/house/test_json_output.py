"""JSON that leaves is escaped as terminals and the logs of pipelines need it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.house.listing import read, under

OURS = {
    ("roce_lint/report/init_files.py", "_entry"): "a word of YAML, with which init writes a file",
    ("roce_lint/report/init_files.py", "settings"): "a key of TOML, with which init writes a file",
    ("roce_lint/cli/answers.py", "answer"): "an answer for the cache, escaped when it was written",
    ("roce_lint/cli/intent.py", "command"): "a schema that holds nothing of what was read",
}


def bare(path: str) -> Iterator[tuple[str, str]]:
    """Functions that write JSON and escape nothing."""
    for node in ast.walk(ast.parse(read(path))):
        if isinstance(node, ast.FunctionDef):
            calls = {ast.unparse(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
            if "json.dumps" in calls and "escape_json" not in calls:
                yield path, node.name


def test_json_is_escaped_where_it_is_written() -> None:
    found = {each for path in under("roce_lint/report", "roce_lint/cli") for each in bare(path)}
    assert found == OURS.keys()

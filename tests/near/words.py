"""Names and message words that a change removes from the package, as patterns."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

IN_A_ROW = 3
"""Words in a row by which a message is looked for: tests often hold a part of it."""


def lost(files: list[tuple[str, str, str]]) -> list[str]:
    """Names that a module no longer defines, and words in a row that are in fewer strings.

    Each file is its name and its text before and after. A NUL in the words is any value.
    """
    names: set[str] = set()
    spans: Counter[str] = Counter()  # where one of two messages changes, its words count as well
    for name, old, new in files:
        if name.endswith(".py"):
            trees = _tree(old), _tree(new)
            names |= {*_defined(trees[0])} - {*_defined(trees[1])}
            texts = [_strings(tree) for tree in trees]
        else:
            texts = [iter(old.split("\n")), iter(new.split("\n"))]
        spans.update(words for text in texts[0] for words in _in_a_row(text))
        spans.subtract(words for text in texts[1] for words in _in_a_row(text))
    return sorted(names | {words for words, times in spans.items() if times > 0})


def holding(words: str, texts: dict[str, str]) -> list[str]:
    """The files that hold the words (or a name, as a whole word)."""
    pieces = words.split("\0")
    longest = max(pieces, key=len)
    inner = ".{0,80}?".join(map(re.escape, pieces))
    pattern = re.compile(rf"(?<!\w){inner}(?!\w)")
    return [name for name, text in texts.items() if longest in text and pattern.search(text)]


def _in_a_row(text: str) -> Iterator[str]:
    text = re.sub(r"\{+[^{}]*\}+|%\w|\0+", "\0", text)
    words = list(re.finditer(r"[^\s\0]*[A-Za-z]{2}[^\s\0]*", text))
    size = min(IN_A_ROW, len(words))
    if size > 1:
        for first, last in zip(words, words[size - 1 :], strict=False):
            yield text[first.start() : last.end()].strip("#|*.,:;()[]'\"`")


def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError:  # ruff names the place
        return ast.Module([], [])


def _strings(tree: ast.Module) -> Iterator[str]:
    """The strings of a module without its docstrings, with a NUL for each value."""
    parts = {id(part) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for part in n.values}
    parts |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            values = [
                part.value if isinstance(part, ast.Constant) else "\0" for part in node.values
            ]
            yield "".join(map(str, values))
        elif isinstance(node, ast.Constant) and id(node) not in parts:
            yield str(node.value)


def _defined(tree: ast.Module) -> Iterator[str]:
    """Names a module defines or imports, and attributes of classes and objects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        for each in node.body if isinstance(node, ast.Module | ast.ClassDef) else ():
            if isinstance(each, ast.Import | ast.ImportFrom):
                yield from (alias.asname or alias.name for alias in each.names)
            elif isinstance(each, ast.Assign | ast.AnnAssign):
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                yield from (target.id for target in targets if isinstance(target, ast.Name))

"""Lines that a parallel shell or a search through files printed, behind the names of several."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from roce_lint.loading.captures.margins import HEADS, NAMED
from roce_lint.loading.captures.passage import Passage

ENOUGH = 4
"""Lines that a name must stand before to be one."""

LOOKED_AT = 16 << 10
"""Characters in which a name shows that stands before all lines, or before those of one host."""

_OF_FILES = frozenset((
    ".cfg", ".conf", ".config", ".txt", ".log", ".set", ".json", ".yaml", ".yml", ".out", ".bak",
))  # fmt: skip


def may_begin_with_names(text: str, first: str) -> bool:
    """Whether lines may begin with such names, as the `first` line does; no more than a look."""
    named = NAMED.match(first)
    if named is None:
        return False
    again = text.count(f"\n{named[0]}", 0, LOOKED_AT)
    return again + 1 >= ENOUGH or (not again and "{" in first[named.end() :])


def by_names(whole: Passage) -> list[Passage]:
    """The lines behind each name, as a text of its own; empty where not every line has a name, or
    a name stands before a few lines only: `key: value` has that form as well. Where all have the
    same it is a margin (`find_name`).
    """
    found: dict[str, list[int]] = {}
    for index, line in enumerate(whole.lines):
        if not line or line.isspace() or (not found and line.startswith(HEADS)):
            continue
        named = NAMED.match(line)
        if named is None:
            return []
        found.setdefault(named["name"], []).append(index)
    if len(found) < 2 or min(map(len, found.values())) < ENOUGH:
        return []
    return list(_parts(whole, found))


def _parts(whole: Passage, found: dict[str, list[int]]) -> Iterator[Passage]:
    for name, indices in found.items():
        width = len(name) + 1
        yield Passage(
            [whole.lines[index][width:] for index in indices],
            [whole.numbers[index] for index in indices],
            _host(name) or whole.host,
            whole.command,
            width if whole.margin >= 0 else -1,
            whole.startup,
        )


def _host(name: str) -> str | None:
    """The host that a name is; None for that of a file, in which the host is told."""
    path = PurePosixPath(name)
    return None if "/" in name or path.suffix in _OF_FILES else name

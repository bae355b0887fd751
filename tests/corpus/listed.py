"""Unrecognised lines of the corpus, each with a reason, from unrecognised.txt."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LIST = Path(__file__).with_name("unrecognised.txt")


@dataclass(frozen=True)
class Entry:
    """Line of unrecognised.txt."""

    file: str
    line: str
    why: str

    def fits(self, file: str, line: str) -> bool:
        return fnmatch.fnmatchcase(file, self.file) and fnmatch.fnmatchcase(line, self.line)


@cache
def entries() -> list[Entry]:
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return [
        Entry(*(part.strip() for part in line.split("|", 2)))
        for line in lines
        if line.strip() and not line.startswith("#")
    ]


def is_listed(file: str, line: str) -> bool:
    """Whether a line (with numbers as N) of a file (as folder/name) has an entry."""
    return any(entry.fits(file, line) for entry in entries())

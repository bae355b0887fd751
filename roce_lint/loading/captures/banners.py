"""Banners, which are free text, and lines that begin blocks of a configuration, on any system."""

from __future__ import annotations

import re
from functools import cache

from roce_lint.nos.registry import all_nos

LONGEST = 400
"""Maximum lines of a banner; a longer one is not treated as a banner."""


@cache
def _openings() -> tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...]:
    """Opening and closing patterns of the banners of all systems, without duplicates."""
    ways = {
        (skip.start, skip.end)
        for nos in all_nos().values()
        for source in nos.sources
        for skip in source.skips
    }
    return tuple(
        (re.compile(start), re.compile(end) if end else None)
        for start, end in sorted(ways, key=lambda way: (way[1] is None, way))
    )


def banner_lines(lines: list[str]) -> set[int]:
    """Indexes of the lines inside banners, as any of the systems writes them."""
    inside: set[int] = set()
    index = 0
    while index < len(lines):
        end = _end(lines, index) if lines[index][:1].isalpha() else index
        inside.update(range(index + 1, end + 1))
        index = max(end, index) + 1
    return inside


def _end(lines: list[str], index: int) -> int:
    """Index of the last line of the banner that begins here; `index` if none does."""
    text = lines[index]
    for opening, closing in _openings():
        found = opening.match(text)
        if found is None:
            continue
        mark = found.groupdict().get("end")
        if mark and mark in text[found.end() :]:
            return index
        for number in range(index + 1, min(len(lines), index + LONGEST)):
            line = lines[number].strip()
            if (mark and mark in line) or (closing and closing.match(line)):
                return number
    return index


# Lines that begin blocks of a configuration.

LONGEST_HEADER = 1000
"""Maximum characters of a line that may begin a block."""


@cache
def _headers() -> tuple[re.Pattern[str], ...]:
    found = {
        section.header
        for nos in all_nos().values()
        for source in nos.sources
        for section in source.sections
    }
    return tuple(re.compile(header) for header in sorted(found))


def is_header(line: str) -> bool:
    """Whether some system has such a line at the top of a block."""
    return len(line) < LONGEST_HEADER and any(header.match(line) for header in _headers())

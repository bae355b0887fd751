"""Lines with which blocks of a configuration begin, on any system."""

from __future__ import annotations

import re
from functools import cache

from roce_lint.nos.registry import all_nos


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
    return any(header.match(line) for header in _headers())

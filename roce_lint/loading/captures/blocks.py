"""Lines with which blocks of a configuration begin, on any system."""

from __future__ import annotations

import re
from functools import cache

from roce_lint.nos.registry import all_nos

_LONGEST = 1000
"""Characters of a line that may begin a block."""


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
    return len(line) < _LONGEST and any(header.match(line) for header in _headers())

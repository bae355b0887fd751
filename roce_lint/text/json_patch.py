"""What makes one JSON document of another, as a JSON patch (RFC 6902)."""

from __future__ import annotations

import json
from typing import Any

DEEPEST = 16
"""Levels that are compared one by one; what is below differs as a whole."""

Step = dict[str, Any]
"""One operation: `op`, `path`, and the value where it has one."""


def json_patch(before: object, after: object, at: str = "", depth: int = 0) -> list[Step]:
    """The operations that change `before` into `after`, the fewest that name members of objects; a
    list is replaced as a whole.

    What goes comes first, then what is changed or added, each in the order of its document.
    """
    if not isinstance(before, dict) or not isinstance(after, dict) or depth == DEEPEST:
        if json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True):
            return []
        return [{"op": "replace", "path": at, "value": after}]
    gone: list[Step] = [
        {"op": "remove", "path": _below(at, key)} for key in before if key not in after
    ]
    made: list[Step] = []
    for key, value in after.items():
        path = _below(at, key)
        if key in before:
            made += json_patch(before[key], value, path, depth + 1)
        else:
            made.append({"op": "add", "path": path, "value": value})
    return gone + made


def _below(at: str, key: str) -> str:
    """A pointer to a member (RFC 6901)."""
    return f"{at}/{key.replace('~', '~0').replace('/', '~1')}"

"""Corrections as commands: a JSON patch (RFC 6902), which the switch applies in its own order
(docs/nos/sonic.md).
"""

from __future__ import annotations

import json
from typing import Any

from roce_lint.nos.base import FileEdit

# Differences of two JSON documents as a JSON patch (RFC 6902).

DEEPEST = 16
"""Levels that are compared one by one; deeper levels are compared as a whole."""

Step = dict[str, Any]
"""One operation: `op`, `path`, and its value if any."""


def json_patch(before: object, after: object, at: str = "", depth: int = 0) -> list[Step]:
    """The fewest operations on object members that change `before` into `after`.

    A list is replaced as a whole. Removals come first, then changes and additions, each in the
    order of its document.
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


# Commands for the switch.

_PATCH = "roce-lint.patch.json"


def commands(edited: FileEdit) -> str:
    """Shell commands for the switch; empty if a patch does not apply to its file.

    Dumps of the database have other paths, and multi-ASIC devices need a patch for each ASIC.
    """
    try:
        before, after = json.loads(edited.before), json.loads(edited.after)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return ""
    if _has_other_paths(before) or _has_other_paths(after):
        return ""
    steps = json_patch(before, after)
    if not steps:
        return ""
    return (
        f"cat > {_PATCH} <<'PATCH'\n"
        f"{json.dumps(steps, indent=2)}\n"
        "PATCH\n"
        "# Checked against the models of the switch, and nothing is changed yet:\n"
        f"sudo config apply-patch --dry-run {_PATCH}\n"
        f"sudo config apply-patch {_PATCH}\n"
        "# When it is as it should be, so that it stays over a restart:\n"
        "sudo config save -y\n"
    )


def _has_other_paths(tree: dict[str, object]) -> bool:
    metadata = tree.get("DEVICE_METADATA")
    box = metadata.get("localhost") if isinstance(metadata, dict) else None
    one_of_several = isinstance(box, dict) and "asic_name" in box
    return one_of_several or "localhost" in tree or any("|" in key for key in tree)

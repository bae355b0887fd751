"""Corrections as commands: a JSON patch, for which the switch itself finds the order of its steps.

The form is in docs/nos/sonic.md.
"""

from __future__ import annotations

import json

from roce_lint.nos.edit import FileEdit
from roce_lint.text.json_patch import json_patch

_PATCH = "roce-lint.patch.json"


def commands(edited: FileEdit) -> str:
    """Lines for the shell of the switch; empty where its file is none that a patch is about.

    Dumps of the database have other paths, and boxes of several ASICs a patch for each.
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

"""JSON Lines: the JSON report with one entry per line, for streaming and line tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from roce_lint.pipeline import Report
from roce_lint.report.json import build
from roce_lint.report.selection import Options
from roce_lint.report.wording import escape_json

_LISTS = {
    "files": "file",
    "devices": "device",
    "classes": "class",
    "findings": "finding",
    "unknowns": "unknown",
    "diagnostics": "diagnostic",
}
"""Lists of the report with the `kind` of their lines, in this order."""


def render(report: Report, options: Options) -> str:
    """One line `{"kind": KIND, "entry": ENTRY}` per entry; kind `run` comes first with the rest."""
    data = build(report, options).model_dump(mode="json", by_alias=True)
    return "".join(
        escape_json(json.dumps(line, ensure_ascii=False)) + "\n" for line in _lines(data)
    )


def _lines(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    run = {name: value for name, value in data.items() if name not in _LISTS}
    yield {"kind": "run", "entry": run}
    for name, kind in _LISTS.items():
        for entry in data[name]:
            yield {"kind": kind, "entry": entry}

"""What makes an answer milder, in the JSON of the commands that give one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from roce_lint.report.wording import WEAKENED

if TYPE_CHECKING:
    from roce_lint.engine.finding import Diagnostic


def as_data(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """The remarks on what the judged tree says to be judged more mildly."""
    return [
        {"file": item.file, "line": item.line, "message": item.message}
        for item in diagnostics
        if item.kind == WEAKENED
    ]

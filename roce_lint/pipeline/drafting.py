"""The intent of a fabric that exists: read, analysed, and drafted."""

from __future__ import annotations

from pathlib import Path

from roce_lint.design.drafting.intent_draft import IntentDraft, draft_of
from roce_lint.errors import UsageError
from roce_lint.pipeline.report import Report


def draft_intent(report: Report, path: str) -> IntentDraft:
    """The draft of what a run has read below a path.

    Raises:
        UsageError: nothing was read.
    """
    analysis, excerpts = report.analysis, report.excerpts
    if analysis is None or excerpts is None or not analysis.fabric.devices:
        raise UsageError(f"{path} holds no configuration that is read", hint="check tells why")
    name = Path(path).resolve().name if path != "-" else "fabric"
    printable = "".join(c for c in name if c.isprintable() and c.isascii())
    return draft_of(analysis, excerpts, printable[:100] or "fabric")

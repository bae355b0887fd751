"""Golden devices of an intent, checked like any fabric; draft of an intent from a fabric."""

from __future__ import annotations

from pathlib import Path

from roce_lint.budget import pause_collection
from roce_lint.design.drafting.intent_draft import IntentDraft, draft_of
from roce_lint.design.golden import Design, design
from roce_lint.errors import UsageError
from roce_lint.intent.read import read_whole
from roce_lint.loading.load import LoadResult
from roce_lint.pipeline.evaluation import Terms
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.request import Request
from roce_lint.settings import Settings


def design_fabric(path: str) -> Design:
    """The golden devices of an intent.

    Raises:
        IntentError, LinksError: it is wrong, or a requirement cannot be met.
    """
    with pause_collection():
        return design(read_whole(Path(path)))


def judge_design(made: Design, settings: Settings) -> Report:
    """Check golden devices by the rules and the intent they come from.

    Raises:
        SettingsError, RulePageError: another input is wrong.
    """
    request = Request(intent=str(made.intent.path), isolated=True)
    terms = Terms.of(request, settings)
    made.fabric.plan = terms.plan
    terms.hardware.fill(made.fabric.devices.values())
    return terms.answer(LoadResult(), made.fabric)


def draft_intent(report: Report, path: str) -> IntentDraft:
    """Draft the intent of a checked fabric.

    Raises:
        UsageError: nothing was read.
    """
    analysis, excerpts = report.analysis, report.excerpts
    if analysis is None or excerpts is None or not analysis.fabric.devices:
        raise UsageError(f"{path}: no configuration was recognised", hint="check reports why")
    name = Path(path).resolve().name if path != "-" else "fabric"
    printable = "".join(c for c in name if c.isprintable() and c.isascii())
    return draft_of(analysis, excerpts, printable[:100] or "fabric")

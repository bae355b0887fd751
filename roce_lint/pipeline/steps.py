"""The steps of one whole run."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from roce_lint.loading.load import load
from roce_lint.phases import phase
from roce_lint.pipeline.garbage import pause_collection
from roce_lint.pipeline.inputs import file_rules
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.request import Progress, Request

if TYPE_CHECKING:
    from roce_lint.engine.accept import Accept
    from roce_lint.pipeline.judging import Terms
    from roce_lint.settings import Settings


def run(
    request: Request,
    settings: Settings,
    progress: Progress | None = None,
    accept: Accept | None = None,
) -> Report:
    """Do one whole run. `accept` marks the findings that people accepted, before one is folded
    into another.

    Raises:
        UsageError, SettingsError, IntentError, LinksError, RulePageError: the caller must mend
            something first; nothing was judged.
    """
    with pause_collection():
        return _run(request, settings, progress, accept)


def _run(
    request: Request, settings: Settings, progress: Progress | None, accept: Accept | None
) -> Report:
    @cache
    @phase("loading rules")
    def terms() -> Terms:
        """What is judged by; to import that and to load the rules is done while workers read."""
        from roce_lint.pipeline.judging import Terms  # noqa: PLC0415

        return Terms.of(request, settings, accept)

    loaded = load(
        request.paths,
        stdin=request.stdin,
        jobs=request.jobs,
        rules=file_rules(settings),
        cache=request.cache,
        progress=progress,
        meanwhile=terms,
        limits=settings.limits.limits(),
    )
    return terms().report(loaded, progress)

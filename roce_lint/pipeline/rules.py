"""Which rules a run judges by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint import checks
from roce_lint.engine import registry
from roce_lint.engine.finding import Severity
from roce_lint.engine.page import load_pages
from roce_lint.engine.run import Rules, see_that_parameters_fit
from roce_lint.errors import SettingsError, UsageError
from roce_lint.resources import resource_dir
from roce_lint.text.spelling import did_you_mean

if TYPE_CHECKING:
    from roce_lint.engine.page import RulePage
    from roce_lint.pipeline.request import Request
    from roce_lint.settings import Settings


def load_rules(request: Request, settings: Settings) -> Rules:
    """The pages that are selected, with what the settings say of them.

    Raises:
        RulePageError: a page is wrong.
        SettingsError: the settings speak of a rule that does not exist.
    """
    registry.import_checks(checks)
    own = resource_dir("rules")
    pages = load_pages([own, *registry.plugin_pages(), *(Path(folder) for folder in request.rules)])
    known = {page.id for page in pages}
    unknown = sorted(set(settings.rules) - known)
    if unknown:
        place = settings.place("rules", unknown[0])
        own_pages = "" if request.rules else "; --rules DIR adds the pages of your own"
        hint = f"{did_you_mean(unknown[0], known)}{own_pages}"
        raise SettingsError(f"no rule is called {unknown[0]}", location=place, hint=hint)
    select = request.select or tuple(settings.select)
    ignore = request.ignore or tuple(settings.ignore)
    for key, prefixes in (("select", select), ("ignore", ignore)):
        for prefix in prefixes:
            if not any(page.id.startswith(prefix) for page in pages):
                stated = prefix in getattr(settings, key)
                error = SettingsError if stated else UsageError
                place = settings.place(key) if stated else f"--{key}"
                hint = did_you_mean(prefix, known)
                raise error(f"no rule starts with {prefix!r}", location=place, hint=hint)
    for number, waiver in enumerate(settings.waivers):
        if not any(page.id.startswith(waiver.rule) for page in pages):
            raise SettingsError(
                f"waiver: no rule starts with {waiver.rule!r}",
                location=settings.place("waiver", number, "rule"),
                hint=did_you_mean(waiver.rule, known),
            )
    chosen = [
        page
        for page in pages
        if (not select or page.id.startswith(select))
        and not (ignore and page.id.startswith(ignore))
    ]
    if not chosen:
        raise UsageError("what is selected and ignored leaves no rule to judge by")
    rules = Rules(
        chosen,
        {rule: dict(item.params) for rule, item in settings.rules.items() if item.params},
        {
            rule: Severity[item.severity.upper()]
            for rule, item in settings.rules.items()
            if item.severity
        },
        frozenset(known),
        {rule: settings.place("rules", rule, "params") for rule in settings.rules},
        _errors(pages) - _errors(chosen),
        settings.limits.check_seconds,
    )
    see_that_parameters_fit(rules)
    return rules


def _errors(pages: list[RulePage]) -> int:
    return sum(1 for page in pages if page.severity is Severity.ERROR)

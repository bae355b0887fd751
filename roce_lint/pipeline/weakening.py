"""Remarks on settings, baseline and comments of the checked tree that soften the result.

Whoever may change the configurations may change the files beside them, too. That is not a fault:
it neither fails the run nor makes it incomplete; `--isolated` ignores all of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint.engine.finding import WEAKENED, Diagnostic, Severity
from roce_lint.engine.ignores import BY as INLINE
from roce_lint.text.files import is_below
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.engine.page import RulePage
    from roce_lint.pipeline.report import Report
    from roce_lint.pipeline.request import Request
    from roce_lint.settings import Settings

SHOWN = 5


def find_weakening(
    request: Request, settings: Settings, report: Report, fail_on: str | None, baseline: str | None
) -> list[Diagnostic]:
    """A remark for each. `fail_on` and `baseline` are those of the command line."""
    remarks = settings_remarks(request, settings, report.base, report.rules, fail_on)
    if baseline is not None and is_below(baseline, request.paths):
        known = sum(1 for f in report.findings if f.suppressed and f.suppressed.by == "baseline")
        text = f"a baseline in the checked tree: {count(known, 'finding')} known"
        name = os.path.relpath(baseline, report.base)
        remarks.append(Diagnostic(name, WEAKENED, text, incomplete=False))
    inline = [f for f in report.findings if f.suppressed and f.suppressed.by == INLINE]
    if inline:
        place = inline[0].location
        text = f"comments in configurations: {count(len(inline), 'finding')} accepted"
        name, line = (place.file, place.line) if place is not None else ("", None)
        remarks.append(Diagnostic(name, WEAKENED, text, line, incomplete=False))
    return remarks


def settings_remarks(
    request: Request,
    settings: Settings,
    base: str | Path,
    rules: Mapping[str, RulePage],
    fail_on: str | None,
) -> list[Diagnostic]:
    """Remarks on the settings of the tree. File names are relative to `base`; `rules` are those
    of the run.
    """
    if not settings.found:
        return []
    file = os.path.relpath(settings.path, base) if settings.path else ""
    return [
        Diagnostic(file, WEAKENED, text, line, incomplete=False)
        for text, line in _settings(request, settings, rules, fail_on)
    ]


def _settings(
    request: Request, settings: Settings, rules: Mapping[str, RulePage], fail_on: str | None
) -> Iterator[tuple[str, int | None]]:
    if settings.fail_on == "never" and fail_on is None:
        yield 'fail-on = "never": no finding fails the run', settings.line("fail-on")
    for key, given, meant in (
        ("select", request.select, "only these rules are checked"),
        ("ignore", request.ignore, "these rules are not checked"),
    ):
        named = getattr(settings, key)
        if named and not given:
            yield f"{key} = {_some(named)}: {meant}", settings.line(key)
    for rule, own in settings.rules.items():
        page = rules.get(rule)
        line = settings.line("rules", rule)
        if own.severity and page is not None and Severity[own.severity.upper()] < page.severity:
            yield f"{rule} counts as {own.severity} (default {page.severity.label})", line
        if own.params:
            yield f"{rule} has custom parameters: {_some(own.params)}", line
    if settings.waivers:
        waived = _some(waiver.rule for waiver in settings.waivers)
        yield f"{count(len(settings.waivers), 'waiver')} ({waived})", settings.line("waiver", 0)
    passed = [glob for glob, item in settings.files.items() if item.ignore]
    if passed:
        yield f"files are not read: {_some(passed)}", settings.line("files", passed[0])
    forced = [glob for glob, item in settings.files.items() if item.nos or item.device or item.role]
    if forced:
        yield f"files are read as configured: {_some(forced)}", settings.line("files", forced[0])
    yield from _world(request, settings)


def _world(request: Request, settings: Settings) -> Iterator[tuple[str, int | None]]:
    """Remarks on the fabric and the run."""
    if settings.roles:
        yield f"roles are set: {_some(settings.roles)}", settings.line("roles")
    if settings.profile and not (request.profile or request.intent):
        yield f"profile = {settings.profile!r} sets the requirements", settings.line("profile")
    if settings.catalog.profiles or settings.catalog.hardware:
        folders = _some([*settings.catalog.profiles, *settings.catalog.hardware])
        yield f"folders of profiles or hardware: {folders}", settings.line("catalog")
    limits = settings.limits.model_fields_set
    if limits:
        yield f"limits are set: {_some(sorted(limits))}", settings.line("limits")


def _some(names: Iterable[object]) -> str:
    """The first few."""
    listed = list(dict.fromkeys(map(str, names)))
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    return ", ".join(listed[:SHOWN]) + more

"""What the judged tree itself says to make its judgement milder: told in every report.

Whoever may change the configurations may change what lies beside them, too. That is no fault, so
it neither fails the run nor makes it incomplete; `--isolated` leaves all of it out.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from roce_lint.engine.finding import Diagnostic, Severity
from roce_lint.engine.ignores import BY as INLINE
from roce_lint.report.wording import WEAKENED
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.engine.page import RulePage
    from roce_lint.pipeline import Report
    from roce_lint.settings import Settings

SHOWN = 5


class Overrides(Protocol):
    """What a caller says in place of the settings: rules, a profile, an intent."""

    @property
    def select(self) -> tuple[str, ...]:
        """Rules that are asked alone."""
        ...

    @property
    def ignore(self) -> tuple[str, ...]:
        """Rules that are not asked."""
        ...

    @property
    def profile(self) -> str | None:
        """The published design to judge by."""
        ...

    @property
    def intent(self) -> str | None:
        """The file of the intent."""
        ...

    def is_judged(self, file: str) -> bool:
        """Whether a file lies in the tree that is judged."""
        ...


def find_weakening(
    asked: Overrides, settings: Settings, report: Report, fail_on: str | None, baseline: str | None
) -> list[Diagnostic]:
    """A remark for everything of the tree that makes the answer milder. `fail_on` and `baseline`
    are those of the command line.
    """
    said = by_settings(asked, settings, report.base, report.rules, fail_on)
    if baseline is not None and asked.is_judged(baseline):
        known = sum(1 for f in report.findings if f.suppressed and f.suppressed.by == "baseline")
        text = f"a baseline of the judged tree: {count(known, 'finding')} known"
        name = os.path.relpath(baseline, report.base)
        said.append(Diagnostic(name, WEAKENED, text, incomplete=False))
    inline = [f for f in report.findings if f.suppressed and f.suppressed.by == INLINE]
    if inline:
        place = inline[0].location
        text = f"comments in configurations: {count(len(inline), 'finding')} accepted"
        name, line = (place.file, place.line) if place is not None else ("", None)
        said.append(Diagnostic(name, WEAKENED, text, line, incomplete=False))
    return said


def tell(
    asked: Overrides, settings: Settings, report: Report, fail_on: str | None = "error"
) -> None:
    """The same, put before what a report says about files, of a command without a baseline.

    Commands that no finding can fail take no notice of `fail-on`.
    """
    report.diagnostics = [
        *find_weakening(asked, settings, report, fail_on, None),
        *report.diagnostics,
    ]


def by_settings(
    asked: Overrides,
    settings: Settings,
    base: str | Path,
    rules: Mapping[str, RulePage],
    fail_on: str | None,
) -> list[Diagnostic]:
    """What the settings of the tree say. `base` is the folder that file names are relative to,
    `rules` are those that are judged by.
    """
    if not settings.found:
        return []
    file = os.path.relpath(settings.path, base) if settings.path else ""
    return [
        Diagnostic(file, WEAKENED, text, line, incomplete=False)
        for text, line in _settings(asked, settings, rules, fail_on)
    ]


def _settings(
    asked: Overrides, settings: Settings, rules: Mapping[str, RulePage], fail_on: str | None
) -> Iterator[tuple[str, int | None]]:
    if settings.fail_on == "never" and fail_on is None:
        yield 'fail-on = "never": no finding fails the run', settings.line("fail-on")
    for key, given, meant in (
        ("select", asked.select, "only these rules are asked"),
        ("ignore", asked.ignore, "these rules are not asked"),
    ):
        named = getattr(settings, key)
        if named and not given:
            yield f"{key} = {_some(named)}: {meant}", settings.line(key)
    for rule, own in settings.rules.items():
        page = rules.get(rule)
        line = settings.line("rules", rule)
        if own.severity and page is not None and Severity[own.severity.upper()] < page.severity:
            yield f"{rule} counts as {own.severity}, its page says {page.severity.label}", line
        if own.params:
            yield f"{rule} is asked with parameters of its own: {_some(own.params)}", line
    if settings.waivers:
        waived = _some(waiver.rule for waiver in settings.waivers)
        yield f"{count(len(settings.waivers), 'waiver')} ({waived})", settings.line("waiver", 0)
    passed = [glob for glob, item in settings.files.items() if item.ignore]
    if passed:
        yield f"files are not read: {_some(passed)}", settings.line("files", passed[0])
    told = [glob for glob, item in settings.files.items() if item.nos or item.device or item.role]
    if told:
        yield f"files are read as it says: {_some(told)}", settings.line("files", told[0])
    yield from _world(asked, settings)


def _world(asked: Overrides, settings: Settings) -> Iterator[tuple[str, int | None]]:
    """What it says about the fabric and the run."""
    if settings.roles:
        yield f"roles are set: {_some(settings.roles)}", settings.line("roles")
    if settings.profile and not (asked.profile or asked.intent):
        yield f"profile = {settings.profile!r} says what is demanded", settings.line("profile")
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


def as_data(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """The remarks on what the judged tree says to be judged more mildly."""
    return [
        {"file": item.file, "line": item.line, "message": item.message}
        for item in diagnostics
        if item.kind == WEAKENED
    ]

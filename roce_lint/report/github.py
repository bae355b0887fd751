"""GitHub workflow commands: annotations on the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roce_lint.engine.finding import Diagnostic, Finding, Occurrence
from roce_lint.report.blocks import at
from roce_lint.report.chosen import choose
from roce_lint.report.names import compress
from roce_lint.report.options import Options
from roce_lint.report.places import Places, is_virtual, known
from roce_lint.report.wording import clean, fix_summary, one_line, said_of

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report, options: Options) -> str:
    """A command for every device a finding stands on, the gravest first.

    What is in an archive or came from standard input cannot be annotated: the message names it.
    GitHub shows ten annotations of a kind per step; what is grave must not be the eleventh.
    """
    places = Places(report.base, options.cwd)
    chosen = choose(report.findings, options.max_findings)
    ranked = sorted(chosen.shown, key=lambda finding: -finding.severity)
    commands = [_finding(f, o, places) for f in ranked for o in f.occurrences]
    commands += _diagnostics(report, places)
    if chosen.remark:
        commands.append(command("notice", chosen.remark, title="roce-lint"))
    return "".join(f"{text}\n" for text in commands)


def command(name: str, message: str, **properties: str | int | None) -> str:
    """One workflow command; properties that are None are left out."""
    given = ",".join(
        f"{key}={_property(str(value))}" for key, value in properties.items() if value is not None
    )
    return f"::{name} {given}::{_data(message)}" if given else f"::{name}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _finding(finding: Finding, occurrence: Occurrence, places: Places) -> str:
    place = next(iter(known(occurrence.locations)), None)
    parts = [said_of(finding, occurrence)]
    if len(occurrence.subjects) > 1:
        parts.append(f"on {one_line(compress(occurrence.subjects))}")
    if finding.fix is not None:
        parts.append(f"fix: {fix_summary(finding.fix)} ({finding.fix.safety.value})")
    name, title = _COMMANDS[finding.severity.label], f"{finding.rule} {finding.name}"
    if place is None or is_virtual(place.file):
        if place is not None:
            parts.append(at(place, places))
        return command(name, "\n".join(parts), title=title)
    file, line = clean(places.name(place.file)), place.line if place.line > 0 else None
    return command(name, "\n".join(parts), file=file, line=line, col=place.column, title=title)


def _diagnostics(report: Report, places: Places) -> Iterator[str]:
    for item in report.diagnostics:
        yield _diagnostic(item, places)


def _diagnostic(item: Diagnostic, places: Places) -> str:
    name, title = "error" if item.incomplete else "notice", f"roce-lint {item.kind}"
    if is_virtual(item.file):
        return command(name, f"{item.file}: {clean(item.message)}".lstrip(": "), title=title)
    file = clean(places.name(item.file))
    return command(name, clean(item.message), file=file, line=item.line, title=title)

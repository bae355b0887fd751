"""One line for every place of a finding: for grep, editors and quickfix lists."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.engine.finding import Finding, Occurrence
from roce_lint.pipeline import Report
from roce_lint.report.blocks import at
from roce_lint.report.layout import plain
from roce_lint.report.places import Places, known_places
from roce_lint.report.selection import Options, choose
from roce_lint.report.summary import diagnostic, unknowns
from roce_lint.report.wording import ALWAYS, message_of, one_line, subjects_of


def render(report: Report, options: Options) -> str:
    """`file:line: severity RULE name: message [device subjects]`, one line per deciding place."""
    places = Places(report.base, options.cwd)
    chosen = choose(report.findings, options.max_findings)
    lines = [
        text
        for finding in chosen.shown
        for occurrence in finding.occurrences
        for text in _lines(finding, occurrence, places)
    ]
    always = (item for item in report.diagnostics if item.kind in ALWAYS)
    lines += [diagnostic(item, places).text for item in always]
    text = "".join(f"{line}\n" for line in lines)
    return text + plain(unknowns(report, options)) if options.show_unknown else text


def _lines(finding: Finding, occurrence: Occurrence, places: Places) -> Iterator[str]:
    who = subjects_of(occurrence)
    message = message_of(finding, occurrence)
    what = f"{finding.severity.label} {finding.rule} {finding.name}: {message}"
    causes = [place for place in known_places(occurrence.locations) if place.role == "cause"]
    for place in causes:
        yield f"{at(place, places)}: {what} [{who}]"
    if not causes:
        yield f"{one_line(occurrence.device)}: {what} [{who}]"

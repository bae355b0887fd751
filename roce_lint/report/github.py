"""GitHub workflow commands: annotations on the lines of a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from roce_lint.engine.finding import Diagnostic, Finding, Occurrence
from roce_lint.pipeline import Report
from roce_lint.report.blocks import at
from roce_lint.report.places import Places, is_virtual, known_places
from roce_lint.report.selection import Options, choose
from roce_lint.report.wording import clean, fix_block, one_line, spell_occurrence
from roce_lint.text.names import compress
from roce_lint.text.numbers import count

LIMIT = 10
"""Annotations per level and step that GitHub shows (docs.github.com, workflow commands and limits
of annotations); it silently drops the others.
"""

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}

_LEVELS = ("error", "warning", "notice")


def render(report: Report, options: Options) -> str:
    """A command for every device of a finding, most severe first, ten per level.

    Archive members and standard input cannot be annotated: the message names them. Annotations over
    the limit go to the log of the step, folded, and a notice states their number.
    """
    places = Places(report.base, options.cwd)
    chosen = choose(report.findings, options.max_findings)
    ranked = sorted(chosen.shown, key=lambda finding: -finding.severity)
    incomplete = [item for item in report.diagnostics if item.incomplete]
    remarks = [item for item in report.diagnostics if not item.incomplete]
    commands = [
        *(_diagnostic(item, places) for item in incomplete),
        *(_finding(f, o, places) for f in ranked for o in f.occurrences),
        *(_diagnostic(item, places) for item in remarks),
    ]
    if chosen.remark:
        commands.insert(0, Command("notice", chosen.remark, "roce-lint"))
    return "".join(f"{text}\n" for text in _fit_limit(commands))


def _fit_limit(commands: list[Command]) -> Iterator[str]:
    """Commands within GitHub's limit, and the others as lines of the log."""
    by_level = {name: [c for c in commands if c.level == name] for name in _LEVELS}
    if all(len(group) <= LIMIT for group in by_level.values()):
        yield from (str(each) for name in _LEVELS for each in by_level[name])
        return
    room = dict.fromkeys(_LEVELS, LIMIT) | {"notice": LIMIT - 1}  # one for the notice on the rest
    left = Counter({name: max(len(by_level[name]) - room[name], 0) for name in _LEVELS})
    for name in _LEVELS:
        yield from map(str, by_level[name][: room[name]])
    words = [
        count(left[name], name if name != "notice" else "remark") for name in _LEVELS if left[name]
    ]
    more = f"and {left.total()} more ({', '.join(words)}): see the log of this step"
    yield str(Command("notice", more, "roce-lint"))
    yield "::group::roce-lint: more findings"
    yield from (each.as_log() for name in _LEVELS for each in by_level[name][room[name] :])
    yield "::endgroup::"


class Command(NamedTuple):
    """One workflow command."""

    level: str
    message: str
    title: str
    file: str = ""
    line: int | None = None
    col: int | None = None

    def __str__(self) -> str:
        given = {"file": self.file or None, "line": self.line, "col": self.col, "title": self.title}
        text = ",".join(
            f"{key}={_data(str(value)).replace(':', '%3A').replace(',', '%2C')}"
            for key, value in given.items()
            if value is not None
        )
        return f"::{self.level} {text}::{_data(self.message)}"

    def as_log(self) -> str:
        """The command as a plain line: place, level, title and message."""
        place = ":".join(str(each) for each in (self.file, self.line) if each not in ("", None))
        parts = (place, f"{self.level} {self.title}", self.message)
        text = ": ".join(part for part in parts if part)
        return "  " + clean(text.replace("\r", " ").replace("\n", "; "))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _finding(finding: Finding, occurrence: Occurrence, places: Places) -> Command:
    place = next(iter(known_places(occurrence.locations)), None)
    parts = [spell_occurrence(finding, occurrence)]
    if len(occurrence.subjects) > 1:
        parts.append(f"on {one_line(compress(occurrence.subjects))}")
    if remedy := fix_block(finding, occurrence.device):
        parts.append(f"fix: {remedy}")
    name, title = _COMMANDS[finding.severity.label], f"{finding.rule} {finding.name}"
    if place is None or is_virtual(place.file):
        if place is not None:
            parts.append(at(place, places))
        return Command(name, "\n".join(parts), title)
    file, line = clean(places.name(place.file)), place.line if place.line > 0 else None
    return Command(name, "\n".join(parts), title, file, line, place.column)


def _diagnostic(item: Diagnostic, places: Places) -> Command:
    name, title = "error" if item.incomplete else "notice", f"roce-lint {item.kind}"
    if is_virtual(item.file):
        return Command(name, f"{item.file}: {clean(item.message)}".lstrip(": "), title)
    return Command(name, clean(item.message), title, clean(places.name(item.file)), item.line)

"""GitHub workflow commands: annotations on the lines of a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from roce_lint.engine.finding import Diagnostic, Finding, Occurrence
from roce_lint.report.blocks import at
from roce_lint.report.places import Places, is_virtual, known_places
from roce_lint.report.selection import Options, choose
from roce_lint.report.wording import clean, fix_block, one_line, spell_occurrence
from roce_lint.text.names import compress
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

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
        commands.insert(0, command("notice", chosen.remark, title="roce-lint"))
    return "".join(f"{text}\n" for text in _fit_limit(commands))


def _fit_limit(commands: list[str]) -> Iterator[str]:
    """Commands within GitHub's limit, and the others as lines of the log."""
    by_level = {name: [c for c in commands if _level(c) == name] for name in _LEVELS}
    if all(len(group) <= LIMIT for group in by_level.values()):
        yield from (each for name in _LEVELS for each in by_level[name])
        return
    room = dict.fromkeys(_LEVELS, LIMIT) | {"notice": LIMIT - 1}  # one for the notice on the rest
    left = Counter({name: max(len(by_level[name]) - room[name], 0) for name in _LEVELS})
    for name in _LEVELS:
        yield from by_level[name][: room[name]]
    words = [
        count(left[name], name if name != "notice" else "remark") for name in _LEVELS if left[name]
    ]
    more = f"and {left.total()} more ({', '.join(words)}): see the log of this step"
    yield command("notice", more, title="roce-lint")
    yield "::group::roce-lint: more findings"
    yield from _as_log(each for name in _LEVELS for each in by_level[name][room[name] :])
    yield "::endgroup::"


def _as_log(commands: Iterable[str]) -> Iterator[str]:
    """The commands as plain lines: place, level, title and message."""
    for each in commands:
        head, _, message = each.removeprefix("::").partition("::")
        level, _, given = head.partition(" ")
        properties = dict(item.partition("=")[::2] for item in given.split(",") if item)
        place = ":".join(properties[key] for key in ("file", "line") if key in properties)
        title = properties.get("title", "")
        label = " ".join(word for word in (level, title) if word)
        yield "  " + _plain(": ".join(part for part in (place, label, message) if part))


def _plain(text: str) -> str:
    """The unescaped text of a command, on one line that is not itself a command."""
    for escape, letter in (("%0D", " "), ("%0A", "; "), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, letter)
    return clean(text)


def _level(text: str) -> str:
    return text.removeprefix("::").partition(":")[0].partition(" ")[0]


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
        return command(name, "\n".join(parts), title=title)
    file, line = clean(places.name(place.file)), place.line if place.line > 0 else None
    return command(name, "\n".join(parts), file=file, line=line, col=place.column, title=title)


def _diagnostic(item: Diagnostic, places: Places) -> str:
    name, title = "error" if item.incomplete else "notice", f"roce-lint {item.kind}"
    if is_virtual(item.file):
        return command(name, f"{item.file}: {clean(item.message)}".lstrip(": "), title=title)
    file = clean(places.name(item.file))
    return command(name, clean(item.message), file=file, line=item.line, title=title)

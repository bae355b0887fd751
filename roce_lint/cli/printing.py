"""Print a report to standard output, and its head and tail, timings and provenance to standard
error or into the services of a pipeline.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roce_lint.cli import output
from roce_lint.engine.finding import WEAKENED
from roce_lint.phases import OTHER, Clock, Duration, peaks
from roce_lint.report import Options, guard, render
from roce_lint.report.wording import OUTSIDE
from roce_lint.text.numbers import count, whole_number

if TYPE_CHECKING:
    from roce_lint.cli.run_options import RunOptions
    from roce_lint.pipeline import Report
    from roce_lint.settings import Settings


def print_report(report: Report, form: str, options: Options, *, quiet: bool) -> None:
    """Print findings to standard output, head and tail to standard error."""
    from roce_lint.report import summary, text  # noqa: PLC0415
    from roce_lint.report.layout import EMPTY  # noqa: PLC0415
    from roce_lint.report.selection import choose  # noqa: PLC0415

    out = output.for_stream(options)
    err = output.for_stream(options, err=True)
    if form != "text":
        output.write(render(form, report, replace(options, color=False)))
        left_out = choose(report.findings, options.max_findings).remark
        remark = left_out if form == "concise" else ""
        tail = list(summary.tail(report, options, remark=remark))
    else:
        parts = guard(lambda shown: text.parts(shown, out), report)
        tail = parts.tail
        if not quiet and parts.head:
            output.write(text.paint([*parts.head, EMPTY], err), err=True)
        output.write(text.paint(parts.findings, out))
        if not quiet and parts.findings:
            output.write("\n", err=True)
    if not quiet:
        output.write(text.paint(tail, err), err=True)
    else:
        _print_essentials(report)


def _print_essentials(report: Report) -> None:
    """Print the remarks that --quiet must not hide."""
    if report.incomplete:
        output.write("roce-lint: incomplete; run without -q for the reasons\n", err=True)
    milder = sum(1 for item in report.diagnostics if item.kind == WEAKENED)
    if milder:
        text = f"check weakened by the checked files ({milder}); run without -q for details"
        output.write(f"roce-lint: {text}\n", err=True)


def print_file_remarks(report: Report, options: Options) -> None:
    """Print remarks about files to standard error."""
    from roce_lint.report import summary, text  # noqa: PLC0415

    lines = list(summary.about_files(report, options))
    output.write(text.paint(lines, output.for_stream(options, err=True)), err=True)


def print_strictly(report: Report, cwd: str) -> int:
    """Print findings, unknowns and gaps; return the exit status of a strict check."""
    from roce_lint.pipeline.runner import STRICTEST, exit_status  # noqa: PLC0415
    from roce_lint.report import text  # noqa: PLC0415

    options = Options(cwd=cwd, show_unknown=True, all_gaps=True)
    parts = text.parts(report, options)
    output.write(text.paint(parts.findings, output.for_stream(options)))
    output.write(text.paint(parts.tail, output.for_stream(options, err=True)), err=True)
    return exit_status(report, STRICTEST)


# Timings.

SHOWN = 5
"""Number of slowest rules that are listed."""

MB = 1e6


def describe_timings(clock: Clock) -> str:
    """Time per phase, the slowest rules, and the memory."""
    phases = clock.phases()
    rest = phases.pop(OTHER, Duration())
    rows = [f"{'timings':<28}{'seconds':>9}{'processor':>11}"]
    for name, spent in phases.items():
        rows.append(_row(name, spent))
        rows += [_row(f"  {part}", own) for part, own in list(clock.parts(name).items())[:SHOWN]]
    rows += [_row("the rest", rest), _row("all", sum(phases.values(), rest))]
    most = peaks()
    if most is not None:
        worker = f", {most[1] / MB:.0f} MB in a worker" if most[1] else ""
        rows.append(f"memory: at most {most[0] / MB:.0f} MB{worker}")
    return "".join(f"{row}\n" for row in rows)


def _row(name: str, spent: Duration) -> str:
    return f"  {name:<26}{spent.seconds:>9.2f}{spent.processor:>11.2f}"


# Hosted pipelines (CI jobs).

_FORMATS = {"GITHUB_ACTIONS": "github", "GITLAB_CI": "gitlab"}
"""Variables that the services set to `true` in each job, with their format. CI alone is not
enough: many tools and people set it.
"""

_OF_A_REPOSITORY = ("github", "gitlab", "sarif")
"""Formats that refer to files of one repository."""


@dataclass(slots=True, frozen=True)
class Pipeline:
    """Format and summary file of the service."""

    format: str = "text"  # of standard output without --format
    summary: Path | None = None  # of a step in GitHub Actions


def detect_pipeline(outputs: Collection[str]) -> Pipeline:
    """Detect the service; a format that goes into a file is not printed as well."""
    found = [name for key, name in _FORMATS.items() if os.environ.get(key) == "true"]
    chosen = next((name for name in found if name not in outputs), "text")
    summary = os.environ.get("GITHUB_STEP_SUMMARY") if "github" in found else None
    return Pipeline(chosen, Path(summary) if summary else None)


def warn_of_files_outside(report: Report, formats: Collection[str], options: Options) -> None:
    """Warn of findings in files outside the repository."""
    from roce_lint.report.places import Places, outside  # noqa: PLC0415

    concerned = [name for name in _OF_A_REPOSITORY if name in formats]
    away = outside(report, Places(report.base, options.cwd)) if concerned else []
    if away:
        files = count(len(away), "file")
        text = f"{', '.join(concerned)}: {files} outside the working directory: {OUTSIDE}"
        output.write(f"roce-lint: warning: {text}\n", err=True)


# Provenance: time of capture, commit and command.

COMMAND_LINE = "roce_lint.words"
"""Key of the command line in the context."""

_TIME = re.compile(rb"^# command: [^\n]*\btime: *(\d{4}-\d\d-\d\dT\d\d:\d\d)")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_HEAD = 512

LATEST = 253_402_300_799
"""Last second of the year 9999."""


def provenance(
    run_options: RunOptions, settings: Settings, report: Report
) -> tuple[tuple[str, str], ...]:
    """Facts for the head of the HTML report, by name. They do not depend on the clock: the same
    input gives the same page.
    """
    folder = Path(report.base)
    facts = {
        "captured": capture_times(report),
        "commit": commit(folder),
        "command": command_line(),
        "intent": run_options.intent or "",
        "profile": run_options.profile or settings.profile or "",
    }
    return tuple((name, value) for name, value in facts.items() if value)


def capture_times(report: Report) -> str:
    """First and last time in the headers of the captures; else SOURCE_DATE_EPOCH."""
    times = sorted(set(_times(report)))
    if times:
        first, last = (text.replace("T", " ") for text in (times[0], times[-1]))
        return f"{first} UTC" if first == last else f"{first} to {last} UTC"
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = whole_number(epoch, high=LATEST)
    return "" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _times(report: Report) -> Iterator[str]:
    from roce_lint.report.places import is_virtual  # noqa: PLC0415

    for device in report.devices:
        for name in device.files:
            path = Path(report.base, name)
            if is_virtual(name):
                continue
            if report.excerpts is not None and (head := report.excerpts.head(name)):
                found = _TIME.match(head.encode())  # from a bundle
            elif path.is_file():
                with path.open("rb") as file:
                    found = _TIME.match(file.read(_HEAD))
            else:
                continue
            if found:
                yield found[1].decode()


def commit(folder: Path) -> str:
    """Commit of the checkout that holds the folder; files may have changed since."""
    for top in (folder.resolve(), *folder.resolve().parents):
        git = top / ".git"
        if git.is_file():
            target = _text(git).removeprefix("gitdir:").strip()
            git = (top / target).resolve()
        if git.is_dir():
            return _resolve(git)
    return ""


def _resolve(git: Path) -> str:
    head = _text(git / "HEAD").strip()
    if not head.startswith("ref: "):
        return head if _COMMIT.fullmatch(head) else ""
    name = head.removeprefix("ref: ")
    shared = _text(git / "commondir").strip()
    for place in (git, git / shared):
        found = _text(place / name).strip()
        if _COMMIT.fullmatch(found):
            return found
        for line in _text(place / "packed-refs").splitlines():
            value, _, ref = line.partition(" ")
            if ref == name and _COMMIT.fullmatch(value):
                return value
    return ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError:
        return ""


def command_line() -> str:
    """The command line of this run."""
    ctx = click.get_current_context(silent=True)
    words = ctx.find_root().meta.get(COMMAND_LINE) if ctx is not None else None
    return shlex.join(["roce-lint", *words]) if words else ""

"""`roce-lint check`: check configurations or snapshots, once or at each change (--watch), or print
the files and settings of a run.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from roce_lint.cli import output
from roce_lint.cli.help import Command, option, options
from roce_lint.cli.judging import AnswerOptions, judge_timed
from roce_lint.cli.run_options import (
    LEVELS,
    REQUIRED,
    Percent,
    RunOptions,
    checking_options,
    fabric_options,
    prefixes,
    show_progress,
)
from roce_lint.engine.finding import CLEAN, INCOMPLETE
from roce_lint.errors import RoceLintError, UsageError
from roce_lint.report import FORMATS, GROUPINGS, Options
from roce_lint.report.blocks import Blocks, style_of
from roce_lint.report.layout import EMPTY, Line, line
from roce_lint.report.places import Places
from roce_lint.report.wording import one_line, spell_finding, verdict
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.pipeline import Report
    from roce_lint.pipeline.comparison import StateDifference

# Checking again when a file changes (--watch).

EVERY = 0.5
"""Seconds between two polls of the files."""

State = dict[str, tuple[int, int]]
"""Size and modification time of each file."""

Judge = Callable[[bool], tuple[int, "Report"]]
"""One run: takes whether to print the report; returns exit status and report."""


def watch(
    run_options: RunOptions, judge: Judge, wait: Callable[[], None] = lambda: time.sleep(EVERY)
) -> int:
    """Print a report, then changes, until interrupted; return the last exit status.

    `wait` sleeps between two polls.
    """
    status, before = judge(True)
    seen = state_of(files_to_watch(run_options))
    try:
        while True:
            wait()
            now = state_of(files_to_watch(run_options))
            if now == seen:
                continue
            _report_files(changed_files(seen, now))
            seen = now
            try:
                status, after = judge(False)
            except RoceLintError as error:  # a half-saved file: the next change may fix it
                output.write(f"roce-lint: {error}\n", err=True)
                continue
            _report_changes(before, after)
            before = after
            gc.collect()  # automatic collection is off, and there may be thousands of rounds
    except KeyboardInterrupt:
        return status


def files_to_watch(run_options: RunOptions) -> Iterator[str]:
    """Files below the paths, and those named by options."""
    for path in run_options.paths:
        if Path(path).is_dir():
            for folder, folders, names in os.walk(path):
                folders[:] = [name for name in folders if not name.startswith(".")]
                yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118
        else:
            yield path
    named = (run_options.links, run_options.intent, run_options.config, run_options.trusted_config)
    yield from (name for name in named if name is not None)


def state_of(names: Iterable[str]) -> State:
    """Current state of the files that exist."""
    state: State = {}
    for name in names:
        try:
            found = os.stat(name)  # noqa: PTH116
        except OSError:
            continue
        state[name] = (found.st_size, found.st_mtime_ns)
    return state


def changed_files(before: State, now: State) -> list[str]:
    """Names of files that were added, removed or changed."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def _report_files(names: list[str]) -> None:
    from roce_lint.text.names import compress  # noqa: PLC0415

    listed = ", ".join(map(one_line, names)) if len(names) <= 3 else compress(map(one_line, names))
    output.write(f"\nchanged: {listed}\n", err=True)


def _report_changes(before: Report, after: Report) -> None:
    from roce_lint.pipeline.comparison import compare_states  # noqa: PLC0415
    from roce_lint.report import text  # noqa: PLC0415

    options = output.for_stream(Options(cwd=str(Path.cwd())))
    lines = change_lines(compare_states(before.findings, after.findings), before, after, options)
    output.write(text.paint(lines, options))


# Files and settings of a run (--show-files, --show-settings).

_WRITTEN = {"fail_on": "fail-on", "help_url": "help-url", "waivers": "waiver"}
"""Settings with another name in the file than in Python."""


def print_files(run_options: RunOptions) -> int:
    """Print each file with its device, or why it is skipped; return the exit status."""
    report = show_progress(run_options.prepare(accepts=False).read)
    places = Places(report.base, str(Path.cwd()))
    rows = [
        (name, f"{device.name} ({device.nos})")
        for device in report.devices
        for name in device.files
    ]
    rows += [(each.file, f"skipped: {each.reason}") for each in report.skipped]
    rows += [(d.file, f"{d.kind}: {d.message}") for d in report.diagnostics if d.incomplete]
    for name, text in sorted(rows):
        output.write(f"{one_line(places.name(name))}: {one_line(text)}\n")
    return INCOMPLETE if report.incomplete else CLEAN


def print_settings(run_options: RunOptions, ctx: click.Context) -> None:
    """Print the settings in force as JSON; `sources` has the origin of each value.

    The file that they come from goes to standard error. An option or variable replaces a setting.
    """
    found = run_options.settings()
    where = found.path or "defaults (no roce-lint.toml or pyproject.toml)"
    output.write(f"roce-lint: settings: {where}\n", err=True)
    values = found.model_dump(mode="json")
    sources = {
        name: found.place(_WRITTEN.get(name, name)) if name in found.model_fields_set else "default"
        for name in values
    }
    given = {
        "select": prefixes("--select", run_options.select),
        "ignore": prefixes("--ignore", run_options.ignore),
        "profile": run_options.profile,
        "fail_on": ctx.params["fail_on"],
        "help_url": ctx.params["help_url"],
    }
    for name, value in given.items():
        if value:
            values[name], sources[name] = value, _origin(name, ctx)
    values["fail_on"] = values["fail_on"] or "error"
    data = {_WRITTEN.get(name, name): value for name, value in values.items()}
    data["sources"] = {_WRITTEN.get(name, name): source for name, source in sources.items()}
    output.write_json(data)


def _origin(name: str, ctx: click.Context) -> str:
    """Option or variable that a value comes from."""
    option = next(each for each in ctx.command.params if each.name == name)
    if ctx.get_parameter_source(name) is ParameterSource.ENVIRONMENT:
        return str(option.envvar)
    return option.opts[-1]


# The command.

report_options = options(
    option(
        "format",
        type=click.Choice(list(FORMATS)),
        help="Output format such as json, html (docs/formats.md)",
    ),
    option("output", metavar="FORMAT=FILE", multiple=True, help="Write a report to FILE, too."),
    checking_options,
    "strict",
    "show-unknown",
    "quiet",
    "verbose",
)
"""Options of a report, also of `audit`."""

_OPTIONS = options(
    report_options,
    option("require", type=click.Choice(REQUIRED)),
    option("require-coverage", type=Percent()),
    "baseline",
    "write-baseline",
    option("group-by", type=click.Choice(GROUPINGS), default="cause"),
    option("min-severity", type=click.Choice(LEVELS[:-1])),
    option("min-confidence", type=click.Choice(["high", "low"])),
    option("max-findings", type=click.IntRange(min=1)),
    option("today", type=click.DateTime(["%Y-%m-%d"])),
    *("fixes", "compare", "statistics", "timings"),
    *("show-files", "show-settings", "watch", "help-url"),
)


@click.command("check", cls=Command)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@_OPTIONS
@fabric_options
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], **given: Any) -> None:
    """Check configurations below PATH (default: .); "-" is standard input."""
    answer = AnswerOptions(**{name: given.pop(name) for name in AnswerOptions.__slots__})
    run_options = RunOptions(paths=paths or (".",), **given)
    if answer.show_settings:
        print_settings(run_options, ctx)
        ctx.exit(CLEAN)
    if answer.show_files:
        ctx.exit(print_files(run_options))
    if answer.watch:
        _validate_watch(run_options, answer)
        ctx.exit(watch(run_options, lambda shown: judge_timed(run_options, answer, shown=shown)))
    if answer.timings:
        ctx.exit(judge_timed(run_options, answer)[0])
    from roce_lint.cli import answers  # noqa: PLC0415  (neither for a watch nor for settings)

    ctx.exit(answers.answer(run_options, answer))


def _validate_watch(run_options: RunOptions, answer: AnswerOptions) -> None:
    """Refuse reports that would be written into the watched folder, and standard input."""
    if "-" in run_options.paths:
        raise UsageError("--watch: standard input does not change")
    if answer.output or answer.write_baseline or answer.format not in (None, "text"):
        raise UsageError("--watch prints only text to standard output")


def change_lines(
    differing: StateDifference, before: Report, after: Report, options: Options
) -> Iterator[Line]:
    """Resolved findings in one line each, new ones in full, a count of the rest, the verdict."""
    for finding in differing.gone:
        text = f" {finding.rule} {one_line(finding.device)}: {spell_finding(finding)}"
        yield line(("gone", "good"), text, hang=4)
    roles = {device.name: device.role for device in after.devices}
    blocks = Blocks(Places(after.base, options.cwd), roles)
    for finding in differing.new:
        yield EMPTY
        yield line(("new", style_of(finding)))
        yield from blocks.whole(finding)
    if differing.gone or differing.new:
        yield EMPTY
    yield line(
        f"{count(len(differing.new), 'new finding')}, {len(differing.gone)} gone, "
        f"{len(differing.stays)} unchanged"
    )
    now = verdict(after.verdict)
    same = " (unchanged)" if now == verdict(before.verdict) else ""
    yield line((now, "strong"), same)

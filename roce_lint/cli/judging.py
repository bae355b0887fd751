"""One run of `check`: judge, write every report that was asked for, and say how it ended."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint.cli import output, pipelines
from roce_lint.cli.exit_status import CLEAN, INCOMPLETE, Demands, status
from roce_lint.cli.printing import print_report
from roce_lint.cli.run_options import RunOptions
from roce_lint.errors import UsageError
from roce_lint.phases import measure_phases, phase
from roce_lint.report import Options, render
from roce_lint.report.selection import at_least

if TYPE_CHECKING:
    from roce_lint.engine.baseline import Baseline
    from roce_lint.pipeline import Report
    from roce_lint.pipeline.acceptance import AcceptanceRun
    from roce_lint.report.comparison import Earlier
    from roce_lint.settings import Settings


@dataclass(slots=True, frozen=True, kw_only=True)
class AnswerOptions:
    """How the answer is given and what makes it a failure."""

    format: str | None
    output: tuple[str, ...]
    fail_on: str | None
    strict: bool
    require: str | None
    require_coverage: float | None
    baseline: str | None
    write_baseline: str | None
    show_unknown: bool
    compare: str | None
    min_severity: str | None
    min_confidence: str | None
    statistics: bool
    timings: bool
    show_files: bool
    show_settings: bool
    watch: bool
    group_by: str
    help_url: str | None
    max_findings: int | None
    today: datetime | None
    quiet: bool
    verbose: bool


def judge(asked: RunOptions, wanted: AnswerOptions, *, shown: bool = True) -> tuple[int, Report]:
    """Judge, report where it is `shown`, and say with which status to leave."""
    from roce_lint.pipeline.acceptance import AcceptanceRun  # noqa: PLC0415

    outputs = output.parse_outputs(wanted.output)
    known = Path(wanted.write_baseline) if wanted.write_baseline else None
    if known is not None:
        output.see_that_it_can_be_written(known, f"--write-baseline {known}")
    settings = asked.settings()
    baseline = _baseline(wanted)
    accepting = AcceptanceRun(settings, baseline, wanted.today.date() if wanted.today else None)
    needed = accepting if settings.waivers or wanted.baseline or wanted.write_baseline else None
    options = _options(wanted, settings, baseline)
    progress = not wanted.quiet and sys.stderr.isatty()
    report = asked.run(settings, progress=progress, accept=needed)
    targets = [path for _, path in outputs] + ([known] if known is not None else [])
    output.see_that_no_input_is_lost(targets, report, _steering_files(asked, wanted, settings))
    _remark(report, asked, wanted, settings, accepting)
    # What is not shown counts all the same: these options make no failure a success.
    told = at_least(report, wanted.min_severity, wanted.min_confidence)
    demands = Demands(
        fail_on=options.fail_on,
        strict=wanted.strict,
        require=wanted.require,
        coverage=wanted.require_coverage,
    )
    passed = wanted.require is None and status(report, demands) == CLEAN
    options = replace(options, passed=passed)
    saved = _write(told, outputs, asked, wanted, settings, options) if shown else True
    report.diagnostics = told.diagnostics
    if known is not None:
        saved &= output.save(known, accepting.baseline(report))
    ended = status(report, demands)
    return (ended if saved or ended != CLEAN else INCOMPLETE), report


def judge_timed(
    asked: RunOptions, wanted: AnswerOptions, *, shown: bool = True
) -> tuple[int, Report]:
    """As `judge`; and say where the time went, where that is asked for."""
    if not wanted.timings:
        return judge(asked, wanted, shown=shown)
    from roce_lint.cli.timings import describe_timings  # noqa: PLC0415

    with measure_phases() as clock:
        ended = judge(asked, wanted, shown=shown)
    output.write(describe_timings(clock), err=True)
    return ended


def _steering_files(asked: RunOptions, wanted: AnswerOptions, settings: Settings) -> list[str]:
    """The files, beside configurations, by which the run was judged."""
    named = [asked.intent, asked.links, asked.config, asked.trusted_config, settings.path]
    if wanted.baseline != wanted.write_baseline:  # to renew it is what that is for
        named.append(wanted.baseline)
    return [str(each) for each in named if each]


def _remark(
    report: Report,
    asked: RunOptions,
    wanted: AnswerOptions,
    settings: Settings,
    accepting: AcceptanceRun,
) -> None:
    """Add to the report what is to be said of what is accepted, and of what makes it milder."""
    from roce_lint.report.weakening import find_weakening  # noqa: PLC0415

    whole = not (asked.device or asked.role or asked.select or asked.ignore)
    accepting.tell(report, Path(wanted.baseline) if wanted.baseline else None, whole=whole)
    report.diagnostics = [
        *find_weakening(asked, settings, report, wanted.fail_on, wanted.baseline),
        *report.diagnostics,
    ]


@phase("reporting")
def _write(
    report: Report,
    outputs: list[tuple[str, Path]],
    asked: RunOptions,
    wanted: AnswerOptions,
    settings: Settings,
    options: Options,
) -> bool:
    """Print the report and write it into its files; whether all of them could be written."""
    formats = [name for name, _ in outputs]
    around = pipelines.surroundings(formats)
    if "html" in {wanted.format, *formats}:
        from roce_lint.cli.provenance import provenance  # noqa: PLC0415

        options = replace(options, provenance=provenance(asked, settings, report))
    form = wanted.format or around.format
    # First: what cannot be written below is not all that is lost.
    print_report(report, form, options, quiet=wanted.quiet)
    if around.summary is not None and "markdown" not in formats:
        pipelines.append(around.summary, render("markdown", report, options))
    saved = [output.save(path, render(name, report, options)) for name, path in outputs]
    pipelines.warn_of_files_outside(report, [form, *formats], options)
    return all(saved)


def _options(wanted: AnswerOptions, settings: Settings, baseline: Baseline | None) -> Options:
    return Options(
        cwd=str(Path.cwd()),
        verbose=wanted.verbose,
        show_unknown=wanted.show_unknown,
        all_gaps=wanted.show_unknown or wanted.strict,
        group_by=wanted.group_by,
        max_findings=wanted.max_findings,
        baseline=baseline,
        fail_on=wanted.fail_on or settings.fail_on or "error",
        help_url=_help_url(wanted) or settings.help_url or "",
        statistics=wanted.statistics,
        earlier=_earlier(wanted),
    )


def _help_url(wanted: AnswerOptions) -> str | None:
    from roce_lint.settings import help_url  # noqa: PLC0415  (pydantic)

    try:
        return help_url(wanted.help_url) if wanted.help_url is not None else None
    except ValueError as error:
        raise UsageError(f"--help-url {wanted.help_url}: {error}") from None


def _earlier(wanted: AnswerOptions) -> Earlier | None:
    if wanted.compare is None:
        return None
    if wanted.format != "html" and not any(text.startswith("html=") for text in wanted.output):
        raise UsageError("--compare: only the page compares", hint="--output html=FILE writes it")
    from roce_lint.report.comparison import read_earlier  # noqa: PLC0415

    return read_earlier(Path(wanted.compare))


def _baseline(wanted: AnswerOptions) -> Baseline | None:
    if wanted.baseline is None:
        return None
    from roce_lint.engine.baseline import read_baseline  # noqa: PLC0415

    return read_baseline(Path(wanted.baseline))

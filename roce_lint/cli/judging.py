"""One run of `check`: the check, its reports, its exit status."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint.cli import output, printing
from roce_lint.cli.run_options import RunOptions, show_progress
from roce_lint.engine.finding import CLEAN, INCOMPLETE
from roce_lint.errors import UsageError
from roce_lint.phases import measure_phases, phase
from roce_lint.report import Options, render
from roce_lint.report.selection import at_least

if TYPE_CHECKING:
    from collections.abc import Callable

    from roce_lint.pipeline import Report, Run
    from roce_lint.report.comparison import Earlier
    from roce_lint.settings import Settings


@dataclass(slots=True, frozen=True, kw_only=True)
class AnswerOptions:
    """Options of the output and of the exit status."""

    format: str | None
    output: tuple[str, ...]
    fail_on: str | None
    strict: bool
    require: str | None = None
    require_coverage: float | None = None
    baseline: str | None = None
    write_baseline: str | None = None
    show_unknown: bool
    fixes: bool = False
    compare: str | None = None
    min_severity: str | None = None
    min_confidence: str | None = None
    statistics: bool = False
    timings: bool = False
    show_files: bool = False
    show_settings: bool = False
    watch: bool = False
    group_by: str = "cause"
    help_url: str | None = None
    max_findings: int | None = None
    today: datetime | None = None
    quiet: bool
    verbose: bool


def judge(
    run_options: RunOptions,
    answer: AnswerOptions,
    *,
    shown: bool = True,
    prepare: Callable[..., Run] | None = None,
) -> tuple[int, Report]:
    """Check, write the reports where it is `shown`, and return the exit status."""
    from roce_lint.pipeline import Run  # noqa: PLC0415
    from roce_lint.pipeline.runner import Criteria  # noqa: PLC0415

    outputs, known = files_of(answer)
    settings = run_options.settings()
    criteria = Criteria(
        fail_on=answer.fail_on,
        strict=answer.strict,
        require=answer.require,
        coverage=answer.require_coverage,
    )
    run = (prepare or Run)(
        replace(run_options.request(), remedies=True),
        settings,
        criteria,
        baseline=answer.baseline,
        write_baseline=answer.write_baseline,
        today=answer.today.date() if answer.today else None,
    )
    options = _options(answer, run)
    report = show_progress(run.check, quiet=answer.quiet)
    if answer.fixes:
        _add_fixes(report, run)
    run.refuse_to_overwrite_inputs(report, [*(path for _, path in outputs), *filter(None, [known])])
    # What is not shown counts all the same: these options make no failure a success.
    selected = at_least(report, answer.min_severity, answer.min_confidence)
    options = replace(options, passed=answer.require is None and run.status(report) == CLEAN)
    saved = _write(selected, outputs, run_options, answer, settings, options) if shown else True
    report.diagnostics = selected.diagnostics
    if known is not None:
        saved &= output.save(known, run.baseline_text(report))
    status = run.status(report)
    return (status if saved or status != CLEAN else INCOMPLETE), report


def files_of(answer: AnswerOptions) -> tuple[list[tuple[str, Path]], Path | None]:
    """The files of the reports, with their formats, and that of the new baseline.

    Raises:
        UsageError: one of them cannot be written.
    """
    known = Path(answer.write_baseline) if answer.write_baseline else None
    if known is not None:
        output.require_writable(known, f"--write-baseline {known}")
    return output.parse_outputs(answer.output), known


def _add_fixes(report: Report, run: Run) -> None:
    from roce_lint.cli.fix import find_fixes  # noqa: PLC0415
    from roce_lint.fix.render import with_fixes  # noqa: PLC0415
    from roce_lint.pipeline import Run  # noqa: PLC0415

    whole = replace(run.request, select=(), ignore=(), device=(), role=(), remedies=False)
    answer = find_fixes(Run(whole, run.settings, run.criteria), run.request)
    report.findings = with_fixes(report.findings, answer)


def judge_timed(
    run_options: RunOptions, answer: AnswerOptions, *, shown: bool = True
) -> tuple[int, Report]:
    """Run `judge`, with --timings where given."""
    if not answer.timings:
        return judge(run_options, answer, shown=shown)
    with measure_phases() as clock:
        ended = judge(run_options, answer, shown=shown)
    output.write(printing.describe_timings(clock), err=True)
    return ended


@phase("reporting")
def _write(
    report: Report,
    outputs: list[tuple[str, Path]],
    run_options: RunOptions,
    answer: AnswerOptions,
    settings: Settings,
    options: Options,
) -> bool:
    """Print the report and write its files; return whether all were written."""
    formats = [name for name, _ in outputs]
    around = printing.detect_pipeline(formats)
    if "html" in {answer.format, *formats}:
        options = replace(options, provenance=printing.provenance(run_options, settings, report))
    form = answer.format or around.format
    # First, so that a file that cannot be written does not lose the printed report.
    printing.print_report(report, form, options, quiet=answer.quiet)
    if around.summary is not None and "markdown" not in formats:
        output.append(around.summary, render("markdown", report, options))
    saved = [output.save(path, render(name, report, options)) for name, path in outputs]
    printing.warn_of_files_outside(report, [form, *formats], options)
    return all(saved)


def _options(answer: AnswerOptions, run: Run) -> Options:
    return Options(
        cwd=str(Path.cwd()),
        verbose=answer.verbose,
        show_unknown=answer.show_unknown,
        all_gaps=answer.show_unknown or answer.strict,
        group_by=answer.group_by,
        max_findings=answer.max_findings,
        baseline=run.baseline,
        fail_on=run.fail_on,
        help_url=_help_url(answer) or run.settings.help_url or "",
        statistics=answer.statistics,
        earlier=_earlier(answer),
    )


def _help_url(answer: AnswerOptions) -> str | None:
    from roce_lint.settings import help_url  # noqa: PLC0415  (pydantic)

    try:
        return help_url(answer.help_url) if answer.help_url is not None else None
    except ValueError as error:
        raise UsageError(f"--help-url {answer.help_url}: {error}") from None


def _earlier(answer: AnswerOptions) -> Earlier | None:
    if answer.compare is None:
        return None
    if answer.format != "html" and not any(text.startswith("html=") for text in answer.output):
        raise UsageError("--compare needs the HTML page", hint="--output html=FILE writes it")
    from roce_lint.report.comparison import read_earlier  # noqa: PLC0415

    return read_earlier(Path(answer.compare))

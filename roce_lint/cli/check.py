"""`roce-lint check`: judge saved configurations or snapshots."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import completed, output, pipelines
from roce_lint.cli.asked import Asked, fabric_options
from roce_lint.cli.exit_status import (
    CLEAN,
    INCOMPLETE,
    LEVELS,
    REQUIRED,
    Demands,
    Percent,
    status,
)
from roce_lint.errors import UsageError
from roce_lint.report import FORMATS, GROUPINGS, Options, guarded, render
from roce_lint.report.wording import WEAKENED

if TYPE_CHECKING:
    from roce_lint.engine.baseline import Baseline
    from roce_lint.pipeline import Report


@dataclass(slots=True, frozen=True, kw_only=True)
class Wanted:
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
    group_by: str
    help_url: str | None
    max_findings: int | None
    today: datetime | None
    quiet: bool
    verbose: bool


@click.command("check")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--format", type=click.Choice(list(FORMATS)),
    help="Format on standard output  [default: text; in GitHub and GitLab jobs theirs]",
)  # fmt: skip
@click.option(
    "--output", multiple=True, metavar="FORMAT=FILE", help="Write a report into a file as well."
)
@click.option(
    "--select", multiple=True, metavar="RULES", help="Only rules that start so.",
    shell_complete=completed.rules,
)  # fmt: skip
@click.option(
    "--ignore", multiple=True, metavar="RULES", help="No rules that start so.",
    shell_complete=completed.rules,
)  # fmt: skip
@click.option(
    "--fail-on", type=click.Choice(LEVELS), help="Lowest severity that fails  [default: error]"
)
@click.option("--strict", is_flag=True, help="Fail on what is unknown or not recognised, too.")
@click.option(
    "--require", type=click.Choice(REQUIRED),
    help="Fail unless all pairs are judged and (ready) none is broken.",
)  # fmt: skip
@click.option(
    "--require-coverage", type=Percent(), metavar="N%",
    help="Fail unless so many of the pairs are judged.",
)  # fmt: skip
@click.option("--baseline", metavar="FILE", help="Findings that are known and do not count.")
@click.option("--write-baseline", metavar="FILE", help="Write the findings of this run as known.")
@click.option("--show-unknown", is_flag=True, help="List what could not be judged.")
@click.option(
    "--group-by", type=click.Choice(GROUPINGS), default="cause", show_default=True,
    help="Order of the text format.",
)  # fmt: skip
@click.option(
    "--max-findings", type=click.IntRange(min=1), metavar="N",
    help="Show the N gravest (text, concise, github, markdown, html).",
)  # fmt: skip
@click.option(
    "--help-url", metavar="URL",
    help="Where the pages of rules are, with {id}, {name} or {page} in it.",
)  # fmt: skip
@click.option(
    "--today",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Day for waivers that expire.",
)
@fabric_options
@click.option("-q", "--quiet", is_flag=True, help="Findings only.")
@click.option("-v", "--verbose", is_flag=True, help="All places, suppressed findings, tracebacks.")
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], **given: Any) -> None:
    """Judge the configurations below each PATH (default: this folder); "-" is standard input.

    Findings go to standard output, everything else to standard error.
    """
    wanted = Wanted(**{name: given.pop(name) for name in Wanted.__slots__})
    asked = Asked(paths=paths or (".",), **given)
    ctx.exit(check(asked, wanted))


def check(asked: Asked, wanted: Wanted) -> int:
    """Judge, report, and say with which status to leave."""
    from roce_lint.cli.accepting import Accepting  # noqa: PLC0415
    from roce_lint.cli.weakened import weakened  # noqa: PLC0415

    outputs = output.parse_outputs(wanted.output)
    formats = [name for name, _ in outputs]
    around = pipelines.surroundings(formats)
    wanted = replace(wanted, format=wanted.format or around.format)
    known = Path(wanted.write_baseline) if wanted.write_baseline else None
    if known is not None:
        output.see_that_it_can_be_written(known, f"--write-baseline {known}")
    settings = asked.settings()
    baseline = _baseline(wanted)
    accepting = Accepting(settings, baseline, wanted.today.date() if wanted.today else None)
    needed = accepting if settings.waivers or wanted.baseline or wanted.write_baseline else None
    progress = not wanted.quiet and sys.stderr.isatty()
    report = asked.run(settings, progress=progress, accept=needed)
    targets = [path for _, path in outputs] + ([known] if known is not None else [])
    output.see_that_no_input_is_lost(targets, report)
    whole = not (asked.device or asked.role or asked.select or asked.ignore)
    accepting.tell(report, Path(wanted.baseline) if wanted.baseline else None, whole=whole)
    report.diagnostics = [
        *weakened(asked, settings, report, wanted.fail_on, wanted.baseline),
        *report.diagnostics,
    ]
    options = Options(
        cwd=str(Path.cwd()),
        verbose=wanted.verbose,
        show_unknown=wanted.show_unknown,
        group_by=wanted.group_by,
        max_findings=wanted.max_findings,
        baseline=baseline,
        fail_on=wanted.fail_on or settings.fail_on or "error",
        help_url=_help_url(wanted) or settings.help_url or "",
    )
    _print(report, wanted, options)  # first: what cannot be written below is not all that is lost
    if around.summary is not None and "markdown" not in formats:
        pipelines.append(around.summary, render("markdown", report, options))
    saved = [output.save(path, render(name, report, options)) for name, path in outputs]
    pipelines.warn_of_files_outside(report, [str(wanted.format), *formats], options)
    if known is not None:
        saved.append(output.save(known, accepting.known(report)))
    demands = Demands(
        fail_on=options.fail_on,
        strict=wanted.strict,
        require=wanted.require,
        coverage=wanted.require_coverage,
    )
    ended = status(report, demands)
    return ended if all(saved) or ended != CLEAN else INCOMPLETE


def _help_url(wanted: Wanted) -> str | None:
    from roce_lint.settings import help_url  # noqa: PLC0415  (pydantic)

    try:
        return help_url(wanted.help_url) if wanted.help_url is not None else None
    except ValueError as error:
        raise UsageError(f"--help-url {wanted.help_url}: {error}") from None


def _baseline(wanted: Wanted) -> Baseline | None:
    if wanted.baseline is None:
        return None
    from roce_lint.engine.baseline import read_baseline  # noqa: PLC0415

    return read_baseline(Path(wanted.baseline))


def _print(report: Report, wanted: Wanted, options: Options) -> None:
    """The report: findings to standard output, head and tail to standard error."""
    from roce_lint.report import summary, text  # noqa: PLC0415
    from roce_lint.report.chosen import choose  # noqa: PLC0415
    from roce_lint.report.layout import EMPTY  # noqa: PLC0415

    out = output.for_stream(options)
    err = output.for_stream(options, err=True)
    if wanted.format != "text":
        output.write(render(str(wanted.format), report, replace(options, color=False)))
        left_out = choose(report.findings, options.max_findings).remark
        remark = left_out if wanted.format == "concise" else ""
        tail = list(summary.tail(report, options, remark=remark))
    else:
        parts = guarded(lambda shown: text.parts(shown, options), report)
        tail = parts.tail
        if not wanted.quiet and parts.head:
            output.write(text.paint([*parts.head, EMPTY], err), err=True)
        output.write(text.paint(parts.findings, out))
        if not wanted.quiet and parts.findings:
            output.write("\n", err=True)
    if not wanted.quiet:
        output.write(text.paint(tail, err), err=True)
    else:
        _in_short(report)


def _in_short(report: Report) -> None:
    """What must not be passed over even where only findings are wanted."""
    if report.incomplete:
        output.write("roce-lint: the answer is incomplete; without -q it says why\n", err=True)
    milder = sum(1 for item in report.diagnostics if item.kind == WEAKENED)
    if milder:
        said = f"weakened by the judged tree ({milder}); without -q it says how"
        output.write(f"roce-lint: {said}\n", err=True)

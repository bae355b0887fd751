"""`roce-lint trace`: follow a traffic class from NIC to NIC, hop by hop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import output, run_options
from roce_lint.cli.help import Command, option, options
from roce_lint.cli.printing import print_file_remarks
from roce_lint.cli.run_options import RunOptions, fabric_options, format_option
from roce_lint.engine.finding import FINDINGS, INCOMPLETE
from roce_lint.report import Options

if TYPE_CHECKING:
    from roce_lint.pipeline import Report
    from roce_lint.pipeline.trace.question import Question

SCHEMA = "roce-lint/trace/1"

TABLE_WIDTH = 400


@click.command("trace", cls=Command)
@click.argument("path", default=".")
@option("from", "source", required=True, shell_complete=run_options.hosts)
@option("to", "target", required=True, shell_complete=run_options.hosts)
@option("class", "name")
@option("dscp", type=click.IntRange(0, 63))
@options("reverse", format_option("text", "json"))
@fabric_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    path: str,
    source: str,
    target: str,
    name: str | None,
    dscp: int | None,
    reverse: bool,  # noqa: FBT001  (click passes it by name)
    form: str,
    **given: Any,
) -> None:
    """Follow a traffic class from NIC to NIC below PATH (default: the current folder), and show
    its treatment at each hop.

    Equal-cost paths with the same treatment are shown once. Exit status: 0 no fault; 1 a fault on
    a path; 2 wrong use; 3 something could not be read.
    """
    if name is not None and dscp is not None:
        raise click.UsageError("--class and --dscp exclude each other")
    run_options = RunOptions(paths=(path,), **given)
    report = run_options.check()
    from roce_lint.pipeline.trace.tracer import Tracer  # noqa: PLC0415

    options = Options(cwd=str(Path.cwd()))
    answers = Tracer(report).trace(source, target, name=name, dscp=dscp, reverse=reverse)
    _write(answers, form, report, options)
    print_file_remarks(report, options)
    if any(answer.broken for answer in answers):
        ctx.exit(FINDINGS)
    ctx.exit(INCOMPLETE if report.incomplete else 0)


def _write(answers: list[Question], form: str, report: Report, options: Options) -> None:
    from roce_lint.report import text  # noqa: PLC0415
    from roce_lint.report import trace as table  # noqa: PLC0415
    from roce_lint.report.places import Places  # noqa: PLC0415
    from roce_lint.report.wording import weakening_data  # noqa: PLC0415

    if form == "json":
        data = {
            "schema": SCHEMA,
            "traces": [table.as_data(one) for one in answers],
            "weakened_by": weakening_data(report.diagnostics),
        }
        output.write_json(data)
        return
    places = Places(report.base, options.cwd)
    lines = (line for one in answers for line in table.as_lines(one, places))
    # Tables are not wrapped here: the terminal wraps them.
    painted = replace(output.for_stream(options), width=TABLE_WIDTH)
    output.write(text.paint(lines, painted))

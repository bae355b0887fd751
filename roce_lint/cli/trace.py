"""`roce-lint trace`: one class from NIC to NIC, hop by hop, and where it breaks."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import output
from roce_lint.cli.run_options import RunOptions, fabric_options
from roce_lint.report import Options

if TYPE_CHECKING:
    from roce_lint.pipeline import Report
    from roce_lint.report.trace.question import Question

SCHEMA = "roce-lint/trace/1"

BROKEN = 1
INCOMPLETE = 3

TABLE_WIDTH = 400


@click.command("trace")
@click.argument("path")
@click.option("--from", "source", required=True, metavar="HOST[:PORT]", help="The NIC that sends.")
@click.option("--to", "target", required=True, metavar="HOST[:PORT]", help="The NIC that receives.")
@click.option("--class", "name", metavar="NAME", help="The class, as `show` names it.")
@click.option("--dscp", type=click.IntRange(0, 63), metavar="N", help="The code point.")
@click.option("--reverse", is_flag=True, help="The way back: CNP from the receiver to the sender.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
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
    """Follow a traffic class below PATH from one NIC to another and show what each hop does to it.

    Equal-cost paths that treat it alike are shown as one. Exit status 1: it breaks on the way.
    """
    from roce_lint.report.weakening import tell  # noqa: PLC0415

    if name is not None and dscp is not None:
        raise click.UsageError("--class and --dscp exclude each other")
    asked = RunOptions(paths=(path,), **given)
    settings = asked.settings()
    report = asked.run(settings, progress=sys.stderr.isatty())
    tell(asked, settings, report)
    from roce_lint.report import summary, text  # noqa: PLC0415
    from roce_lint.report.trace.tracer import Tracer  # noqa: PLC0415

    options = Options(cwd=str(Path.cwd()))
    answers = Tracer(report).trace(source, target, name=name, dscp=dscp, reverse=reverse)
    _write(answers, form, report, options)
    about = text.paint(summary.about_files(report, options), output.for_stream(options, err=True))
    output.write(about, err=True)
    if any(answer.broken for answer in answers):
        ctx.exit(BROKEN)
    ctx.exit(INCOMPLETE if report.incomplete else 0)


def _write(answers: list[Question], form: str, report: Report, options: Options) -> None:
    from roce_lint.report import text, weakening  # noqa: PLC0415
    from roce_lint.report.places import Places  # noqa: PLC0415
    from roce_lint.report.trace import table  # noqa: PLC0415

    if form == "json":
        data = {
            "schema": SCHEMA,
            "traces": [table.as_data(one) for one in answers],
            "weakened_by": weakening.as_data(report.diagnostics),
        }
        output.write_json(data)
        return
    places = Places(report.base, options.cwd)
    lines = (line for one in answers for line in table.as_lines(one, places))
    # A table is not folded: a wide terminal shows it whole, a narrow one breaks its lines.
    painted = replace(output.for_stream(options), width=TABLE_WIDTH)
    output.write(text.paint(lines, painted))

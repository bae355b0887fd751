"""`roce-lint whatif`: evaluate a hypothetical change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command, option, options
from roce_lint.cli.printing import print_file_remarks
from roce_lint.cli.run_options import (
    RunOptions,
    checking_options,
    fabric_options,
    format_option,
    prefixes,
    show_progress,
)
from roce_lint.errors import UsageError
from roce_lint.report import Options

if TYPE_CHECKING:
    from roce_lint.pipeline.comparison import StateDifference
    from roce_lint.pipeline.whatif import WhatIf


@click.command("whatif", cls=Command)
@click.argument("path", default=".")
@option("set", "requests")
@option("file", "files")
@option("cut", "cuts")
@options(format_option("text", "json"), checking_options, "verbose")
@fabric_options
@click.pass_context
def command(ctx: click.Context, /, path: str, **given: Any) -> None:
    """Check the fabric below PATH (default: the current folder) with and without changes, and show
    the difference.

    Writes nothing. Exit status: 0 no new finding at or above --fail-on; 1 new findings; 2 wrong
    use; 3 something could not be read.
    """
    from roce_lint.pipeline.changes import cut, parse_request, read_requests  # noqa: PLC0415
    from roce_lint.pipeline.comparison import compare_states  # noqa: PLC0415
    from roce_lint.pipeline.runner import Criteria  # noqa: PLC0415
    from roce_lint.pipeline.whatif import what_if  # noqa: PLC0415

    requests = [parse_request(text, "--set") for text in given.pop("requests")]
    requests += [each for file in given.pop("files") for each in read_requests(file)]
    cuts = [cut(text) for text in given.pop("cuts")]
    if not requests and not cuts:
        raise UsageError("no change is given", hint="use --set, --file or --cut")
    form, fail_on, verbose = (given.pop(name) for name in ("form", "fail_on", "verbose"))
    run_options = RunOptions(paths=(path,), **given)
    prefixes("--select", run_options.select)
    run = run_options.prepare(Criteria(fail_on=fail_on))
    found = show_progress(lambda: what_if(run, requests, cuts))
    differing = compare_states(found.before.findings, found.after.findings)
    options = Options(cwd=str(Path.cwd()), verbose=verbose, help_url=run.settings.help_url or "")
    _print(found, differing, form, options)
    ctx.exit(run.status(replace(found.after, findings=differing.new)))


def _print(found: WhatIf, differing: StateDifference, form: str, options: Options) -> None:
    from roce_lint.report import difference, text  # noqa: PLC0415

    if form == "json":
        output.write(difference.render_whatif(found, differing))
    else:
        lines = difference.whatif_lines(found, differing, options)
        output.write(text.paint(lines, output.for_stream(options)))
    print_file_remarks(found.after, options)

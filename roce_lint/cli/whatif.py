"""`roce-lint whatif`: the findings after a change that stands in no file."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import candidates, output
from roce_lint.cli.exit_status import LEVELS
from roce_lint.cli.run_options import RunOptions, fabric_options, prefixes
from roce_lint.errors import UsageError
from roce_lint.report import Options

if TYPE_CHECKING:
    from roce_lint.pipeline.states import StateDifference
    from roce_lint.pipeline.whatif import WhatIf
    from roce_lint.settings import Settings

FINE, NEW, INCOMPLETE = 0, 1, 3


@click.command("whatif")
@click.argument("path")
@click.option(
    "--set", "wishes", multiple=True, metavar="'PATH=VALUE'",
    help="A change, such as 'leaf*:Ethernet*/1 speed=800G'.",
)  # fmt: skip
@click.option("--file", "files", multiple=True, metavar="FILE", help="Changes from a YAML file.")
@click.option("--cut", "cuts", multiple=True, metavar="DEVICE:PORT", help="A link that is gone.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@click.option(
    "--fail-on", type=click.Choice(LEVELS), help="Lowest severity of what is new that fails "
    " [default: error]",
)  # fmt: skip
@click.option(
    "--select", multiple=True, metavar="RULES",
    help="Check only rules whose id starts with RULES (comma list).",
    shell_complete=candidates.rules,
)  # fmt: skip
@click.option(
    "--ignore",
    multiple=True,
    metavar="RULES",
    help="Skip rules whose id starts with RULES (comma list).",
)
@fabric_options
@click.option("-v", "--verbose", is_flag=True, help="Show all locations.")
@click.pass_context
def command(ctx: click.Context, /, path: str, **given: Any) -> None:
    """Judge the fabric below PATH as it is and with changes, and show what would differ.

    Nothing is written. Exit status: 0 nothing new at or above the fail level; 1 new findings;
    2 wrong use; 3 something could not be read.
    """
    from roce_lint.pipeline.changes import cut, wish, wishes_of  # noqa: PLC0415
    from roce_lint.pipeline.states import compare_states  # noqa: PLC0415
    from roce_lint.pipeline.whatif import what_if  # noqa: PLC0415
    from roce_lint.report.weakening import tell  # noqa: PLC0415

    wishes = [wish(text, "--set") for text in given.pop("wishes")]
    wishes += [each for file in given.pop("files") for each in wishes_of(file)]
    cuts = [cut(text) for text in given.pop("cuts")]
    if not wishes and not cuts:
        raise UsageError("nothing is changed", hint="--set, --file or --cut says what")
    form, fail_on, verbose = (given.pop(name) for name in ("form", "fail_on", "verbose"))
    asked = RunOptions(paths=(path,), **given)
    prefixes("--select", asked.select)
    settings = asked.settings()
    found = what_if(asked.request(settings), settings, wishes, cuts)
    _waive(found, settings)
    tell(asked, settings, found.after, fail_on)
    differing = compare_states(found.before.findings, found.after.findings)
    options = Options(cwd=str(Path.cwd()), verbose=verbose, help_url=settings.help_url or "")
    _print(found, differing, form, options)
    ctx.exit(_status(found, differing, fail_on or settings.fail_on or "error"))


def _waive(found: WhatIf, settings: Settings) -> None:
    """What the site accepts counts neither before nor after."""
    from roce_lint.engine.waivers import waive  # noqa: PLC0415

    today = date.today()  # noqa: DTZ011  (the user's day)
    for report in (found.before, found.after):
        report.findings = waive(report.findings, settings, today).findings


def _status(found: WhatIf, differing: StateDifference, fail_on: str) -> int:
    from roce_lint.engine.finding import Severity  # noqa: PLC0415

    if fail_on != "never":
        level = Severity[fail_on.upper()]
        if any(finding.severity >= level for finding in differing.new):
            return NEW
    return INCOMPLETE if found.after.incomplete else FINE


def _print(found: WhatIf, differing: StateDifference, form: str, options: Options) -> None:
    from roce_lint.report import summary, text, whatif  # noqa: PLC0415

    if form == "json":
        output.write(whatif.render(found, differing))
    else:
        lines = whatif.as_lines(found, differing, options)
        output.write(text.paint(lines, output.for_stream(options)))
    about = list(summary.about_files(found.after, options))
    output.write(text.paint(about, output.for_stream(options, err=True)), err=True)

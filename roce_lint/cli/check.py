"""`roce-lint check`: judge saved configurations or snapshots."""

from __future__ import annotations

from typing import Any

import click

from roce_lint.cli import candidates, listing, watch
from roce_lint.cli.exit_status import CLEAN, LEVELS, REQUIRED, Percent
from roce_lint.cli.judging import AnswerOptions, judge_timed
from roce_lint.cli.run_options import RunOptions, fabric_options
from roce_lint.errors import UsageError
from roce_lint.report import FORMATS, GROUPINGS


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
    "--select", multiple=True, metavar="RULES",
    help="Check only rules whose id starts with RULES (comma list).",
    shell_complete=candidates.rules,
)  # fmt: skip
@click.option(
    "--ignore", multiple=True, metavar="RULES",
    help="Skip rules whose id starts with RULES (comma list).",
    shell_complete=candidates.rules,
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
    help="How findings are ordered and grouped (text).",
)  # fmt: skip
@click.option(
    "--compare", metavar="FILE", help="An earlier JSON report: the page tells what is new and gone."
)
@click.option(
    "--min-severity", type=click.Choice(LEVELS[:-1]),
    help="Show no finding below; what fails stays --fail-on.",
)  # fmt: skip
@click.option(
    "--min-confidence", type=click.Choice(["high", "low"]),
    help="Show no finding that is less sure.",
)  # fmt: skip
@click.option("--statistics", is_flag=True, help="Count findings by rule, and show none (text).")
@click.option("--timings", is_flag=True, help="Say where the time went, on standard error.")
@click.option("--show-files", is_flag=True, help="List what is read and what is not, and end.")
@click.option("--show-settings", is_flag=True, help="Print the settings that hold, and end.")
@click.option("--watch", is_flag=True, help="Judge again when a file changes; show what changed.")
@click.option(
    "--max-findings", type=click.IntRange(min=1), metavar="N",
    help="Show at most N findings, most severe first (text, concise, github, markdown, html).",
)  # fmt: skip
@click.option(
    "--help-url", metavar="URL",
    help="Where the pages of rules are, with {id}, {name} or {page} in it.",
)  # fmt: skip
@click.option(
    "--today",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Evaluate waivers as of this date.",
)
@fabric_options
@click.option("-q", "--quiet", is_flag=True, help="Findings only.")
@click.option(
    "-v", "--verbose", is_flag=True, help="All locations, suppressed findings, tracebacks."
)
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], **given: Any) -> None:
    """Judge the configurations below each PATH (default: this folder); "-" is standard input.

    Findings go to standard output, everything else to standard error.
    """
    wanted = AnswerOptions(**{name: given.pop(name) for name in AnswerOptions.__slots__})
    asked = RunOptions(paths=paths or (".",), **given)
    if wanted.show_settings:
        listing.settings(asked)
        ctx.exit(CLEAN)
    if wanted.show_files:
        ctx.exit(listing.files(asked))
    if wanted.watch:
        _see_that_it_can_be_watched(asked, wanted)
        ctx.exit(watch.run(asked, lambda shown: judge_timed(asked, wanted, shown=shown)))
    ctx.exit(judge_timed(asked, wanted)[0])


def _see_that_it_can_be_watched(asked: RunOptions, wanted: AnswerOptions) -> None:
    """Reports would be written into what is watched, and standard input ends.

    Raises:
        UsageError: something else than text on standard output is asked for.
    """
    if "-" in asked.paths:
        raise UsageError("--watch: standard input does not change")
    if wanted.output or wanted.write_baseline or wanted.format not in (None, "text"):
        raise UsageError("--watch: only text on standard output is watched")

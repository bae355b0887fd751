"""`roce-lint audit`: ask live devices, judge what they answer, and tell what drifted."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from roce_lint.cli import output
from roce_lint.cli.audit_entries import Against, AuditRun, names_to_audit
from roce_lint.cli.exit_status import CLEAN, FINDINGS, LEVELS
from roce_lint.cli.judging import AnswerOptions, judge
from roce_lint.cli.pull import PullOptions, print_plan, pull, pull_options
from roce_lint.errors import UsageError
from roce_lint.report import FORMATS
from roce_lint.report.wording import DRIFT

_OPTIONS = (
    click.option("--intent", metavar="FILE", help="Site standard (YAML), see docs/intent.md."),
    click.option("--links", metavar="FILE", help="Cable plan (links.yaml or CSV)."),
    click.option("--profile", metavar="NAME", help="Vendor reference design."),
    click.option("--rules", metavar="DIR", multiple=True, help="Folder of further rule pages."),
    click.option("--config", metavar="FILE", help="Settings; none are looked for."),
    click.option("--golden", metavar="DIR", help="Configurations, or an intent, as it is wanted."),
    click.option("--baseline", metavar="SNAPSHOT", help="What was pulled before."),
    click.option("--keep", metavar="DIR", help="Keep what is pulled in this folder."),
    click.option("--from", "snapshot", metavar="SNAPSHOT", help="Connect to nothing; audit this."),
    click.option("--format", type=click.Choice(list(FORMATS)), help="[default: text]"),
    click.option("--output", multiple=True, metavar="FORMAT=FILE", help="Also into a file."),
    click.option("--select", multiple=True, metavar="RULES",
                 help="Check only rules whose id starts with RULES."),
    click.option("--ignore", multiple=True, metavar="RULES",
                 help="Skip rules whose id starts with RULES."),
    click.option("--fail-on", type=click.Choice(LEVELS),
                 help="Lowest severity that fails; drift does, unless it is never."),
    click.option("--strict", is_flag=True, help="Fail on what is unknown, too."),
    click.option("--show-unknown", is_flag=True, help="List what could not be judged."),
    click.option("-q", "--quiet", is_flag=True, help="Findings only."),
    click.option("-v", "--verbose", is_flag=True, help="All places and tracebacks."),
)  # fmt: skip

_SWITCHES = ("strict", "statistics", "timings", "show_files", "show_settings", "watch")


def _audit_options(function: Any) -> Any:
    for option in reversed(_OPTIONS):
        function = option(function)
    return output.color_option(pull_options(function))


@click.command("audit")
@click.argument("inventory", required=False)
@_audit_options
@click.pass_context
def command(ctx: click.Context, /, inventory: str | None, **given: Any) -> None:
    """Pull the devices of an inventory, judge what they answer, and tell in what they differ from
    their golden configurations or from an earlier snapshot: one report, one exit status.

    Exit status: 0 nothing; 1 findings or drift; 2 wrong use; 3 some devices did not answer, or
    something could not be read. With --from nothing is connected to; then INVENTORY only says
    which devices should be there.
    """
    pulling = PullOptions(**{each.name: given.pop(each.name) for each in fields(PullOptions)})
    keep, snapshot = given.pop("keep"), given.pop("snapshot")
    against = tuple(
        Against(word, path)
        for word in ("golden", "baseline")
        if (path := given.pop(word)) is not None
    )
    _see_that_it_fits(inventory, pulling, keep, snapshot, against)
    names = names_to_audit(inventory, pulling) if inventory is not None else None
    if pulling.dry_run and inventory is not None:
        print_plan(inventory, pulling)
        ctx.exit(CLEAN)
    with ExitStack() as stack:
        folder = snapshot or keep
        if folder is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="roce-lint-"))
        if snapshot is None and inventory is not None:
            pull(inventory, Path(folder), pulling, said=False)
        ctx.exit(_judge(folder, names, against, given))


def _see_that_it_fits(
    inventory: str | None,
    pulling: PullOptions,
    keep: str | None,
    snapshot: str | None,
    against: tuple[Against, ...],
) -> None:
    """Raises UsageError where what was given contradicts itself, before anything is connected."""
    if snapshot is None and inventory is None:
        raise UsageError("an inventory is missing", hint="or --from SNAPSHOT, without connecting")
    if snapshot is not None and (keep is not None or pulling.resume or pulling.dry_run):
        raise UsageError("--from: nothing is pulled, so there is nothing to keep or to resume")
    if snapshot is not None and not Path(snapshot).is_dir():
        raise UsageError(f"--from {snapshot}: there is no such folder")
    if pulling.resume and keep is None:
        raise UsageError("--resume: the folder to take up is named by --keep")
    for each in against:
        if not Path(each.path).exists():
            raise UsageError(f"--{each.word} {each.path}: there is no such file or folder")


def _judge(
    folder: str, names: frozenset[str] | None, against: tuple[Against, ...], given: dict[str, Any]
) -> int:
    """Judge a snapshot and print the report; the exit status."""
    shown = {
        each.name: given.pop(each.name, False if each.name in _SWITCHES else None)
        for each in fields(AnswerOptions)
    }
    wanted = replace(AnswerOptions(**shown), group_by="cause")
    asked = AuditRun(
        paths=(folder,), device=(), role=(), jobs=None, no_cache=False, isolated=True,
        names=names, against=against, **given,
    )  # fmt: skip
    ended, report = judge(asked, wanted)
    if wanted.fail_on != "never" and any(
        item.kind == DRIFT and not item.incomplete for item in report.diagnostics
    ):
        return FINDINGS
    return ended

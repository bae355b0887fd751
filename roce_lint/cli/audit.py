"""`roce-lint audit`: pull, check and report drift."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import click

from roce_lint.cli.check import report_options
from roce_lint.cli.help import Command, option, options
from roce_lint.cli.judging import AnswerOptions, judge
from roce_lint.cli.pull import PullOptions, plan_jobs, print_plan, pull, pull_options
from roce_lint.cli.run_options import RunOptions, color_option, input_options
from roce_lint.engine.finding import CLEAN
from roce_lint.errors import UsageError

_OPTIONS = options(
    color_option,
    pull_options,
    input_options,
    option("config", help="Settings file  [default: none]"),
    *("golden", "previous", "keep", "snapshot"),
    report_options,
)


@click.command("audit", cls=Command)
@click.argument("inventory", required=False)
@_OPTIONS
@click.pass_context
def command(ctx: click.Context, /, inventory: str | None, **given: Any) -> None:
    """Pull the devices of INVENTORY, check them, and report drift from golden configurations or
    from an earlier snapshot. With --snapshot, INVENTORY only lists the expected devices.

    Exit status: 0 clean; 1 findings or drift; 2 wrong use; 3 a device did not answer, or something
    could not be read.
    """
    pulling = PullOptions(**{each.name: given.pop(each.name) for each in fields(PullOptions)})
    keep, snapshot = given.pop("keep"), given.pop("snapshot")
    against = {
        word: path for word in ("golden", "previous") if (path := given.pop(word)) is not None
    }
    _validate_options(inventory, pulling, keep, snapshot, against)
    names = None
    if inventory is not None:
        names = frozenset(job.entry.name for job in plan_jobs(inventory, pulling))
    if pulling.dry_run and inventory is not None:
        print_plan(inventory, pulling)
        ctx.exit(CLEAN)
    with ExitStack() as stack:
        folder = snapshot or keep
        if folder is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="roce-lint-"))
        if snapshot is None and inventory is not None:
            pull(inventory, Path(folder), pulling, summary=False)
        ctx.exit(_judge(folder, names, against, given))


def _validate_options(
    inventory: str | None,
    pulling: PullOptions,
    keep: str | None,
    snapshot: str | None,
    against: dict[str, str],
) -> None:
    """Refuse contradicting options, before connecting."""
    if snapshot is None and inventory is None:
        raise UsageError(
            "an inventory is missing", hint="or --snapshot SNAPSHOT, without connecting"
        )
    if snapshot is not None and (keep is not None or pulling.resume or pulling.dry_run):
        raise UsageError("--snapshot pulls nothing: --keep, --resume and --dry-run do not apply")
    if snapshot is not None and not Path(snapshot).is_dir():
        raise UsageError(f"--snapshot {snapshot}: no such folder")
    if pulling.resume and keep is None:
        raise UsageError("--resume needs --keep, which names the folder to continue")
    for word, path in against.items():
        if not Path(path).exists():
            raise UsageError(f"--{word} {path}: no such file or folder")


def _judge(
    folder: str, names: frozenset[str] | None, against: dict[str, str], given: dict[str, Any]
) -> int:
    """Check a snapshot, print the report, and return the exit status."""
    from roce_lint.pipeline.audit import AuditRun, Reference  # noqa: PLC0415

    shown = {
        each.name: given.pop(each.name) for each in fields(AnswerOptions) if each.name in given
    }
    run_options = RunOptions(
        paths=(folder,), device=(), role=(), jobs=None, no_cache=False, isolated=True, **given
    )
    references = tuple(Reference(*each) for each in against.items())
    prepare = partial(AuditRun, names=names, references=references)
    return judge(run_options, AnswerOptions(**shown), prepare=prepare)[0]

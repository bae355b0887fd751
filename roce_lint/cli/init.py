"""`roce-lint init`: summarize a folder, and write its settings and links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command, options
from roce_lint.cli.run_options import RunOptions, fabric_options, show_progress
from roce_lint.errors import UsageError

INCOMPLETE = 3

SETTINGS = "roce-lint.toml"
LINKS = "links.yaml"


@click.command("init", cls=Command)
@click.argument("path", default=".")
@options("force", fabric_options)
@click.pass_context
def command(ctx: click.Context, /, path: str, force: bool, **given: Any) -> None:  # noqa: FBT001
    """Write commented settings (roce-lint.toml) and the cables that were found (links.yaml) into
    PATH (default: the current folder).

    Prints the devices and links that were read, and inputs that are missing for a verdict.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise UsageError(f"{path} is not a folder", hint="init writes its files into one")
    run_options = RunOptions(paths=(path,), **given)
    report = show_progress(run_options.prepare(accepts=False).read)
    from roce_lint.report import init_files  # noqa: PLC0415

    if not report.devices:
        raise UsageError(f"no configuration was recognised in {path}", hint="docs/collect.md")
    made = {SETTINGS: init_files.settings(report), LINKS: init_files.links(report)}
    written = []
    for name, text in made.items():
        file = folder / name
        if not text:
            continue
        if file.exists() and not force:
            output.write(f"{file} exists and is not changed (--force overwrites it)\n", err=True)
        elif output.save(file, text):
            written.append(str(file))
        else:
            ctx.exit(INCOMPLETE)
    lines = [*init_files.describe_folder(report)]
    lines += [f"written: {', '.join(written)}"] if written else []
    output.write("".join(f"{line}\n" for line in lines))
    ctx.exit(INCOMPLETE if report.incomplete else 0)

"""`roce-lint init`: a first look at a folder, and the two files that a site goes on with."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from roce_lint.cli import output
from roce_lint.cli.run_options import RunOptions, fabric_options
from roce_lint.errors import UsageError

INCOMPLETE = 3

SETTINGS = "roce-lint.toml"
LINKS = "links.yaml"


@click.command("init")
@click.argument("path", default=".")
@click.option("--force", is_flag=True, help="Replace files that are there already.")
@fabric_options
@click.pass_context
def command(ctx: click.Context, /, path: str, force: bool, **given: Any) -> None:  # noqa: FBT001
    """Look at the configurations below PATH (default: this folder) and write, with comments,
    roce-lint.toml (settings) and links.yaml (the cables that were found) beside them.

    Says what was found, and what is missing for a verdict.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise UsageError(f"{path} is no folder", hint="init writes its files into one")
    asked = RunOptions(paths=(path,), **given)
    report = asked.run(asked.settings(), progress=sys.stderr.isatty())
    from roce_lint.report import starter  # noqa: PLC0415

    if not report.devices:
        raise UsageError(f"no configuration was recognised in {path}", hint="docs/collect.md")
    made = {SETTINGS: starter.settings(report), LINKS: starter.links(report)}
    written = []
    for name, text in made.items():
        file = folder / name
        if not text:
            continue
        if file.exists() and not force:
            output.write(f"{file} is there already and stays as it is\n", err=True)
        elif output.save(file, text):
            written.append(str(file))
        else:
            ctx.exit(INCOMPLETE)
    output.write(
        "".join(f"{line}\n" for line in [*starter.describe_folder(report), *_describe(written)])
    )
    ctx.exit(INCOMPLETE if report.incomplete else 0)


def _describe(written: list[str]) -> list[str]:
    return [f"written: {', '.join(written)}"] if written else []

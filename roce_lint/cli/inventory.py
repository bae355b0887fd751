"""`roce-lint inventory`: show the devices of an inventory."""

from __future__ import annotations

import json
from pathlib import Path

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command
from roce_lint.cli.run_options import format_option
from roce_lint.report.wording import escape_json

CLEAN, INCOMPLETE = 0, 3
HEAD = ("name", "host", "port", "user", "nos")


@click.command("inventory", cls=Command)
@click.argument("file")
@format_option("text", "json")
@click.pass_context
def command(ctx: click.Context, file: str, form: str) -> None:
    """Show the devices of an inventory, and entries that were not understood.

    Exit status: 0 complete; 2 not an inventory; 3 an entry was not understood.
    """
    from roce_lint.inventory.entry import printable  # noqa: PLC0415
    from roce_lint.inventory.read import read_inventory  # noqa: PLC0415

    found = read_inventory(Path(file))
    if form == "json":
        listed = [
            {**{word: getattr(entry, word) for word in HEAD}, "line": entry.line or None,
             "fault": entry.fault}
            for entry in found.entries
        ]  # fmt: skip
        remarks = [{"line": one.line or None, "text": one.text} for one in found.remarks]
        data = {"form": found.form, "devices": listed, "not_understood": remarks}
        output.write(escape_json(json.dumps(data, indent=2)) + "\n")
    else:
        good = [entry for entry in found.entries if entry.fault is None]
        rows = [HEAD, *((e.name, e.host, str(e.port), e.user or "-", e.nos or "-") for e in good)]
        widths = [max(len(row[at]) for row in rows) for at in range(len(HEAD))]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        output.write("".join(f"{line}\n" for line in lines))
        output.write(f"{len(good)} devices ({found.form})\n", err=True)
    bad = [entry for entry in found.entries if entry.fault is not None]
    for entry in bad:
        where = f"{file}:{entry.line}: " if entry.line else f"{file}: "
        output.write(f"{where}{printable(entry.name)}: {entry.fault}\n", err=True)
    for one in found.remarks:
        output.write(f"{file}:{one.line}: {one.text}\n", err=True)
    ctx.exit(INCOMPLETE if bad or found.remarks else CLEAN)

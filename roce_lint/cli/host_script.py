"""`roce-lint host-script`: the host collection script in POSIX shell."""

from __future__ import annotations

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command, options

BETWEEN = 10
"""Seconds between the two readings of the counters."""

_BEGIN = "set -u\n"


@click.command("host-script", cls=Command)
@options("with-counters", "kubernetes")
def command(with_counters: bool, kubernetes: bool) -> None:  # noqa: FBT001  (flags)
    """Print the script that collects the files of a host for `check`.

    It needs a shell, writes a tar to standard output and changes nothing. Root sees more than a
    user.
    """
    from roce_lint.resources import resource_dir  # noqa: PLC0415

    folder = resource_dir("templates") / "linux" / "collect"
    if kubernetes:
        output.write((folder / "daemonset.yaml").read_text(encoding="utf-8"))
        return
    text = (folder / "collect.sh").read_text(encoding="utf-8")
    if with_counters:
        setting = f"ROCE_LINT_COUNTERS=${{ROCE_LINT_COUNTERS:-{BETWEEN}}}\n"
        text = text.replace(_BEGIN, _BEGIN + setting, 1)
    output.write(text)

"""`roce-lint host-script`: the collector for hosts, one file of POSIX shell."""

from __future__ import annotations

import click

from roce_lint.cli import output

BETWEEN = 10
"""Seconds between two readings of the counters."""

_BEGIN = "set -u\n"


@click.command("host-script")
@click.option("--with-counters", is_flag=True, help="Read the counters too, twice, 10 s apart.")
@click.option("--kubernetes", is_flag=True, help="Print a DaemonSet through which to run it.")
def command(with_counters: bool, kubernetes: bool) -> None:  # noqa: FBT001  (flags)
    """Print a script that collects on a host what `check` reads, and only reads itself.

    It needs a shell, writes a tar to standard output and changes nothing: "ssh gpu01 sh -s <
    collect.sh > gpu01.tar". As root it sees more than as a user.
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

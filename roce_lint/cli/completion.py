"""`roce-lint completion SHELL`: the shell completion script."""

from __future__ import annotations

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL: commands, options, rules, profiles and devices."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    kind = get_completion_class(shell)
    if kind is None:  # click has all of SHELLS
        raise AssertionError(shell)
    made = kind(ctx.find_root().command, {}, "roce-lint", "_ROCE_LINT_COMPLETE")
    # Not `source()`: it would start a bash to query its version.
    output.write(made.source_template % made.source_vars())

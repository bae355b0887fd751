"""`roce-lint completion SHELL`: what makes a shell complete commands, options and names."""

from __future__ import annotations

import click

from roce_lint.cli import output

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script by which SHELL completes commands, options, rules, profiles and devices.

    For bash: roce-lint completion bash > ~/.local/share/bash-completion/completions/roce-lint
    """
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    kind = get_completion_class(shell)
    if kind is None:  # click knows all of SHELLS
        raise AssertionError(shell)
    made = kind(ctx.find_root().command, {}, "roce-lint", "_ROCE_LINT_COMPLETE")
    # Not `source()`: for bash it would start a bash to see how old it is.
    output.write(made.source_template % made.source_vars())

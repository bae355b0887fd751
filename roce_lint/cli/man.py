"""`roce-lint man`: the manual page, from the texts of --help."""

from __future__ import annotations

import click

from roce_lint._version import __version__
from roce_lint.cli import output
from roce_lint.cli.help import VARIABLES, Command, examples_of, variable_of

STATUSES = (
    ("0", "no finding at or above --fail-on"),
    ("1", "findings"),
    ("2", "wrong use, settings or intent; nothing was checked"),
    ("3", "incomplete: something could not be read or checked"),
)

ENVIRONMENT = (
    ("NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE", "whether output is coloured"),
    ("PAGER", "pager of explain and show on a terminal"),
    ("GITHUB_ACTIONS, GITLAB_CI", "true: check uses the format of that service"),
    ("GITHUB_STEP_SUMMARY", "file to which check adds a summary in GitHub Actions"),
    ("SOURCE_DATE_EPOCH", "time of capture in the HTML report where no file has one"),
    ("XDG_CACHE_HOME", "folder of the cache of parsed files"),
    ("ROCE_LINT_PASSWORD, ROCE_LINT_ENABLE, ROCE_LINT_PASSPHRASE", "secrets of pull and audit"),
    *((variable_of(name), f"value of --{name}") for name in VARIABLES),
)

FILES = (
    ("roce-lint.toml", "settings, searched from the checked folder upwards"),
    ("pyproject.toml", "settings in the table [tool.roce-lint], searched likewise"),
    ("links.yaml, links.csv", "cable plan in the checked folder"),
)


@click.command("man", cls=Command)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Print the manual page in roff."""
    group = ctx.find_root().command
    if not isinstance(group, click.Group):
        raise TypeError(f"{group.name} has no commands")
    output.write(manual(group))


def manual(group: click.Group) -> str:
    """Manual page of a command and its subcommands."""
    root = click.Context(group, info_name="roce-lint", **group.context_settings)
    lines = [f'.TH ROCE\\-LINT 1 "" "roce\\-lint {escape_roff(__version__)}" "User Commands"']
    about, _, rest = (group.help or "").partition("\n\n")
    title = " ".join(about.split()).removesuffix(".")
    lines += [".SH NAME", escape_roff(f"roce-lint - {title[:1].lower()}{title[1:]}")]
    lines += [".SH SYNOPSIS", ".B roce\\-lint", ".I COMMAND", "[OPTIONS] [ARGUMENTS]"]
    lines += [".SH DESCRIPTION", escape_roff(" ".join(rest.split())), ".SH COMMANDS"]
    examples: list[str] = []
    for name in group.list_commands(root):
        found = group.get_command(root, name)
        if isinstance(found, Command):
            lines += _command(found, click.Context(found, parent=root, info_name=name))
            examples += examples_of(name)[1]
    lines.append(".SH EXAMPLES")
    for example in examples:
        lines += [".PP", escape_roff(example)]
    for heading, rows in (
        ("EXIT STATUS", STATUSES),
        ("ENVIRONMENT", ENVIRONMENT),
        ("FILES", FILES),
    ):
        lines.append(f".SH {heading}")
        for term, meaning in rows:
            lines += _term(term, meaning)
    return "\n".join(lines) + "\n"


def _command(found: Command, ctx: click.Context) -> list[str]:
    usage = " ".join(found.collect_usage_pieces(ctx))
    lines = [f'.SS "{escape_roff(ctx.info_name or "")} {escape_roff(usage)}"']
    for number, paragraph in enumerate((found.help or "").split("\n\n")):
        lines += [".PP"] * bool(number) + [escape_roff(" ".join(paragraph.split()))]
    for title, records in found.groups(ctx).items():
        lines += [".PP", f".I {escape_roff(title)}"]
        for record in records:
            lines += _term(*record)
    return [*lines, ".PP", escape_roff(f"More: {examples_of(found.name or '')[0]}")]


def _term(term: str, meaning: str) -> list[str]:
    return [".TP", f".B {escape_roff(term)}", escape_roff(" ".join(meaning.split()))]


def escape_roff(text: str) -> str:
    """Escape text for roff: no line is a request, no letter an escape."""
    safe = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{safe}" if safe.startswith((".", "'")) else safe

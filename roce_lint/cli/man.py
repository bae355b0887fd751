"""`roce-lint man`: the manual page, built from the same texts as --help."""

from __future__ import annotations

import click

from roce_lint._version import __version__
from roce_lint.cli import output

STATUSES = (
    ("0", "nothing at or above the fail level"),
    ("1", "findings"),
    ("2", "wrong use, settings or intent; nothing was judged"),
    ("3", "the answer is incomplete"),
)

VARIABLES = (
    ("NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE", "whether output is coloured"),
    ("PAGER", "what shows long pages of explain and show on a terminal"),
    ("GITHUB_ACTIONS, GITLAB_CI", "true: check prints in the format of that service"),
    ("GITHUB_STEP_SUMMARY", "file to which check adds a summary in GitHub Actions"),
    ("SOURCE_DATE_EPOCH", "time of capture on the page where no file tells one"),
    ("XDG_CACHE_HOME", "folder of the cache of files that were read"),
)

FILES = (
    ("roce-lint.toml", "settings, found from the judged folder upwards"),
    ("links.yaml, links.csv", "cable plan in the judged folder"),
)


@click.command("man")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Print the manual page in roff.

    To read it: roce-lint man > roce-lint.1; man ./roce-lint.1
    """
    group = ctx.find_root().command
    if not isinstance(group, click.Group):
        raise TypeError(f"{group.name} has no commands")
    output.write(manual(group))


def manual(group: click.Group) -> str:
    """The page of a command with all that is below it."""
    root = click.Context(group, info_name="roce-lint")
    lines = [f'.TH ROCE\\-LINT 1 "" "roce\\-lint {escape_roff(__version__)}" "User Commands"']
    about, _, rest = (group.help or "").partition("\n\n")
    lines += [".SH NAME", escape_roff(f"roce-lint - {_sentence(about)}")]
    lines += [".SH SYNOPSIS", ".B roce\\-lint", ".I COMMAND", "[OPTIONS] [ARGUMENTS]"]
    lines += [".SH DESCRIPTION", escape_roff(" ".join(rest.split())), ".SH COMMANDS"]
    for name in group.list_commands(root):
        found = group.get_command(root, name)
        if found is not None and not found.hidden:
            lines += _command(found, click.Context(found, parent=root, info_name=name))
    for title, rows in (("EXIT STATUS", STATUSES), ("ENVIRONMENT", VARIABLES), ("FILES", FILES)):
        lines.append(f".SH {title}")
        for term, meaning in rows:
            lines += _term(term, meaning)
    return "\n".join(lines) + "\n"


def _command(found: click.Command, ctx: click.Context) -> list[str]:
    usage = " ".join(found.collect_usage_pieces(ctx))
    lines = [f'.SS "{escape_roff(ctx.info_name or "")} {escape_roff(usage)}"']
    for number, paragraph in enumerate((found.help or "").split("\n\n")):
        lines += [".PP"] * bool(number) + [escape_roff(" ".join(paragraph.split()))]
    for parameter in found.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            lines += _term(*record)
    return lines


def _term(term: str, meaning: str) -> list[str]:
    return [".TP", f".B {escape_roff(term)}", escape_roff(" ".join(meaning.split()))]


def _sentence(text: str) -> str:
    said = " ".join(text.split()).removesuffix(".")
    return said[:1].lower() + said[1:]


def escape_roff(text: str) -> str:
    """Text that roff prints as it is: no line of it is a request, no letter an escape."""
    safe = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{safe}" if safe.startswith((".", "'")) else safe

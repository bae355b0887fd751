"""Options and help of the commands, from templates/help: groups, examples, document.

An option has one meaning in all commands, so options.txt describes each once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from roce_lint.resources import resource_dir

Decorator = Callable[[Any], Any]

VARIABLES = (
    "intent", "profile", "config", "isolated", "trusted-config", "select", "ignore", "fail-on",
    "strict", "require", "require-coverage", "baseline", "help-url", "color", "jobs", "executor",
    "no-cache",
)  # fmt: skip
"""Options that an environment variable sets, too: --fail-on is ROCE_LINT_FAIL_ON."""


class Row(NamedTuple):
    """One line of options.txt; a value with a star may be repeated."""

    group: str
    spellings: list[str]
    value: str
    text: str
    former: list[str]


@cache
def rows() -> dict[str, Row]:
    """The lines of options.txt by long name, in their order."""
    found: dict[str, Row] = {}
    group = ""
    for line in _read("options.txt").splitlines():
        if line.startswith("["):
            group = line.strip("[]")
        elif line.startswith("-"):
            words, text, former = [*map(str.strip, line.split("|")), ""][:3]
            *spellings, last = words.split(", ")
            long, _, value = last.partition(" ")
            name = long.partition("/")[0][2:]
            former_names = former.split(", ") if former else []
            found[name] = Row(group, [*spellings, long], value, text, former_names)
    return found


def examples_of(name: str) -> tuple[str, list[str]]:
    """Document of a command, and its example command lines."""
    section = _read("examples.txt").partition(f"[{name}] ")[2].partition("\n[")[0].splitlines()
    return (section[0], section[1:]) if section else ("", [])


def _read(name: str) -> str:
    return (resource_dir("templates") / "help" / name).read_text(encoding="utf-8")


def variable_of(name: str) -> str:
    """Environment variable of an option."""
    return f"ROCE_LINT_{name.replace('-', '_').upper()}"


class Option(click.Option):
    """An option that a variable of VARIABLES may set; `formerly` are spellings that still work."""

    def __init__(self, *given: Any, formerly: list[str], **named: Any) -> None:
        super().__init__(*given, **named)
        self._formerly = formerly

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Accept the former spellings, too."""
        shown = self.opts
        self.opts = [*shown, *self._formerly]
        super().add_to_parser(parser, ctx)
        self.opts = shown

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Name the variable where the value comes from one."""
        source = ctx.get_parameter_source(self.name or "") if ctx is not None else None
        if source is ParameterSource.ENVIRONMENT:
            return str(self.envvar)
        return super().get_error_hint(ctx)


def option(name: str, *parameter: str, **named: Any) -> Decorator:
    """The option --NAME of options.txt; `named` as in click.option."""
    row = rows()[name]
    kind = {"metavar": row.value.strip("*"), "multiple": "*" in row.value}
    given = {
        "help": row.text,
        "formerly": row.former,
        "envvar": variable_of(name) if name in VARIABLES else None,
        **(kind if row.value else {"is_flag": True}),
        **named,
    }
    return click.option(*row.spellings, *parameter, cls=Option, **given)


def options(*names: str | Decorator) -> Decorator:
    """Several options in their order, by name or as made by `option`."""

    def add(function: Any) -> Any:
        for each in reversed(names):
            function = (option(each) if isinstance(each, str) else each)(function)
        return function

    return add


class Command(click.Command):
    """A command whose help has groups, examples and a link to its document."""

    def get_help_option_names(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's)
        """Both spellings in any context: click caches the option it makes first."""
        return ["-h", "--help"]

    def groups(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Shown options with their help, by the title of their group."""
        records = {
            each.opts[-1].removeprefix("--"): each.get_help_record(ctx)
            for each in self.get_params(ctx)
            if isinstance(each, click.Option)
        }
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, row in rows().items():
            record = records.get(name)
            if record is not None:
                groups.setdefault(row.group, []).append(record)
        return groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups, all with one width of the left column."""
        groups = self.groups(ctx)
        widths = {title: max(len(left) for left, _ in group) for title, group in groups.items()}
        widest = max(widths.values())
        for title, group in groups.items():
            with formatter.section(title):
                formatter.write_dl(group, col_spacing=2 + widest - widths[title])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples and the link."""
        document, examples = examples_of(self.name or "")
        if document:
            lines = "".join(f"  {line}\n" for line in examples)
            formatter.write(f"\nExamples:\n{lines}\nMore: {document}\n")


class Group(click.Group, Command):
    """A command with subcommands."""

"""`roce-lint rules`: list the rules, and test the pages of a site on their examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command, Group, options
from roce_lint.cli.run_options import format_option
from roce_lint.errors import UsageError
from roce_lint.report.wording import escape_json, one_line

if TYPE_CHECKING:
    from roce_lint.engine.page import RulePage

SCHEMA = "roce-lint/rules/1"

PASSED = "as expected"


@click.group("rules", cls=Group, invoke_without_command=True)
@options(format_option("text", "json"), "rules")
@click.pass_context
def command(ctx: click.Context, /, form: str, rules: tuple[str, ...]) -> None:
    """List the rules: id, severity, name and title. Preview rules are checked like stable ones, but
    may still change.
    """
    if ctx.invoked_subcommand is not None:
        return
    pages = all_pages(rules)
    output.write(as_json(pages) if form == "json" else as_text(pages))


@command.command("test", cls=Command)
@click.argument("folders", nargs=-1, required=True, metavar="DIR...")
@click.pass_context
def test(ctx: click.Context, /, folders: tuple[str, ...]) -> None:
    """Check the examples of the rule pages in each DIR.

    A bad example must have a finding on the lines of `expect`; a good or fixed one must be checked
    without a finding of its rule. Fields of `fixed_by` must exist. Exit status: 0 passed; 1 failed.
    """
    from roce_lint.engine.page import SECTION  # noqa: PLC0415
    from roce_lint.model.schema import require_field  # noqa: PLC0415
    from roce_lint.pipeline.examples import examples_of, fault_of  # noqa: PLC0415

    known = {page.id for page in all_pages()}
    pages = [page for page in all_pages(folders) if page.id not in known]
    failed = 0
    for page in pages:
        known_by = page.head.fixed_by
        for field in () if isinstance(known_by, str) or known_by == (SECTION,) else known_by:
            try:
                require_field(field)
            except UsageError as error:
                failed += 1
                output.write(f"{page.id}: fixed_by: {one_line(error.message)}\n")
        examples = list(examples_of(page))
        if not examples:
            output.write(f"{page.id}: no example\n")
        for example in examples:
            fault = fault_of(example, folders)
            failed += bool(fault)
            output.write(f"{one_line(f'{example}: {fault or PASSED}')}\n")
    if not pages:
        raise UsageError("no rule page found")
    ctx.exit(1 if failed else 0)


def all_pages(folders: tuple[str, ...] = ()) -> list[RulePage]:
    """Built-in pages, those of plug-ins and of the folders, by id.

    Raises:
        UsageError: a folder does not exist.
        RulePageError: a page is invalid.
    """
    from roce_lint.engine.page import load_pages  # noqa: PLC0415  (pydantic)
    from roce_lint.engine.registry import plugin_pages  # noqa: PLC0415
    from roce_lint.resources import resource_dir  # noqa: PLC0415

    for folder in folders:
        if not Path(folder).is_dir():
            raise UsageError(f"--rules {folder}: no such folder")
    return load_pages([resource_dir("rules"), *plugin_pages(), *map(Path, folders)])


def as_text(pages: list[RulePage]) -> str:
    """One line per rule, with the stage of preview and deprecated rules."""
    width = max((len(page.head.name) for page in pages), default=0)
    lines = []
    for page in pages:
        stage = "" if page.head.stage == "stable" else f" ({page.head.stage})"
        lines.append(
            f"{page.id}  {page.head.severity:<7}  {page.head.name:<{width}}  {page.title}{stage}"
        )
    return "".join(f"{line}\n" for line in lines)


def as_json(pages: list[RulePage]) -> str:
    """Front matter and title of each page."""
    entries = [
        {
            "id": page.id,
            "name": page.head.name,
            "title": page.title,
            "family": page.family,
            "severity": page.head.severity,
            "stage": page.head.stage,
            "since": page.head.since,
            "check": page.head.check,
            "covers": list(page.head.covers),
            "fixed_by": page.head.fixed_by,
            "params": page.head.params,
        }
        for page in pages
    ]
    text = json.dumps({"schema": SCHEMA, "rules": entries}, indent=2, ensure_ascii=False)
    return escape_json(text) + "\n"

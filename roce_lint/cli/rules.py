"""`roce-lint rules`: the catalogue."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from roce_lint.cli import output
from roce_lint.cli.catalogue import all_pages
from roce_lint.report.wording import json_escaped

if TYPE_CHECKING:
    from roce_lint.engine.page import RulePage

SCHEMA = "roce-lint/rules/1"


@click.command("rules")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@click.option("--rules", metavar="DIR", multiple=True, help="Folder of further rule pages.")
def command(form: str, rules: tuple[str, ...]) -> None:
    """List all rules: id, severity, name and title."""
    pages = all_pages(rules)
    output.write(as_json(pages) if form == "json" else as_text(pages))


def as_text(pages: list[RulePage]) -> str:
    """A line a rule; preview and deprecated ones say so."""
    width = max((len(page.head.name) for page in pages), default=0)
    lines = []
    for page in pages:
        stage = "" if page.head.stage == "stable" else f" ({page.head.stage})"
        lines.append(
            f"{page.id}  {page.head.severity:<7}  {page.head.name:<{width}}  {page.title}{stage}"
        )
    return "".join(f"{line}\n" for line in lines)


def as_json(pages: list[RulePage]) -> str:
    """The front matter of every page, with its title."""
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
            "params": page.head.params,
        }
        for page in pages
    ]
    text = json.dumps({"schema": SCHEMA, "rules": entries}, indent=2, ensure_ascii=False)
    return json_escaped(text) + "\n"

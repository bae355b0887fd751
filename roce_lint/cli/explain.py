"""`roce-lint explain RULE`: print the page of a rule."""

from __future__ import annotations

import difflib
import re
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from roce_lint.catalog.applications import Variable, row_of, variables
from roce_lint.cli import output, run_options
from roce_lint.cli.help import Command, option, options
from roce_lint.cli.rules import all_pages, as_text
from roce_lint.cli.run_options import color_option
from roce_lint.engine.page import add_captions
from roce_lint.errors import UsageError
from roce_lint.nos.registry import all_nos
from roce_lint.report.wording import system_of

if TYPE_CHECKING:
    from roce_lint.engine.page import RulePage

SUGGESTIONS = 3

SIMILAR = 0.6
"""Similarity from which one name may be the other misspelt."""

SHORTEST = 3
"""Letters of a significant word."""


@click.command("explain", cls=Command)
@click.argument("rule", metavar="RULE", shell_complete=run_options.rules)
@option("nos", default="", shell_complete=run_options.systems)
@options("rules", "examples", option("pager", default=True), color_option)
def command(
    rule: str,
    rules: tuple[str, ...],
    nos: str,
    examples: bool,  # noqa: FBT001  (as above)
    pager: bool,  # noqa: FBT001
) -> None:
    """Explain RULE (id or name): requirement, reason, fix and sources. A family (PFC) lists its
    rules; the variable of an application (NCCL_IB_TC) prints its meaning.
    """
    variable = row_of(rule.strip()) or row_of(rule.strip().upper())
    if variable is not None:
        output.page(_describe(variable), pager=pager)
        return
    pages = all_pages(rules)
    family = [page for page in pages if page.family == rule.strip().upper()]
    if family:
        output.page(as_text(family), pager=pager)
        return
    page = find(rule, pages)
    since = f" since {page.head.since}" if page.head.since else ""
    stage = f"{page.head.severity}, {page.head.stage}{since}"
    head = f"{page.id} {page.head.name} ({stage})"
    painted = output.wants_color(sys.stdout)
    body = _on(page, nos) if nos else _whole(page, examples=examples)
    body = f"Fixed by: {page.fixed_by}\n\n{body}" if page.fixed_by else body
    text = _paint(head, body) if painted else f"{head}\n\n{add_captions(body)}"
    output.page(text, pager=pager)


def _describe(row: Variable) -> str:
    """Print the row of a variable, one fact per line."""
    facts = {name.replace("_", " "): fact for name, fact in asdict(row).items() if fact}
    texts = {name: ", ".join(x) if isinstance(x, tuple) else x for name, x in facts.items()}
    lines = [f"  {name + ':':<14}{text}" for name, text in texts.items() if name != "name"]
    return "\n".join([row.name, "", *lines, ""])


NO_EXAMPLES = "--examples prints them."


def _whole(page: RulePage, *, examples: bool) -> str:
    """The page, with its examples if requested."""
    shown = page.section("Example")
    return page.body if examples or not shown else page.body.replace(shown, NO_EXAMPLES, 1)


def _on(page: RulePage, nos: str) -> str:
    """The section on the fix, without items of other systems."""
    known = all_nos()
    if nos.casefold() not in known:
        meant = difflib.get_close_matches(nos.casefold(), known, 1)
        hint = f"did you mean {meant[0]}?" if meant else f"known are {', '.join(known)}"
        raise UsageError(f"--nos {nos}: unknown system", hint=hint)

    def kept(item: re.Match[str]) -> str:
        return item[0] if system_of(item[0]) in ("", nos.casefold()) else ""

    text = _ITEM.sub(kept, page.section("How to fix")).strip()
    return f"# {page.title}\n\n{text or NO_ITEM}\n"


_ITEM = re.compile(r"^- .*(?:\n(?!- |$).*)*\n?", re.MULTILINE)

NO_ITEM = (
    "The page has nothing on this system; `roce-lint check` prints the commands for a finding."
)


def find(query: str, pages: list[RulePage]) -> RulePage:
    """Find a page by id or name, in any case.

    Raises:
        UsageError: there is none; the hint suggests near names.
    """
    known = {name: page for page in pages for name in page.head.formerly}
    known |= {page.id.lower(): page for page in pages}
    known |= {page.head.name: page for page in pages}
    text = query.strip().lower()
    page = known.get(text)
    if page is not None:
        return page
    near = _near(text, known)
    suggested = [f"{page.id} {page.head.name}" for page in near]
    suggested += difflib.get_close_matches(query.strip().upper(), variables(), SUGGESTIONS, 0.8)
    meant = ", ".join(suggested[:SUGGESTIONS])
    hint = f"did you mean {meant}?" if meant else "`roce-lint rules` lists all"
    raise UsageError(f"unknown rule {query!r}", hint=hint)


def _near(text: str, known: dict[str, RulePage]) -> list[RulePage]:
    """Pages with a similar name, a common beginning or common words, nearest first."""
    words = {word for word in text.split("-") if len(word) >= SHORTEST}
    shared = {name: len(words.intersection(name.split("-"))) for name in known}
    near = [name for name in known if text and name.startswith(text)]
    near += difflib.get_close_matches(text, known, SUGGESTIONS, SIMILAR)
    near += sorted((name for name in known if shared[name]), key=lambda name: -shared[name])
    return list({known[name].id: known[name] for name in near}.values())


def _paint(head: str, body: str) -> str:
    from io import StringIO  # noqa: PLC0415

    from rich.console import Console  # noqa: PLC0415  (a terminal only)
    from rich.markdown import Markdown  # noqa: PLC0415
    from rich.theme import Theme  # noqa: PLC0415

    out = StringIO()
    theme = Theme({"markdown.h1": "bold", "markdown.h2": "bold underline", "markdown.code": "cyan"})
    width = min(output.columns(), 100)
    console = Console(file=out, force_terminal=True, width=width, theme=theme)
    console.print(head, style="bold", markup=False, highlight=False)
    console.print()
    console.print(Markdown(add_captions(body), code_theme="ansi_dark"))
    return out.getvalue()

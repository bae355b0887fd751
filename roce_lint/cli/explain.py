"""`roce-lint explain RULE`: the page of a rule, as it stands in rules/."""

from __future__ import annotations

import difflib
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from roce_lint.catalog.applications import Variable, row_of, variables
from roce_lint.catalog.remedies import names
from roce_lint.cli import candidates, output
from roce_lint.cli.catalogue import all_pages
from roce_lint.engine.caption import add_captions
from roce_lint.engine.mending import is_of, remedy_items
from roce_lint.errors import UsageError

if TYPE_CHECKING:
    from roce_lint.engine.page import RulePage

SUGGESTIONS = 3

ALIKE = 0.6
"""Share of letters that two names must have in common to be mistaken for each other."""

SHORTEST = 3
"""Letters of a word that says something."""


@click.command("explain")
@click.argument("rule", metavar="RULE", shell_complete=candidates.rules)
@click.option("--rules", metavar="DIR", multiple=True, help="Folder of further rule pages.")
@click.option("--nos", metavar="NAME", default="", help="How to fix it on one system, alone.")
@click.option("--examples", is_flag=True, help="Also print the examples.")
@click.option("--pager/--no-pager", default=True, help="On a terminal, page what is longer.")
@output.color_option
def command(
    rule: str,
    rules: tuple[str, ...],
    nos: str,
    examples: bool,  # noqa: FBT001  (as above)
    pager: bool,  # noqa: FBT001
) -> None:
    """Print what RULE (its id or name) demands and why, how to fix it, and its sources; of the
    name of an application's variable (NCCL_IB_TC), what it means.
    """
    variable = row_of(rule.strip()) or row_of(rule.strip().upper())
    if variable is not None:
        output.page(_describe(variable), pager=pager)
        return
    page = find(rule, all_pages(rules))
    since = f" since {page.head.since}" if page.head.since else ""
    stage = f"{page.head.severity}, {page.head.stage}{since}"
    head = f"{page.id} {page.head.name} ({stage})"
    painted = output.wants_color(sys.stdout)
    body = _on(page, nos) if nos else _whole(page, examples=examples)
    text = _paint(head, body) if painted else f"{head}\n\n{add_captions(body)}"
    output.page(text, pager=pager)


def _describe(row: Variable) -> str:
    """The row of a variable, a fact a line."""
    facts = {name.replace("_", " "): fact for name, fact in asdict(row).items() if fact}
    texts = {name: ", ".join(x) if isinstance(x, tuple) else x for name, x in facts.items()}
    lines = [f"  {name + ':':<14}{text}" for name, text in texts.items() if name != "name"]
    return "\n".join([row.name, "", *lines, ""])


FIX = "How to fix"
OWN_WORDS = "In the words of each system (capitals stand for what your site has):"
NO_EXAMPLES = "--examples prints them."


def _whole(page: RulePage, *, examples: bool) -> str:
    """The page with the lines of each system, and without its examples unless they are wanted."""
    body = page.body
    prose, lines = page.section(FIX), remedy_items(page)
    if prose and lines:
        body = body.replace(prose, "\n".join([prose, "", OWN_WORDS, "", *lines]), 1)
    shown = page.section("Example")
    return body if examples or not shown else body.replace(shown, NO_EXAMPLES, 1)


def _on(page: RulePage, nos: str) -> str:
    """What to do on one system.

    Raises:
        UsageError: there is no such system.
    """
    known = names()
    if nos.casefold() not in known:
        meant = difflib.get_close_matches(nos.casefold(), known, 1)
        hint = f"did you mean {meant[0]}?" if meant else f"known are {', '.join(known)}"
        raise UsageError(f"--nos {nos}: there is no such system", hint=hint)
    items = [line for line in page.section(FIX).splitlines() if is_of(line, nos)]
    return "\n".join(
        [f"# {page.title}", "", *(items + remedy_items(page, nos) or [NOTHING_OF_IT]), ""]
    )


NOTHING_OF_IT = "The page has no line for this system; see the whole page."


def find(wanted: str, pages: list[RulePage]) -> RulePage:
    """The page with this id or name, in capitals or not.

    Raises:
        UsageError: there is none; the hint names what was probably meant.
    """
    known = {name: page for page in pages for name in page.head.formerly}
    known |= {page.id.lower(): page for page in pages}
    known |= {page.head.name: page for page in pages}
    asked = wanted.strip().lower()
    page = known.get(asked)
    if page is not None:
        return page
    near = _near(asked, known)
    said = [f"{page.id} {page.head.name}" for page in near]
    said += difflib.get_close_matches(wanted.strip().upper(), variables(), SUGGESTIONS, 0.8)
    meant = ", ".join(said[:SUGGESTIONS])
    hint = f"did you mean {meant}?" if meant else "roce-lint rules lists them all"
    raise UsageError(f"no rule is called {wanted!r}", hint=hint)


def _near(asked: str, known: dict[str, RulePage]) -> list[RulePage]:
    """Pages with a name that is spelt alike, begins so, or has words of it, the nearest first."""
    words = {word for word in asked.split("-") if len(word) >= SHORTEST}
    shared = {name: len(words.intersection(name.split("-"))) for name in known}
    near = [name for name in known if asked and name.startswith(asked)]
    near += difflib.get_close_matches(asked, known, SUGGESTIONS, ALIKE)
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

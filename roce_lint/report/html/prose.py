"""The text of rule pages as blocks that a template can write: paragraphs, lists, code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from roce_lint.report.addresses import address
from roce_lint.report.wording import clean

if TYPE_CHECKING:
    from roce_lint.engine.finding import Finding
    from roce_lint.engine.page import RulePage

_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_CODE = re.compile(r"`([^`]+)`")
_MARKS = re.compile(r"\*\*([^*]+)\*\*|\[([^\]]+)\]\([^)]*\)")

Span = tuple[str, bool]
"""A piece of text, and whether it is code."""


@dataclass(slots=True, frozen=True)
class Block:
    """A paragraph, an item of a list, or lines of code."""

    kind: Literal["p", "li", "pre"]
    spans: list[Span]


@dataclass(slots=True, frozen=True)
class About:
    """What a page says to those who have to mend a fault."""

    id: str
    name: str
    title: str
    link: str
    why: list[Block]
    mend: list[Block]


def about(findings: list[Finding], pages: dict[str, RulePage], help_url: str) -> list[About]:
    """The rules of some findings, each once, by id; rules without a page are left out."""
    rules = sorted({finding.rule for finding in findings})
    return [
        About(
            page.id,
            page.head.name,
            clean(page.title),
            address(help_url, page),
            blocks(page.section("Why it matters")),
            blocks(page.section("How to fix")),
        )
        for page in (pages[rule] for rule in rules if rule in pages)
    ]


def blocks(text: str) -> list[Block]:
    """A piece of Markdown as blocks: enough of it for the pages of rules, and no HTML."""
    return [Block(kind, _spans(said, kind)) for kind, said in _parts(clean(text))]


def _parts(text: str) -> Iterator[tuple[Literal["p", "li", "pre"], str]]:
    kind: Literal["p", "li", "pre"] = "p"
    held: list[str] = []
    fence = ""
    for line in [*text.split("\n"), ""]:
        opens = _FENCE.match(line)
        begins = _ITEM.match(line) is not None
        if held and not fence and (opens or begins or not line.strip()):
            yield kind, " ".join(held)
            held, kind = [], "p"
        if fence:
            if opens and opens[1].startswith(fence):
                yield "pre", "\n".join(held)
                held, kind, fence = [], "p", ""
            else:
                held.append(line)
        elif opens:
            kind, fence = "pre", opens[1]
        elif line.strip():
            kind = "li" if begins else kind
            held.append(_ITEM.sub("", line).strip())
    if fence and held:
        yield "pre", "\n".join(held)


def _spans(text: str, kind: str) -> list[Span]:
    if kind == "pre":
        return [(text, True)]
    spans: list[Span] = []
    for number, part in enumerate(_CODE.split(text)):
        plain = part if number % 2 else _MARKS.sub(lambda found: found[1] or found[2], part)
        if plain:
            spans.append((plain, bool(number % 2)))
    return spans

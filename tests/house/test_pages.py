"""Every rule page is complete: headings, and a file name with the id of the rule."""

from __future__ import annotations

import re

import pytest

from roce_lint.engine.page import HEADINGS, parse_page
from roce_lint.errors import RulePageError
from tests.house.listing import read, under

PLACE = re.compile(r"rules/[a-z]+/(?P<id>[A-Z]{3}\d{3})-(?P<name>[a-z0-9-]+)\.md")


def pages() -> list[str]:
    return [name for name in under("rules", suffix=".md") if name != "rules/README.md"]


def fault(name: str, text: str) -> str | None:
    """Fault of a page, or None."""
    place = PLACE.fullmatch(name)
    if place is None:
        return "the file is not named rules/<family>/<ID>-<name>.md"
    try:
        page = parse_page(text, name)
    except RulePageError as error:
        return error.message
    if not page.head.since or "\nstage:" not in text:
        return "the head lacks since or stage"
    if (page.id, page.head.name) != (place["id"], place["name"]):
        return f"the page says {page.id} {page.head.name}"
    bare = [heading for heading in HEADINGS if not page.section(heading)]
    return f"nothing below {', '.join(bare)}" if bare else None


def test_there_are_pages() -> None:
    assert pages() != []


@pytest.mark.parametrize("page", pages())
def test_the_page_is_whole(page: str) -> None:
    assert fault(page, read(page)) is None


def test_a_family_has_a_folder_of_its_own() -> None:
    places = {(name.split("/")[1], name.split("/")[2][:3]) for name in pages()}
    assert len({folder for folder, _ in places}) == len(places)
    assert len({family for _, family in places}) == len(places)


NAME = "rules/mtu/MTU001-mtu-too-small.md"
HEAD = """---
id: MTU001
name: mtu-too-small
severity: error
check: mtu.too_small
since: 0.1.0
stage: stable
---

# A hop is too small
"""
GOOD = HEAD + "".join(f"\n## {heading}\n\nText.\n" for heading in HEADINGS)


def test_a_whole_page_has_no_fault() -> None:
    assert fault(NAME, GOOD) is None


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("rules/mtu/mtu-too-small.md", GOOD, "not named rules/<family>/<ID>-<name>.md"),
        ("rules/mtu/MTU002-mtu-too-small.md", GOOD, "the page says MTU001 mtu-too-small"),
        ("rules/mtu/MTU001-small.md", GOOD, "the page says MTU001 mtu-too-small"),
        (
            NAME,
            GOOD.replace("## Why it matters", "```\n## Why it matters\n```"),
            "nothing below Why",
        ),
        (NAME, GOOD.replace("since: 0.1.0\n", ""), "lacks since"),
        (NAME, GOOD.replace("stage: stable\n", ""), "lacks since or stage"),
        (NAME, GOOD.replace("## Sources\n\nText.\n", "## Sources\n"), "nothing below Sources"),
    ],
)
def test_a_fault_is_noticed(name: str, text: str, says: str) -> None:
    assert says in (fault(name, text) or "")

"""Every default of a platform cites a heading of its facts page, where the source is named."""

from __future__ import annotations

import dataclasses
import importlib
import re
from collections.abc import Iterator, Mapping

import pytest

from roce_lint.nos.declare import Default
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.registry import all_nos
from tests.house.listing import project_files, read, under

MODULES = under("roce_lint/nos", suffix="/__init__.py")
PLATFORMS = [name.split("/")[-1][:-5] for name in under("rules/platforms", suffix=".toml")]
SOURCE = re.compile(r"(?P<page>docs/nos/[a-z0-9]+\.md)#(?P<anchor>[a-z0-9_-]+)")


def anchors(page: str) -> set[str]:
    """The anchors that a Markdown site makes of the headings of a page."""
    made: set[str] = set()
    for heading in re.findall(r"^#+ +(.+?) *$", page, re.MULTILINE):
        kept = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        again = (f"{kept}-{count}" for count in range(1, len(made) + 2))
        made.add(kept if kept not in made else next(a for a in again if a not in made))
    return made


def defaults_in(value: object) -> Iterator[Default]:
    """Defaults wherever a module keeps them: alone, in tables, in declared objects."""
    if isinstance(value, Default):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from defaults_in(entry)
    elif isinstance(value, list | tuple | set | frozenset):
        for entry in value:
            yield from defaults_in(entry)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from defaults_in(getattr(value, field.name))


def fault(source: str, pages: Mapping[str, str]) -> str | None:
    """Why a citation leads nowhere, or None."""
    cited = SOURCE.fullmatch(source)
    if cited is None:
        return f"{source!r} is not of the form docs/nos/<nos>.md#<heading>"
    if cited["page"] not in pages:
        return f"{cited['page']} does not exist"
    if cited["anchor"] not in anchors(pages[cited["page"]]):
        return f"{cited['page']} has no heading #{cited['anchor']}"
    return None


def declared() -> dict[str, list[Default]]:
    found = {
        name: list(defaults_in(vars(importlib.import_module(name[:-3].replace("/", ".")))))
        for name in MODULES
    }
    return found | {nos.name: list(nos.defaults) for nos in all_nos().values()}


def test_every_default_cites_a_heading() -> None:
    pages = {name: read(name) for name in project_files() if name.startswith("docs/nos/")}
    cited = declared()
    assert any(cited.values())
    wrong = {
        f"{place}: {default.says}": why
        for place, defaults in cited.items()
        for default in defaults
        if (why := fault(default.citation.source, pages))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("docs/nos/eos.md#how-mtu-is-counted", None),
        ("docs/nos/eos.md#pfc-off-and-auto", None),
        ("docs/nos/eos.md#defaults", None),
        ("docs/nos/eos.md#defaults-1", None),
        ("docs/nos/eos.md#defaults-2", "docs/nos/eos.md has no heading #defaults-2"),
        ("docs/nos/acme.md#mtu", "docs/nos/acme.md does not exist"),
        ("the manual", "'the manual' is not of the form docs/nos/<nos>.md#<heading>"),
    ],
)
def test_a_citation_that_leads_nowhere_is_noticed(source: str, why: str | None) -> None:
    page = "# EOS\n\n## Defaults\n### How MTU is counted\n## PFC: off, and `auto`\n### Defaults\n"
    assert fault(source, {"docs/nos/eos.md": page}) == why


@pytest.mark.parametrize("nos", PLATFORMS)
def test_the_reader_uses_every_default_of_its_file_and_no_other(nos: str) -> None:
    sources = [read(name) for name in under(f"roce_lint/nos/{nos}", suffix=".py")]
    used = {name for text in sources for name in re.findall(r"\bdefaults\.([A-Z][A-Z0-9_]*)", text)}
    assert used == set(defaults_of(nos).tables)
    own = list(defaults_of(nos))
    assert list(all_nos()[nos].defaults)[: len(own)] == own


def test_defaults_are_found_in_tables() -> None:
    one, two = (Default(n, "EOS default", "docs/nos/eos.md#mtu") for n in (1, 2))
    assert list(defaults_in({"a": one, "b": [(two,)], "c": "text"})) == [one, two]

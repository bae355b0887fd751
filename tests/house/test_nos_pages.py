"""The list of constructs on each NOS page is generated from declarations and templates."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.dev.nos_pages import BEGIN, END, pages, spell_regex, update
from roce_lint.errors import RoceLintError
from roce_lint.nos.registry import all_nos
from tests.house.listing import ROOT, read

PAGES = pages(ROOT)


def test_every_nos_has_its_page() -> None:
    assert sorted(PAGES) == [f"docs/nos/{name}.md" for name in sorted(all_nos())]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_page_is_up_to_date(name: str) -> None:
    assert read(name) == PAGES[name], "`python -m roce_lint.dev nos` writes it anew"


@pytest.mark.parametrize("nos", sorted(all_nos()))
def test_every_source_is_named_with_what_tells_it(nos: str) -> None:
    made = PAGES[f"docs/nos/{nos}.md"].partition(BEGIN)[2].partition(END)[0]
    for source in all_nos()[nos].sources:
        assert f"\n| `{source.name}` | " in made


@pytest.mark.parametrize(
    ("nos", "line"),
    [
        ("eos", "   priority-flow-control priority PRIORITIES no-drop|drop"),
        ("eos", "   [uc-|mc-]tx-queue NUMBER"),
        ("eos", "      random-detect ecn minimum-threshold ECN"),
        ("nxos", "    pause PAUSE"),
        ("iosxr", "  match dscp (ipv4|ipv6) ..."),
        ("sonic", "PORT_QOS_MAP"),
        ("junos", "class-of-service"),
        ("cumulus", "nv set qos pfc LONG cable-length N"),
        ("srlinux", "set / interface ethernet-N subinterface N ip-mtu N"),
        ("linux", "Priority trust state: dscp|pcp"),
        ("linux", "| `priority(?:\\s+[0-7]){8}$` | column numbers of the PFC table |"),
    ],
)
def test_what_is_read_stands_there(nos: str, line: str) -> None:
    made = PAGES[f"docs/nos/{nos}.md"].partition(BEGIN)[2].partition(END)[0]
    assert line in made.split("\n")


@pytest.mark.parametrize(
    ("pattern", "spelling"),
    [
        (r"no shut(?:down)?", "no shut[down]"),
        (r"priority(?: level \d+)?", "priority[ level ...]"),
        (r"(?:uc-|mc-)?tx-queue", "[uc-|mc-]tx-queue"),
        (r"ipv6 address \S.*", "ipv6 address ..."),
        (r"dscp|cos", "dscp|cos"),
        (r"qos (?!trust)[a-z]{2,9}", "qos ..."),
        (r"[0-9a-f:]{17}", "NAME"),
    ],
)
def test_patterns_are_spelt_as_people_write_syntax(pattern: str, spelling: str) -> None:
    assert spell_regex(pattern, "NAME") == spelling


def test_a_stale_page_is_written_and_one_without_marks_refused(tmp_path: Path) -> None:
    (tmp_path / "docs" / "nos").mkdir(parents=True)
    for folder in ("templates", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text)
    page = tmp_path / "docs" / "nos" / "aoscx.md"
    page.write_text(page.read_text().replace(BEGIN, f"{BEGIN}\nold"))
    assert update(tmp_path, pages(tmp_path)) == ["docs/nos/aoscx.md"]
    assert page.read_text() == PAGES["docs/nos/aoscx.md"]
    page.write_text("# no marks\n")
    with pytest.raises(RoceLintError, match="missing marks"):
        pages(tmp_path)

"""Inline ignores: recognition, and the lines that they cover."""

from __future__ import annotations

import pytest

from roce_lint.text.ignores import find_ignores, without_ignore
from roce_lint.text.source import Ignore

IGNORE = "roce-lint: ignore MTU001 -- lab"


def about(text: str, mark: str = "!") -> list[tuple[int, int, int]]:
    return [(i.position, i.first, i.last) for i in find_ignores(text.split("\n"), mark)]


@pytest.mark.parametrize(
    ("said", "rules", "reason", "fault"),
    [
        ("ignore MTU001 -- lab port", ("MTU001",), "lab port", ""),
        ("ignore MTU001, PFC -- two of them ", ("MTU001", "PFC"), "two of them", ""),
        ("ignore MTU001 PFC002 — dash of an editor", ("MTU001", "PFC002"), "dash of an editor", ""),
        ("IGNORE MTU001 -- loud", ("MTU001",), "loud", ""),
        ("ignore MTU001 -- uses -- twice", ("MTU001",), "uses -- twice", ""),
        ("ignore MTU001", ("MTU001",), "", "has no reason; write `ignore MTU001 -- why`"),
        ("ignore MTU001 --", ("MTU001",), "", "has no reason; write `ignore MTU001 -- why`"),
        ("ignore MTU001 because", ("MTU001",), "", "has no reason; write `ignore MTU001 -- why`"),
        ("ignore -- everything", (), "", "names no rule (such as MTU001)"),
        ("ignore mtu001 -- small", (), "", "names no rule (such as MTU001)"),
        ("ignore MTU0011 -- long", (), "", "names no rule (such as MTU001)"),
        ("ignore M -- short", (), "", "names no rule (such as MTU001)"),
        ("skip MTU001 -- word", (), "", "names no rule (such as MTU001)"),
        ("", (), "", "names no rule (such as MTU001)"),
    ],
)
def test_forms(said: str, rules: tuple[str, ...], reason: str, fault: str) -> None:
    lines = [f"! roce-lint: {said}", "mtu 1500"]
    place = (0, 0) if fault else (2, 2)
    assert find_ignores(lines, "!") == [Ignore(1, rules, reason, 0, *place, fault)]


def test_an_annotation_is_about_the_statement_below_it() -> None:
    text = f"interfaces {{\n    /* {IGNORE} */\n    et-0/0/0 {{\n        mtu 1500;\n    }}\n"
    assert about(text, "#/") == [(2, 3, 4)]
    text = f"et-0/0/0 {{\n    mtu 1500; /* {IGNORE} */\n    ## {IGNORE}\n    disable;\n}}"
    assert about(text, "#/") == [(2, 2, 2), (3, 4, 4)]
    (found,) = find_ignores([f"/* {IGNORE} */", "x;"], "#/")
    assert (found.rules, found.reason) == (("MTU001",), "lab")
    assert about(f"/* {IGNORE} */\nx", "!") == []


def test_a_comment_at_the_end_of_a_line_is_about_the_line() -> None:
    assert about(f"interface E1\n   mtu 1500 ! {IGNORE}\n   shutdown") == [(2, 2, 2)]


def test_a_comment_at_the_end_of_a_header_is_about_the_stanza() -> None:
    text = f"interface E1 !! {IGNORE}\n   mtu 1500\n\n   !\n   qos x\n      y\ninterface E2"
    assert about(text) == [(1, 1, 6)]


def test_a_comment_before_a_line_is_about_that_line() -> None:
    text = f"interface E1\n   shutdown\n   ! {IGNORE}\n   ! more\n\n   mtu 1500\n   no lldp"
    assert about(text) == [(3, 6, 6)]


def test_a_comment_before_a_header_is_about_the_stanza() -> None:
    assert about(f"x\n! {IGNORE}\ninterface E1\n   mtu 1500\ny") == [(2, 3, 4)]


def test_the_first_comment_of_a_stanza_is_about_the_stanza() -> None:
    text = f"interface E1\n   !! lab\n   !! {IGNORE}\n   mtu 1500\n   qos x\ninterface E2"
    assert about(text) == [(3, 1, 5)]


def test_the_first_comment_of_an_inner_block_is_about_that_block() -> None:
    text = f"policy P\n   class A\n      ! {IGNORE}\n      set 3\n   class B\n      set 4"
    assert about(text) == [(3, 2, 4)]


def test_a_comment_at_the_end_of_a_block_is_about_nothing() -> None:
    assert about(f"interface E1\n   mtu 1500\n   ! {IGNORE}\ninterface E2") == [(3, 0, 0)]


def test_a_comment_at_the_end_of_the_file_is_about_nothing() -> None:
    assert about(f"interface E1\n   mtu 1500\n! {IGNORE}\n") == [(3, 0, 0)]


def test_a_script() -> None:
    text = f"#!/bin/sh\n# {IGNORE}\nmlnx_qos -i ens1 \\\n--trust dscp\nmlnx_qos -i ens2 # {IGNORE}"
    assert about(text, "#") == [(2, 3, 4), (5, 5, 5)]


def test_a_section_of_a_unit_file() -> None:
    text = f"[Unit]\na=1\n# {IGNORE}\n[Service]\nb=2\n\nc=3\n[Install]\nd=4"
    assert about(text, "#") == [(3, 4, 7)]


def test_the_blocks_of_a_yaml_file() -> None:
    text = f"a:  # {IGNORE}\n  b: 1\n  # {IGNORE}\n  c: 2\n  d: 3\ne: 4"
    assert about(text, "#") == [(1, 1, 5), (3, 4, 4)]


def test_another_kind_of_comment_is_none() -> None:
    assert about(f"mtu 1500 # {IGNORE}", "!") == []
    assert about(f"description {IGNORE}", "!") == []


def test_tabs_indent() -> None:
    assert about(f"interface E1\n\t! {IGNORE}\n\tmtu 1500\n\tqos x\ny") == [(2, 1, 4)]


def test_a_line_is_read_without_its_ignore() -> None:
    assert without_ignore(f"   mtu 1500  !! {IGNORE}", "!") == "   mtu 1500"
    assert without_ignore(f"   ! {IGNORE}", "!") == f"   ! {IGNORE}"
    assert without_ignore("   mtu 1500 ! other", "!") == "   mtu 1500 ! other"


def test_the_mark_may_be_written_in_any_letters() -> None:
    """A comment without effect must be reported."""
    assert about("mtu 1500 ! Roce-Lint: ignore MTU001 -- lab") == [(1, 1, 1)]
    assert (
        find_ignores(["mtu 1500 ! ROCE-LINT: ignore"], "!")[0].fault
        == "names no rule (such as MTU001)"
    )
    assert without_ignore("mtu 1500 ! Roce-Lint: ignore MTU001 -- lab", "!") == "mtu 1500"

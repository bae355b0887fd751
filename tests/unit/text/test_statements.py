"""Words in braces and `set` lines: one tree, with the line of every word."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.text.statements import (
    ANY,
    DEEPEST,
    EVERYTHING,
    Statements,
    Wanted,
    Word,
    is_set_form,
    parse,
)


def tree(text: str, wanted: Wanted = EVERYTHING, first: int = 0) -> Statements:
    return parse(textwrap.dedent(text).lstrip("\n").split("\n"), wanted, first)


def paths(word: Word, above: str = "") -> Iterator[tuple[str, int]]:
    """Every statement with its line."""
    for name, below in word.below.items():
        path = f"{above} {name}" if above else name
        if below.below:
            yield from paths(below, path)
        else:
            yield path, below.line


def statements_in(text: str, wanted: Wanted = EVERYTHING) -> list[tuple[str, int]]:
    return list(paths(tree(text, wanted).root))


BRACES = """
    interfaces {
        et-0/0/0 {
            mtu 9216;
            unit 0 {
                family inet {
                    address 10.0.0.0/31;
                }
            }
        }
    }
"""
SETS = """
    set interfaces et-0/0/0 mtu 9216
    set interfaces et-0/0/0 unit 0 family inet address 10.0.0.0/31
"""


def test_both_forms_give_the_same_words() -> None:
    assert statements_in(BRACES) == [
        ("interfaces et-0/0/0 mtu 9216", 3),
        ("interfaces et-0/0/0 unit 0 family inet address 10.0.0.0/31", 6),
    ]
    assert [path for path, _ in statements_in(SETS)] == [path for path, _ in statements_in(BRACES)]
    assert [line for _, line in statements_in(SETS)] == [1, 2]


def test_positions_begin_where_they_are_told() -> None:
    assert [line for _, line in paths(tree(SETS, first=100).root)] == [101, 102]


def test_a_form_is_told_by_most_lines() -> None:
    assert is_set_form(SETS)
    assert not is_set_form(BRACES)
    assert not is_set_form("system {\nset this is a line of a message\nhost {\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a [ b c d ];", ["a b", "a c", "a d"]),
        ("a [ b c\n  d ];", ["a b", "a c", "a d"]),
        ("a [b c];", ["a b", "a c"]),
        ('a "b c; { }" d;', ["a b c; { } d"]),
        ('a "two\nlines";', ["a two\nlines"]),
        ('a "" b;', ["a  b"]),
        ("a { b; c; }", ["a b", "a c"]),
        ("a { b { c; } d; };", ["a b c", "a d"]),
        ("a;b;", ["a", "b"]),
        ("a { /* OMITTED */ };", ["a"]),
        ("a { /* many\nlines; */ b; }", ["a b"]),
        ("a b; ## SECRET-DATA", ["a b"]),
        ("# a;\n## b;\nc;", ["c"]),
        ("a\n{\n  b;\n}", ["a b"]),
        ("a {\n  b\n  ;\n}", ["a b"]),
        ("export ( A && B );", ["export ( A && B )"]),
        ("member et-0/0/[0,4-7];", ["member et-0/0/[0,4-7]"]),
        ("replace: a {\n protect: b;\n}", ["a b"]),
        ("a { b; }\ndelete: a { b; }", []),
    ],
)
def test_what_braces_can_hold(text: str, words: list[str]) -> None:
    found = tree(text)
    assert [path for path, _ in paths(found.root)] == words
    assert found.notes == []
    assert found.unclear == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('set a "b c" d', ["a b c d"]),
        ("set a [ b c ]", ["a b", "a c"]),
        ("set a x [ b c ] y [ 0 9 ]", ["a x b", "a x c", "a y 0", "a y 9"]),
        ("set a x [ b c ] y 9", ["a x b", "a x c", "a y 9"]),
        ("set a b\ndelete a b\nset a c", ["a c"]),
        ("set a b\nset a c\ndeactivate a b", ["a c"]),
        ("set a b\ndeactivate a b\nactivate a b", ["a b"]),
        ("set a b\nprotect a b", ["a b"]),
        ("set a b # why", ["a b"]),
    ],
)
def test_what_set_lines_can_hold(text: str, words: list[str]) -> None:
    found = tree(text)
    assert [path for path, _ in paths(found.root)] == words
    assert (found.notes, found.unclear) == ([], [])


def test_what_is_inactive_is_left_out_with_all_below() -> None:
    text = """
        a {
            inactive: b {
                c 1;
                d 2;
            }
            inactive: e 5;
            f [ inactive: g h ];
            i { inactive: j; }
        }
        inactive: k;
    """
    found = tree(text)
    assert [path for path, _ in paths(found.root)] == ["a f h", "a i"]
    assert sorted(set(found.inactive)) == [3, 4, 6, 7, 8, 10]


def test_deactivated_lines_are_those_of_the_whole_subtree() -> None:
    found = tree("set a b c\nset a b d\nset a e\ndeactivate a b\n")
    assert [path for path, _ in paths(found.root)] == ["a e"]
    assert (sorted(found.inactive), found.applied) == ([1, 2], [4])


def test_a_warning_puts_the_next_statement_out_of_force() -> None:
    text = """
        a {
            ##
            ## Warning: statement ignored: unsupported platform (x)
            ##
            b {
                c;
            }
            d;
        }
    """
    found = tree(text)
    assert [path for path, _ in paths(found.root)] == ["a d"]
    assert found.refused == [("b", 5)]
    assert found.inactive == [6]


def test_comments_that_tell_of_inheritance_are_comments() -> None:
    text = """
        a {
            ##
            ## '9192' was inherited from group 'CORE'
            ##
            mtu 9192;
        }
    """
    found = tree(text)
    assert list(paths(found.root)) == [("a mtu 9192", 5)]
    assert sorted(found.beside) == [2, 3, 4, 7]


def test_only_what_is_wanted_is_kept() -> None:
    text = """
        system {
            host-name leaf1;
            login {
                user a {
                    "}" b;
                }
            }
            apply-groups [ X ];
        }
        policy-options { term { x; } }
        interfaces {
            et-0/0/0 { mtu 9216; }
        }
        groups {
            X { snmp { y; } interfaces { <*> { mtu 1; } } }
        }
    """
    below: Wanted = {"system": {"host-name": EVERYTHING}, "interfaces": EVERYTHING}
    found = tree(text, {**below, "groups": {ANY: below}})
    assert [path for path, _ in paths(found.root)] == [
        "system host-name leaf1",
        "system apply-groups X",
        "interfaces et-0/0/0 mtu 9216",
        "groups X interfaces <*> mtu 1",
    ]


def test_an_unwanted_block_ends_where_its_braces_say() -> None:
    """Even if a brace of another block is in its expected place."""
    text = "a {\n b {\n  c;\n}\n  x;\n}\nd;\n"
    assert [path for path, _ in paths(tree(text).root)] == ["a b c", "a x", "d"]
    found = tree(text, {"d": EVERYTHING})
    assert (list(paths(found.root)), found.notes) == ([("d", 7)], [])


def test_a_list_keeps_what_it_names_twice() -> None:
    found = tree("a {\n p [ 0 0 100 ];\n}\n").root.get("a", "p")
    assert found is not None
    assert found.listed == (("0", 2), ("0", 2), ("100", 2))


def test_a_statement_that_comes_again_is_that_of_the_last_line() -> None:
    found = tree("set a mtu 1\nset a mtu 2\nset a mtu 1\n")
    assert list(paths(found.root)) == [("a mtu 1", 3), ("a mtu 2", 2)]
    assert found.undone == [1]


@pytest.mark.parametrize(
    ("text", "words", "notes"),
    [
        (
            "a {\n b {\n  c 1;\n",
            ["a b c 1"],
            [("the text ends inside 2 open braces: the rest is missing", 2)],
        ),
        ("a {\n b;\n}\n}\n", ["a b"], [("a closing brace without an opening one", 4)]),
        ("a {\n mtu 92\n", ["a"], [("the text ends inside 1 open braces: the rest is missing", 1)]),
        ("a {\n b\n c;\n}\n", ["a b", "a c"], [("no semicolon after 'b'", 2)]),
        ("a {\n b }\n", ["a b"], [("no semicolon after 'b'", 2)]),
        (
            'a {\n b "c;\n d;\n}\n',
            ["a b c", "a d"],
            [("a quoted text, comment or list begins here and never ends", 2)],
        ),
        (
            "a {\n b;\n}\n/* c;\nd;\n",
            ["a b", "c", "d"],
            [("a quoted text, comment or list begins here and never ends", 4)],
        ),
    ],
)
def test_what_is_broken_is_noted(text: str, words: list[str], notes: list[tuple[str, int]]) -> None:
    found = tree(text)
    assert [path for path, _ in paths(found.root)] == words
    assert found.notes == notes


def test_what_a_console_prints_around_is_passed_over() -> None:
    text = """
        root@leaf1> show configuration | no-more
        ## Last commit: 2026-10-06 17:20:44 UTC by root
        system {
            host-name leaf1;
        }

        {master:0}
        root@leaf1>
    """
    found = tree(text)
    assert list(paths(found.root)) == [("system host-name leaf1", 4)]
    assert (sorted(found.beside), found.unclear) == ([1, 2, 6, 7, 8, 9], [])


def test_a_line_that_is_nothing_is_unclear() -> None:
    assert tree("set a b\nset c d\nrename a b to e\n").unclear == [3]
    assert tree("a { b; }\nwhat is this\nc;\n").unclear == [2]


def test_deep_nesting_is_cut() -> None:
    found = tree("a {\n" * (DEEPEST + 50) + "b;\n" + "}\n" * (DEEPEST + 50))
    assert found.notes[0] == ("nested deeper than any device allows; left out", DEEPEST + 1)
    assert len(next(paths(found.root))[0].split()) == DEEPEST
    long = "set " + "a " * (DEEPEST + 1)
    assert tree(long + "\n").notes == [("nested deeper than any device allows; left out", 1)]


PIECES = ["a", "b;", "c {", "}", '"', "/*", "*/", "[", "]", "#", "inactive:", "delete:", "\n", "set ",
          "\nset a", "\ndeactivate a", "{master:0}", "apply-groups"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_any_pieces_in_any_order(pieces: list[str]) -> None:
    lines = " ".join(pieces).split("\n")
    for wanted in (EVERYTHING, {"a": {"b": EVERYTHING}}):
        found = parse(lines, wanted)
        for _, line in paths(found.root):
            assert 0 < line <= len(lines)


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    parse(text.split("\n"))

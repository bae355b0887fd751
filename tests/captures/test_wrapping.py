"""A line as long as a terminal is wide is not necessarily wrapped."""

from __future__ import annotations

import json

import pytest

from roce_lint.loading.captures.wrapping import join_rows, widest_of

FULL = "Receive buffer size (bytes): 130944,1048448,0,0,0,0,0,0,max_buffer_size=20961280"
REST = "Cable len: 5"


@pytest.mark.parametrize("end", ["", "\r"])
def test_one_line_of_that_length_stays_as_it_is(end: str) -> None:
    lines = [line + end for line in ("DCBX mode: OS", FULL, REST, "tc: 0")]
    assert len(FULL) == 80
    assert join_rows(lines, 80) == (lines, 0)


def test_the_end_of_a_line_is_in_no_column() -> None:
    lines = [FULL[:-1] + "\r", REST + "\r", FULL[:-1] + "\r", "x: 1\r"]
    assert join_rows(lines, 79 + 1) == (lines, 0)


def test_two_lines_that_reach_the_edge_are_broken() -> None:
    lines = [FULL, "0,5 end", "tc: 0", FULL, "9,6 end"]
    assert join_rows(lines, 80) == ([FULL + "0,5 end", "", "tc: 0", FULL + "9,6 end", ""], 2)


def test_the_head_of_a_file_is_never_a_line_that_was_broken() -> None:
    head = f"# command: {'x' * 69}"
    lines = [head, FULL, "0,5 end", "tc: 0", FULL, "9,6 end"]
    assert join_rows(lines, 80)[0][0] == head


def test_a_comment_below_a_comment_is_no_rest_of_it() -> None:
    """The license of a table: one line is as long as a terminal is wide."""
    full = f"## {'x' * 77}"
    lines = [
        "##",
        full,
        "## Apache-2.0",
        "##",
        "# speed cable size",
        "  10000  5m 19456",
        "  25000  5m 9",
    ]
    assert join_rows(lines, 80) == (lines, 0)


def rows_of(line: str) -> list[str]:
    return [line[at : at + 80] for at in range(0, len(line), 80)]


@pytest.mark.parametrize("margin", ["    ", "\t", "> ", "2026-11-20T08:11:43Z "])
def test_a_row_without_the_margin_of_all_others_is_a_rest(margin: str) -> None:
    lines = [f"{margin}{word} 1" for word in ("set", "get", "put", "see")]
    long = f"{margin}set {'x' * 70} set {'y' * 90} set 2"
    text = [*lines, *rows_of(long), f"{margin}end 5"]
    found, count = join_rows(text, 80)
    assert count == 1
    assert found[4] == long
    assert found[-1] == f"{margin}end 5"
    assert len(found) == len(text)


def test_a_document_on_one_line_has_any_number_of_rows() -> None:
    long = json.dumps({"stdout": ["interface Ethernet1\n      mtu 9214\n!\n" * 200]})
    rows = rows_of(long)
    assert join_rows(rows, 80) == ([long, *[""] * (len(rows) - 1)], 1)


def test_a_string_of_a_document_goes_on_until_it_ends() -> None:
    long = f'    "stdout": ["{"a = 1, " * 800}", 5],'
    text = ["{", *rows_of(long), '    "rc": 0', "}"]
    found, count = join_rows(text, 80)
    assert (count, found[1], found[-2]) == (1, long, '    "rc": 0')


def test_lines_of_documents_that_reach_the_edge_are_lines() -> None:
    line = json.dumps({"name": "x" * 68})
    assert len(line) == 80
    lines = [line, line, line, '{"name": "end"}']
    assert join_rows(lines, 80) == (lines, 0)


def test_the_mark_of_a_pager_between_two_rows_is_no_row() -> None:
    lines = [FULL, "--More--", "0,5 end", "tc: 0", FULL, "9,6 end"]
    whole = [FULL + "0,5 end", "", "", "tc: 0", FULL + "9,6 end", ""]
    assert join_rows(lines, 80) == (whole, 2)


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0), ("a\nb\n", 0), ("x" * 79, 0), ("x" * 80, 80), (f"{'x' * 80}\r\n", 80),
        (f"a\n{'x' * 80}\nb", 80), (f"{'x' * 81}\n{'x' * 80}\n", 0), (f"{'x' * 132}\na", 132),
        (f"{'x' * 80}\n{'y' * 100}\nz", 100), (f"{'x' * 80}\n{'y' * 300}", 0),
        (("a" * 40 + "\n") * 50 + "y" * 120, 120),
    ],
)  # fmt: skip
def test_the_width_is_that_of_the_longest_line(text: str, width: int) -> None:
    assert widest_of(text) == width

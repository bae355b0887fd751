"""A line that is as long as a terminal is wide is no broken line by itself."""

from __future__ import annotations

import pytest

from roce_lint.loading.captures.wrapping import joined

FULL = "Receive buffer size (bytes): 130944,1048448,0,0,0,0,0,0,max_buffer_size=20961280"
REST = "Cable len: 5"


@pytest.mark.parametrize("end", ["", "\r"])
def test_one_line_of_that_length_stays_as_it_is(end: str) -> None:
    lines = [line + end for line in ("DCBX mode: OS", FULL, REST, "tc: 0")]
    assert len(FULL) == 80
    assert joined(lines, 80) == (lines, 0)


def test_the_end_of_a_line_is_in_no_column() -> None:
    lines = [FULL[:-1] + "\r", REST + "\r", FULL[:-1] + "\r", "x: 1\r"]
    assert joined(lines, 79 + 1) == (lines, 0)


def test_two_lines_that_reach_the_edge_are_broken() -> None:
    lines = [FULL, "0,5 end", "tc: 0", FULL, "9,6 end"]
    assert joined(lines, 80) == ([FULL + "0,5 end", "", "tc: 0", FULL + "9,6 end", ""], 2)


def test_the_head_of_a_file_is_never_a_line_that_was_broken() -> None:
    head = f"# command: {'x' * 69}"
    lines = [head, FULL, "0,5 end", "tc: 0", FULL, "9,6 end"]
    assert joined(lines, 80)[0][0] == head

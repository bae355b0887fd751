from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.loading.naming import NAME_LIMIT, device_name, printable


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("leaf1.cfg", "leaf1.cfg"),
        ("Büro 1/leaf→.cfg", "Büro 1/leaf→.cfg"),
        ("leaf\n1.cfg", "leaf\\n1.cfg"),
        ("\x1b[31mleaf1", "\\x1b[31mleaf1"),
        (os.fsdecode(b"leaf\xff1.cfg"), "leaf\\xff1.cfg"),
        ("leaf\u202e1", "leaf\\u202e1"),
        ("leaf\ud800", "leaf\\ud800"),
        ("leaf\U000e0001", "leaf\\U000e0001"),
    ],
)
def test_what_moves_the_cursor_is_written_out(name: str, shown: str) -> None:
    assert printable(name) == shown


@given(st.text(st.characters()))
def test_every_name_can_be_shown_and_encoded(name: str) -> None:
    shown = printable(name)
    assert shown.isprintable()
    assert shown.encode().decode() == shown
    assert printable(shown) == shown


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (None, None),
        ("", None),
        (" \t", None),
        ('"leaf1"', "leaf1"),
        ("../../etc/passwd", "../../etc/passwd"),
        ("leaf\x071", "leaf\\x071"),
        ("h" * 1_000_000, "h" * NAME_LIMIT),
        ("\n" * 50 + "x" * 3, "xxx"),
    ],
)
def test_a_device_has_a_bearable_name(text: str | None, name: str | None) -> None:
    assert device_name(text) == name

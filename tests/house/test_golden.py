"""The keeper of golden files itself: it must notice, and it must write bytes as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Golden


def test_equal_text_passes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo")
    Golden(rewrite=False).check(tmp_path / "a.txt", "one\r\ntwo")


def test_a_difference_in_line_ends_is_a_difference(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo")
    with pytest.raises(AssertionError, match=r"a\.txt differs"):
        Golden(rewrite=False).check(tmp_path / "a.txt", "one\ntwo")


def test_a_missing_file_fails(tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"a\.txt is missing"):
        Golden(rewrite=False).check(tmp_path / "a.txt", "one")


def test_rewriting_makes_the_comparison_pass(tmp_path: Path) -> None:
    path = tmp_path / "case" / "a.txt"
    Golden(rewrite=True).check(path, "one\r\n\ttwo")
    assert path.read_bytes() == b"one\r\n\ttwo"
    Golden(rewrite=False).check(path, "one\r\n\ttwo")

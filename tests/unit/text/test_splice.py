"""Line changes: untouched lines stay identical to the byte."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.text.splice import Splice, splice, unified_diff

TEXT = "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("splices", "wanted"),
    [
        ([Splice(2, 1, ("zwei",))], "one\nzwei\nthree\n"),
        ([Splice(2, 0, ("a", "b"))], "one\na\nb\ntwo\nthree\n"),
        ([Splice(1, 2, ())], "three\n"),
        ([Splice(2, 0, ("a",)), Splice(2, 1, ())], "one\na\nthree\n"),
        ([Splice(2, 1, ("b",)), Splice(1, 1, ("a",))], "a\nb\nthree\n"),
        ([Splice(2, 1, ("b",)), Splice(2, 1, ("b",))], "one\nb\nthree\n"),
        ([Splice(4, 0, ("end",))], "one\ntwo\nthree\nend\n"),
    ],
)
def test_lines_are_replaced_added_and_taken_away(splices: list[Splice], wanted: str) -> None:
    assert splice(TEXT, splices) == wanted


def test_a_line_ends_as_its_neighbours_do() -> None:
    assert splice("one\r\ntwo\r\n", [Splice(2, 0, ("new",))]) == "one\r\nnew\r\ntwo\r\n"


@pytest.mark.parametrize(
    "splices",
    [
        [Splice(1, 2, ("a",)), Splice(2, 1, ("b",))],
        [Splice(1, 3, ()), Splice(2, 0, ("b",))],
        [Splice(9, 1, ("a",))],
        [Splice(3, 5, ("a",))],
    ],
)
def test_what_meets_or_is_not_there_is_refused(splices: list[Splice]) -> None:
    with pytest.raises(ValueError, match=r"changed twice|no line"):
        splice(TEXT, splices)


LINES = st.lists(st.text(alphabet="ab \t", max_size=4), min_size=1, max_size=12)


@given(LINES, st.data())
def test_untouched_lines_are_the_same_and_patch_takes_the_diff(
    lines: list[str], data: st.DataObject
) -> None:
    text = "\n".join(lines)
    first = data.draw(st.integers(1, len(lines)))
    count = data.draw(st.integers(0, len(lines) - first + 1))
    new = tuple(data.draw(st.lists(st.sampled_from(["x", "y", ""]), max_size=3)))
    after = splice(text, [Splice(first, count, new)])
    assert after.split("\n") == ([*lines[: first - 1], *new, *lines[first - 1 + count :]] or [""])
    made = unified_diff(text, after, "f")
    assert bool(made) == (text != after)
    assert all(line.endswith("\n") for line in made)


def test_patch_applies_a_diff(tmp_path: Path) -> None:
    before, after = "a\nb\nc", "a\nB\nc\nd\n"
    (tmp_path / "x.cfg").write_text(before)
    diff = "".join(unified_diff(before, after, "x.cfg"))
    try:
        subprocess.run(
            ["patch", "-p1"], input=diff, cwd=tmp_path, text=True, check=True, capture_output=True
        )
    except FileNotFoundError:
        pytest.skip("patch is not installed")
    assert (tmp_path / "x.cfg").read_text() == after

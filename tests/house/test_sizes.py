"""A source file holds one idea: over 400 lines it is looked at, over 500 it does not pass."""

from __future__ import annotations

from tests.house.listing import read, under

LIMIT = 500


def too_long(text: str) -> bool:
    return text.count("\n") > LIMIT


def test_no_source_file_is_too_long() -> None:
    sources = under("roce_lint", "tests", "benchmarks")
    assert "roce_lint/errors.py" in sources
    assert [name for name in sources if too_long(read(name))] == []


def test_the_limit_is_noticed() -> None:
    assert too_long("x = 1\n" * (LIMIT + 1))
    assert not too_long("x = 1\n" * LIMIT)

"""Rows of a review of verdicts with its numbers, and the expected result of each.

The first lines of findings (section 6 of the review) are in `fabrics/test_first_lines.py`, and
folders without content (J3) in `fabrics/test_silence.py`.
"""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Answer
from tests.bench import check
from tests.small_fabrics import rows_of_alarms, rows_of_classes, rows_of_hosts
from tests.small_fabrics.rows import Row, made, observed

ROWS = (*rows_of_classes.ROWS, *rows_of_hosts.ROWS, *rows_of_alarms.ROWS)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_the_answer_is_what_the_law_demands(row: Row) -> None:
    report = check(made(row))
    assert observed(report) == list(row.found)
    if row.classes is not None:
        assert tuple(c.name for c in report.classes) == row.classes
    broken = any(severity.startswith("error") for severity, _ in row.found)
    assert (report.verdict.answer is Answer.NOT_READY) is broken
    if row.unknown:
        assert any(row.unknown in unknown.missing for unknown in report.unknowns)


def test_every_row_has_a_unique_name() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))


def test_a_text_that_was_cut_off_makes_the_answer_incomplete() -> None:
    """J3: it is never a clean bill of health."""
    files = made(Row("", "eos"))
    text = files["switches/leaf2.cfg"]
    files["switches/leaf2.cfg"] = text[
        : text.index("no switchport", text.index("interface Ethernet2/1"))
    ]
    report = check(files)
    assert [d.kind for d in report.diagnostics if d.incomplete] == ["cut-off"]
    assert report.verdict.answer is not Answer.READY

"""Run time by phase."""

from __future__ import annotations

import pytest

from roce_lint import phases
from roce_lint.phases import OTHER, Duration, advance, measure_phases, phase, report_progress


@pytest.fixture
def now(monkeypatch):
    """A clock that moves on demand: seconds, and seconds of processor time."""
    at = [0.0, 0.0]
    monkeypatch.setattr(phases, "_now", lambda: tuple(at))

    def pass_by(seconds, processor=0.0):
        at[0] += seconds
        at[1] += processor

    return pass_by


def test_a_phase_is_counted_without_those_inside_it(now):
    with measure_phases() as clock:
        now(1)
        with phase("reading"):
            now(2, 3)
            with phase("loading rules"):
                now(4)
            now(8)
        now(16)
        with phase("reading"):
            now(32)
    assert clock.phases() == {
        OTHER: Duration(17, 0),
        "reading": Duration(42, 3),
        "loading rules": Duration(4, 0),
    }


def test_parts_count_for_their_phase(now):
    with measure_phases() as clock:
        for part, seconds in (("A", 1), ("B", 4), ("A", 2), ("", 8)):
            with phase("judging", part):
                now(seconds)
    assert clock.phases()["judging"] == Duration(15, 0)
    assert list(clock.parts("judging").items()) == [("B", Duration(4, 0)), ("A", Duration(3, 0))]


def test_a_phase_that_fails_is_over(now):
    @phase("judging")
    def fail():
        now(1)
        raise ZeroDivisionError

    with measure_phases() as clock:
        with pytest.raises(ZeroDivisionError):
            fail()
        now(2)
    assert clock.phases() == {OTHER: Duration(2, 0), "judging": Duration(1, 0)}


def test_a_function_is_a_phase_each_time(now):
    @phase("linking")
    def link(seconds):
        now(seconds)
        return seconds

    assert link(1) == 1  # nobody measures
    with measure_phases() as clock:
        assert [link(2), link(4)] == [2, 4]
    assert link(8) == 8
    assert clock.phases()["linking"] == Duration(6, 0)


def test_the_memory_is_that_of_a_process():
    most = phases.peaks()
    assert most is None or 1 << 20 < most[0] < 1 << 40


def test_progress_is_reported_inside_the_block_only() -> None:
    calls: list[tuple[str, int, int]] = []
    advance("reading", 0, 2)
    with report_progress(lambda *call: calls.append(call)):
        advance("reading", 1, 2)
    advance("reading", 2, 2)
    assert calls == [("reading", 1, 2)]

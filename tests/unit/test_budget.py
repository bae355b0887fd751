"""Work that takes too long, or too much memory, ends; the rest goes on."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading

import pytest

from roce_lint.budget import GENEROUS, GIB, Limits, OverBudgetError, budget, memory, watch_budgets

SLOW = re.compile(r"(?:a|aa)+$")


def test_a_running_match_is_interrupted() -> None:
    with (
        pytest.raises(OverBudgetError, match=r"took more than 0\.05 s of processor time"),
        budget(0.05),
    ):
        SLOW.match("a" * 60 + "b")
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_what_is_done_in_time_is_done() -> None:
    with budget(60):
        assert SLOW.match("aaa")
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL


def test_an_outer_budget_holds() -> None:
    with pytest.raises(OverBudgetError, match=r"0\.05 s"), budget(0.05), budget(60):
        SLOW.match("a" * 60 + "b")


def test_many_budgets_watched_at_once_are_each_their_own() -> None:
    with watch_budgets():
        for seconds in (0.05, 0.08):
            with budget(60):
                assert SLOW.match("aaa")
            with pytest.raises(OverBudgetError, match=rf"{seconds:g} s"), budget(seconds):
                SLOW.match("a" * 60 + "b")
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL


def test_nothing_is_limited_in_another_thread() -> None:
    seen = []

    def work() -> None:
        with budget(0.01):
            seen.append(signal.getitimer(signal.ITIMER_PROF)[0])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [0.0]


def test_what_is_over_budget_is_no_exception_that_a_library_may_swallow() -> None:
    assert not issubclass(OverBudgetError, Exception)


@pytest.mark.skipif(sys.platform != "linux", reason="the address space is limited on Linux only")
def test_memory_is_limited_and_given_back() -> None:
    import resource  # noqa: PLC0415

    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(MemoryError), memory(0.25):
        bytearray(GIB)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    with memory(2):
        assert len(bytearray(GIB)) == GIB
    with memory(0):
        assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_large_devices_may_take_longer() -> None:
    assert GENEROUS.seconds_for(0) == 60
    assert GENEROUS.seconds_for(64 << 20) == 188
    assert Limits(device_seconds=0).seconds_for(64 << 20) == 0


def test_no_limit_is_asked_of_a_process_that_has_one_already() -> None:
    """A limit of the caller's own, which is lower, stays the lower one."""
    code = (
        "import resource\n"
        "from roce_lint.budget import memory\n"
        "low = 1 << 30\n"
        "resource.setrlimit(resource.RLIMIT_AS, (low, low))\n"
        "with memory(4):\n"
        "    print(resource.getrlimit(resource.RLIMIT_AS) == (low, low))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"

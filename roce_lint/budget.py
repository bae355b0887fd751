"""What one piece of work may cost: processor time and memory, so that the rest goes on."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from types import FrameType

GIB = 1 << 30


@dataclass(slots=True, frozen=True)
class Limits:
    """What reading one device and running one check may cost. 0 means without limit.

    Formats are read at 1 to 25 MB/s, so that the seconds of a device grow with its size; the
    largest device seen takes 1 GiB.
    """

    device_seconds: float = 60.0
    device_seconds_per_mib: float = 2.0
    device_gib: float = 4.0  # beyond what the process has when it begins
    check_seconds: float = 300.0

    def seconds_for(self, size: int) -> float:
        """Processor time for a device of so many bytes."""
        if not self.device_seconds:
            return 0.0
        return self.device_seconds + self.device_seconds_per_mib * size / (1 << 20)


GENEROUS = Limits()

LIMITED = sys.platform == "linux"
"""Where the address space of a process can be limited as a whole (macOS ignores the limit)."""


class OverBudgetError(BaseException):
    """The work took longer than it may.

    No `Exception`: whoever catches those around a part of the work must not swallow it.
    """

    def __init__(self, seconds: float):
        super().__init__(f"took more than {seconds:g} s of processor time")


@contextmanager
def budget(seconds: float) -> Iterator[None]:
    """Interrupt the block after so many seconds of processor time; 0 means no limit.

    A running pattern match is interrupted as well. Only the main thread can be: elsewhere, and
    where a timer runs already, nothing is limited.

    Raises:
        OverBudgetError: it took longer.
    """
    if not seconds or not _can_be_interrupted() or signal.getitimer(signal.ITIMER_PROF)[0]:
        yield
        return
    with nullcontext() if _watched else watch_budgets():
        _running.append(seconds)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            _running.pop()


_running: list[float] = []
"""Seconds of the budget that runs; there is one timer, so that there is one at most."""

_watched: list[bool] = []


@contextmanager
def watch_budgets() -> Iterator[None]:
    """Be ready for budgets: many of them in this block cost little more than their timers."""
    if _watched or not _can_be_interrupted():
        yield
        return

    def over(_number: int, _frame: FrameType | None) -> None:
        if _running:
            raise OverBudgetError(_running[-1])

    before = signal.signal(signal.SIGPROF, over)
    _watched.append(True)
    try:
        yield
    finally:
        _watched.pop()
        signal.signal(signal.SIGPROF, before)


def _can_be_interrupted() -> bool:
    main = threading.current_thread() is threading.main_thread()
    return main and hasattr(signal, "setitimer")


@contextmanager
def memory(gib: float) -> Iterator[None]:
    """Let the block take so much address space more, and then MemoryError; 0 means no limit."""
    if not LIMITED or not gib:
        yield
        return
    import resource  # noqa: PLC0415  (not on every platform)

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bounds = [bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY]
    resource.setrlimit(
        resource.RLIMIT_AS, (min([*bounds, _memory_in_use() + int(gib * GIB)]), hard)
    )
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _memory_in_use() -> int:
    """Bytes of address space that this process has."""
    handle = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        pages = os.read(handle, 64).split()[0]
    finally:
        os.close(handle)
    return int(pages) * os.sysconf("SC_PAGESIZE")

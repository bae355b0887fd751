"""Limits of processor time and memory for one piece of work, so that the rest can continue; and a
pause of the garbage collector.
"""

from __future__ import annotations

import gc
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
    """Limits for reading one device and running one check. 0 means no limit.

    Formats are read at 1 to 25 MB/s, so that the seconds of a device grow with its size; the
    largest device seen takes 1 GiB.
    """

    device_seconds: float = 60.0
    device_seconds_per_mib: float = 2.0
    device_gib: float = 4.0  # in addition to the memory at the start
    check_seconds: float = 300.0

    def seconds_for(self, size: int) -> float:
        """Processor time for a device of so many bytes."""
        if not self.device_seconds:
            return 0.0
        return self.device_seconds + self.device_seconds_per_mib * size / (1 << 20)


GENEROUS = Limits()

LIMITED = sys.platform == "linux"
"""Whether the address space of a process can be limited as a whole (macOS ignores the limit)."""


class OverBudgetError(BaseException):
    """The work exceeded its time limit.

    Not an `Exception`: handlers around a part of the work must not swallow it.
    """

    def __init__(self, seconds: float):
        super().__init__(f"took more than {seconds:g} s of processor time")


@contextmanager
def budget(seconds: float) -> Iterator[None]:
    """Interrupt the block after so many seconds of processor time; 0 means no limit.

    A running pattern match is interrupted as well. Only the main thread can be: elsewhere, and
    where a timer is already running, nothing is limited.

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
"""Seconds of the running budget; there is one timer, so there is at most one."""

_watched: list[bool] = []


@contextmanager
def watch_budgets() -> Iterator[None]:
    """Prepare for budgets: many of them in this block cost little more than their timers."""
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
    """Limit further address space of the block; beyond, MemoryError is raised. 0 means no limit."""
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
    """Bytes of address space in use by this process."""
    handle = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        pages = os.read(handle, 64).split()[0]
    finally:
        os.close(handle)
    return int(pages) * os.sysconf("SC_PAGESIZE")


@contextmanager
def pause_collection() -> Iterator[None]:
    """Pause the collector: models form no cycles worth collecting, and scanning millions of objects
    takes a quarter of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()

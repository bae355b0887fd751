"""Distributes work over processes; an item that kills its process loses no other."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:  # processes are for large fabrics; importing their modules takes 10 ms
    from concurrent.futures import Future, ProcessPoolExecutor

AHEAD = 2
"""Chunks per worker that are handed out; those in progress when a worker dies are repeated."""

LINUX: bool = sys.platform == "linux"

PR_SET_PDEATHSIG = 1
"""Of prctl(2): the signal that a process gets when its parent dies."""

T = TypeVar("T")
R = TypeVar("R")

Tick = Callable[[int], None]
"""Called with the number of further finished items."""


@dataclass(slots=True, frozen=True)
class Work(Generic[T, R]):
    """The work on items: a worker takes a chunk at once and returns one result for each.

    `lost` is the result of an item that ends its process. `each` goes to the workers, so it has to
    be a function of a module, or a `partial` of one.
    """

    each: Callable[[list[T]], list[R]]
    lost: Callable[[T], R]


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def chunks(items: Iterable[T], size: Callable[[T], int], limit: int) -> Iterator[list[T]]:
    """The items in chunks, each full as soon as its sizes add up to `limit`."""
    chunk: list[T] = []
    total = 0
    for item in items:
        chunk.append(item)
        total += size(item)
        if total >= limit:
            yield chunk
            chunk, total = [], 0
    if chunk:
        yield chunk


def spread(
    chunks: list[list[T]],
    work: Work[T, R],
    jobs: int,
    tick: Tick,
    meanwhile: Callable[[], object] | None = None,
) -> Iterator[R]:
    """The results of all items, in order, from `jobs` processes.

    `meanwhile` is called once, when they have begun. After a death the chunks in flight are
    repeated one by one.
    """
    from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    waiting = deque(range(len(chunks)))
    results: dict[int, list[R]] = {}
    due = 0
    while due < len(chunks):
        flying: dict[Future[list[R]], int] = {}
        try:
            with _executor(jobs) as pool:
                while waiting or flying:
                    while waiting and len(flying) < jobs * AHEAD:
                        flying[pool.submit(work.each, chunks[waiting[0]])] = waiting[0]
                        waiting.popleft()
                    if meanwhile is not None:
                        meanwhile()
                        meanwhile = None
                    for future in wait(flying, return_when=FIRST_COMPLETED).done:
                        results[flying[future]] = future.result()
                        tick(len(chunks[flying.pop(future)]))
                    while due in results:
                        yield from results.pop(due)
                        due += 1
        except BrokenProcessPool:
            for number in flying.values():
                results[number] = _isolate(chunks[number], work)
                tick(len(chunks[number]))
        while due in results:
            yield from results.pop(due)
            due += 1


def _isolate(items: list[T], work: Work[T, R]) -> list[R]:
    """Process items of which one may kill its worker: together, then by halves, to isolate it."""
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    try:
        with _executor(1) as pool:
            return pool.submit(work.each, items).result()
    except BrokenProcessPool:
        if len(items) == 1:
            return [work.lost(items[0])]
    half = len(items) // 2
    return [*_isolate(items[:half], work), *_isolate(items[half:], work)]


def _executor(jobs: int) -> ProcessPoolExecutor:
    import multiprocessing  # noqa: PLC0415
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

    # A fork keeps imports and compiled templates, but must not happen while other threads run.
    alone = LINUX and threading.active_count() == 1
    if not alone:  # a spawned interpreter would look for its modules in the working folder first
        os.environ["PYTHONSAFEPATH"] = "1"
    context = multiprocessing.get_context("fork" if alone else "spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=begin, initargs=(os.getpid(),))


def begin(parent: int) -> None:
    """In a worker: leave interrupts to the parent, and skip garbage collection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    _end_with(parent)


def _end_with(parent: int) -> None:
    """Terminate this process with its parent, however the parent ends: it would keep the pipes of
    the parent's caller open.
    """
    if LINUX:
        import ctypes  # noqa: PLC0415

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # it was gone before the request
        return
    from multiprocessing import parent_process  # noqa: PLC0415
    from multiprocessing.connection import wait  # noqa: PLC0415

    maker = parent_process()
    if maker is not None:

        def watch() -> None:
            wait([maker.sentinel])
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()

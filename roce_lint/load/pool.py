"""Reads devices, in this process or in worker processes, and never loses one to another's fault."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import ReadError
from roce_lint.load.group import Group
from roce_lint.load.part import Part, text_of
from roce_lint.load.transfer import ForeignError, pack, unpack
from roce_lint.model.device import Device
from roce_lint.nos.device_reader import Identified, read_device
from roce_lint.nos.registry import all_nos
from roce_lint.text.redaction import redact

if TYPE_CHECKING:  # processes are for large fabrics; to import what makes them takes 10 ms
    from concurrent.futures import Future, ProcessPoolExecutor

POOL_FROM = 3 << 20
"""Bytes below which one process is as fast as several (measured in benchmarks/)."""

CHUNK = 1 << 20
"""Bytes of configuration a worker is given at a time."""

AHEAD = 2
"""Chunks per worker that are given out; those in flight when a worker dies are read again."""

CRASHED = "SRC901"

CRASH = "reader-crashed"
"""Kind of the diagnostics that are findings of SRC901 as well."""

Tick = Callable[[int], None]


@dataclass(slots=True)
class Read:
    """What reading one group gave: a device (and its bytes), or the reasons why not."""

    device: Device | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    packed: bytes | None = None


def read_group(group: Group, *, packed: bool = False) -> Read:
    """Read one device; a file that is not what it claims is left out and reported."""
    read = Read()
    parts = list(group.parts)
    try:
        while parts and read.device is None:
            read.device = _attempt(group, parts, read.diagnostics)
        if packed and read.device is not None:
            read.packed = pack(read.device)
    except Exception as error:  # the border around one device: the others must be read
        read.device = None
        what = redact(f"{type(error).__name__}: {error}"[:500])
        read.diagnostics.append(_crash(group, f"crashed: {what}", redact(traceback.format_exc())))
    return read


def _attempt(group: Group, parts: list[Part], diagnostics: list[Diagnostic]) -> Device | None:
    """Read the parts; one that cannot be read is taken out of the list and reported."""
    files = []
    for part in list(parts):
        try:
            file = text_of(part)
        except ReadError as error:
            diagnostics.append(Diagnostic(part.name, "unreadable", error.message))
            parts.remove(part)
            continue
        identity = part.identity
        files.append(Identified(file, part.source, dict(identity.args), int(identity.header)))
    if not files:
        return None
    try:
        return read_device(all_nos()[group.nos], group.device, files)
    except ReadError as error:
        name, line = _place(error)
        diagnostics.append(Diagnostic(name or parts[0].name, "syntax", error.message, line))
        bad = [part for part in parts if part.name == name] or list(parts)
        for part in bad:
            parts.remove(part)
        return None


def _place(error: ReadError) -> tuple[str, int | None]:
    name, colon, line = (error.location or "").rpartition(":")
    return (name, int(line)) if colon and line.isdecimal() else (error.location or "", None)


def _crash(group: Group, what: str, detail: str = "") -> Diagnostic:
    message = f"{CRASHED} reading {group.device} {what}"
    first = group.parts[0]
    return Diagnostic(
        first.name, CRASH, message, detail=detail, device=group.device,
        source=(first.path, first.sha256),
    )  # fmt: skip


def read_all(groups: list[Group], jobs: int, tick: Tick, *, packed: bool = False) -> Iterator[Read]:
    """Read all groups, in their order. `jobs` 0 means one process per processor.

    With `packed` a device comes with its bytes as well, for the cache.
    """
    jobs = jobs or _processors()
    if jobs == 1 or sum(group.size for group in groups) < POOL_FROM:
        for group in groups:
            yield read_group(group, packed=packed)
            tick(1)
        return
    for group, read in zip(groups, _pooled(groups, jobs, tick), strict=True):
        if read.packed is not None:
            try:
                read.device = unpack(read.packed)
            except ForeignError as error:
                what = f"gave what is no part of the model: {error}"
                read.diagnostics.append(_crash(group, what))
                read.packed = None
        if not packed:
            read.packed = None
        yield read


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _pooled(groups: list[Group], jobs: int, tick: Tick) -> Iterator[Read]:
    """Read chunks in workers, in order; after a death what was in flight is read by itself."""
    from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    for name in {group.nos for group in groups}:  # once, and not in every worker
        importlib.import_module(all_nos()[name].module)
    chunks = list(_chunks(groups))
    waiting = deque(range(len(chunks)))
    results: dict[int, list[Read]] = {}
    due = 0
    while due < len(chunks):
        flying: dict[Future[list[Read]], int] = {}
        try:
            with _executor(jobs) as pool:
                while waiting or flying:
                    while waiting and len(flying) < jobs * AHEAD:
                        flying[pool.submit(_work, chunks[waiting[0]])] = waiting[0]
                        waiting.popleft()
                    for future in wait(flying, return_when=FIRST_COMPLETED).done:
                        results[flying[future]] = future.result()
                        tick(len(chunks[flying.pop(future)]))
                    while due in results:
                        yield from results.pop(due)
                        due += 1
        except BrokenProcessPool:
            for number in flying.values():
                results[number] = _isolated(chunks[number])
                tick(len(chunks[number]))
        while due in results:
            yield from results.pop(due)
            due += 1


def _isolated(groups: list[Group]) -> list[Read]:
    """Read groups of which one may kill its worker: together, then by halves, until it is found."""
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    try:
        with _executor(1) as pool:
            return pool.submit(_work, groups).result()
    except BrokenProcessPool:
        if len(groups) == 1:
            return [Read(None, [_crash(groups[0], "ended the process (out of memory?)")])]
    half = len(groups) // 2
    return [*_isolated(groups[:half]), *_isolated(groups[half:])]


def _executor(jobs: int) -> ProcessPoolExecutor:
    import multiprocessing  # noqa: PLC0415
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

    # A fork keeps imports and compiled templates, but must not happen beside other threads.
    alone = sys.platform == "linux" and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if alone else "spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin)


def _begin() -> None:
    """In a worker: an interrupt is the parent's to handle, and garbage dies with the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()


def _chunks(groups: list[Group]) -> Iterator[list[Group]]:
    chunk: list[Group] = []
    size = 0
    for group in groups:
        chunk.append(group)
        size += group.size
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _work(groups: list[Group]) -> list[Read]:
    reads = [read_group(group, packed=True) for group in groups]
    for read in reads:
        read.device = None
    return reads

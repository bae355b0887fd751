"""Reads devices, in this process or in worker processes, and never loses one to another's fault."""

from __future__ import annotations

import gc
import io
import multiprocessing
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any

from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import ReadError
from roce_lint.load.group import Group, source_of
from roce_lint.load.part import text_of
from roce_lint.model.device import Device
from roce_lint.nos.device_reader import Identified, read_device
from roce_lint.nos.registry import all_nos

POOL_FROM = 12 << 20
"""Bytes below which one process is as fast as several (measured in benchmarks/)."""

CHUNK = 1 << 20
"""Bytes of configuration a worker is given at a time."""

CRASHED = "SRC901"

CRASH = "reader-crashed"
"""Kind of the diagnostics that are findings of SRC901 as well."""


@dataclass(slots=True)
class Read:
    """What reading one group gave: a device, or the reasons why not."""

    device: Device | None
    diagnostics: list[Diagnostic] = field(default_factory=list)


def read_group(group: Group) -> Read:
    """Read one device; a file that is not what it claims is left out and reported."""
    nos = all_nos()[group.nos]
    diagnostics: list[Diagnostic] = []
    parts = list(group.parts)
    while parts:
        files = []
        for part in list(parts):
            try:
                file = text_of(part)
            except ReadError as error:
                diagnostics.append(Diagnostic(part.name, "unreadable", error.message))
                parts.remove(part)
                continue
            files.append(
                Identified(
                    file,
                    source_of(part.identity),
                    dict(part.identity.args),
                    int(part.identity.header),
                )
            )
        if not files:
            break
        try:
            return Read(read_device(nos, group.device, files), diagnostics)
        except ReadError as error:
            line = _line(error)
            name = error.location.rsplit(":", 1)[0] if error.location and line else error.location
            bad = [part for part in parts if part.name == name]
            diagnostics.append(Diagnostic(name or parts[0].name, "syntax", error.message, line))
            parts = [part for part in parts if part not in bad] if bad else []
        except Exception as error:  # the border around one device: the others must be read
            message = f"{CRASHED} reading {group.device} crashed: {type(error).__name__}: {error}"
            diagnostics.append(
                Diagnostic(
                    parts[0].name, CRASH, message,
                    detail=traceback.format_exc(), device=group.device,
                )  # fmt: skip
            )
            break
    return Read(None, diagnostics)


def _line(error: ReadError) -> int | None:
    tail = (error.location or "").rsplit(":", 1)[-1]
    return int(tail) if tail.isdigit() else None


def read_all(
    groups: list[Group], jobs: int, progress: Callable[[int], None] | None = None
) -> list[Read]:
    """Read all groups, in their order. `jobs` 0 means one process per processor."""
    jobs = jobs or os.cpu_count() or 1
    total = sum(group.size for group in groups)
    collecting = gc.isenabled()
    gc.disable()  # the model has no cycles worth collecting; this is a quarter of the run
    try:
        if jobs == 1 or total < POOL_FROM:
            return list(_here(groups, progress))
        return _pooled(groups, jobs, progress)
    finally:
        if collecting:
            gc.enable()


def _here(groups: Iterable[Group], progress: Callable[[int], None] | None) -> Iterator[Read]:
    for group in groups:
        yield read_group(group)
        if progress is not None:
            progress(1)


def _pooled(groups: list[Group], jobs: int, progress: Callable[[int], None] | None) -> list[Read]:
    chunks = list(_chunks(groups))
    results: dict[int, list[Read]] = {}
    # fork keeps the imports and compiled templates of this process; no thread runs yet.
    method = "fork" if sys.platform == "linux" else "spawn"
    all_nos()
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context(method)) as pool:
        waiting: dict[Future[bytes], int] = {
            pool.submit(_work, chunk): number for number, chunk in enumerate(chunks)
        }
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                number = waiting.pop(future)
                try:
                    results[number] = _unpack(future.result())
                except BrokenProcessPool:
                    results[number] = [_alone(group) for group in chunks[number]]
                if progress is not None:
                    progress(len(chunks[number]))
    return [read for number in range(len(chunks)) for read in results[number]]


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


def _work(groups: list[Group]) -> bytes:
    gc.disable()
    return pickle.dumps([read_group(group) for group in groups], protocol=5)


def _alone(group: Group) -> Read:
    """Read one device in a process of its own, after a worker died on its chunk."""
    method = "fork" if sys.platform == "linux" else "spawn"
    try:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
            return _unpack(pool.submit(_work, [group]).result())[0]
    except BrokenProcessPool:
        message = f"{CRASHED} the process that read {group.device} died (memory?)"
        crash = Diagnostic(group.parts[0].name, CRASH, message, device=group.device)
        return Read(None, [crash])


class _Unpickler(pickle.Unpickler):
    """Admits our own data classes and nothing else."""

    _PREFIXES = (
        "roce_lint.model.",
        "roce_lint.text.source",
        "roce_lint.engine.finding",
        "roce_lint.load.pool",
    )

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith(self._PREFIXES) or (module, name) in _BUILTINS:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} does not belong in a Device")


_BUILTINS = {("builtins", "frozenset"), ("builtins", "set"), ("builtins", "bytearray")}


def _unpack(data: bytes) -> list[Read]:
    reads: list[Read] = _Unpickler(io.BytesIO(data)).load()
    return reads

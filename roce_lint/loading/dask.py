"""Reading of devices on a Dask cluster (`--executor`); `roce-lint[dask]` installs its client.

A worker sees no file of this machine: it is sent the texts of some devices, and returns bytes that
only the unpickler of `serialization` opens. It reads in a process beside it, so that the limits of
time and memory hold, and a device that ends its process ends no worker.
"""

from __future__ import annotations

import gc
import logging
import os
import pickle
import re
import select
import subprocess
import sys
import threading
import zlib
from collections import deque
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import astuple, replace
from functools import partial
from itertools import accumulate, islice
from typing import Any

from roce_lint._version import __version__
from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import ReadError, UsageError
from roce_lint.loading import workers
from roce_lint.loading.file_part import FilePart, text_of
from roce_lint.loading.group import Group
from roce_lint.loading.pool import Read, Spread
from roce_lint.loading.serialization import ForeignError, restore, seal

PATIENCE = 6.0
"""Seconds to wait for the scheduler, for a first worker, and for a worker in place of the last."""

IDLE = 60.0
"""Seconds without work after which the process beside a worker ends."""

_ADDRESS = re.compile(r"dask://((?:[\w.-]+|\[[0-9A-Fa-f:.]+\]):[1-9]\d{0,4})")

_NO_ANSWER = (OSError, ImportError, MemoryError, OverflowError, ValueError)
"""Exceptions of a client that meets no scheduler, another service, or an impossible address."""

_LOST = Diagnostic(
    "the cluster", "executor", "was lost; the remaining devices were read here", incomplete=False
)


Task = tuple[int, list[Group]]
"""Groups, and the number of the first."""


def version() -> str:
    """The versions that have to be equal at both ends."""
    return f"roce-lint {__version__} on Python {sys.version_info[0]}.{sys.version_info[1]}"


@contextmanager
def connect(executor: str) -> Iterator[Spread]:
    """Connect to a scheduler for the block; the value takes the place of `workers.spread`.

    Raises:
        UsageError: the address is wrong, nothing answers there, the client is not installed, or a
            worker has another version.
    """
    found = _ADDRESS.fullmatch(executor)
    if found is None:
        raise UsageError(
            f"--executor {executor}: is not the address of a Dask scheduler",
            hint="write dask://HOST:PORT, such as dask://10.0.0.5:8786",
        )
    try:
        import distributed  # noqa: PLC0415  (an extra)
    except ImportError:
        raise UsageError(
            "--executor: the client of Dask is not installed",
            hint="pip install 'roce-lint[dask]'",
        ) from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # tracebacks of a loss
    made: Future[Any] = Future()

    def begin() -> None:
        failed = None
        try:
            made.set_result(distributed.Client(found[1], timeout=PATIENCE, set_as_default=False))
        except _NO_ANSWER as error:
            failed = error.with_traceback(None)
        if failed is not None:
            gc.collect()  # half a client, which at the end of the program would wait for its thread
            made.set_exception(failed)

    # Beside this thread: the client waits for a silent server without end.
    threading.Thread(target=begin, daemon=True).start()
    try:
        client = made.result(PATIENCE + 1)
    except _NO_ANSWER:
        raise UsageError(
            f"--executor {executor}: no Dask scheduler answers",
            hint="start one with `dask scheduler`, which prints its address",
        ) from None
    with client, client.as_current():
        _require_workers(client, executor)
        yield partial(_spread, client)


def _require_workers(client: Any, executor: str) -> None:
    """Refuse a cluster without workers, or with one that could give other results."""
    try:
        client.wait_for_workers(1, PATIENCE)
    except OSError:
        raise UsageError(
            f"--executor {executor}: the scheduler has no worker",
            hint=f"start some with `dask worker {executor.removeprefix('dask://')}`",
        ) from None
    for worker, theirs in client.run(version, on_error="return").items():
        if theirs != version():
            raise _other_version(f"the worker {worker}", theirs)


def _other_version(worker: str, theirs: object) -> UsageError:
    """The error for a worker that has something else, or nothing."""
    return UsageError(
        f"--executor: {worker} has {theirs}; this is {version()}",
        hint="install the same version on all workers",
    )


def _spread(
    client: Any,
    chunks: list[list[Group]],
    work: workers.Work[Group, Read],
    tick: workers.Tick,
    meanwhile: Callable[[], object] | None = None,
) -> Iterator[Read]:
    """The results of all groups, in order.

    A chunk whose worker is lost is repeated by the scheduler; one that is lost each time, by
    halves, to isolate the device. If the cluster is lost, the rest is read on this machine.
    """
    import distributed  # noqa: PLC0415

    starts = accumulate(map(len, chunks), initial=0)  # a task begins at the number of a group
    waiting = deque(zip(starts, chunks, strict=False))
    flying: dict[Any, Task] = {}
    results: dict[int, list[Read]] = {}
    due = 0
    try:
        while waiting or flying:
            threads = sum(client.nthreads().values())
            while waiting and len(flying) < max(threads, 1) * workers.AHEAD:
                start, groups = waiting[0]
                try:
                    data = _pack_groups(work.each, groups)
                    flying[client.submit(read_chunk, version(), data, pure=False)] = waiting[0]
                except ReadError:  # a file has changed: the reader reports that here
                    results[start] = work.each(groups)
                    tick(len(groups))
                waiting.popleft()
            if meanwhile is not None:
                meanwhile()
                meanwhile = None
            for future in _finished(client, list(flying)):
                reads = _result(future)
                start, groups = flying.pop(future)
                half = len(groups) // 2
                if reads is None and half:
                    waiting.extendleft([(start + half, groups[half:]), (start, groups[:half])])
                    continue
                results[start] = reads or [work.lost(groups[0])]
                tick(len(groups))
            while due in results:
                reads = results.pop(due)
                due += len(reads)
                yield from reads
    except (OSError, distributed.CancelledError):
        results |= _read_here(sorted([*flying.values(), *waiting]), work, tick)
    for _, reads in sorted(results.items()):
        yield from reads


def _read_here(
    tasks: list[Task], work: workers.Work[Group, Read], tick: workers.Tick
) -> dict[int, list[Read]]:
    """The results of the tasks, from processes of this machine."""
    chunks = [groups for _, groups in tasks]
    reads = workers.spread(chunks, work, workers.processors(), tick)
    results = {start: list(islice(reads, len(groups))) for start, groups in tasks}
    for each in list(results.values())[:1]:
        each[0].diagnostics.append(_LOST)
    return results


def _pack_groups(each: Callable[[list[Group]], list[Read]], groups: list[Group]) -> bytes:
    """The work on groups, with their texts.

    Raises:
        ReadError: one cannot be read any more.
    """
    sent = [
        replace(group, parts=_with_texts(group.parts), startup=_with_texts(group.startup))
        for group in groups
    ]
    return zlib.compress(pickle.dumps((each, sent)), 1)


def _with_texts(parts: list[FilePart]) -> list[FilePart]:
    return [replace(part, file=text_of(part), packed=None) for part in parts]


def _finished(client: Any, flying: list[Any]) -> Collection[Any]:
    """The tasks that have ended, at least one.

    Raises:
        OSError, distributed.CancelledError: the scheduler, or all workers are lost.
    """
    import distributed  # noqa: PLC0415

    while flying:
        try:
            done: Collection[Any] = distributed.wait(
                flying, timeout=PATIENCE, return_when="FIRST_COMPLETED"
            ).done
            return done
        except TimeoutError:
            client.wait_for_workers(1, PATIENCE)
    return ()


def _result(future: Any) -> list[Read] | None:
    """The result of a task; None if it ended its processes."""
    import distributed  # noqa: PLC0415

    if future.status == "error":
        error = future.exception()
        if isinstance(error, distributed.KilledWorker):
            return None
        if isinstance(error, UsageError):
            raise error
        raise _other_version("a worker", repr(error))
    try:
        found = restore(future.result())
    except ForeignError:
        return None
    return [Read(None, [Diagnostic(*noted) for noted in each], packed) for packed, each in found]


# On the workers.

_of_thread = threading.local()


def read_chunk(wanted: str, data: bytes) -> bytes:
    """Read the groups that `_pack_groups` made, in the process of this thread; no bytes if it ends
    twice.

    Raises:
        UsageError: this worker, which joined later, has another version.
    """
    if wanted != version():
        raise UsageError(f"--executor: a worker has {version()}; this is {wanted}")
    for _ in range(2):
        child: Any = getattr(_of_thread, "child", None)
        if child is None or child.poll() is not None:
            command = [sys.executable, "-P", "-m", __name__]
            child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
            _of_thread.child = child
        try:
            pickle.dump(data, child.stdin)
            child.stdin.flush()
            result: bytes = pickle.load(child.stdout)  # noqa: S301  (our own process)
            return result
        except (OSError, EOFError, pickle.UnpicklingError):
            child.kill()
            child.communicate()
    return b""


def _serve() -> None:
    """Read chunks from standard input, and write their results, until it ends or is idle."""
    workers.begin(os.getppid())
    given, out = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    with suppress(EOFError):
        while select.select([given], [], [], IDLE)[0]:
            each, groups = pickle.loads(zlib.decompress(pickle.load(given)))  # noqa: S301
            reads = [(read.packed, list(map(astuple, read.diagnostics))) for read in each(groups)]
            pickle.dump(seal(pickle.dumps(reads)), out)
            out.flush()


if __name__ == "__main__":
    _serve()

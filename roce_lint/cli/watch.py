"""`check --watch`: judge again when a file changes, and show what that changed."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint.cli import output
from roce_lint.errors import RoceLintError
from roce_lint.report import Options

if TYPE_CHECKING:
    from roce_lint.cli.run_options import RunOptions
    from roce_lint.pipeline import Report

EVERY = 0.5
"""Seconds between two looks at the files."""

State = dict[str, tuple[int, int]]
"""Size and time of change of every file."""

Judge = Callable[[bool], tuple[int, "Report"]]
"""One run: whether to print its report; its exit status and report."""


def run(
    asked: RunOptions, judge: Judge, wait: Callable[[], None] = lambda: time.sleep(EVERY)
) -> int:
    """Print a report, then what changes, until it is interrupted; the last exit status.

    `wait` passes the time between two looks.
    """
    status, before = judge(True)
    seen = state_of(files_to_watch(asked))
    try:
        while True:
            wait()
            now = state_of(files_to_watch(asked))
            if now == seen:
                continue
            _say(changed_files(seen, now))
            seen = now
            try:
                status, after = judge(False)
            except RoceLintError as error:  # half a line was saved: the next change may mend it
                output.write(f"roce-lint: {error}\n", err=True)
                continue
            _tell(before, after)
            before = after
            gc.collect()  # nothing else does, and there may be thousands of rounds
    except KeyboardInterrupt:
        return status


def files_to_watch(asked: RunOptions) -> Iterator[str]:
    """Every file below the paths, and those that are named beside them."""
    for path in asked.paths:
        if Path(path).is_dir():
            for folder, folders, names in os.walk(path):
                folders[:] = [name for name in folders if not name.startswith(".")]
                yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118
        else:
            yield path
    named = (asked.links, asked.intent, asked.config, asked.trusted_config)
    yield from (name for name in named if name is not None)


def state_of(names: Iterable[str]) -> State:
    """How the files are now; those that are gone are left out."""
    state: State = {}
    for name in names:
        try:
            found = os.stat(name)  # noqa: PTH116
        except OSError:
            continue
        state[name] = (found.st_size, found.st_mtime_ns)
    return state


def changed_files(before: State, now: State) -> list[str]:
    """Names of the files that came, went or are not what they were."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def _say(names: list[str]) -> None:
    from roce_lint.report.names import compress  # noqa: PLC0415
    from roce_lint.report.wording import one_line  # noqa: PLC0415

    listed = ", ".join(map(one_line, names)) if len(names) <= 3 else compress(map(one_line, names))
    output.write(f"\nchanged: {listed}\n", err=True)


def _tell(before: Report, after: Report) -> None:
    from roce_lint.pipeline.states import compare_states  # noqa: PLC0415
    from roce_lint.report import text  # noqa: PLC0415
    from roce_lint.report.run_changes import as_lines  # noqa: PLC0415

    options = output.for_stream(Options(cwd=str(Path.cwd())))
    lines = as_lines(compare_states(before.findings, after.findings), before, after, options)
    output.write(text.paint(lines, options))

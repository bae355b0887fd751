"""A progress bar on a terminal, for runs that take longer than a second."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from roce_lint.cli.output import wants_color

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

AFTER = 1.0
"""Seconds before which nothing is shown."""

EVERY = 0.1
"""Seconds between two drawings."""


class Meter:
    """Called with what is being done, how many are done, and of how many.

    It draws from the caller's thread only: readers fork, and a forked process must have no other.
    """

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._drawn = 0.0
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Take note, and draw when it is time."""
        now = time.monotonic()
        if now - self._start < AFTER or (now - self._drawn < EVERY and done < total):
            return
        self._drawn = now
        bar = self._bar or self._open()
        if what not in self._tasks:
            self._tasks[what] = bar.add_task(what, total=total)
        bar.update(self._tasks[what], completed=done, total=total)
        bar.refresh()

    def _open(self) -> Progress:
        from rich.console import Console  # noqa: PLC0415  (long runs on a terminal only)
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        console = Console(stderr=True, no_color=not wants_color(sys.stderr))
        self._bar = Progress(*columns, console=console, auto_refresh=False, transient=True)
        self._bar.start()
        return self._bar

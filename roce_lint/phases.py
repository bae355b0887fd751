"""Self time per phase of a run, and its progress."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

T = TypeVar("T")

OTHER = ""
"""The phase of time outside all others."""


class Key(NamedTuple):
    """A phase, and its part, such as a rule."""

    phase: str
    part: str = ""


@dataclass(slots=True)
class Duration:
    """Seconds of wall-clock and processor time, including ended workers."""

    seconds: float = 0.0
    processor: float = 0.0

    def __add__(self, other: Duration) -> Duration:
        return Duration(self.seconds + other.seconds, self.processor + other.processor)


@dataclass(slots=True)
class Clock:
    """Time spent by phase, from creation on."""

    spent: dict[Key, Duration] = field(default_factory=dict)
    _open: list[Key] = field(default_factory=lambda: [Key(OTHER)])
    _since: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        self._since = _now()

    def enter(self, key: Key) -> None:
        """Begin a phase: its time is not counted in the enclosing one."""
        self._settle()
        self._open.append(key)

    def leave(self) -> None:
        """End the innermost phase."""
        self._settle()
        self._open.pop()

    def phases(self) -> dict[str, Duration]:
        """Time of every phase, including its parts, in the order in which they ended."""
        self._settle()
        found: dict[str, Duration] = {}
        for key, spent in self.spent.items():
            found[key.phase] = found.get(key.phase, Duration()) + spent
        return found

    def parts(self, phase: str) -> dict[str, Duration]:
        """The parts of a phase, slowest first."""
        own = {
            key.part: each for key, each in self.spent.items() if key.phase == phase and key.part
        }
        return dict(sorted(own.items(), key=lambda item: -item[1].seconds))

    def _settle(self) -> None:
        now = _now()
        each = self.spent.setdefault(self._open[-1], Duration())
        each.seconds += now[0] - self._since[0]
        each.processor += now[1] - self._since[1]
        self._since = now


_CLOCK: ContextVar[Clock | None] = ContextVar("clock", default=None)


def measure_phases() -> AbstractContextManager[Clock]:
    """Measure the phases of the block."""
    return _within(_CLOCK, Clock())


@contextmanager
def _within(variable: ContextVar[T | None], value: T) -> Iterator[T]:
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


@contextmanager
def phase(name: str, part: str = "") -> Iterator[None]:
    """Count the block, or the decorated function, as a phase, if phases are measured."""
    clock = _CLOCK.get()
    if clock is None:
        yield
        return
    clock.enter(Key(name, part))
    try:
        yield
    finally:
        clock.leave()


Progress = Callable[[str, int, int], None]
"""Called with a step of a run, the number done of it, and the number to do."""

_PROGRESS: ContextVar[Progress | None] = ContextVar("progress", default=None)


def report_progress(progress: Progress) -> AbstractContextManager[Progress]:
    """Report the progress of the block."""
    return _within(_PROGRESS, progress)


def advance(step: str, done: int, total: int) -> None:
    """Report how much of a step is done, if progress is reported."""
    progress = _PROGRESS.get()
    if progress is not None:
        progress(step, done, total)


def peaks() -> tuple[int, int] | None:
    """Peak memory in bytes of this process, and of its largest worker; None where the system does
    not report it.
    """
    try:
        import resource  # noqa: PLC0415  (not on every platform)
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    own, workers = (
        resource.getrusage(who).ru_maxrss * unit
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own, workers


def _now() -> tuple[float, float]:
    used = os.times()
    return time.perf_counter(), used.user + used.system + used.children_user + used.children_system

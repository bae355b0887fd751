"""Where the time of a run goes: by phase, each without those inside it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple

OTHER = ""
"""The phase of what is in no other one."""


class Key(NamedTuple):
    """A phase, and which of its parts, such as a rule."""

    phase: str
    part: str = ""


@dataclass(slots=True)
class Duration:
    """Seconds by the clock, and of processor time with that of workers that ended meanwhile."""

    seconds: float = 0.0
    processor: float = 0.0

    def __add__(self, other: Duration) -> Duration:
        return Duration(self.seconds + other.seconds, self.processor + other.processor)


@dataclass(slots=True)
class Clock:
    """What has been spent on what, from the moment it is made."""

    spent: dict[Key, Duration] = field(default_factory=dict)
    _open: list[Key] = field(default_factory=lambda: [Key(OTHER)])
    _since: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        self._since = _now()

    def enter(self, key: Key) -> None:
        """Begin a phase: what it takes is not counted with the one that it is in."""
        self._settle()
        self._open.append(key)

    def leave(self) -> None:
        """End the phase that was begun last."""
        self._settle()
        self._open.pop()

    def phases(self) -> dict[str, Duration]:
        """What every phase took, its parts together, in the order in which they ended."""
        self._settle()
        found: dict[str, Duration] = {}
        for key, spent in self.spent.items():
            found[key.phase] = found.get(key.phase, Duration()) + spent
        return found

    def parts(self, phase: str) -> dict[str, Duration]:
        """The parts of a phase, those that took longest first."""
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


@contextmanager
def measure_phases() -> Iterator[Clock]:
    """Measure the phases of the block."""
    clock = Clock()
    token = _CLOCK.set(clock)
    try:
        yield clock
    finally:
        _CLOCK.reset(token)


@contextmanager
def phase(name: str, part: str = "") -> Iterator[None]:
    """Count the block, or the function that it stands above, as a phase, where one measures."""
    clock = _CLOCK.get()
    if clock is None:
        yield
        return
    clock.enter(Key(name, part))
    try:
        yield
    finally:
        clock.leave()


def peaks() -> tuple[int, int] | None:
    """The most memory in bytes that this process had, and that one of its workers had; None where
    the system does not tell.
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
    processor = used.user + used.system + used.children_user + used.children_system
    return time.perf_counter(), processor

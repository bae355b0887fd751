"""Interfaces whose stanzas say the same: read once, copied with their positions moved.

Most stanzas of a switch differ in nothing but name, description and address. What the first of
them means is what all of them mean, at the same distance from their own first line.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields
from itertools import repeat
from operator import attrgetter
from typing import Any, TypeVar

from roce_lint.model.interface import Interface
from roce_lint.model.qos import PfcConfig, PfcWatchdog, PortQos
from roce_lint.model.sourced import Sourced
from roce_lint.nos.reading import Reading
from roce_lint.text.records import Record

VARYING = frozenset({"name", "description", "ip_address"})
"""Captures that may differ between a stanza and its copy."""

S = TypeVar("S", bound=Sourced)


@dataclass(slots=True)
class Copy:
    """A stanza that says what the stanza of port `of` says, `by` lines further on."""

    of: str
    by: int
    record: Record


def signature(record: Record) -> Hashable:
    """Equal for stanzas with the same lines at the same places, save what may vary."""
    start = record.position
    return tuple(
        [
            (name, None if name in VARYING else text, position - start)
            for name, found in record.values.items()
            for text, position in found
        ]
    )


def settle(reading: Reading, model: Record, copy: Record) -> None:
    """Give the lines of a copy the states that the model's lines have."""
    by = copy.position - model.position
    file = reading.src.files[reading.src.file_of(copy.position)]
    shift = file.first + 1
    for found in model.values.values():
        for _, position in found:
            file.states[position + by - shift] = file.states[position - shift]
    file.states[copy.position - shift] = file.states[model.position - shift]


def copied(model: Interface, copy: Copy) -> Interface:
    """The interface of a copy; name, description and addresses are the caller's to set."""
    last = max(position for found in copy.record.values.values() for _, position in found)
    move = _Move(copy.by, copy.record.position - copy.by, last - copy.by)
    interface = move(model)
    if model.qos is not None and copy.by:  # ports of one range share their lines and their QoS
        qos = interface.qos = move(model.qos)
        qos.pfc = None if model.qos.pfc is None else move(model.qos.pfc)
        qos.watchdog = None if model.qos.watchdog is None else move(model.qos.watchdog)
    return interface


@dataclass(slots=True)
class _Move:
    """Moves positions of lines `first` to `last` by some lines; others are not the stanza's."""

    by: int
    first: int
    last: int

    def __call__(self, model: S) -> S:
        names, values = _FIELDS[type(model)]
        twin: S = object.__new__(type(model))
        # setattr gives None, so that `any` sets all of them, and faster than a loop would.
        any(map(setattr, repeat(twin), names, values(model)))
        by, first, last = self.by, self.first, self.last
        twin.at = {
            key: position + by if first <= position <= last else position
            for key, position in model.at.items()
        }
        return twin


_FIELDS: dict[type[Any], tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]] = {
    kind: (names, attrgetter(*names))
    for kind in (Interface, PortQos, PfcConfig, PfcWatchdog)
    for names in [tuple(entry.name for entry in fields(kind))]
}

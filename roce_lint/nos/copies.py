"""Interfaces with identical stanzas: parsed once, then copied with shifted positions.

Most stanzas of a switch differ only in name, description and address. The values of the first one
apply to all of them, each position at the same distance from the first line.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from roce_lint.model.interface import Interface
from roce_lint.model.qos import EgressPolicy, PortQos, Queue
from roce_lint.model.sourced import REMAKE, Sourced
from roce_lint.nos.reading import Reading
from roce_lint.text.match import Record

VARYING = frozenset({"name", "description", "ip_address"})
"""Captures that may differ between a stanza and its copy."""

S = TypeVar("S", bound=Sourced)


@dataclass(slots=True)
class Stanza:
    """A parsed stanza that others repeat, with the positions of its lines."""

    record: Record
    lines: list[int]

    @classmethod
    def of(cls, record: Record) -> Stanza:
        """The stanza of a record."""
        return cls(record, sorted({*_lines(record)}))


@dataclass(slots=True)
class Copy:
    """A stanza identical to the stanza `model` of port `of`, some lines after it."""

    of: str
    record: Record
    model: Stanza

    @property
    def by(self) -> int:
        """Number of lines between the model and the copy."""
        return self.record.position - self.model.record.position


def signature(record: Record, varying: frozenset[str] = VARYING) -> Hashable:
    """Key equal for stanzas with the same lines at the same places, except what may vary."""
    start = record.position
    own = tuple(
        [
            (name, None if name in varying else text, position - start)
            for name, found in record.values.items()
            for text, position in found
        ]
    )
    if not record.children:
        return own
    below = [
        (group, child.position - start, signature(child, varying))
        for group, children in record.children.items()
        for child in children
    ]
    return own, tuple(below)


def _lines(record: Record) -> Iterator[int]:
    yield record.position
    for captured in record.values.values():
        for _, position in captured:
            yield position
    for children in record.children.values():
        for child in children:
            yield from _lines(child)


def settle(reading: Reading, copy: Copy) -> None:
    """Set the lines of a copy to the states of its model's lines."""
    by = copy.by
    if not by:
        return
    first, lines = copy.record.position, copy.model.lines
    file = reading.src.files[reading.src.file_of(first)]
    model = reading.src.files[reading.src.file_of(lines[0])]
    back = model.first + 1
    shift = file.first + 1 - by
    for position in lines:
        file.states[position - shift] = model.states[position - back]


def move_of(copy: Copy) -> Move:
    """The shift from the model's positions to the copy's."""
    return Move(copy.by, range(copy.model.lines[0], copy.model.lines[-1] + 1))


@dataclass(slots=True)
class Move:
    """Shifts positions of lines of a stanza; others are outside of it."""

    by: int
    lines: Container[int]

    def __call__(self, model: S) -> S:
        """A copy of an object with shifted positions."""
        remake = REMAKE[type(model)]
        twin: S = remake.make(*remake.values(model))
        by, lines = self.by, self.lines
        twin.at = {key: at + by if at in lines else at for key, at in model.at.items()}
        return twin

    def interface(self, model: Interface) -> Interface:
        """A copy of an interface and of the QoS objects that only this port uses."""
        interface = self(model)
        if model.qos is not None and self.by:  # ports of a range share their lines and their QoS
            interface.qos = self.port_qos(model.qos)
        return interface

    def port_qos(self, model: PortQos) -> PortQos:
        """A copy of the QoS of a port and of its parts that lines of the stanza state."""
        qos = self(model)
        qos.pfc, qos.watchdog = self.twin(model.pfc), self.twin(model.watchdog)
        return qos

    def twin(self, model: S | None) -> S | None:
        """A copy, or the object itself if no line of the stanza states any of it."""
        if model is None or not self.by:
            return model
        return self(model) if any(at in self.lines for at in model.at.values()) else model

    def policy(self, model: EgressPolicy, name: str) -> EgressPolicy:
        """The policy called `name`, with lines that repeat those of `model`."""
        made = self(model)
        made.name = name
        if self.by:
            known: dict[int, Any] = {}  # queues may share their marking
            made.queues = {key: self._queue(queue, known) for key, queue in model.queues.items()}
        return made

    def _queue(self, model: Queue, known: dict[int, Any]) -> Queue:
        made = self(model)
        for name in ("scheduler", "marking"):
            part = getattr(model, name)
            if part is not None:
                if id(part) not in known:
                    known[id(part)] = self.twin(part)
                setattr(made, name, known[id(part)])
        return made

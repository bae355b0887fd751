"""Differences between two devices that can affect findings, apart from names and line numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from roce_lint.model.device import Device, ParseNote, Structure
from roce_lint.model.qos import PortQos, QosObjects
from roce_lint.model.schema import REFERENCES
from roce_lint.model.sourced import Sourced

COLLECTIONS = {*REFERENCES.values(), "repeated"}
"""Objects of a device that are compared as its ports see them."""

UNSEEN = {"src", "at", "name"}
"""Fields that are not compared: places are by their origin."""


def unlike(a: Device, b: Device) -> str:
    """The way to the first thing that differs; empty where nothing does."""
    return next(_Walk(a, b).way(a, b, ""), "")


class _Walk:
    def __init__(self, a: Device, b: Device):
        self._sides = a, b
        self._known: set[tuple[int, int]] = set()  # pairs that are alike

    def way(self, a: Any, b: Any, at: str) -> Iterator[str]:
        """Path to the difference of two values."""
        if a is b or (id(a), id(b)) in self._known:
            return
        if type(a) is not type(b):
            yield f"{at}: {a!r:.60} and {b!r:.60}"
        elif isinstance(a, Structure | ParseNote):
            if _content(a) != _content(b):
                yield f"{at}: {_content(a)} and {_content(b)}"
        elif isinstance(a, Sourced | QosObjects):
            yield from self._objects(a, b, at)
        elif isinstance(a, dict):
            yield from (f"{at}[{key}] is on one side alone" for key in a.keys() ^ b.keys())
            for key in a.keys() & b.keys():
                yield from self.way(a[key], b[key], f"{at}[{key}]")
        elif isinstance(a, list | tuple):
            yield from self._listed(a, b, at)
        elif a != b:
            yield f"{at}: {a!r:.60} and {b!r:.60}"

    def _listed(self, a: Sequence[Any], b: Sequence[Any], at: str) -> Iterator[str]:
        if len(a) != len(b):
            yield f"{at}: {len(a)} and {len(b)} entries"
        for number, pair in enumerate(zip(a, b, strict=False)):
            yield from self.way(*pair, f"{at}[{number}]")

    def _objects(self, a: Any, b: Any, at: str) -> Iterator[str]:
        yield from self._fields(a, b, at)
        stated = (a.at.keys() | b.at.keys()) - {""} if isinstance(a, Sourced) else ()
        for key in stated:
            if _origin(a, key) != _origin(b, key):
                yield f"{at}.{key} is stated by {_origin(a, key)} and {_origin(b, key)}"
        self._known.add((id(a), id(b)))

    def _fields(self, a: Any, b: Any, at: str) -> Iterator[str]:
        for field in fields(a):
            name = field.name
            if name in UNSEEN or (isinstance(a, QosObjects) and name in COLLECTIONS):
                continue
            values = getattr(a, name), getattr(b, name)
            if isinstance(a, PortQos) and name in REFERENCES:
                values = self._referred(REFERENCES[name], *values)
            yield from self.way(*values, f"{at}.{name}")

    def _referred(self, collection: str, *names: str | None) -> tuple[Any, Any]:
        """The objects that a port of either side refers to."""
        a, b = (
            getattr(side.qos, collection).get(name, name and "a name that nothing has")
            for side, name in zip(self._sides, names, strict=True)
        )
        return a, b


def _origin(item: Sourced, key: Hashable) -> str:
    place = item.at.get(key, 0)
    return item.src.citation(place).says if place < 0 else "a line" if place else "nobody"


def _content(item: Structure | ParseNote) -> Iterable[Any]:
    """Content of a reader's remark, without its lines."""
    if isinstance(item, Structure):
        return (item.kind, item.name, item.defined, len(item.references), item.builtin)
    return (item.kind, item.message, item.count, item.instead, item.port)

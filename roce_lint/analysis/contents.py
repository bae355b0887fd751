"""What a QoS object says, without where it says so: one number for objects that say the same.

Some devices write the queues and buffers of each port in lines of its own, so that there are as
many objects as ports. They are told from each other here by what they say; the name, which is
that of the port then, does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import fields
from operator import attrgetter
from typing import Any

from roce_lint.model.qos import QosObjects
from roce_lint.model.sourced import Sourced

_LEFT_OUT = {"src", "at"}
_NAMED = {"EgressPolicy", "IngressBuffer"}
"""Kinds of which a device may have one a port, named after it."""
_PLAIN = frozenset({int, str, float, bool, type(None)})
"""What is compared as it is, and holds nothing to look into."""


class Contents:
    """Numbers for the QoS objects of a fabric; those of one device that say the same share one.

    Of each field it also counts whether a line states it, or which default it is.
    """

    __slots__ = ("_known", "_numbers")

    def __init__(self) -> None:
        self._known: dict[int, int] = {}  # by id of the object; the fabric keeps them alive
        self._numbers: dict[Hashable, int] = {}

    def of(self, item: Sourced | None) -> int | None:
        """The number of an object; None for none."""
        if item is None:
            return None
        number = self._known.get(id(item))
        if number is None:
            places = tuple([(key, 1 if at > 0 else at) for key, at in item.at.items()])
            values = tuple(
                [
                    each if type(each) in _PLAIN else self._plain(each)
                    for each in _values(type(item))(item)
                ]
            )
            content = (type(item), values, places)
            number = self._numbers.setdefault(content, len(self._numbers))
            self._known[id(item)] = number
        return number

    def policy(self, objects: QosObjects, name: str | None) -> int | None:
        """The number of an egress policy, by its name; what repeats another is not looked into."""
        return self.of(objects.egress.get(objects.repeated.get(name or "", name or "")))

    def _plain(self, value: Any) -> Hashable:
        if isinstance(value, Sourced):
            return self.of(value)
        if isinstance(value, dict):
            # A map of code points has 64 entries, and nearly all of them are numbers.
            if _PLAIN.issuperset(map(type, value.values())):
                return tuple(value.items())
            return tuple([(key, self._plain(each)) for key, each in value.items()])
        if isinstance(value, list):
            return tuple(map(self._plain, value))
        return value  # type: ignore[no-any-return]  # plain values of the model are hashable


_GETTERS: dict[type[Any], Callable[[Any], tuple[Any, ...]]] = {}


def _values(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """All fields of a kind of object that say something."""
    known = _GETTERS.get(kind)
    if known is None:
        left_out = _LEFT_OUT | ({"name"} if kind.__name__ in _NAMED else set())
        known = attrgetter(*(entry.name for entry in fields(kind) if entry.name not in left_out))
        _GETTERS[kind] = known
    return known

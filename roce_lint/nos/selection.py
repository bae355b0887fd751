"""What systems have in common that choose statements for a device: what is said, and where once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

from roce_lint.errors import RenderError
from roce_lint.model.device import Device
from roce_lint.model.qos import CodeMap
from roce_lint.model.sourced import Sourced
from roce_lint.nos.omissions import Omission
from roce_lint.nos.words import Words
from roce_lint.text.numbers import whole_number

T = TypeVar("T")


class Selection(NamedTuple):
    """Statements in the order in which they are to stand, and what no statement says."""

    words: tuple[Words, ...]
    left: tuple[Omission, ...]


def value_to_state(item: Sourced, name: str) -> Any:
    """A field that a statement is needed for; None where a default of the platform gives it."""
    return getattr(item, name) if item.at.get(name, 0) >= 0 else None


def by_value(table: CodeMap, numbers: range = range(0)) -> list[tuple[int, frozenset[int]]]:
    """The entries of a map that no default gives: each value with its numbers, in their order.

    What is stated for all other numbers is said of each of `numbers` that has no entry.
    """
    found: dict[int, set[int]] = {}
    if table.otherwise is not None and table.stated("otherwise"):
        found[table.otherwise] = {each for each in numbers if each not in table.entries}
    for number, value in sorted(table.entries.items()):
        if table.at.get(number, 0) >= 0:
            found.setdefault(value, set()).add(number)
    return [(value, frozenset(given)) for value, given in found.items() if given]


def is_named(device: Device) -> bool:
    """Whether a configuration is to state the name: not where it came from that of a file."""
    return not device.partial or device.stated("hostname")


def is_wished(device: Device) -> bool:
    """Whether it is a golden device: one with a name, that says nothing of all that it leaves open.

    What is read of a whole configuration is known, defaults too; a part has no name of its own.
    """
    return device.partial and device.stated("hostname")


def has_router_id(device: Device) -> bool:
    """Whether BGP finds a router-id: an IPv4 address of the switch, or nothing is to be exchanged.

    Of a part of a configuration the address may stand elsewhere.
    """
    exchanges = device.routing is not None and device.routing.sessions
    addresses = [each for port in device.interfaces.values() for each in port.addresses]
    return not exchanges or not is_named(device) or any("." in each for each in addresses)


def of_all(values: Iterable[T]) -> T | None:
    """What all of them are; None where they differ, or there are none."""
    found = list(dict.fromkeys(values))
    return found[0] if len(found) == 1 else None


def whole(number: float | None) -> int | None:
    """A number of the model that a line states without a fraction; None stays None.

    Raises:
        RenderError: it has a fraction, or is below 0.
    """
    if number is None:
        return None
    found = whole_number(f"{number:.0f}")
    if found != number:
        raise RenderError(f"{number:g} is stated as a whole number")
    return found

"""Names of structures for the templates of NX-OS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from roce_lint.model.apply import WHAT_IF
from roce_lint.model.device import Device


def functions() -> Mapping[str, Callable[..., Any]]:
    """Functions for the templates."""
    return {
        "name_at": name_at,
        "class_at": class_at,
        "bound_everywhere": bound_everywhere,
        "default_policy": lambda name: "default-" in name,
    }


def name_at(device: Device, kind: str, position: int) -> str:
    """The name of the structure of a kind that the line at a position refers to, or ""."""
    if position <= 0:
        return ""
    found = (
        each.name for each in device.structures if each.kind == kind and position in each.references
    )
    return next(found, "")


def class_at(device: Device, kind: str, positions: Iterable[int], default: str) -> str:
    """The class whose `class` or `class-map` line is the last one before the first line of a file
    among some positions.

    The model has the number of the group alone; the name is known from where names are used.
    """
    position = next((each for each in positions if _is_read(device, each)), 0)
    places = [
        (place, each.name)
        for each in device.structures
        if each.kind == kind
        for place in (*each.references, each.at.get("", 0))
        if 0 < place <= position
    ]
    return max(places)[1] if places else default


def _is_read(device: Device, position: int) -> bool:
    """Whether a position is that of a line of a file, and not of a change."""
    if position <= 0 or not device.src.files:
        return False
    file = device.src.files[device.src.file_of(position)]
    return file.name != WHAT_IF and position - file.first <= file.lines


def bound_everywhere(device: Device, field: str) -> int:
    """Position of the one line that gives all ports a binding they do not state themselves, or 0.

    The model has the effective binding of each port, not that of the whole device. One line that
    ports of different stanzas share is a line of the device, if no port is without a binding.
    """
    if device.partial and device.stated("hostname"):
        return 0  # a golden device: its positions are those of the intent
    begins: dict[int, set[int]] = {}
    for port in device.interfaces.values():
        if port.qos is not None:
            place = port.qos.at.get(field, 0)
            if place <= 0:
                return 0
            begins.setdefault(place, set()).add(port.at.get("", 0))
    place, shared = max(begins.items(), key=lambda each: len(each[1]), default=(0, set()))
    return place if len(shared) > 1 else 0

"""The value that a path names in a device, and the place that it has it from."""

from __future__ import annotations

from typing import Any

from roce_lint.model.device import Device
from roce_lint.model.path import Path, Step
from roce_lint.model.qos import CodeMap, PortQos
from roce_lint.model.schema import REFERENCES, fields_of
from roce_lint.model.sourced import Sourced
from roce_lint.model.values import code_numbers, key_of
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import Where


def value_at(device: Device, path: Path) -> Any:
    """The value that a path names; None where there is none."""
    item: Any = device
    for step in path.steps:
        item = below(item, step, device)
    return item


def below(item: Any, step: Step, device: Device) -> Any:
    """What a step leads to from an object; None where there is nothing."""
    if isinstance(item, str):  # a port's word for an object of the device
        return None
    value = getattr(item, step.field, None)
    if isinstance(value, CodeMap) and step.key is not None:
        numbers = code_numbers(step.key, step.field)
        found = {value.get(number) for number in numbers}
        return found.pop() if len(found) == 1 else None
    if isinstance(item, PortQos) and step.field in REFERENCES and isinstance(value, str):
        return getattr(device.qos, REFERENCES[step.field]).get(value)
    if step.key is None or value is None:
        return value
    if isinstance(value, dict):
        return value.get(key_of(step.key, fields_of(type(item))[step.field], step.field))
    number = whole_of(step.key) if step.key.isdigit() else -1
    return value[number] if 0 <= number < len(value) else None


def place_of(device: Device, path: Path) -> Where:
    """Where the value of a path is stated, or could be: as far as the device has the way there."""
    owner: Any = device
    place = device.where()
    for step in path.steps:
        if not isinstance(owner, Sourced):
            break
        item = below(owner, step, device)
        place = _place(owner, step, item)
        if item is None:
            break
        owner = item
    return place


def _place(owner: Sourced, step: Step, item: Any) -> Where:
    held = getattr(owner, step.field, None)
    if isinstance(held, CodeMap) and step.key is not None:
        numbers = code_numbers(step.key, step.field)
        return held.where(held.key(numbers[0])) if numbers else held.where()
    if step.key is not None and not isinstance(item, Sourced):
        return owner.where(step.key)  # a variable: it stands under its own name
    if isinstance(item, Sourced) and not owner.stated(step.field):
        return item.where()
    return owner.where(step.field)

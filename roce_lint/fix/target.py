"""Fixes that put the value required by a check on the line of the old one.

Only numbers are set this way. The unit of a number on a line (bytes of packet or frame, kbytes,
cells) is unknown here: every reading that fits the old value is tried, and verification picks the
one that is read back as the required value. Where no line states a value yet, a line that states it
for another port of the same system is the example.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from roce_lint.engine.finding import Occurrence
from roce_lint.fix.files import ConfigFile, Files, Statement
from roce_lint.fix.peers import Deviation, deviation
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.sourced import Sourced
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import TREE
from roce_lint.text.splice import Splice

_NUMBER = re.compile(r"(?<![\w.:/-])\d{1,18}(?![\w.:/-])")

WANTED = "required by the class"

EXAMPLES = 3
"""Other lines tried as the wording of a missing one."""


def restatements(
    occurrence: Occurrence, files: Files, devices: Iterable[Device]
) -> list[Deviation]:
    """Ways to state the values required by the changes of an occurrence."""
    known = list(devices)
    return [
        way
        for change in occurrence.changes
        if _is_number(change)
        for way in _ways(change, files, known)
    ]


def _is_number(change: Change) -> bool:
    whole = isinstance(change.value, int) and not isinstance(change.value, bool)
    return whole and change.path.port is not None


def _number(change: Change) -> int:
    if not isinstance(change.value, int):  # only such changes are considered
        raise TypeError(change)
    return change.value


def _ways(change: Change, files: Files, devices: list[Device]) -> Iterator[Deviation]:
    device = next((each for each in devices if each.hostname == change.path.device), None)
    port = device.interfaces.get(change.path.port or "") if device is not None else None
    found = _owner(port, change) if port is not None else None
    if device is None or port is None or found is None:
        return
    owner, field = found
    old = getattr(owner, field)
    if owner.stated(field) and isinstance(old, int):
        place = _line(device, owner, field, files)
        if place is not None:
            file, at = place
            for text in _with(at, old, _number(change)):
                yield deviation(file, port.name, _splice(file, at, text), at, WANTED)
        return
    yield from _by_example(change, device, port, files, devices)


def _by_example(
    change: Change, device: Device, port: Interface, files: Files, devices: list[Device]
) -> Iterator[Deviation]:
    begin = _line(device, port, "", files)
    if begin is None:
        return
    file, header = begin
    tried: set[str] = set()
    for other, example, value in _examples(change, device, files, devices):
        for worded in _with(example, value, _number(change)):
            text = worded.replace(other.name, port.name)
            if text not in tried and len(tried) < EXAMPLES:
                tried.add(text)
                indent = header.indent + (example.indent if example.above else "")
                splice = Splice(header.line + 1, 0, (indent + text,))
                yield deviation(file, port.name, splice, header, WANTED)


def _examples(
    change: Change, device: Device, files: Files, devices: list[Device]
) -> Iterator[tuple[Interface, Statement, int]]:
    """Ports of the same system with the field, its line and its value."""
    own = [device] + [d for d in devices if d is not device and d.nos == device.nos]
    for each in own:
        for port in each.interfaces.values():
            found = _owner(port, change)
            if found is None or not found[0].stated(found[1]):
                continue
            value = getattr(*found)
            place = _line(each, found[0], found[1], files)
            if place is not None and isinstance(value, int) and len(place[1].above) <= 1:
                yield port, place[1], value


def _owner(port: Interface, change: Change) -> tuple[Sourced, str] | None:
    """The object that holds the changed field of a port, and its name there."""
    owner: Any = port
    *way, last = change.path.steps[1:]
    for step in way:
        owner = getattr(owner, step.field, None)
        if step.key is not None or not isinstance(owner, Sourced):
            return None
    return (owner, last.field) if last.key is None and hasattr(owner, last.field) else None


def _line(
    device: Device, owner: Sourced, field: str, files: Files
) -> tuple[ConfigFile, Statement] | None:
    """The statement of a field, in a file that can be corrected."""
    position = owner.at.get(field, 0)
    if not 0 < position < TREE:
        return None
    ref = device.src.files[device.src.file_of(position)]
    number = device.src.line_of(position)
    for file in files.of(device.hostname):
        if file.ref is ref:
            found = next((each for each in file.statements if each.line == number), None)
            return (file, found) if found is not None else None
    return None


def _with(statement: Statement, old: int, new: int) -> Iterator[str]:
    """The line with each number that may be the old value replaced."""
    for found in _NUMBER.finditer(statement.text):
        for number in _readings(whole_of(found[0]), old, new):
            yield statement.text[: found.start()] + str(number) + statement.text[found.end() :]


def _readings(written: int, old: int, new: int) -> Iterator[int]:
    """Number to write for the new value, if `written` stands for the old one."""
    if written == old:
        yield new
        return
    if 0 < written - old <= _HEADERS:
        yield new + written - old
    if written and old:
        scaled = Fraction(new * written, old)
        if scaled.denominator == 1 and Fraction(old, written) in _UNITS:
            yield scaled.numerator


_HEADERS = 64
"""Largest difference between a frame and its packet, in bytes."""

_UNITS = {Fraction(1000), Fraction(1024), Fraction(1_000_000), Fraction(1 << 20), Fraction(208)}
"""Bytes in the units of thresholds."""


def _splice(file: ConfigFile, at: Statement, text: str) -> Splice:
    comma = "," if file.is_json and file.ends_in_comma(at.line) else ""
    return Splice(at.line, 1, (at.indent + text + comma,))

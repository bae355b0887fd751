"""Stanzas: records merged by name, the last of several lines, and devices of one such file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.text.match import Record
from roce_lint.text.source import LineState

T = TypeVar("T")

CONFIG = "running-config"
"""Name of the source of most systems with stanzas."""


def records(reading: Reading, source: str, group: str) -> list[Record]:
    """All records of a top-level group over all files of a source, in file order."""
    return [record for entry in reading[source] for record in entry.records.get(group, ())]


def stanzas(
    reading: Reading, records: Iterable[Record], name: Callable[[Record], str]
) -> dict[str, Reader]:
    """Readers by name in order of first appearance; records of one name are added up, and their
    first lines taken.
    """
    grouped: dict[str, list[Record]] = {}
    for record in records:
        grouped.setdefault(name(record), []).append(record)
    readers = {key: Reader.over(found, reading) for key, found in grouped.items()}
    for reader in readers.values():
        reader.take()
    return readers


def name_from(*variables: str) -> Callable[[Record], str]:
    """Name function that joins variables of a record's first line."""
    return lambda record: " ".join(record.values[each][0][0] for each in variables)


def last_word(variable: str) -> Callable[[Record], str]:
    """Name function that reads the last word of a variable: `class-map type qos NAME`."""
    return lambda record: record.values[variable][0][0].rpartition(" ")[2]


def last_of(reader: Reader, *names: str, reset: tuple[str, ...]) -> tuple[str, Value[str]]:
    """Variable and value in force among lines that replace each other; `reset` undo any."""
    found = {name: reader.record.values[name] for name in (*names, *reset) if name in reader}
    if not found:
        return "", ABSENT
    best = max(found, key=lambda name: found[name][-1][1])
    for name, captures in found.items():
        for _, position in captures if name != best else ():
            reader.reading.mark(position, LineState.SHADOWED)
    value = reader.text(best)
    return ("", ABSENT) if best in reset else (best, value)


def value_in_force(reader: Reader, name: str, *reset: str) -> Value[str]:
    """The value in force; absent if not stated or undone by a `no` form."""
    value = reader.text(name, reset=reset)
    return value or ABSENT


def first(*values: Value[T]) -> Value[T]:
    """The first value that is stated or cited.

    A line with a refused value counts: the value is then unknown, and later candidates (a channel's
    line, a default) do not apply.
    """
    for value in values:
        if value.position:
            return value
    return ABSENT


def last_line(reading: Reading, source: str, group: str) -> Reader | None:
    """A reader over all records of a group with one setting; None without any."""
    found = records(reading, source, group)
    return Reader.over(found, reading) if found else None


def line_of(reading: Reading, group: str) -> Reader:
    """The same in the configuration; a reader of nothing, at 0, without any record."""
    return last_line(reading, CONFIG, group) or Reader(Record("", 0), reading)


# Devices described by one file of stanzas.

LAST_AS = 2**32 - 1
"""AS numbers have 32 bits (RFC 6793)."""


def text_of(reading: Reading, name: str) -> Value[str]:
    """Value of a top-level line such as `hostname leaf1`; the last one is in force."""
    return line_of(reading, name).text(name)


def as_number(reading: Reading) -> Value[int]:
    """AS in the first line of a BGP stanza; an instance or VRF may follow it."""
    line = line_of(reading, "bgp")
    return whole(line, line.word("asn"), LAST_AS, "AS number", 1)


def routed_families(ports: Iterable[Interface]) -> Value[frozenset[str]]:
    """Families of the addresses of ports, at the first of their lines: what a system forwards that
    needs no other line for it.
    """
    routed = [port for port in ports if port.kind in WIRED and port.addresses]
    found = {f"ipv{6 if ':' in each else 4}" for port in routed for each in port.addresses}
    return Value(frozenset(found), routed[0].at["addresses"]) if found else ABSENT


def device_of(reading: Reading, hostname: Value[str], begin: int = 1, **parts: Any) -> Device:
    """The Device; it begins at the line with its name, else at `begin`, and is then partial."""
    device = reading.build(
        Device,
        hostname.position or begin,
        hostname=reading.hostname,
        nos=reading.nos,
        partial=not hostname,
        **parts,
    )
    if hostname:
        device.at["hostname"] = hostname.position
    return device

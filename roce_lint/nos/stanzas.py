"""Stanzas: records merged by name, the last of several lines, and devices of one such file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.text.match import Record, merge
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
    """Readers by name in order of first appearance; records of one name are added up."""
    grouped: dict[str, list[Record]] = {}
    for record in records:
        grouped.setdefault(name(record), []).append(record)
    return {
        key: Reader(merge(found), reading, starts=tuple(r.position for r in found))
        for key, found in grouped.items()
    }


def name_from(variable: str) -> Callable[[Record], str]:
    """Name function that reads a variable of a record's first line."""
    return lambda record: record.values[variable][0][0]


def last_of(reader: Reader, *names: str, reset: tuple[str, ...]) -> tuple[str, Value[str]]:
    """Variable and value in force among lines that replace each other; others are shadowed. `reset`
    are the `no` forms that undo any of them.
    """
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
    starts = tuple(record.position for record in found)
    return Reader(merge(found), reading, starts) if found else None


# Devices described by one file of stanzas.

LAST_AS = 2**32 - 1
"""AS numbers have 32 bits (RFC 6793)."""

OFF = ("no", "undo")
"""First words of lines that turn something off."""


def text_of(reading: Reading, source: str, name: str) -> Value[str]:
    """Value of a top-level line such as `hostname leaf1`; the last one is in force."""
    line = last_line(reading, source, name)
    return line.text(name) if line is not None else ABSENT


def as_number(reading: Reading, source: str) -> Value[int]:
    """AS in the first line of a BGP stanza; an instance or VRF may follow it."""
    line = last_line(reading, source, "bgp")
    if line is None:
        return ABSENT
    return whole(line, line.word("asn"), LAST_AS, "AS number", 1)


def routed_families(ports: Iterable[Interface]) -> Value[frozenset[str]]:
    """Families of the addresses of ports, at the first of their lines: what a system forwards that
    needs no other line for it.
    """
    routed = [port for port in ports if port.kind in WIRED and port.addresses]
    found = {f"ipv{6 if ':' in each else 4}" for port in routed for each in port.addresses}
    return Value(frozenset(found), routed[0].at["addresses"]) if found else ABSENT


def device_of(
    reading: Reading, hostname: Value[str], begin: int = 1, source: str = "", **parts: Any
) -> Device:
    """The Device, which begins at the line with its name, else at `begin`.

    A file without a device name may be a partial configuration. `source` may have a line for LLDP,
    and forwards between ports with addresses without a line.
    """
    if source:
        lldp = text_of(reading, source, "lldp").map(lambda line: line.split()[0] not in OFF)
        parts["lldp"] = lldp.or_else(parts.get("lldp", ABSENT))
        parts["forwards"] = routed_families(parts["interfaces"].values())
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

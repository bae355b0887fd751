"""Devices that one file of stanzas describes: their name, their AS, and the Device of all parts."""

from __future__ import annotations

from typing import Any

from roce_lint.model.device import Device
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.stanzas import last_line

LAST_AS = 2**32 - 1
"""AS numbers have 32 bits (RFC 6793)."""


def text_of(reading: Reading, source: str, name: str) -> Value[str]:
    """What a line that stands by itself states, such as `hostname leaf1`; the last one holds."""
    line = last_line(reading, source, name)
    return line.text(name) if line is not None else ABSENT


def as_number(reading: Reading, source: str) -> Value[int]:
    """The AS that a BGP stanza begins with; an instance or a VRF may be named behind it."""
    line = last_line(reading, source, "bgp")
    if line is None:
        return ABSENT
    text = line.text("asn").map(lambda words: words.split(maxsplit=1)[0])
    return whole(line, text, LAST_AS, "AS number", 1)


def device_of(reading: Reading, hostname: Value[str], begin: int = 1, **parts: Any) -> Device:
    """The Device, which begins at the line that names it, else at `begin`.

    A file that names no device may be a part of its configuration.
    """
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

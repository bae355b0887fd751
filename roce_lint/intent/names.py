"""Patterns by which an intent names devices and ports: `leaf{n:02d}`, `Ethernet{n}/1`.

A pattern holds plain letters and the few placeholders its place knows, so that nothing in it can
become a path, a second line or a statement of a configuration or template.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_PLACEHOLDER = re.compile(r"\{(?P<name>[a-z_0-9]{1,12})(?::(?P<width>0\d)d)?\}")
_PLAIN = re.compile(r"[A-Za-z0-9._/:-]*")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")

LONGEST = 64
"""Characters of a pattern; a host name has 63 (RFC 1123)."""

PORT = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}[A-Za-z0-9/:._-]{0,31}")
"""What a port of a switch or host may be called."""


def fault_of(pattern: str, known: Iterable[str]) -> str:
    """What is wrong with a pattern, in words; empty where nothing is."""
    if not 0 < len(pattern) <= LONGEST:
        return f"must have 1 to {LONGEST} characters, found {len(pattern)}"
    names = tuple(known)
    for found in _PLACEHOLDER.finditer(pattern):
        if found["name"] not in names:
            allowed = ", ".join(f"{{{name}}}" for name in names)
            return f"may hold {allowed}, found {found[0]}"
    plain = _PLACEHOLDER.sub("", pattern)
    if not _PLAIN.fullmatch(plain):
        odd = next(letter for letter in plain if not _PLAIN.fullmatch(letter))
        return f"may hold letters, digits and . _ / : - beside placeholders, found {odd!a}"
    return ""


def fault_of_host(name: str) -> str:
    """What is wrong with the name of a device, in words; empty where nothing is."""
    if _HOST.fullmatch(name):
        return ""
    return f"is no name of a device (letters, digits and . _ - within 63), found {name[:40]!a}"


def fill_pattern(pattern: str, values: Mapping[str, int]) -> str:
    """A name made of a pattern that `fault_of` found nothing wrong with."""

    def put(found: re.Match[str]) -> str:
        return f"{values[found['name']]:{found['width'] or ''}}"

    return _PLACEHOLDER.sub(put, pattern)


def placeholders(pattern: str) -> frozenset[str]:
    """The names of the placeholders in a pattern."""
    return frozenset(found["name"] for found in _PLACEHOLDER.finditer(pattern))

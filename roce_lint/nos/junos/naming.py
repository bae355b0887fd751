"""Names of Junos interfaces: kinds, patterns and ranges."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from roce_lint.model.interface import InterfaceKind
from roce_lint.text.numbers import whole_number, whole_of

MANY = 4096
"""Interfaces that one range may name."""

_PORT = re.compile(
    r"(?P<media>et|xe|ge|mge|fe|te)-(?P<slot>\d{1,4}/\d{1,4}/\d{1,4})(?P<lane>:\d{1,3})?"
)
_KINDS = {
    _PORT: InterfaceKind.PHYSICAL,
    re.compile(r"(?:ae|reth)\d{1,5}"): InterfaceKind.LAG,
    re.compile(r"(?:irb|vlan)"): InterfaceKind.VLAN,
    re.compile(r"lo\d{1,3}"): InterfaceKind.LOOPBACK,
    re.compile(r"(?:fxp|em|me|bme|jmgmt)\d{1,2}|vme|re\d:mgmt-\d"): InterfaceKind.MANAGEMENT,
    re.compile(r"(?:gr|ip|mt|vt|lt|ud|pe|pd)-[\d/:]+|vtep|gre|ipip|st\d"): InterfaceKind.TUNNEL,
}
_CLASS = re.compile(r"\[([^\]]{1,200})\]")


class Place(NamedTuple):
    """Position of a port: the slot of its cage, and the lane of a split cage."""

    slot: str
    lane: str


def kind_of(name: str) -> InterfaceKind:
    """Kind of an interface, from its name."""
    return next(
        (kind for regex, kind in _KINDS.items() if regex.fullmatch(name)), InterfaceKind.OTHER
    )


def place_of(name: str) -> Place | None:
    """Position of a port; None if the name is not of a port."""
    found = _PORT.fullmatch(name)
    return Place(found["slot"], found["lane"] or "") if found else None


def is_pattern(name: str) -> bool:
    """Whether a name of `class-of-service interfaces` matches several interfaces."""
    return name == "all" or "*" in name


def specific(name: str) -> int:
    """Specificity of a pattern; the most specific pattern comes first."""
    return -1 if name == "all" else len(name.split("*", 1)[0])


@lru_cache(maxsize=1 << 14)
def fits(pattern: str, name: str) -> bool:
    """Whether a pattern of `class-of-service interfaces` matches an interface."""
    return pattern == "all" or fnmatch.fnmatchcase(name, pattern)


def members(pattern: str, known: Iterable[str]) -> list[str]:
    """Interfaces that `member PATTERN` of a range matches: `xe-0/0/[0,4-7]`, `et-0/0/*`."""
    parts = _CLASS.split(pattern)
    choices = [_numbers(part) if index % 2 else [part] for index, part in enumerate(parts)]
    if not 0 < prod(map(len, choices)) <= MANY:
        return []
    found: list[str] = []
    for name in map("".join, product(*choices)):
        matching = (each for each in known if fnmatch.fnmatchcase(each, name))
        found += matching if "*" in name else [name]
    return found


def between(first: str, last: str) -> list[str]:
    """Interfaces of `member-range FIRST to LAST`; none if the ends do not match."""
    low, high = (re.fullmatch(r"(.*?)(\d{1,6})", name) for name in (first, last))
    if low is None or high is None or low[1] != high[1]:
        return []
    numbers = range(whole_of(low[2]), whole_of(high[2]) + 1)
    return [f"{low[1]}{number}" for number in numbers] if len(numbers) <= MANY else []


def _numbers(text: str) -> list[str]:
    """Numbers and letters of `0,4-7` or `02468`."""
    if not re.search(r"[,-]", text):
        return list(text)
    found: list[str] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        first, last = whole_number(low), whole_number(high, high=9999)
        if not dash:
            found.append(low)
        elif first is not None and last is not None:
            found += map(str, range(first, last + 1))
    return found[:MANY]

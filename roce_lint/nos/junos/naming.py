"""Names of Junos interfaces: kinds, patterns and ranges."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from roce_lint.model.interface import InterfaceKind
from roce_lint.text.numbers import whole_of

MANY = 4096
"""Interfaces that one range may name."""

_PORT = re.compile(
    r"(?P<media>et|xe|ge|mge|fe|te)-(?P<slot>\d{1,4}/\d{1,4}/\d{1,4})(?P<lane>:\d{1,3})?"
)
_KINDS: tuple[tuple[re.Pattern[str], InterfaceKind], ...] = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (_PORT.pattern, InterfaceKind.PHYSICAL),
        (r"(?:ae|reth)\d{1,5}", InterfaceKind.LAG),
        (r"(?:irb|vlan)", InterfaceKind.VLAN),
        (r"lo\d{1,3}", InterfaceKind.LOOPBACK),
        (r"(?:fxp|em|me|bme|jmgmt)\d{1,2}|vme|re\d:mgmt-\d", InterfaceKind.MANAGEMENT),
        (r"(?:gr|ip|mt|vt|lt|ud|pe|pd)-[\d/:]+|vtep|gre|ipip|st\d", InterfaceKind.TUNNEL),
    )
)
_CLASS = re.compile(r"\[([^\]]{1,200})\]")


@dataclass(slots=True, frozen=True)
class Place:
    """Position of a port: the slot of its cage, and the lane of a split cage."""

    slot: str
    lane: str


def kind_of(name: str) -> InterfaceKind:
    """Kind of an interface, from its name."""
    return next((kind for regex, kind in _KINDS if regex.fullmatch(name)), InterfaceKind.OTHER)


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
    spelled: list[str] = [pattern]
    if _CLASS.search(pattern):
        parts = _CLASS.split(pattern)
        choices = [_numbers(part) if index % 2 else [part] for index, part in enumerate(parts)]
        count = 1
        for choice in choices:
            count *= len(choice)
        if not 0 < count <= MANY:
            return []
        spelled = ["".join(chosen) for chosen in product(*choices)]
    found: list[str] = []
    for name in spelled:
        found += (
            [each for each in known if fnmatch.fnmatchcase(each, name)] if "*" in name else [name]
        )
    return found


def between(first: str, last: str) -> list[str]:
    """Interfaces of `member-range FIRST to LAST`; none if the ends do not match."""
    low, high = _split(first), _split(last)
    if low is None or high is None or low[0] != high[0] or not 0 <= high[1] - low[1] < MANY:
        return []
    return [f"{low[0]}{number}" for number in range(low[1], high[1] + 1)]


def _split(name: str) -> tuple[str, int] | None:
    found = re.fullmatch(r"(.*?)(\d{1,6})", name)
    return (found[1], whole_of(found[2])) if found else None


def _numbers(text: str) -> list[str]:
    """Numbers and letters of `0,4-7` or `02468`."""
    if not re.search(r"[,-]", text):
        return list(text)
    found: list[str] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not dash:
            found.append(low)
        elif (
            low.isascii() and low.isdigit() and high.isascii() and high.isdigit() and len(high) < 5
        ):
            found += [str(number) for number in range(whole_of(low[:5]), whole_of(high) + 1)]
    return found[:MANY]

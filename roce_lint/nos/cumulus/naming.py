"""Interface names of Cumulus Linux, with their lists and ranges."""

from __future__ import annotations

import re
from functools import lru_cache

from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.text.numbers import whole_number, whole_of

LIST_LIMIT = 4096
"""Names or numbers in a list; a longer list is hostile or a typing error."""

LIST_WIDTH = 64 << 10
"""Characters read of a list; one of 4096 ports has 40,000."""

_GRID = re.compile(r"(?P<head>\D*?)(?P<first>\d{1,6})-(?P<last>\d{1,6})s(?P<low>\d)-(?P<high>\d)")
"""Ports and their breakouts in one range: `swp1-4s0-1`."""

_RANGE = re.compile(
    r"(?P<head>(?:.*\D)?)(?P<first>\d{1,6})-(?:(?P<again>.*\D))?(?P<last>\d{1,6})", re.DOTALL
)
_NUMBER = re.compile(r"(?P<head>.*\D)\d{1,6}", re.DOTALL)
_PORT = re.compile(r"swp\d{1,4}(?:s\d{1,2})?")
_CHILD = re.compile(r"(?P<parent>swp\d{1,4})s\d{1,2}")
_SUB = re.compile(r"(?P<parent>[^.]+)\.(?P<vlan>\d{1,4})")
_SVI = re.compile(r"vlan(?P<vlan>\d{1,4})(?:_l3)?")

KINDS = {
    "swp": InterfaceKind.PHYSICAL, "bond": InterfaceKind.LAG, "peerlink": InterfaceKind.LAG,
    "svi": InterfaceKind.VLAN, "sub": InterfaceKind.SUBINTERFACE, "eth": InterfaceKind.MANAGEMENT,
    "loopback": InterfaceKind.LOOPBACK, "tunnel": InterfaceKind.TUNNEL,
    "bridge": InterfaceKind.BRIDGE,
}  # fmt: skip
"""Interface kinds by the value of `type`."""

_NAMED = (
    (_PORT, InterfaceKind.PHYSICAL),
    (re.compile("lo"), InterfaceKind.LOOPBACK),
    (re.compile(r"eth\d{1,2}"), InterfaceKind.MANAGEMENT),
    (_SVI, InterfaceKind.VLAN),
    (re.compile(r"peerlink|bond\d.*", re.DOTALL), InterfaceKind.LAG),
    (_SUB, InterfaceKind.SUBINTERFACE),
    (re.compile(r"(?:vni|vxlan|vx-)\d+"), InterfaceKind.TUNNEL),
)
"""Interface kinds by the form of the name."""


class TooLong(ValueError):
    """A list holds more than LIST_LIMIT members."""


@lru_cache(maxsize=8192)
def names(text: str) -> tuple[str, ...]:
    """Interfaces of a list: `swp1-4,6,swp9s0-1`, `swp1-swp4`, `bond1,bond3-4`.

    A bare number continues the name before it (`vlan200,300`).

    Raises:
        TooLong: the list names more than LIST_LIMIT.
    """
    if "," not in text and "-" not in text:
        return (text,)
    if len(text) > LIST_WIDTH:
        raise TooLong
    found: dict[str, None] = {}
    head = ""
    for part in text.strip("[]").split(","):
        name = part.strip()
        if not name:
            continue
        if name[0].isdigit():
            name = head + name
        for single in _spread(name):
            found[single] = None
        if len(found) > LIST_LIMIT:
            raise TooLong
        number = _NUMBER.fullmatch(next(reversed(found)))
        head = number["head"] if number else ""
    return tuple(found)


def listed(text: str) -> tuple[str, ...]:
    """Interfaces of a list; none if it is too long."""
    try:
        return names(text)
    except TooLong:
        return ()


def _spread(name: str) -> list[str]:
    if "-" not in name:
        return [name]
    if grid := _GRID.fullmatch(name):
        ports = _run(grid["first"], grid["last"])
        below = _run(grid["low"], grid["high"])
        return [f"{grid['head']}{port}s{number}" for port in ports for number in below]
    found = _RANGE.fullmatch(name)
    if found is None or found["again"] not in (None, found["head"]):
        return [name]
    numbers = _run(found["first"], found["last"])
    return [f"{found['head']}{number}" for number in numbers] or [name]


def _run(first: str, last: str) -> range:
    numbers = range(whole_of(first), whole_of(last) + 1)
    if len(numbers) > LIST_LIMIT:
        raise TooLong
    return numbers


@lru_cache(maxsize=4096)
def numbers(text: str, highest: int) -> tuple[int, ...]:
    """Numbers of a list such as `0-3,5`, up to `highest`.

    Raises:
        ValueError: it is not such a list.
    """
    found: dict[int, None] = {}
    for part in text.strip("[]").split(","):
        first, dash, last = part.strip().partition("-")
        low = whole_number(first, high=highest)
        high = whole_number(last, high=highest) if dash else low
        if low is None or high is None or low > high:
            raise ValueError(text)
        found |= dict.fromkeys(range(low, high + 1))
    return tuple(found)


def kind_of(name: str) -> InterfaceKind:
    """Kind of an interface from its name, if no line states it."""
    matching = (kind for pattern, kind in _NAMED if pattern.fullmatch(name))
    return next(matching, InterfaceKind.OTHER)


def parent_of(name: str) -> str | None:
    """Parent port of a breakout or subinterface, from its name."""
    found = _CHILD.fullmatch(name) or _SUB.fullmatch(name)
    return found["parent"] if found else None


def vlan_of(name: str) -> int | None:
    """VLAN in the name of a VLAN interface or subinterface."""
    found = _SVI.fullmatch(name) or _SUB.fullmatch(name)
    return whole_of(found["vlan"]) if found else None


def is_port(name: str) -> bool:
    """True for a front panel port or one of its breakouts."""
    return _PORT.fullmatch(name) is not None


def vlans_in(text: str) -> set[int]:
    """VLANs of a list; empty for `all` and for anything else."""
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if all(n.isascii() and n.isdigit() and len(n) < 5 for n in (first, last)):
            found |= {n for n in range(whole_of(first), whole_of(last) + 1) if n <= LAST_VLAN}
    return found

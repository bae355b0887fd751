"""Interface names of NX-OS: spellings, abbreviations, ranges, kinds."""

from __future__ import annotations

import re
from functools import lru_cache

from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.port_names import HEADER_LIMIT, RANGE_LIMIT, HeaderNames
from roce_lint.text.numbers import decimal_of, whole_of

KINDS = {
    "Ethernet": InterfaceKind.PHYSICAL,
    "port-channel": InterfaceKind.LAG,
    "Vlan": InterfaceKind.VLAN,
    "loopback": InterfaceKind.LOOPBACK,
    "mgmt": InterfaceKind.MANAGEMENT,
    "nve": InterfaceKind.TUNNEL,
    "Tunnel": InterfaceKind.TUNNEL,
    "ii": InterfaceKind.INTERNAL,  # fabric ports inside a modular chassis
}
"""Interface types in the device's spelling; an abbreviation selects the first match."""

SHORT = {"Ethernet": "Eth", "port-channel": "Po"}
"""Short forms that NX-OS prints in show commands and neighbours repeat."""

PART = re.compile(
    r"(?P<type>[A-Za-z][A-Za-z-]*)?\s*(?P<first>\d+(?:/\d+){0,3}(?:\.\d+)?)"
    r"(?:\s*-\s*(?:[A-Za-z][A-Za-z-]*)?\s*(?P<last>\d+(?:/\d+){0,3}(?:\.\d+)?))?",
    re.ASCII,
)

_MAP = re.compile(r"(\d{1,4})g-(\d{1,2})x", re.ASCII)


@lru_cache(maxsize=8192)
def expand(header: str) -> HeaderNames:
    """Full interface names from the text after `interface`.

    `Ethernet1/1`, `Ethernet 1/3`, `Eth1/1/1 - 2`, `Ethernet 1/1-1/54` and lists with commas. Any
    other spelling is the name of one interface.
    """
    text = header.strip()
    if not 0 < len(text) <= HEADER_LIMIT:
        return HeaderNames((), f"interface name of {len(text)} characters")
    names: list[str] = []
    kind = ""
    for part in text.split(","):
        found = PART.fullmatch(part.strip())
        if found and found["type"]:  # abbreviations as the CLI accepts them
            typed = found["type"].lower()
            kind = next((full for full in KINDS if full.lower().startswith(typed)), found["type"])
        if found is None or not kind:
            return HeaderNames(tuple(names) or (text,), _odd(part) if names else "")
        more = _range(kind, found["first"], found["last"])
        if more is None:
            return HeaderNames((*names, kind + found["first"]), _odd(part))
        if len(names) + len(more) > RANGE_LIMIT:
            return HeaderNames(tuple(names), f"more than {RANGE_LIMIT} interfaces in one range")
        names += more
    return HeaderNames(tuple(dict.fromkeys(names)))


def canonical(name: str) -> str:
    """Full name of one interface; a spelling for several is returned unchanged."""
    names = expand(name).names
    return names[0] if len(names) == 1 else name


@lru_cache(maxsize=8192)
def kind_of(name: str) -> InterfaceKind:
    """Kind of an interface, from its full name."""
    if "." in name:
        return InterfaceKind.SUBINTERFACE
    known = (kind for prefix, kind in KINDS.items() if name.startswith(prefix))
    return next(known, InterfaceKind.OTHER)


@lru_cache(maxsize=8192)
def breakout_parent(name: str) -> str | None:
    """`Ethernet1/7` for its lane `Ethernet1/7/2`, else None: from 100 on are fabric extenders."""
    numbers = name.removeprefix("Ethernet").split("/")
    if not name.startswith("Ethernet") or len(numbers) != 3 or len(numbers[0]) > 2:
        return None
    return name.rpartition("/")[0]


def lane_gbps(split: str) -> float | None:
    """Speed of one lane in Gb/s from the map of a split port: 400 from `400g-2x`."""
    found = _MAP.fullmatch(split)
    return decimal_of(found[1]) if found else None


def lanes_of(split: str) -> int | None:
    """Lanes of a split port by its map: 2 of `400g-2x`."""
    found = _MAP.fullmatch(split)
    return whole_of(found[2]) if found else None


@lru_cache(maxsize=8192)
def aliases(name: str) -> tuple[str, ...]:
    """Other spellings of a full name that show commands and neighbours use."""
    return tuple(
        short + name[len(full) :] for full, short in SHORT.items() if name.startswith(full)
    )


def _range(kind: str, first: str, last: str | None) -> list[str] | None:
    """The names from `first` to `last`; None if the names between are unknown."""
    if last is None:
        return [kind + first]
    mark = "." if "." in first else "/"
    head, slash, begin = first.rpartition(mark)
    last_head, last_slash, end = last.rpartition(mark)
    if (last_slash and last_head != head) or len(begin) > 5 or not end.isdigit() or len(end) > 9:
        return None
    low, high = whole_of(begin), whole_of(end)
    if high < low:
        return None
    high = min(high, low + RANGE_LIMIT)
    return [f"{kind}{head}{slash}{number}" for number in range(low, high + 1)]


def _odd(part: str) -> str:
    return f"interface range {part.strip()!r} is not understood"

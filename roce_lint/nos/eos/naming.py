"""Interface names of EOS (spellings, abbreviations, ranges, kinds) and its VLAN lists."""

from __future__ import annotations

import itertools
import math
import re
from functools import lru_cache

from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.eos import defaults
from roce_lint.nos.eos.lines import numbers
from roce_lint.nos.port_names import HEADER_LIMIT, LAST_VLAN, RANGE_LIMIT, HeaderNames
from roce_lint.text.numbers import whole_of

DIGITS = 9
"""Digits of a number in a name; EOS names have no more."""

TYPES: dict[str, tuple[tuple[str, ...], InterfaceKind]] = {
    "Ethernet": (("Et", "Eth"), InterfaceKind.PHYSICAL),
    "Port-Channel": (("Po",), InterfaceKind.LAG),
    "Vlan": (("Vl",), InterfaceKind.VLAN),
    "Loopback": (("Lo",), InterfaceKind.LOOPBACK),
    "Management": (("Ma",), InterfaceKind.MANAGEMENT),
    "Vxlan": (("Vx",), InterfaceKind.TUNNEL),
    "Tunnel": (("Tu",), InterfaceKind.TUNNEL),
    "Dps": ((), InterfaceKind.TUNNEL),
    "Recirc-Channel": (("Re",), InterfaceKind.INTERNAL),
    "UnconnectedEthernet": (("Un",), InterfaceKind.INTERNAL),
    "InternalRecirc": ((), InterfaceKind.INTERNAL),
    "Fabric": ((), InterfaceKind.INTERNAL),
}
"""Interface types as EOS spells them, the short forms its show commands print, and their kinds. An
abbreviation selects the first type that it begins."""

_NUMBERS = rf"\d{{1,{DIGITS}}}(?:[/.]\d{{1,{DIGITS}}}){{0,4}}"
_PART = re.compile(
    rf"(?P<type>[A-Za-z][A-Za-z-]*)?\s*(?P<first>{_NUMBERS})"
    rf"(?:\s*-\s*(?:[A-Za-z][A-Za-z-]*)?\s*(?P<last>{_NUMBERS}))?"
)
_LISTED = re.compile(r"[^\d\n]*+\d.*[-,$]")
"""Text in the form of a list or range of numbers, understood or not."""

_PLACE = rf"\d{{1,{DIGITS}}}(?:-\d{{1,{DIGITS}}})?"
_GRID = re.compile(rf"(?P<type>[A-Za-z][A-Za-z-]*)?\s*(?P<places>{_PLACE}(?:[/.]{_PLACE}){{1,4}})")
"""Ranges in more than one place: `1-32/1-4`."""

_SPLIT = re.compile(r"([/.])")


@lru_cache(maxsize=8192)
def expand(header: str) -> HeaderNames:
    """Full interface names from the text after `interface`.

    `Ethernet1/1`, `ethernet 1/1`, `Et1-4,7`, `Ethernet49/1-52/1`, `Ethernet1-32/1`. Any other
    spelling is the name of one interface.
    """
    text = header.strip()
    if len(text) > HEADER_LIMIT:
        return HeaderNames((), f"an interface name of {len(text)} characters")
    names: list[str] = []
    kind = ""
    for part in text.split(","):
        found = _PART.fullmatch(part.strip()) or _GRID.fullmatch(part.strip())
        if found and found["type"]:  # abbreviations as the CLI accepts them
            typed = found["type"].lower()
            kind = next((full for full in TYPES if full.lower().startswith(typed)), found["type"])
        if found is None or not kind:
            odd = f"interface range {part.strip()!r} is not understood"
            return HeaderNames(tuple(names) or (text,), odd if names or _LISTED.match(text) else "")
        first, last = _ends(found)
        more = _range(kind, first, last)
        if more is None or len(names) + len(more) > RANGE_LIMIT:
            limit = f"is not understood, or names more than {RANGE_LIMIT} interfaces"
            return HeaderNames((*names, kind + first), f"interface range {part.strip()!r} {limit}")
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
    return TYPES.get(_letters(name), ((), InterfaceKind.OTHER))[1]


@lru_cache(maxsize=8192)
def aliases(name: str) -> tuple[str, ...]:
    """Other spellings of a full name that show commands and neighbours use."""
    letters = _letters(name)
    shorts, _ = TYPES.get(letters, ((), InterfaceKind.OTHER))
    return tuple(short + name[len(letters) :] for short in shorts)


def _letters(name: str) -> str:
    return name.rstrip("0123456789/.")


def _ends(found: re.Match[str]) -> tuple[str, str]:
    """First and last name of a range."""
    if found.re is _PART:
        return found["first"], found["last"] or found["first"]
    places = _SPLIT.split(found["places"])
    return (
        "".join(place.partition("-")[0] for place in places),
        "".join(place.rpartition("-")[2] for place in places),
    )


def _range(kind: str, first: str, last: str) -> list[str] | None:
    """The names from `first` to `last`, number by number; None if not a range.

    `1/1-4` shares the prefix, `1-32/1` the suffix; `49/1-52/1` counts in each place separately.
    """
    low, high = _SPLIT.split(first), _SPLIT.split(last)
    if len(high) < len(low):
        high = low[: len(low) - len(high)] + high
    low += high[len(low) :]
    if low[1::2] != high[1::2]:
        return None
    spans = [range(whole_of(a), whole_of(b) + 1) for a, b in zip(low[::2], high[::2], strict=True)]
    if not 0 < math.prod(len(span) for span in spans) <= RANGE_LIMIT:
        return None
    marks = [*low[1::2], ""]
    return [
        kind + "".join(f"{number}{mark}" for number, mark in zip(numbers, marks, strict=True))
        for numbers in itertools.product(*spans)
    ]


# VLAN lists of `switchport trunk allowed vlan`.

ALL_VLANS: frozenset[int] = defaults.ALLOWED_VLANS.value  # type: ignore[assignment]

_VLANS = re.compile(r"(?:(?P<change>add|remove|except)\s+)?(?P<list>[\d,\s-]+|all|none)")


@lru_cache(maxsize=1024)
def change_vlans(vlans: frozenset[int], text: str) -> frozenset[int] | None:
    """VLANs allowed after `switchport trunk allowed vlan TEXT`."""
    found = _VLANS.fullmatch(text)
    if found is None:
        return None
    listed = {"all": ALL_VLANS, "none": frozenset[int]()}.get(found["list"])
    if listed is None:
        listed = numbers(found["list"], LAST_VLAN)
        if listed is None or 0 in listed:
            return None
    changed = {"add": vlans | listed, "remove": vlans - listed, "except": ALL_VLANS - listed}
    return changed.get(found["change"], listed)


@lru_cache(maxsize=256)
def without(vlans: frozenset[int], vlan: int | None) -> frozenset[int]:
    """The VLANs except one, which is untagged on the port."""
    return vlans - {vlan} if vlan is not None else vlans
